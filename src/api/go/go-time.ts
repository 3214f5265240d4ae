/**
 * Timestamps as Go reads them (time.Parse with RFC 3339, Go 1.24): what is wrong with a text in Go's words, and the
 * text that the API shows of a good one, which is in UTC.
 */
import { daysIn } from '../values/calendar.js';
import { quoted } from './go-json.js';

/** How exact a time is: `Time` has whole seconds, `MicroTime` six digits more. */
export type TimePrecision = 'second' | 'microsecond';

const LAYOUTS: Readonly<Record<TimePrecision, string>> = {
  second: '2006-01-02T15:04:05Z07:00',
  microsecond: '2006-01-02T15:04:05.000000Z07:00',
};
/** What Go prints; `0` stands for any digit. */
const PRINTED: Readonly<Record<TimePrecision, string>> = {
  second: '0000-00-00T00:00:00Z',
  microsecond: '0000-00-00T00:00:00.000000Z',
};
const ZERO = 48;
const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** A text that is no time, in Go's words. */
export class GoTimeError extends Error {}

/** The text of that time as the API shows it; the argument itself where it is that already. @throws GoTimeError */
export function readGoTime(text: string, precision: TimePrecision): string {
  return isPlain(text, PRINTED[precision]) ? text : new TimeReading(text, precision).read();
}

/** Whether it is what Go prints. A day that every month has needs no calendar; others are read. */
function isPlain(text: string, printed: string): boolean {
  if (text.length !== printed.length) return false;
  for (let index = 0; index < printed.length; index += 1) {
    const code = text.charCodeAt(index);
    const wanted = printed.charCodeAt(index);
    if (wanted === ZERO ? code < ZERO || code > ZERO + 9 : code !== wanted) return false;
  }
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)];
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= 28;
  return isDay && twoDigits(text, 11) < 24 && twoDigits(text, 14) < 60 && twoDigits(text, 17) < 60;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

/** A time as a calendar and a clock show it. */
interface Moment {
  readonly year: number;
  /** 1..12 */
  readonly month: number;
  /** 1..31 */
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** A time that is told by a clock which is ahead of UTC, or behind it, by less than two days. */
function inUtc({ year, month, day, hour, minute, second }: Moment, aheadSeconds: number): Moment {
  const total = (hour * 60 + minute) * MINUTE_SECONDS + second - aheadSeconds;
  const left = ((total % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS;
  const minutes = Math.floor(left / MINUTE_SECONDS);
  return {
    ...movedBy({ year, month, day }, Math.floor(total / DAY_SECONDS)),
    hour: Math.floor(minutes / 60),
    minute: minutes % 60,
    second: left % MINUTE_SECONDS,
  };
}

type Day = Pick<Moment, 'year' | 'month' | 'day'>;

function movedBy({ year, month, day }: Day, days: number): Day {
  const target = day + days;
  const length = daysIn(month, year);
  if (target > length) {
    return movedBy(
      month === 12 ? { year: year + 1, month: 1, day: 1 } : { year, month: month + 1, day: 1 },
      target - length - 1,
    );
  }
  if (target >= 1) return { year, month, day: target };
  const before = month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 };
  return movedBy({ ...before, day: daysIn(before.month, before.year) }, target);
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

/** One text on its way through the layout. */
class TimeReading {
  readonly #text: string;
  readonly #precision: TimePrecision;
  #rest: string;

  constructor(text: string, precision: TimePrecision) {
    this.#text = text;
    this.#precision = precision;
    this.#rest = text;
  }

  read(): string {
    const year = this.#year();
    this.#skip('-');
    const month = this.#number('01', 2, ['month', 1, 12]);
    this.#skip('-');
    const day = this.#number('02', 2);
    this.#skip('T');
    const hour = this.#number('15', 1, ['hour', 0, 23]);
    this.#skip(':');
    const minute = this.#number('04', 2, ['minute', 0, 59]);
    this.#skip(':');
    const second = this.#number('05', 2, ['second', 0, 59]);
    const fraction = this.#fraction();
    const offsetSeconds = this.#zone();
    if (this.#rest !== '') throw this.#fault(`: extra text: ${quoted(this.#rest)}`);
    if (day < 1 || day > daysIn(month, year)) throw this.#fault(': day out of range');
    const fields = { year, month, day, hour, minute, second };
    return this.#shown(offsetSeconds === 0 ? fields : inUtc(fields, offsetSeconds), fraction);
  }

  #year(): number {
    if (!/^\d{4}/.test(this.#rest)) throw this.#unlike('2006');
    return Number(this.#take(4));
  }

  #skip(literal: string): void {
    if (!this.#rest.startsWith(literal)) throw this.#unlike(literal);
    this.#take(literal.length);
  }

  /** One of two digits; `least` = 1 lets one digit stand alone. */
  #number(element: string, least: 1 | 2, range?: readonly [name: string, min: number, max: number]): number {
    const [digits] = /^\d{1,2}/.exec(this.#rest) ?? [''];
    if (digits.length < least) throw this.#unlike(element);
    const value = Number(this.#take(digits.length));
    if (range !== undefined && (value < range[1] || value > range[2])) throw this.#fault(`: ${range[0]} out of range`);
    return value;
  }

  /** Digits of a second: any number where the layout has none. */
  #fraction(): string {
    if (this.#precision === 'second') return this.#take((/^[.,]\d+/.exec(this.#rest)?.[0] ?? '').length).slice(1);
    if (!/^[.,]\d{6}/.test(this.#rest)) throw this.#unlike('.000000');
    return this.#take(7).slice(1);
  }

  #zone(): number {
    if (this.#rest.startsWith('Z')) {
      this.#take(1);
      return 0;
    }
    const match = /^([+-])(\d\d):(\d\d)/.exec(this.#rest);
    if (match === null) throw this.#unlike('Z07:00');
    const [all, sign, hours, minutes] = match;
    this.#take(all.length);
    if (Number(hours) > 24) throw this.#fault(': time zone offset hour out of range');
    if (Number(minutes) > 60) throw this.#fault(': time zone offset minute out of range');
    const seconds = (Number(hours) * 60 + Number(minutes)) * MINUTE_SECONDS;
    return sign === '-' ? -seconds : seconds;
  }

  #shown({ year, month, day, hour, minute, second }: Moment, fraction: string): string {
    const [date, time] = [
      [month, day],
      [hour, minute, second],
    ].map((numbers) => numbers.map((each) => padded(each, 2)));
    const seconds = `${[padded(year, 4), ...(date ?? [])].join('-')}T${(time ?? []).join(':')}`;
    return this.#precision === 'second' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return taken;
  }

  #unlike(element: string): GoTimeError {
    const layout = LAYOUTS[this.#precision];
    return new GoTimeError(
      `parsing time ${quoted(this.#text)} as "${layout}": cannot parse ${quoted(this.#rest)} as "${element}"`,
    );
  }

  #fault(what: string): GoTimeError {
    return new GoTimeError(`parsing time ${quoted(this.#text)}${what}`);
  }
}
