/** How long an attempt to mount or unmount waits after one that failed, ms (pkg/util/goroutinemap/exponentialbackoff, v1.34). */
const FIRST_GAP_MS = 500;
const LONGEST_GAP_MS = 122_000;

/** The gap after `gapMs`; 0 = nothing has failed yet. */
export function nextMountGapMs(gapMs: number): number {
  return gapMs === 0 ? FIRST_GAP_MS : Math.min(gapMs * 2, LONGEST_GAP_MS);
}
