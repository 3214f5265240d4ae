/**
 * What is wrong with an object, in Kubernetes' words. Constructors of field errors and the 422 that
 * carries them; these texts stand nowhere else. Mirrors apimachinery's util/validation/field and
 * api/errors (v1.34).
 */
import { shownNumber } from '../cel/library/number-texts.js';
import { goJson, GoValue, quoted } from '../go/go-json.js';
import { ApiError, type StatusCause, type StatusDetails } from './api-error.js';
import type { FieldError } from '../objects/resource-kind.js';

/** A field that must be there. */
export function required(field: string, detail = ''): FieldError {
  return { type: 'FieldValueRequired', field, detail: detail === '' ? 'Required value' : `Required value: ${detail}` };
}

/** A value that breaks a rule. */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  const text = `Invalid value: ${printValue(value)}`;
  return { type: 'FieldValueInvalid', field, detail: detail === '' ? text : `${text}: ${detail}` };
}

/** A value of another type than its field has. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { ...invalid(field, value, detail), type: 'FieldValueTypeInvalid' };
}

/** A part that breaks a rule as a whole: its value is not shown. */
export function invalidAsWhole(field: string, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, detail: `Invalid value: ${detail}` };
}

/** A value that may appear once only. */
export function duplicate(field: string, value: unknown, detail = ''): FieldError {
  const text = `Duplicate value: ${printValue(value)}`;
  return { type: 'FieldValueDuplicate', field, detail: detail === '' ? text : `${text}: ${detail}` };
}

/** A value out of a closed set of texts; `allowed` is printed in the given order. */
export function notSupported(field: string, value: unknown, allowed: readonly string[]): FieldError {
  const text = `Unsupported value: ${printValue(value)}`;
  const values = allowed.map((each) => JSON.stringify(each)).join(', ');
  return {
    type: 'FieldValueNotSupported',
    field,
    detail: allowed.length === 0 ? text : `${text}: supported values: ${values}`,
  };
}

/** A value that is fine by itself but not here, or not now. */
export function forbidden(field: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field, detail: detail === '' ? 'Forbidden' : `Forbidden: ${detail}` };
}

/** A text over its limit. @param maxBytes - the limit */
export function tooLong(field: string, maxBytes: number): FieldError {
  return { type: 'FieldValueTooLong', field, detail: `Too long: may not be more than ${maxBytes} bytes` };
}

/** A list with too many members. */
export function tooMany(field: string, count: number, most: number): FieldError {
  return {
    type: 'FieldValueTooMany',
    field,
    detail: `Too many: ${count}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
  };
}

/** A reference to something that is not there. */
export function notFound(field: string, value: unknown): FieldError {
  return { type: 'FieldValueNotFound', field, detail: `Not found: ${printValue(value)}` };
}

/** A check that failed by itself. */
export function internal(field: string, detail: string): FieldError {
  return { type: 'InternalError', field, detail: `Internal error: ${detail}` };
}

const NO_ERRORS: readonly FieldError[] = Object.freeze([]);

/** The errors of several checks, in their order; nothing is copied in the usual case, that nothing is wrong. */
export function joinedErrors(...parts: readonly (readonly FieldError[])[]): readonly FieldError[] {
  for (const part of parts) if (part.length > 0) return parts.flat();
  return NO_ERRORS;
}

/** One error of type Invalid per message, as name checks give several. */
export function invalidEach(field: string, value: unknown, messages: readonly string[]): FieldError[] {
  return messages.map((message) => invalid(field, value, message));
}

/** What names a kind in a refusal. */
export type KindNames = Readonly<Record<'kind' | 'group', string>>;

/**
 * The 422 for an object with errors: `Pod "x" is invalid: spec.containers: Required value`, equal texts
 * once, `[a, b]` if several, one cause per error.
 */
export function invalidError({ kind, group }: KindNames, name: string, errors: readonly FieldError[]): ApiError {
  const texts = [...new Set(errors.map(({ field, detail }) => `${field}: ${detail}`))];
  const qualifiedKind = group === '' ? kind : `${kind}.${group}`;
  const reasons = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  const details: StatusDetails = {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
    causes: errors.map(({ type, field, detail }): StatusCause => ({ reason: type, message: detail, field })),
  };
  return new ApiError(422, 'Invalid', `${qualifiedKind} "${name}" is invalid: ${reasons}`, details);
}

/** Texts as Go quotes them, everything else as Go's JSON; a structure is told by `asGo`. */
function printValue(value: unknown): string {
  if (value instanceof GoValue) return value.text;
  if (typeof value === 'number') return shownNumber(value);
  return typeof value === 'string' ? quoted(value) : goJson(value);
}

/** @throws ApiError 422 when anything is wrong */
export function refuseInvalid(
  resource: Parameters<typeof invalidError>[0],
  { metadata }: { readonly metadata: { readonly name: string } },
  errors: readonly FieldError[],
): void {
  if (errors.length > 0) throw invalidError(resource, metadata.name, errors);
}
