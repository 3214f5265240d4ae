/** Moments of simulated time, as Go's time package prints them; everything is UTC. */
import { DAY_NAMES, MONTH_NAMES, weekdayOf } from '../kernel/calendar.js';
import { createTimestamps } from '../kernel/timestamps.js';
import type { Moment } from './values.js';

const timestamps = createTimestamps('1970-01-01T00:00:00Z');

/** Pieces of a layout, the longer ones of a beginning first. */
const LAYOUT = /January|Jan|Monday|Mon|MST|2006|Z07:00|-07:00|-0700|01|02|03|04|05|06|15|PM|pm|_2|\.0+|\.9+|1|2|3|4|5/g;

/** Microseconds since 1970 as RFC 3339 with milliseconds. */
function isoText({ epochMs }: Moment): string {
  return timestamps.toMicroTime(epochMs);
}

/** As `%v` prints a time. */
export function printedMoment(moment: Moment): string {
  return formatMoment(moment, '2006-01-02 15:04:05.999999999 -0700 MST');
}

/** `time.Format` with a layout such as `2006-01-02`. */
export function formatMoment(moment: Moment, layout: string): string {
  const iso = isoText(moment);
  return layout.replaceAll(LAYOUT, (piece) => pieceText(piece, iso, moment));
}

function pieceText(piece: string, iso: string, { epochMs }: Moment): string {
  const year = iso.slice(0, 4);
  const month = Number(iso.slice(5, 7));
  const day = Number(iso.slice(8, 10));
  const hour = Number(iso.slice(11, 13));
  const weekday = DAY_NAMES[weekdayOf(epochMs)] ?? '';
  const twelve = hour % 12 === 0 ? 12 : hour % 12;
  if (piece.startsWith('.0'))
    return `.${iso
      .slice(20, 26)
      .padEnd(9, '0')
      .slice(0, piece.length - 1)}`;
  if (piece.startsWith('.9')) return `.${iso.slice(20, 26).slice(0, piece.length - 1)}`.replace(/\.?0*$/, '');
  const texts: Readonly<Record<string, string>> = {
    '2006': year,
    '06': year.slice(2),
    January: MONTH_NAMES[month - 1] ?? '',
    Jan: (MONTH_NAMES[month - 1] ?? '').slice(0, 3),
    '01': iso.slice(5, 7),
    '1': String(month),
    Monday: weekday,
    Mon: weekday.slice(0, 3),
    '02': iso.slice(8, 10),
    _2: String(day).padStart(2),
    '2': String(day),
    '15': iso.slice(11, 13),
    '03': String(twelve).padStart(2, '0'),
    '3': String(twelve),
    '04': iso.slice(14, 16),
    '4': String(Number(iso.slice(14, 16))),
    '05': iso.slice(17, 19),
    '5': String(Number(iso.slice(17, 19))),
    PM: hour < 12 ? 'AM' : 'PM',
    pm: hour < 12 ? 'am' : 'pm',
    MST: 'UTC',
    'Z07:00': 'Z',
    '-07:00': '+00:00',
    '-0700': '+0000',
  };
  return texts[piece] ?? piece;
}
