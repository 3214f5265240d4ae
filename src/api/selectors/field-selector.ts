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
 * Reads `a=b`, `a==b` and `a!=b`, joined by commas; a backslash escapes `\`, `,` and `=` in values.
 * Whether a kind knows the fields is asked elsewhere.
 *
 * @throws ApiError 400
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return splitTerms(text)
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^((?:\\.|[^\\=!]|!(?!=))*)(==|=|!=)(.*)$/s.exec(term);
      if (match === null) {
        throw new ApiError(400, 'BadRequest', `invalid selector: '${text}'; can't understand '${term}'`);
      }
      const [, field = '', operator = '', value = ''] = match;
      return { field, operator: operator === '!=' ? '!=' : '=', value: unescaped(value) };
    });
}

/** Whether all requirements hold. @param valueOf - the value of a field of the object */
export function matchesFields(requirements: readonly FieldRequirement[], valueOf: (field: string) => string): boolean {
  for (const { field, operator, value } of requirements) {
    if ((valueOf(field) === value) !== (operator === '=')) return false;
  }
  return true;
}

function splitTerms(text: string): readonly string[] {
  return text.match(/(?:\\.|[^\\,])+/gs) ?? [];
}

function unescaped(value: string): string {
  return value.replace(/\\([\\,=])/g, '$1');
}
