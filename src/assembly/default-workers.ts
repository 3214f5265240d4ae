import { availableParallelism } from 'node:os';
import { isMainThread } from 'node:worker_threads';

/** Threads beyond which a batch of the scheduler's is too short to be dealt out. */
const MOST = 4;

/**
 * How many threads a scheduler may have whose user has said nothing: those for which there is a processor beside the
 * engine's. Whether any of them is started is found out by measuring (`src/scheduler/parallel/break-even.ts`).
 * A cluster that is itself on a thread beside others has none: its processor is all that it is meant to have.
 */
export function defaultWorkers(): number {
  return isMainThread ? Math.min(MOST, availableParallelism() - 1) : 0;
}
