/** Steps that are taken together at most. */
const LARGEST_BATCH = 500;

/**
 * Takes a step for each item in batches of 1, 2, 4, 8 …: a batch begins when the one before it has ended, and
 * not at all if one of its steps failed. Steps that have nothing to wait for cost no promise.
 *
 * @param compare - of two items of a batch, by their indexes, the step of which is begun first: negative = the left one
 * @throws the first failure of the batch that failed, after all its steps have ended
 */
export async function inBatches<T>(
  items: readonly T[],
  step: (item: T, index: number) => unknown,
  compare?: (left: number, right: number) => number,
): Promise<void> {
  let start = 0;
  for (let size = 1; start < items.length; size = Math.min(2 * size, LARGEST_BATCH)) {
    const waits: Promise<unknown>[] = [];
    const batch = [...items.slice(start, start + size).entries()];
    if (compare !== undefined) batch.sort(([left], [right]) => compare(start + left, start + right));
    for (const [offset, item] of batch) {
      const outcome = step(item, start + offset);
      if (outcome instanceof Promise) waits.push(outcome);
    }
    start += size;
    if (waits.length === 0) continue;
    const outcomes = await Promise.allSettled(waits);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}
