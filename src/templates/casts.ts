/** Values turned into numbers and texts the way template functions of Go's world do: what is no number is 0. */
import { printedValue } from './format.js';
import { Float, isNil, type Value } from './values.js';

/** Go's largest and smallest int64 are beyond what a number holds; results are cut to what it holds exactly. */
function wholeNumber(value: number): number {
  return Number.isFinite(value) ? Math.trunc(value) + 0 : 0;
}

/** `cast.ToInt64`. */
export function toInteger(value: Value): number {
  if (typeof value === 'string') return wholeNumber(Number(/^[+-]?\d+$/.test(value) ? value : Number.NaN));
  return wholeNumber(toNumber(value));
}

/** `cast.ToFloat64`. */
export function toNumber(value: Value): number {
  if (value instanceof Float) return value.value;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string' || value.trim() === '') return 0;
  const number = Number(value);
  return Number.isNaN(number) ? 0 : number;
}

/** sprig's `toString`. */
export function toText(value: Value): string {
  return isNil(value) ? '<nil>' : printedValue(value);
}
