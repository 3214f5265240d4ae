/** A moment as `date` writes it, in UTC. */

import { DAY_NAMES, MONTH_NAMES, weekdayOf } from '../../kernel/calendar.js';
import { createTimestamps } from '../../kernel/timestamps.js';

const DAY_MS = 86_400_000;
const SINCE_1970 = createTimestamps('1970-01-01T00:00:00Z');

/** @param time - RFC 3339 @param ms - for fractions of a second */
export function dateText(time: string, ms: number, format: string): string {
  const [, year = '1970', month = '01', day = '01', hour = '00', minute = '00', second = '00'] =
    /^(\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/.exec(time) ?? [];
  const epochMs = SINCE_1970.toMs(time.replace(/\.\d+/, ''));
  const weekday = weekdayOf(epochMs);
  const dayOfYear = Math.floor((epochMs - SINCE_1970.toMs(`${year}-01-01T00:00:00Z`)) / DAY_MS) + 1;
  const fields: Readonly<Record<string, string>> = {
    Y: year,
    m: month,
    d: day,
    e: String(Number(day)).padStart(2),
    H: hour,
    M: minute,
    S: second,
    N: String((ms % 1000) * 1_000_000).padStart(9, '0'),
    s: String(Math.floor(epochMs / 1000)),
    y: year.slice(-2),
    j: String(dayOfYear).padStart(3, '0'),
    a: (DAY_NAMES[weekday] ?? '').slice(0, 3),
    A: DAY_NAMES[weekday] ?? '',
    b: (MONTH_NAMES[Number(month) - 1] ?? '').slice(0, 3),
    B: MONTH_NAMES[Number(month) - 1] ?? '',
    u: String(weekday === 0 ? 7 : weekday),
    w: String(weekday),
    F: `${year}-${month}-${day}`,
    T: `${hour}:${minute}:${second}`,
    R: `${hour}:${minute}`,
    D: `${month}/${day}/${year.slice(-2)}`,
    Z: 'UTC',
    z: '+0000',
    n: '\n',
    t: '\t',
    '%': '%',
  };
  return format.replaceAll(/%-?([a-zA-Z%])/g, (all, letter: string) => fields[letter] ?? all);
}
