import { SECOND_MS, MINUTE_MS, HOUR_MS } from '../../kernel/time-units.js';

/** A duration as Go prints it, such as `850ms`, `1.234s`, `2m40s` or `1h0m5s`. */
export function goDuration(durationMs: number): string {
  if (durationMs === 0) return '0s';
  if (durationMs < SECOND_MS) return `${durationMs}ms`;
  const hours = Math.floor(durationMs / HOUR_MS);
  const minutes = Math.floor((durationMs % HOUR_MS) / MINUTE_MS);
  const seconds = (durationMs % MINUTE_MS) / SECOND_MS;
  const short = `${seconds}s`;
  if (hours > 0) return `${hours}h${minutes}m${short}`;
  return minutes > 0 ? `${minutes}m${short}` : short;
}
