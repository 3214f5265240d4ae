/** Content of JSON values, whatever the order of their keys. A field that is `undefined` is absent. */
import { ownField, setOwnField } from './own-fields.js';

/** The value as JSON with sorted keys. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  const object = value as Readonly<Record<string, unknown>>;
  const fields: string[] = [];
  for (const key of Object.keys(object).sort()) {
    const field = object[key];
    if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(field)}`);
  }
  return `{${fields.join(',')}}`;
}

/** The value with the keys of all its objects sorted, but for whole numbers, which come first in any object of JavaScript. */
export function inKeyOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inKeyOrder);
  const object = value as Readonly<Record<string, unknown>>;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(object).sort()) setOwnField(sorted, key, inKeyOrder(object[key]));
  return sorted;
}

/** Whether two values have the same content; fast where they share references. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index += 1) if (!isSameJson(left[index], right[index])) return false;
    return true;
  }
  const [before, after] = [left as Readonly<Record<string, unknown>>, right as Readonly<Record<string, unknown>>];
  for (const key in before) if (!isSameJson(before[key], ownField(after, key))) return false;
  for (const key in after) if (after[key] !== undefined && ownField(before, key) === undefined) return false;
  return true;
}
