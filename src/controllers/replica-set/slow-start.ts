import type { Clock } from '../../kernel/engine/clock.js';

/** How one call of a batch ends. */
export type CallDone = (error: Error | undefined) => void;

/** The end of a slow start: calls that succeeded, and the first failure if there was one. */
export interface SlowStartResult {
  readonly successes: number;
  readonly error: Error | undefined;
}

/**
 * Makes `count` calls in batches of 1, 2, 4, 8 …: a batch starts when the one before it has ended, and
 * not at all if one of its calls failed, so that a broken template costs a few requests and not thousands.
 */
export async function slowStart(clock: Clock, count: number, call: (done: CallDone) => void): Promise<SlowStartResult> {
  let successes = 0;
  for (let size = Math.min(1, count); size > 0; size = Math.min(2 * size, count - successes)) {
    const failures = await callTogether(clock, size, call);
    successes += size - failures.length;
    if (failures.length > 0) return { successes, error: failures[0] };
  }
  return { successes, error: undefined };
}

/** Makes `count` calls at once and answers with their failures, when all have ended. */
export function callTogether(
  clock: Clock,
  count: number,
  call: (done: CallDone, index: number) => void,
): Promise<Error[]> {
  return new Promise((resolve) => {
    const failures: Error[] = [];
    let left = count;
    const done: CallDone = (error) => {
      if (error !== undefined) failures.push(error);
      left -= 1;
      if (left > 0) return;
      clock.settle();
      resolve(failures);
    };
    if (count === 0) resolve(failures);
    for (let index = 0; index < count; index += 1) call(done, index);
  });
}
