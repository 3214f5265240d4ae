import { parseDurationMs } from '../kernel/distribution.js';
import { LONGEST_DURATION_MS, LONGEST_TEXT } from '../kernel/time-units.js';
import { OptionError } from './option-error.js';

/** Milliseconds, or Go's duration text such as `90s`, `10m` or `1h30m`. */
export type Duration = number | string;

/** What a duration may be, for messages. */
export const DURATION_TEXT = 'milliseconds >= 0 or a duration such as "90s", "10m" or "1h30m"';

/** A duration option in whole milliseconds. @throws OptionError when it is none, negative or too long */
export function durationMs(field: string, value: Duration): number {
  const ms = durationOf(value);
  if (ms === undefined) throw new OptionError(field, DURATION_TEXT, value);
  if (ms > LONGEST_DURATION_MS) throw new OptionError(field, LONGEST_TEXT, value);
  return ms;
}

/** A duration in whole milliseconds; `undefined` when it is none or negative. */
export function durationOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? parseDurationMs(value) : value;
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? Math.round(ms) : undefined;
}
