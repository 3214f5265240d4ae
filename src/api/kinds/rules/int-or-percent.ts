/** Numbers that may be percentages, such as `25%` (pkg/apis/apps/validation, v1.34). */
import { invalid } from '../../errors/field-errors.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { nonNegative } from './number-validation.js';

/** A whole number, or a percentage of something. */
export type IntOrPercent = number | string;

const PERCENT = /^\d+%$/;
const PERCENT_TEXT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Neither below zero nor any other text. */
export function validateIntOrPercent(value: IntOrPercent, field: string): FieldError[] {
  if (typeof value === 'number') return nonNegative(value, field);
  return PERCENT.test(value) ? [] : [invalid(field, value, PERCENT_TEXT)];
}

/** A percentage beyond 100 makes no sense here. */
export function validateAtMost100Percent(value: IntOrPercent, field: string): FieldError[] {
  if (typeof value === 'number' || amountOf(value) <= 100) return [];
  return [invalid(field, value, 'must not be greater than 100%')];
}

/** The number, or the percentage as a number; 0 for any other text. */
export function amountOf(value: IntOrPercent): number {
  if (typeof value === 'number') return value;
  return PERCENT.test(value) ? Number(value.slice(0, -1)) : 0;
}
