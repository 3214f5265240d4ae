/** Field selectors such as `spec.nodeName=n1,status.phase!=Running` (apimachinery's pkg/fields, v1.34). */
import { ApiError } from '../errors/api-error.js';

/** One condition on a field. */
export interface FieldRequirement {
  /** Such as `spec.nodeName`. */
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/**
 * Reads `a=b`, `a==b` and `a!=b`, joined by commas; a backslash escapes a backslash, `,` and `=` in values, and nothing else.
 * The terms come in the order of their texts. Whether a kind knows the fields is asked elsewhere.
 *
 * @throws ApiError 400
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return splitTerms(text)
    .toSorted((a, b) => (a < b ? -1 : a === b ? 0 : 1))
    .map((term) => {
      const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
      if (match === null) throw badSelector(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, field = '', operator = '', value = ''] = match;
      return { field, operator: operator === '!=' ? ('!=' as const) : ('=' as const), value: unescaped(value) };
    })
    .filter(({ field, value }) => field !== '' || value !== '');
}

/** Whether all requirements hold. @param valueOf - the value of a field of the object */
export function matchesFields(requirements: readonly FieldRequirement[], valueOf: (field: string) => string): boolean {
  for (const { field, operator, value } of requirements) {
    if ((valueOf(field) === value) !== (operator === '=')) return false;
  }
  return true;
}

function splitTerms(text: string): readonly string[] {
  return text.match(/(?:\\.|[^\\,]|\\$)+/gsu) ?? [];
}

function unescaped(value: string): string {
  return value.replace(/\\(.?)|[,=]/gsu, (found, letter: string | undefined) => {
    if (letter === undefined) {
      throw badSelector(`invalid field selector: unescaped character in value: ${found.codePointAt(0)}`);
    }
    if (letter === '\\' || letter === ',' || letter === '=') return letter;
    throw badSelector(`invalid field selector: invalid escape sequence: ${found}`);
  });
}

function badSelector(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}
