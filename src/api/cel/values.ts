/**
 * Values of the Common Expression Language: whole numbers are bigints, others numbers; texts, truths and null are
 * themselves; bytes a Uint8Array, lists arrays, maps and objects Maps. All else has a class.
 */
import { canonicalJson } from '../values/canonical-json.js';

export type CelValue =
  | bigint
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | readonly CelValue[]
  | CelMap
  | CelUint
  | CelTime
  | CelDuration
  | CelOptional
  | CelTypeValue
  | CelOpaque;

export type CelMap = ReadonlyMap<CelValue, CelValue>;

export const LARGEST_INT = 0x7fff_ffff_ffff_ffffn;
export const SMALLEST_INT = -LARGEST_INT - 1n;
export const LARGEST_UINT = 0xffff_ffff_ffff_ffffn;

/** Evaluation has failed. */
export class CelError extends Error {}

/** A whole number without a sign. */
export class CelUint {
  readonly number: bigint;

  constructor(number: bigint) {
    if (number < 0n || number > LARGEST_UINT) throw new CelError('unsigned integer overflow');
    this.number = number;
  }
}

/** A moment, in nanoseconds since 1970. */
export class CelTime {
  readonly ns: bigint;

  constructor(ns: bigint) {
    this.ns = ns;
  }
}

/** A span of time, in nanoseconds. */
export class CelDuration {
  readonly ns: bigint;

  constructor(ns: bigint) {
    if (ns > LARGEST_INT || ns < SMALLEST_INT) throw new CelError('duration overflow');
    this.ns = ns;
  }
}

/** A value that may not be there. */
export class CelOptional {
  static readonly NONE = new CelOptional(undefined);
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** What `type(…)` answers. */
export class CelTypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A map that answers something for every key, and lists those that it has. */
export class CelDefaultMap extends Map<CelValue, CelValue> {
  readonly #fallback: CelValue;

  constructor(entries: Iterable<readonly [CelValue, CelValue]>, fallback: CelValue) {
    super(entries);
    this.#fallback = fallback;
  }

  override get(key: CelValue): CelValue {
    return super.get(key) ?? this.#fallback;
  }
}

/** A map of which each value is worked out when it is asked for, and fails then if it cannot be. */
export class CelLazyMap extends Map<CelValue, CelValue> {
  readonly #read: (key: string) => CelValue;
  readonly #known = new Map<CelValue, CelValue>();

  constructor(keys: readonly string[], read: (key: string) => CelValue) {
    super(keys.map((key) => [key, null]));
    this.#read = read;
  }

  override get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !this.has(key)) return undefined;
    let value = this.#known.get(key);
    if (value === undefined) this.#known.set(key, (value = this.#read(key)));
    return value;
  }

  override *entries(): MapIterator<[CelValue, CelValue]> {
    for (const key of this.keys()) yield [key, this.get(key) ?? null];
  }

  override *values(): MapIterator<CelValue> {
    for (const [, value] of this.entries()) yield value;
  }

  override [Symbol.iterator](): MapIterator<[CelValue, CelValue]> {
    return this.entries();
  }
}

/** An object that an expression has made: its fields by name. */
export class CelStruct extends Map<CelValue, CelValue> {
  readonly typeName: string;

  constructor(name: string, fields: Iterable<readonly [CelValue, CelValue]>) {
    super(fields);
    this.typeName = name;
  }
}

/** Lists of objects that have a schema. */
const declared = new WeakSet<object>();

/** The list as one of an object that has a schema. */
export function declaredList(list: readonly CelValue[]): readonly CelValue[] {
  declared.add(list);
  return list;
}

/** Whether a value is a list or a map of an object that has a schema. */
export function isDeclared(value: CelValue): value is readonly CelValue[] | CelMap {
  return value instanceof CelLazyMap || (Array.isArray(value) && declared.has(value));
}

/** A value of a library: a quantity, an address. */
export interface CelOpaque {
  /** Of its type, such as `kubernetes.Quantity`. */
  readonly celType: string;
  /** How it is written, where it has a form for that. */
  readonly text?: string;
  isSame(other: CelOpaque): boolean;
}

/** Whether a value is one of a library. */
export function isOpaque(value: CelValue): value is CelOpaque {
  return typeof value === 'object' && value !== null && 'celType' in value;
}

/** Lists that are sets or maps by their schema; see `listKeys`. */
const traits = new WeakMap<object, readonly string[]>();

/** Notes that a list is a set (no keys), or a map by these keys. */
export function markList(list: readonly CelValue[], keys: readonly string[]): readonly CelValue[] {
  traits.set(list, keys);
  return list;
}

/** The keys of a list that is a map, none for a set; undefined for a list that is just one. */
export function listKeys(list: object): readonly string[] | undefined {
  return traits.get(list);
}

/** What tells an item of a set or of a list with keys from others. */
export function itemKey(item: CelValue, keys: readonly string[]): string {
  if (keys.length === 0 || !(item instanceof Map)) return canonicalJson(plainValue(item));
  return canonicalJson(keys.map((key) => plainValue((item as CelMap).get(key) ?? null)));
}

/** A value as JSON has it. */
export function plainValue(value: CelValue): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return (value as readonly CelValue[]).map(plainValue);
  if (value instanceof Map) {
    const entries = [...(value as CelMap)].map(([key, each]) => [shortText(key), plainValue(each)] as const);
    return Object.fromEntries(entries);
  }
  if (value instanceof CelUint) return Number(value.number);
  if (value instanceof CelTime) return timeText(value);
  if (value instanceof CelDuration) return `${Number(value.ns) / 1e9}s`;
  if (value instanceof CelOptional) return value.value === undefined ? null : plainValue(value.value);
  return shortText(value);
}

/** A scalar as errors name it; of all else the name of its type. */
export function shortText(value: CelValue): string {
  if (value instanceof CelUint) return String(value.number);
  if (value instanceof CelTypeValue) return value.name;
  if (value === null || typeof value !== 'object') return String(value);
  return isOpaque(value) && value.text !== undefined ? value.text : typeName(value);
}

/** The name of a value's type, as `type(…)` and errors tell it. */
export function typeName(value: CelValue): string {
  switch (typeof value) {
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    default:
  }
  if (value === null) return 'null_type';
  if (value instanceof Uint8Array) return 'bytes';
  if (Array.isArray(value)) return 'list';
  if (value instanceof CelStruct) return value.typeName;
  if (value instanceof Map) return 'map';
  if (value instanceof CelUint) return 'uint';
  if (value instanceof CelTime) return 'google.protobuf.Timestamp';
  if (value instanceof CelDuration) return 'google.protobuf.Duration';
  if (value instanceof CelOptional) return 'optional_type';
  return value instanceof CelTypeValue ? 'type' : (value as CelOpaque).celType;
}

/** Whether two values are the same; numbers of all forms are compared by what they are. */
export function isSameValue(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  const order = compareNumbers(a, b);
  if (order !== undefined) return order === 0;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b);
  if (a instanceof Map) return b instanceof Map && isSameMap(a, b);
  if (a instanceof CelTime) return b instanceof CelTime && a.ns === b.ns;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.ns === b.ns;
  if (a instanceof CelOptional) {
    if (!(b instanceof CelOptional)) return false;
    return a.value === undefined || b.value === undefined ? a.value === b.value : isSameValue(a.value, b.value);
  }
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  return isOpaque(a) && isOpaque(b) && a.isSame(b);
}

function isSameList(a: readonly CelValue[], b: readonly CelValue[]): boolean {
  if (a.length !== b.length) return false;
  const keys = listKeys(a) ?? listKeys(b);
  if (keys === undefined) return a.every((item, index) => isSameValue(item, b[index] as CelValue));
  const others = new Map(b.map((item) => [itemKey(item, keys), item]));
  return a.every((item) => {
    const other = others.get(itemKey(item, keys));
    return other !== undefined && isSameValue(item, other);
  });
}

function isSameMap(a: CelMap, b: CelMap): boolean {
  if (typeName(a) !== typeName(b)) return false;
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = mapValue(b, key);
    if (other === undefined || !isSameValue(value, other)) return false;
  }
  return true;
}

/** The value of a key, which may be a number of another form. */
export function mapValue(map: CelMap, key: CelValue): CelValue | undefined {
  const direct = map.get(key);
  if (direct !== undefined || typeof key === 'string' || typeof key === 'boolean') return direct;
  for (const [own, value] of map) if (compareNumbers(own, key) === 0) return value;
  return undefined;
}

function numberOf(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof CelUint ? value.number : undefined;
}

/** Less than 0, 0 or more; undefined unless both are numbers; NaN is never the same. */
export function compareNumbers(a: CelValue, b: CelValue): number | undefined {
  const left = numberOf(a);
  const right = numberOf(b);
  if (left === undefined || right === undefined) return undefined;
  if (left < right) return -1;
  if (left > right) return 1;
  // Bigints and numbers are compared by their values.
  // oxlint-disable-next-line eqeqeq
  return left == right ? 0 : Number.NaN;
}

const SECOND = 1_000_000_000n;

/** The parts of a moment in UTC. */
export interface TimeParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ns: number;
  readonly weekday: number;
  readonly dayOfYear: number;
}

const DAY_SECONDS = 86_400;

/** The parts of a moment, moved by an offset. */
export function timeParts({ ns }: CelTime, offsetSeconds = 0): TimeParts {
  const seconds = floorDiv(ns, SECOND);
  const left = Number(ns - seconds * SECOND);
  const whole = Number(seconds) + offsetSeconds;
  const days = Math.floor(whole / DAY_SECONDS);
  const inDay = whole - days * DAY_SECONDS;
  const { year, month, day } = dateOf(days);
  return {
    year,
    month,
    day,
    hour: Math.floor(inDay / 3600),
    minute: Math.floor(inDay / 60) % 60,
    second: inDay % 60,
    ns: left,
    weekday: (((days + 4) % 7) + 7) % 7,
    dayOfYear: days - daysOf(year, 1, 1),
  };
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** Days since 1970 of a date (Howard Hinnant's days_from_civil). */
export function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function dateOf(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}

/** A moment as RFC 3339 has it, with as many digits of a second as it needs. */
export function timeText(time: CelTime): string {
  const { year, month, day, hour, minute, second, ns } = timeParts(time);
  const fraction = ns === 0 ? '' : `.${padded(ns, 9).replace(/0+$/, '')}`;
  const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
  return `${date}T${padded(hour, 2)}:${padded(minute, 2)}:${padded(second, 2)}${fraction}Z`;
}
