/** Priority classes (pkg/apis/scheduling/validation, v1.34). */
import { forbidden, invalid } from '../../errors/field-errors.js';
import type { PriorityClass } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { oneOf } from '../pod/container-validation.js';
import { describeKind } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';

/** The largest value of a class that does not come with Kubernetes. */
const MAX_USER_VALUE = 1_000_000_000;
const SYSTEM_PREFIX = 'system-';
const SYSTEM_VALUES: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);
const POLICIES = ['PreemptLowerPriority', 'Never'];

/** The description of priority classes. */
export const priorityClassKind = describeKind({
  kind: 'PriorityClass',
  group: 'scheduling.k8s.io',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  isNamespaced: false,
  generation: 'fixed',
  applyDefaults: (draft) => filled(draft, { value: 0, preemptionPolicy: 'PreemptLowerPriority' }),
  validateNew: validateClass,
  validateChange(next, previous) {
    const errors: FieldError[] = [];
    if (next.value !== previous.value) errors.push(forbidden('value', 'may not be changed in an update.'));
    if (next.preemptionPolicy !== previous.preemptionPolicy) {
      errors.push(invalid('preemptionPolicy', next.preemptionPolicy, 'field is immutable'));
    }
    return errors;
  },
});

function validateClass({ metadata, value, globalDefault, preemptionPolicy }: PriorityClass): FieldError[] {
  const { name } = metadata;
  const errors: FieldError[] = [];
  if (name.startsWith(SYSTEM_PREFIX)) {
    const problem = systemClassProblem(name, value, globalDefault ?? false);
    if (problem !== undefined) {
      const rule = "priority class names with 'system-' prefix are reserved for system use only";
      errors.push(forbidden('metadata.name', `${rule}. error: ${problem}`));
    }
  } else if (value > MAX_USER_VALUE) {
    errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${MAX_USER_VALUE}`));
  }
  errors.push(...oneOf(preemptionPolicy, POLICIES, 'preemptionPolicy'));
  return errors;
}

function systemClassProblem(name: string, value: number, isGlobalDefault: boolean): string | undefined {
  const expected = SYSTEM_VALUES.get(name);
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return isGlobalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
