/** Rules that the data of config maps and of secrets share (pkg/apis/core/validation, v1.34). */
import { isSameJson } from '../../values/canonical-json.js';
import { forbidden, invalid, invalidEach } from '../../errors/field-errors.js';
import { configMapKey } from '../../values/names.js';
import type { FieldError } from '../../objects/resource-kind.js';

/** Bytes that all values of one object may have together. */
export const MAX_DATA_BYTES = 1024 * 1024;

const IMMUTABLE = 'field is immutable when `immutable` is set';

/** Keys that cannot be names of files, and those that another map of the object has too. */
export function validateDataKeys(
  data: Readonly<Record<string, string>>,
  field: string,
  others: Readonly<Record<string, string>> = {},
): FieldError[] {
  return Object.keys(data)
    .sort()
    .flatMap((key) => {
      const own = `${field}[${key}]`;
      const errors = invalidEach(own, key, configMapKey(key));
      return Object.hasOwn(others, key)
        ? [...errors, invalid(own, key, 'duplicate of key present in binaryData')]
        : errors;
    });
}

interface Freezable {
  readonly immutable?: boolean;
}

/** What an update of an immutable object may not touch: the mark itself, and these fields of it. */
export function validateImmutable<T extends Freezable>(
  next: T,
  previous: T,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  if (previous.immutable !== true) return [];
  const errors = next.immutable === true ? [] : [forbidden('immutable', IMMUTABLE)];
  for (const field of fields) {
    if (!isSameJson(next[field] ?? {}, previous[field] ?? {})) errors.push(forbidden(field, IMMUTABLE));
  }
  return errors;
}
