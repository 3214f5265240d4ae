/** The order of lists that a strategic merge patch has merged (apimachinery's util/strategicpatch, v1.34). */
import { ApiError } from '../errors/api-error.js';
import { ownField } from '../values/own-fields.js';
import { printGo } from './print-go.js';

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** By what an element is told apart. @throws ApiError 500 for one without it */
export function identityOf(item: unknown, mergeKey: string | undefined): unknown {
  if (mergeKey === undefined) return item;
  if (!isFields(item)) throw badArgument('map[string]interface {}', item);
  if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return ownField(item, mergeKey);
}

/**
 * The merged elements: those of the order in that order, each of the others before the first of those that it
 * preceded in the stored list, or at the end.
 *
 * @throws ApiError 500 for an element without its key
 */
export function inPatchOrder(
  merged: readonly unknown[],
  order: readonly unknown[],
  stored: readonly unknown[],
  mergeKey: string | undefined,
): readonly unknown[] {
  const wanted = order.map((item) => identityOf(item, mergeKey));
  const place = (list: readonly unknown[], item: unknown): number => list.indexOf(identityOf(item, mergeKey));
  const before = stored.map((item) => identityOf(item, mergeKey));
  const byPlace = (list: readonly unknown[]) => (left: unknown, right: unknown) =>
    place(list, left) - place(list, right);
  const named = merged.filter((item) => place(wanted, item) !== -1).sort(byPlace(wanted));
  const others = merged.filter((item) => place(wanted, item) === -1).sort(byPlace(before));
  const result: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const at = place(before, item);
    for (let other = others[next]; other !== undefined; other = others[next]) {
      const otherAt = place(before, other);
      if (at === -1 || otherAt === -1 || otherAt >= at) break;
      result.push(other);
      next += 1;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** Go's name of the type of a JSON value. */
export function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return value === null ? '%!s(<nil>)' : 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A value of another type than is needed. */
export function badArgument(expected: string, value: unknown): ApiError {
  return new ApiError(500, undefined, `expected a ${expected}, but received a ${goType(value)}`);
}

/** An element of a list that does not say which one it is. */
export function noMergeKey(item: Fields, mergeKey: string): ApiError {
  return new ApiError(500, undefined, `map: ${printGo(item)} does not contain declared merge key: ${mergeKey}`);
}
