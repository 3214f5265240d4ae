/**
 * Reads cron schedules as robfig/cron v3.0.1 `ParseStandard` does, which CronJobs use: five fields or a
 * name such as `@hourly`, its values, its errors in its words. The times that a schedule names
 * are found by cron-times.ts.
 */
import { isTimeZone } from './time-zones.js';

/** A schedule that was read. */
export type CronSchedule = CronFields | CronInterval;

/** Times by the calendar: every list is in order and not empty. */
export interface CronFields {
  readonly kind: 'fields';
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Any of them will do, unless one of both is `undefined`, which stands for `*`. */
  readonly daysOfMonth: readonly number[] | undefined;
  /** From 1. */
  readonly months: readonly number[];
  /** 0 is Sunday. */
  readonly daysOfWeek: readonly number[] | undefined;
}

/** `@every 1h30m`: times by the clock, counted from the one before. */
export interface CronInterval {
  readonly kind: 'interval';
  /** At least 1. */
  readonly seconds: number;
}

/** A schedule that cannot be read. */
export class CronScheduleError extends Error {
  override readonly name = 'CronScheduleError';
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTE: Bounds = { min: 0, max: 59, names: [] };
const HOUR: Bounds = { min: 0, max: 23, names: [] };
const DAY_OF_MONTH: Bounds = { min: 1, max: 31, names: [] };
const MONTH: Bounds = { min: 1, max: 12, names: MONTHS };
const DAY_OF_WEEK: Bounds = { min: 0, max: 6, names: DAYS };
const FIELDS = 5;
const EVERY = '@every ';

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const ZONE_PREFIX = /^(?:CRON_)?TZ=(\S*) /;
const DURATION_SECONDS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/**
 * Reads a schedule. A zone before the times, such as `TZ=Europe/Berlin `, must be one but counts for nothing: no
 * cron job can have it.
 *
 * @throws CronScheduleError
 */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === '') throw new CronScheduleError('empty spec string');
  const zone = ZONE_PREFIX.exec(text);
  if (zone === null) return parseTimes(text);
  const timeZone = zone[1] ?? '';
  if (!isTimeZone(timeZone)) {
    throw new CronScheduleError(`provided bad location ${timeZone}: unknown time zone ${timeZone}`);
  }
  return parseTimes(text.slice(zone[0].length).trim());
}

function parseTimes(text: string): CronSchedule {
  if (text.startsWith(EVERY)) return { kind: 'interval', seconds: parseDuration(text) };
  if (text.startsWith('@')) {
    const fields = DESCRIPTORS[text];
    if (fields === undefined) throw new CronScheduleError(`unrecognized descriptor: ${text}`);
    return parseTimes(fields);
  }
  const fields = text.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS) {
    throw new CronScheduleError(`expected exactly ${FIELDS} fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fields;
  return {
    kind: 'fields',
    minutes: parseField(minute, MINUTE).values,
    hours: parseField(hour, HOUR).values,
    daysOfMonth: unlessAny(parseField(dayOfMonth, DAY_OF_MONTH)),
    months: parseField(month, MONTH).values,
    daysOfWeek: unlessAny(parseField(dayOfWeek, DAY_OF_WEEK)),
  };
}

interface Field {
  readonly values: readonly number[];
  readonly isAny: boolean;
}

function unlessAny({ values, isAny }: Field): readonly number[] | undefined {
  return isAny ? undefined : values;
}

function parseField(text: string, bounds: Bounds): Field {
  const values = new Set<number>();
  let isAny = false;
  for (const part of text.split(',').filter((each) => each !== '')) {
    const range = parseRange(part, bounds);
    isAny ||= range.isAny;
    for (let value = range.first; value <= range.last; value += range.step) values.add(value);
  }
  return { values: [...values].sort((left, right) => left - right), isAny };
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly isAny: boolean;
}

function parseRange(text: string, { min, max, names }: Bounds): Range {
  const [limits = '', stepText, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreLimits] = limits.split('-');
  const isStar = low === '*' || low === '?';
  let first = min;
  let last = max;
  if (!isStar) {
    first = parseNumberOrName(low, names);
    if (moreLimits.length > 0) throw new CronScheduleError(`too many hyphens: ${text}`);
    last = high === undefined ? first : parseNumberOrName(high, names);
  }
  if (moreSteps.length > 0) throw new CronScheduleError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  // A single number with a step goes on to the end.
  if (stepText !== undefined && high === undefined) last = max;
  if (first < min) throw new CronScheduleError(`beginning of range (${first}) below minimum (${min}): ${text}`);
  if (last > max) throw new CronScheduleError(`end of range (${last}) above maximum (${max}): ${text}`);
  if (first > last) {
    throw new CronScheduleError(`beginning of range (${first}) beyond end of range (${last}): ${text}`);
  }
  if (step === 0) throw new CronScheduleError(`step of range should be a positive number: ${text}`);
  return { first, last, step, isAny: isStar && step === 1 };
}

function parseNumberOrName(text: string, names: readonly string[]): number {
  const index = names.indexOf(text.toLowerCase());
  return index === -1 ? parseNumber(text) : index + (names === MONTHS ? 1 : 0);
}

function parseNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    const reason = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw new CronScheduleError(`failed to parse int from ${text}: ${reason}`);
  }
  const value = Number(text);
  if (value < 0) throw new CronScheduleError(`negative number (${value}) not allowed: ${text}`);
  return value;
}

/** A duration as Go writes it, rounded down to whole seconds, at least one. */
function parseDuration(text: string): number {
  const duration = text.slice(EVERY.length);
  const refuse = (reason: string): CronScheduleError =>
    new CronScheduleError(`failed to parse duration ${text}: time: ${reason} ${JSON.stringify(duration)}`);
  const [, sign = '', amounts = ''] = /^([+-]?)(.*)$/s.exec(duration) ?? [];
  if (amounts === '0') return 1;
  if (amounts === '') throw refuse('invalid duration');
  let seconds = 0;
  let rest = amounts;
  while (rest !== '') {
    const [whole = '', number, unit = ''] = /^(\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? [];
    if (number === undefined) throw refuse('invalid duration');
    if (unit === '') throw refuse('missing unit in duration');
    const unitSeconds = DURATION_SECONDS[unit];
    if (unitSeconds === undefined) throw refuse(`unknown unit ${JSON.stringify(unit)} in duration`);
    seconds += Number(number) * unitSeconds;
    rest = rest.slice(whole.length);
  }
  return sign === '-' ? 1 : Math.max(1, Math.floor(seconds));
}
