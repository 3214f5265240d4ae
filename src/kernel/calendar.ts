/** Names of days and months, as Go and GNU date write them. */

/** From Sunday, day 0 of `Date`. */
export const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
/** From January. */
export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday. */
const FIRST_DAY = 4;

/** The day of the week, 0 = Sunday. @param epochMs - milliseconds since 1970, UTC */
export function weekdayOf(epochMs: number): number {
  return (((Math.floor(epochMs / DAY_MS) + FIRST_DAY) % 7) + 7) % 7;
}
