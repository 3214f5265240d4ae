/** Validation of jobs' rules for failing pods and for early success (pkg/apis/batch/validation, v1.34). */
import type { batch, JobSpec } from '../../objects/batch-objects.js';
import {
  duplicate,
  invalid,
  invalidAsWhole,
  invalidEach,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import { qualifiedName } from '../../values/names.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { nonNegative } from '../rules/number-validation.js';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_PATTERNS = 20;
const MAX_INDEXES_BYTES = 64 * 1024;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];
const INTEGER = /^[+-]?\d+$/;

/** The rules for failing pods. */
export function validatePodFailurePolicy(spec: JobSpec, field: string): FieldError[] {
  if (spec.podFailurePolicy === undefined) return [];
  const policy: Partial<batch.PodFailurePolicy> = spec.podFailurePolicy;
  const { rules = [] } = policy;
  const errors = rules.length > MAX_RULES ? [tooMany(`${field}.rules`, rules.length, MAX_RULES)] : [];
  for (const [index, rule] of rules.entries())
    errors.push(...validateFailureRule(spec, rule, `${field}.rules[${index}]`));
  return errors;
}

/** The rules for early success. */
export function validateSuccessPolicy(spec: JobSpec, field: string): FieldError[] {
  if (spec.successPolicy === undefined) return [];
  if (spec.completionMode !== 'Indexed') {
    return [invalid(field, asGo('SuccessPolicy', spec.successPolicy), 'requires indexed completion mode')];
  }
  const policy: Partial<batch.SuccessPolicy> = spec.successPolicy;
  const { rules = [] } = policy;
  const errors: FieldError[] = [];
  if (rules.length === 0) {
    errors.push(required(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified'));
  }
  if (rules.length > MAX_RULES) errors.push(tooMany(`${field}.rules`, rules.length, MAX_RULES));
  for (const [index, rule] of rules.entries()) {
    errors.push(...validateSuccessRule(rule, spec.completions ?? 0, `${field}.rules[${index}]`));
  }
  return errors;
}

/** The number of indexes in a list such as `0,2-4`, or what is wrong with it. @param completions - all must be below */
export function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let total = 0;
  let lastIndex: number | undefined;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return interval;
    const [first, last] = interval;
    if (lastIndex !== undefined && lastIndex >= first) return orderText(lastIndex, first);
    total += last - first + 1;
    lastIndex = last;
  }
  return total;
}

function parseInterval(text: string, completions: number): readonly [number, number] | string {
  const parts = text.split('-');
  if (parts.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const limits: number[] = [];
  for (const part of parts) {
    if (!INTEGER.test(part)) return `cannot convert string to integer for index: ${JSON.stringify(part)}`;
    if (Number(part) >= completions) return `too large index: ${JSON.stringify(part)}`;
    limits.push(Number(part));
  }
  const [first = 0, last = first] = limits;
  return parts.length > 1 && first >= last ? orderText(first, last) : [first, last];
}

function orderText(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}

function validateFailureRule(spec: JobSpec, rule: Partial<batch.PodFailurePolicyRule>, field: string): FieldError[] {
  const { action = '', onExitCodes, onPodConditions = [] } = rule;
  const errors: FieldError[] = [];
  if (action === '') errors.push(required(`${field}.action`, validValues(ACTIONS)));
  else if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined) {
      errors.push(invalid(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set'));
    }
  } else if (!ACTIONS.includes(action)) errors.push(notSupported(`${field}.action`, action, ACTIONS));
  if (onExitCodes !== undefined) errors.push(...validateExitCodes(spec, onExitCodes, `${field}.onExitCodes`));
  errors.push(...validatePatterns(onPodConditions, `${field}.onPodConditions`));
  const isEither = (onExitCodes !== undefined) !== onPodConditions.length > 0;
  if (isEither) return errors;
  const text = onExitCodes === undefined ? 'specifying one of OnExitCodes and OnPodConditions is required' : BOTH;
  return [...errors, invalidAsWhole(field, text)];
}

const BOTH = 'specifying both OnExitCodes and OnPodConditions is not supported';

function validatePatterns(
  patterns: readonly Partial<batch.PodFailurePolicyOnPodConditionsPattern>[],
  field: string,
): FieldError[] {
  const errors = patterns.length > MAX_PATTERNS ? [tooMany(field, patterns.length, MAX_PATTERNS)] : [];
  for (const [index, { type = '', status = '' }] of patterns.entries()) {
    const own = `${field}[${index}]`;
    errors.push(...invalidEach(`${own}.type`, type, qualifiedName(type)));
    if (status === '') errors.push(required(`${own}.status`, validValues(STATUSES)));
    else if (!STATUSES.includes(status)) errors.push(notSupported(`${own}.status`, status, STATUSES));
  }
  return errors;
}

function validateExitCodes(
  { template }: JobSpec,
  requirement: Partial<batch.PodFailurePolicyOnExitCodesRequirement>,
  field: string,
): FieldError[] {
  const { operator = '', containerName, values = [] } = requirement;
  const { containers, initContainers = [] } = template.spec;
  const errors: FieldError[] = [];
  if (operator === '') errors.push(required(`${field}.operator`, validValues(OPERATORS)));
  else if (!OPERATORS.includes(operator)) errors.push(notSupported(`${field}.operator`, operator, OPERATORS));
  if (containerName !== undefined && ![...containers, ...initContainers].some(({ name }) => name === containerName)) {
    const text = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalid(`${field}.containerName`, containerName, text));
  }
  const own = `${field}.values`;
  if (values.length === 0) errors.push(invalid(own, requirement.values, 'at least one value is required'));
  else if (values.length > MAX_EXIT_CODES) errors.push(tooMany(own, values.length, MAX_EXIT_CODES));
  for (const [index, value] of values.entries()) {
    if (operator === 'In' && value === 0) {
      errors.push(invalid(`${own}[${index}]`, value, 'must not be 0 for the In operator'));
    }
    if (values.indexOf(value) < index) errors.push(duplicate(`${own}[${index}]`, value));
  }
  const isOrdered = values.every((value, index) => index === 0 || (values[index - 1] as number) <= value);
  return isOrdered ? errors : [...errors, invalid(own, values, 'must be ordered')];
}

function validateSuccessRule(rule: batch.SuccessPolicyRule, completions: number, field: string): FieldError[] {
  const { succeededCount, succeededIndexes } = rule;
  const errors: FieldError[] = [];
  if (succeededCount === undefined && succeededIndexes === undefined) {
    errors.push(required(field, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const own = `${field}.succeededIndexes`;
    if (succeededIndexes.length > MAX_INDEXES_BYTES) errors.push(tooLong(own, MAX_INDEXES_BYTES));
    const count = countIndexes(succeededIndexes, completions);
    if (typeof count === 'number') total = count;
    else errors.push(invalid(own, succeededIndexes, `error parsing succeededIndexes: ${count}`));
  }
  if (succeededCount === undefined) return errors;
  const own = `${field}.succeededCount`;
  errors.push(...nonNegative(succeededCount, own));
  if (succeededCount > completions) {
    errors.push(invalid(own, succeededCount, atMost(completions, 'specified completions')));
  }
  if (succeededIndexes !== undefined && succeededCount > total) {
    errors.push(invalid(own, succeededCount, atMost(total, 'indexes in the specified succeededIndexes field')));
  }
  return errors;
}

function atMost(most: number, of: string): string {
  return `must be less than or equal to ${most} (the number of ${of})`;
}

function validValues(values: readonly string[]): string {
  return `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
