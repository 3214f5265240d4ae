/**
 * Real time for a choice between two ways to the same result, such as the scheduler's between its own thread
 * and the worker threads. Nothing that a cluster does or shows may depend on it.
 *
 * @returns milliseconds, from any start
 */
export function hostTime(): number {
  return performance.now();
}
