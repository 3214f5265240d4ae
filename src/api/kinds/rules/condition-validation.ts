/** Conditions as newer statuses have them (apimachinery pkg/apis/meta/v1/validation, v1.34). */
import { duplicate, invalid, invalidEach, notSupported, required, tooLong } from '../../errors/field-errors.js';
import { qualifiedName } from '../../values/names.js';
import type { FieldError } from '../../objects/resource-kind.js';

/** What a client may have written for one. */
interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

const STATUSES = ['False', 'True', 'Unknown'];
const LONGEST_REASON = 1024;
const LONGEST_MESSAGE = 32 * 1024;
const REASON = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASON_TEXT =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' " +
  "(e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', " +
  "regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/** Everything wrong with a list of conditions. */
export function validateConditions(conditions: readonly Condition[], field: string): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap((condition, index) => {
    const { type = '' } = condition;
    const own = `${field}[${index}]`;
    const isTwin = seen.has(type);
    seen.add(type);
    return [...(isTwin ? [duplicate(`${own}.type`, type)] : []), ...validateCondition(condition, own)];
  });
}

function validateCondition(condition: Condition, field: string): FieldError[] {
  const { type = '', status = '', observedGeneration: generation = 0, reason = '', message = '' } = condition;
  return [
    ...invalidEach(`${field}.type`, type, qualifiedName(type)),
    ...(STATUSES.includes(status) ? [] : [notSupported(`${field}.status`, status, STATUSES)]),
    ...(generation < 0
      ? [invalid(`${field}.observedGeneration`, generation, 'must be greater than or equal to zero')]
      : []),
    ...((condition.lastTransitionTime ?? '') === '' ? [required(`${field}.lastTransitionTime`)] : []),
    ...validateReason(reason, `${field}.reason`),
    ...(message.length > LONGEST_MESSAGE ? [tooLong(`${field}.message`, LONGEST_MESSAGE)] : []),
  ];
}

function validateReason(reason: string, field: string): FieldError[] {
  if (reason === '') return [required(field)];
  return [
    ...(REASON.test(reason) ? [] : [invalid(field, reason, REASON_TEXT)]),
    ...(reason.length > LONGEST_REASON ? [tooLong(field, LONGEST_REASON)] : []),
  ];
}
