/** Steps that are taken together at most. */
const LARGEST_BATCH = 500;

/**
 * Takes a step for each item in batches of 1, 2, 4, 8 …: a batch begins when the one before it has ended, and
 * not at all if one of its steps failed. Steps that have nothing to wait for cost no promise.
 *
 * @throws the first failure of the batch that failed, after all its steps have ended
 */
export async function inBatches<T>(items: readonly T[], step: (item: T, index: number) => unknown): Promise<void> {
  let start = 0;
  for (let size = 1; start < items.length; size = Math.min(2 * size, LARGEST_BATCH)) {
    const waits: Promise<unknown>[] = [];
    for (const [offset, item] of items.slice(start, start + size).entries()) {
      const outcome = step(item, start + offset);
      if (outcome instanceof Promise) waits.push(outcome);
    }
    start += size;
    if (waits.length === 0) continue;
    const outcomes = await Promise.allSettled(waits);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}
