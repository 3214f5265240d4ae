/** Numbers, moments and spans of time as Go writes and reads them. */
import { CelDuration, CelTime, daysOf } from '../values.js';

/** A number by Go's `%g`. */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < PLAIN_DIGITS) return String(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** A number of JSON as `%v` prints it: a whole one that 64 bits hold is no float. */
export function shownNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? String(value) : goFloat(value);
}

/** Numbers of more digits than that have an exponent. */
const PLAIN_DIGITS = 6;

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const DURATION = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/;

/** Go's time.ParseDuration; undefined for what is none. */
export function durationOf(text: string): CelDuration | undefined {
  const [, sign, parts] = DURATION.exec(text) ?? [];
  if (parts === undefined) return undefined;
  let ns = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of parts.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const each = UNITS[unit] ?? 0n;
    ns += BigInt(whole || '0') * each;
    if (fraction !== '') ns += (BigInt(fraction) * each) / BigInt(`1${'0'.repeat(fraction.length)}`);
  }
  return new CelDuration(sign === '-' ? -ns : ns);
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const LOOSE_TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d):?(\d\d))?)?$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A moment by RFC 3339. @param isLoose - or a date, or a time of ISO 8601 without a zone, which is UTC */
export function timeOf(text: string, isLoose = false): CelTime | undefined {
  const found = (isLoose ? LOOSE_TIME : TIME).exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [fraction = '', sign, zoneHours = '0', zoneMinutes = '0'] = found.slice(7);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lastDay = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  if (day < 1 || day > lastDay || hour > 23 || minute > 59 || second > 59) return undefined;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -60 : 60);
  const seconds = daysOf(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - zone;
  const ns = BigInt(fraction.slice(0, 9).padEnd(9, '0') || '0');
  return new CelTime(BigInt(seconds) * 1_000_000_000n + ns);
}
