/** JSON values as jq sees them: their order, their sums, and what is in them. Errors have gojq's words. */
import { isSameJson } from '../../api/values/canonical-json.js';
import { JqError } from './jq-tokens.js';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isJsonObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `type`. */
export function jsonType(value: Json): string {
  if (value === null) return 'null';
  if (isJsonList(value)) return 'array';
  return typeof value;
}

/** Everything but null and false. */
export function isTruthy(value: Json): boolean {
  return value !== null && value !== false;
}

function described(value: Json): string {
  return `${jsonType(value)} (${JSON.stringify(value)})`;
}

/** `.[key]`, also with a number. @throws JqError */
export function jsonAt(value: Json, key: Json): Json {
  if (value === null && (typeof key === 'string' || typeof key === 'number' || key === null)) return null;
  if (isJsonObject(value) && typeof key === 'string') return Object.hasOwn(value, key) ? (value[key] ?? null) : null;
  if (isJsonList(value) && typeof key === 'number') return value.at(Math.floor(key)) ?? null;
  if (typeof key === 'string') throw new JqError(`expected an object but got: ${described(value)}`);
  throw new JqError(`expected an array but got: ${described(value)}`);
}

/** `.[from:to]`. @throws JqError */
export function jsonSlice(value: Json, from: Json, to: Json): Json {
  if (value === null) return null;
  const bounds = [from, to].map((each) => (typeof each === 'number' ? Math.floor(each) : undefined));
  if (isJsonList(value)) return value.slice(...bounds);
  if (typeof value === 'string')
    return Array.from(value)
      .slice(...bounds)
      .join('');
  throw new JqError(`expected an array but got: ${described(value)}`);
}

/** `.[]`. @throws JqError */
export function jsonItems(value: Json): readonly Json[] {
  if (isJsonList(value)) return value;
  if (isJsonObject(value)) return sortedKeys(value).map((key) => value[key] ?? null);
  throw new JqError(`cannot iterate over: ${described(value)}`);
}

/** Keys in their order. */
export function sortedKeys(object: JsonObject): readonly string[] {
  return Object.keys(object).toSorted(compareTexts);
}

function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const TYPE_ORDER: readonly string[] = ['null', 'false', 'true', 'number', 'string', 'array', 'object'];

function typeRank(value: Json): number {
  return TYPE_ORDER.indexOf(typeof value === 'boolean' ? String(value) : jsonType(value));
}

/** jq's order of all values. */
export function compareJson(a: Json, b: Json): number {
  const rank = typeRank(a) - typeRank(b);
  if (rank !== 0) return rank;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (isJsonList(a) && isJsonList(b)) return compareLists(a, b);
  if (!isJsonObject(a) || !isJsonObject(b)) return 0;
  const [keysA, keysB] = [sortedKeys(a), sortedKeys(b)];
  const byKeys = compareLists(keysA, keysB);
  if (byKeys !== 0) return byKeys;
  return compareLists(
    keysA.map((key) => a[key] ?? null),
    keysA.map((key) => b[key] ?? null),
  );
}

function compareLists(a: readonly Json[], b: readonly Json[]): number {
  for (const [index, item] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareJson(item, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

export function isSameValue(a: Json, b: Json): boolean {
  return isSameJson(a, b);
}

/** `+`. @throws JqError */
export function addJson(a: Json, b: Json): Json {
  if (a === null) return b;
  if (b === null) return a;
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (isJsonList(a) && isJsonList(b)) return [...a, ...b];
  if (isJsonObject(a) && isJsonObject(b)) return { ...a, ...b };
  throw new JqError(`cannot add: ${described(a)} and ${described(b)}`);
}

/** `-`, `*`, `/` and `%`. @throws JqError */
export function computeJson(sign: string, a: Json, b: Json): Json {
  if (typeof a === 'number' && typeof b === 'number') return computeNumbers(sign, a, b);
  if (sign === '-' && isJsonList(a) && isJsonList(b))
    return a.filter((item) => !b.some((each) => isSameValue(item, each)));
  if (sign === '/' && typeof a === 'string' && typeof b === 'string') return a === '' ? [] : a.split(b);
  if (sign === '*' && typeof a === 'string' && typeof b === 'number') return b <= 0 ? null : a.repeat(Math.max(1, b));
  if (sign === '*' && isJsonObject(a) && isJsonObject(b)) return mergedDeeply(a, b);
  const verbs: Readonly<Record<string, string>> = { '-': 'subtract', '*': 'multiply', '/': 'divide', '%': 'modulo' };
  throw new JqError(`cannot ${verbs[sign] ?? sign}: ${described(a)} and ${described(b)}`);
}

function computeNumbers(sign: string, a: number, b: number): number {
  if (sign === '-') return a - b;
  if (sign === '*') return a * b;
  if (b === 0) throw new JqError(`cannot ${sign === '/' ? 'divide' : 'modulo'} by zero`);
  return sign === '/' ? a / b : Math.trunc(a) % Math.trunc(b);
}

function mergedDeeply(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = merged[key];
    merged[key] =
      before !== undefined && isJsonObject(before) && isJsonObject(value) ? mergedDeeply(before, value) : value;
  }
  return merged;
}

/** `tostring`. */
export function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
