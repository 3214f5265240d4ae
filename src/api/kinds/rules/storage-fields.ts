/** Checks that the storage kinds share (pkg/apis/core/validation and pkg/apis/storage/validation, v1.34). */
import { isSameJson } from '../../values/canonical-json.js';
import { forbidden, invalid, invalidEach, notSupported } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import { dns1123Subdomain } from '../../values/names.js';
import { formatQuantity, knownQuantity, wholeValue } from '../../values/quantity.js';
import type { FieldError } from '../../objects/resource-kind.js';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

/** Access modes by themselves; an empty list is judged by the caller, in its own words. */
export function validateAccessModes(modes: readonly string[], field: string): FieldError[] {
  const errors = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported(field, mode, ACCESS_MODES));
  if (modes.length > 1 && modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod')) {
    errors.push(forbidden(field, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

/** `Block` or `Filesystem`, or nothing. */
export function validateVolumeMode(mode: string | undefined, field: string): FieldError[] {
  return mode === undefined || VOLUME_MODES.includes(mode) ? [] : [notSupported(field, mode, VOLUME_MODES)];
}

/** The name of a storage class, if there is one. */
export function validateClassName(name: string | undefined, field: string): FieldError[] {
  return name === undefined || name === '' ? [] : invalidEach(field, name, dns1123Subdomain(name));
}

/** An amount above zero. */
export function positiveQuantity(text: string, field: string): FieldError[] {
  const quantity = knownQuantity(text);
  return quantity.nanos > 0n ? [] : [invalid(field, formatQuantity(quantity), 'must be greater than zero')];
}

/** An amount from zero; absent is fine. */
export function nonNegativeQuantity(text: string | undefined, field: string): FieldError[] {
  if (text === undefined) return [];
  const quantity = knownQuantity(text);
  return quantity.nanos >= 0n ? [] : [invalid(field, formatQuantity(quantity), 'must be greater than or equal to 0')];
}

/** A field that never changes. @param type - the Go structure that it is, if it is one */
export function immutable(next: unknown, previous: unknown, field: string, type?: string): FieldError[] {
  if (isSameJson(next, previous)) return [];
  return [invalid(field, type === undefined ? next : asGo(type, next), 'field is immutable')];
}

/** A size that is not below zero; the text has it in whole units. */
export function wholeSize(text: string, field: string): FieldError[] {
  const units = wholeValue(text);
  return units < 0 ? [invalid(field, units, 'must be a valid resource quantity')] : [];
}
