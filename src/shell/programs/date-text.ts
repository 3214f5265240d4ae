/** A moment as `date` writes it, in UTC. */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
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
];

/** @param time - RFC 3339 @param ms - for fractions of a second */
export function dateText(time: string, ms: number, format: string): string {
  const [, year = '1970', month = '01', day = '01', hour = '00', minute = '00', second = '00'] =
    /^(\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/.exec(time) ?? [];
  const days = daysSinceEpoch(Number(year), Number(month), Number(day));
  const seconds = days * 86_400 + Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  const weekday = (((days + 4) % 7) + 7) % 7;
  const dayOfYear = days - daysSinceEpoch(Number(year), 1, 1) + 1;
  const fields: Readonly<Record<string, string>> = {
    Y: year,
    m: month,
    d: day,
    e: String(Number(day)).padStart(2),
    H: hour,
    M: minute,
    S: second,
    N: String((ms % 1000) * 1_000_000).padStart(9, '0'),
    s: String(seconds),
    y: year.slice(-2),
    j: String(dayOfYear).padStart(3, '0'),
    a: (DAYS[weekday] ?? '').slice(0, 3),
    A: DAYS[weekday] ?? '',
    b: (MONTHS[Number(month) - 1] ?? '').slice(0, 3),
    B: MONTHS[Number(month) - 1] ?? '',
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

function daysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}
