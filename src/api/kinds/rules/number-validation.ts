/** Checks of plain numbers that many kinds share (apimachinery util/validation, v1.34). */
import { invalid, invalidEach } from '../../errors/field-errors.js';
import { portName } from '../../values/names.js';
import type { FieldError } from '../../objects/resource-kind.js';

const MAX_PORT = 65_535;

/** A number that may be absent but not below zero. */
export function nonNegative(value: number | undefined, field: string): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : [];
}

/** A number between two limits, both allowed. */
export function inRange(value: number, min: number, max: number, field: string): FieldError[] {
  return value >= min && value <= max ? [] : [invalid(field, value, `must be between ${min} and ${max}, inclusive`)];
}

/** A port number, 1 to 65535. */
export function validPort(value: number | undefined, field: string): FieldError[] {
  return inRange(value ?? 0, 1, MAX_PORT, field);
}

/** A port by number or by name. */
export function validPortOrName(value: number | string | undefined, field: string): FieldError[] {
  return typeof value === 'string' ? invalidEach(field, value, portName(value)) : validPort(value, field);
}
