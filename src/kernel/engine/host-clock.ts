/**
 * The host's monotonic clock and its timers, as the engine sees them: the only file of the engine that
 * reads real time. What a cluster does or shows depends on it in real-time mode alone.
 */

/** See the file header. */
export interface HostClock {
  /** Milliseconds from any start; never falls. */
  nowMs(): number;
  /** Runs `task` once after that many real milliseconds. @returns what cancels it */
  after(delayMs: number, task: () => void): () => void;
}

/** The clock of this process. */
export const HOST_CLOCK: HostClock = {
  nowMs: () => performance.now(),
  after(delayMs, task) {
    const handle = setTimeout(task, delayMs);
    return () => clearTimeout(handle);
  },
};
