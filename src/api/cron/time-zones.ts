/** Zones of the time zone database, which the host brings along. */
import { CronDate } from 'croner';
import type { Timestamps } from '../../kernel/timestamps.js';

/** Any moment at all. */
const SOME_TIME = '2000-01-01T00:00:00Z';

/** Whether there is a zone of this name; the empty one is UTC. */
export function isTimeZone(name: string): boolean {
  if (name === '') return true;
  if (/^[+-]/.test(name)) return false;
  try {
    return Number.isInteger(new CronDate(SOME_TIME, name).year);
  } catch {
    return false;
  }
}

/** A moment as its clocks on the wall show it, in RFC 3339: `2030-03-31T03:30:00+02:00`. */
export function wallTime(nowMs: number, timeZone: string, timestamps: Timestamps): string {
  const text = timestamps.toTime(nowMs);
  if (timeZone === '' || timeZone === 'UTC') return text;
  const { year, month, day, hour, minute, second } = new CronDate(text, timeZone);
  const date = [String(year).padStart(4, '0'), twoDigits(month + 1), twoDigits(day)].join('-');
  const wall = `${date}T${[hour, minute, second].map(twoDigits).join(':')}`;
  const offsetMinutes = Math.round((timestamps.toMs(`${wall}Z`) - timestamps.toMs(text)) / 60_000);
  if (offsetMinutes === 0) return `${wall}Z`;
  const distance = Math.abs(offsetMinutes);
  const offset = `${twoDigits(Math.floor(distance / 60))}:${twoDigits(distance % 60)}`;
  return `${wall}${offsetMinutes < 0 ? '-' : '+'}${offset}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
