import { parseDurationMs } from '../kernel/distribution.js';
import { OptionError } from './option-error.js';

/** Milliseconds, or Go's duration text such as `90s`, `10m` or `1h30m`. */
export type Duration = number | string;

/** A duration option in whole milliseconds. @throws OptionError when it is none or negative */
export function durationMs(field: string, value: Duration): number {
  const ms = typeof value === 'string' ? parseDurationMs(value) : value;
  if (ms === undefined || !Number.isFinite(ms) || ms < 0) {
    throw new OptionError(field, 'milliseconds >= 0 or a duration such as "90s", "10m" or "1h30m"', value);
  }
  return Math.round(ms);
}
