/**
 * Real time for whoever chooses between two ways to the same result, such as the scheduler between its
 * own thread and the worker threads. Nothing that a cluster does or shows may depend on it.
 *
 * @returns milliseconds, from any start
 */
export function hostTime(): number {
  return performance.now();
}
