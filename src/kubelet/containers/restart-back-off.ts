/**
 * When a container that ended may run again: the first time at once, then 10, 20, 40, 80, 160, 300,
 * 300, … seconds after it ended; and when an image that could not be pulled is tried again. Pure
 * arithmetic; mirrors client-go's flowcontrol.Backoff as the kubelet uses it (v1.34). What is due is
 * done at the next sync of the pod (retry-times.ts).
 */

const INITIAL_DELAY_MS = 10_000;
const LARGEST_DELAY_MS = 300_000;
/** An entry that nothing has raised for so long is forgotten. */
const MEMORY_MS = 600_000;

/** What the kubelet remembers of one container's restarts, or of the pulls of one image. */
export interface BackOffEntry {
  /** Wait before the next attempt: counted from the end of the container, or from the failure of the pull. */
  readonly delayMs: number;
  /** Time of the last attempt. */
  readonly updatedMs: number;
}

/** Time from which the container that ended at `finishedMs` may run again; may lie in the past. */
export function backOffEndMs(entry: BackOffEntry | undefined, finishedMs: number): number {
  if (entry === undefined || finishedMs - entry.updatedMs > MEMORY_MS) return finishedMs;
  return Math.min(finishedMs + entry.delayMs, entry.updatedMs + MEMORY_MS);
}

/** The entry after an attempt at `nowMs`. */
export function nextBackOff(entry: BackOffEntry | undefined, nowMs: number): BackOffEntry {
  if (entry === undefined || nowMs - entry.updatedMs >= MEMORY_MS) {
    return { delayMs: INITIAL_DELAY_MS, updatedMs: nowMs };
  }
  return { delayMs: Math.min(entry.delayMs * 2, LARGEST_DELAY_MS), updatedMs: nowMs };
}
