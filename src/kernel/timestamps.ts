/** Kubernetes' two timestamp formats, computed from simulated time. The host's clock is never read. */

/** Turns simulated milliseconds into timestamps and back. */
export interface Timestamps {
  /** Simulated time to RFC 3339 with whole seconds (metav1.Time), truncated. */
  toTime(nowMs: number): string;
  /** Simulated time to RFC 3339 with microseconds (metav1.MicroTime). */
  toMicroTime(nowMs: number): string;
  /** Milliseconds of simulated time since the start of the cluster; NaN when `text` is no timestamp. */
  toMs(text: string): number;
}

/** @param epoch - RFC 3339 timestamp of simulated time 0 */
export function createTimestamps(epoch: string): Timestamps {
  const epochMs = new Date(epoch).getTime();
  let lastSecond = Number.NaN;
  let lastText = '';
  return {
    toTime(nowMs) {
      const second = Math.floor((epochMs + nowMs) / 1000);
      if (second !== lastSecond) {
        lastSecond = second;
        lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
      }
      return lastText;
    },
    toMicroTime(nowMs) {
      return `${new Date(epochMs + nowMs).toISOString().slice(0, 23)}000Z`;
    },
    toMs(text) {
      return new Date(text).getTime() - epochMs;
    },
  };
}
