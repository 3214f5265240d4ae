/** Disruption budgets (pkg/registry/policy/poddisruptionbudget, pkg/apis/policy/validation, v1.34). */
import { invalid, notSupported } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';
import { validateLabelSelector } from '../rules/label-selector-validation.js';
import { pathSegmentName } from '../../values/names.js';
import { validateConditions } from '../rules/condition-validation.js';
import { nonNegative } from '../rules/number-validation.js';

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const PERCENT = /^\d+%$/;
const PERCENT_TEXT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** The description of disruption budgets. */
export const podDisruptionBudgetKind = describeKind<'PodDisruptionBudget'>({
  kind: 'PodDisruptionBudget',
  group: 'policy',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  hasStatus: true,
  generation: 'spec',
  requiresVersionOnUpdate: true,
  // Its strategy does not look at the name: what remains is what all paths need.
  nameCheck: pathSegmentName,
  applyDefaults: (draft) => filled(draft, { spec: {} }),
  prepareForCreate: (budget) => ({
    ...budget,
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  }),
  validate({ spec }) {
    const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
    const errors: FieldError[] = [];
    if (minAvailable !== undefined && maxUnavailable !== undefined) {
      errors.push(
        invalid('spec', asGo('PodDisruptionBudgetSpec', spec), 'minAvailable and maxUnavailable cannot be both set'),
      );
    }
    errors.push(...validateAmount(minAvailable, 'spec.minAvailable'));
    errors.push(...validateAmount(maxUnavailable, 'spec.maxUnavailable'));
    errors.push(...validateLabelSelector(selector, 'spec.selector'));
    if (policy !== undefined && !EVICTION_POLICIES.includes(policy)) {
      errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES));
    }
    return errors;
  },
  validateStatusChange: ({ status }, { status: before }) => [
    ...(status.conditions === before.conditions
      ? []
      : validateConditions(status.conditions ?? [], 'status.conditions')),
    ...nonNegative(status.disruptionsAllowed, 'status.disruptionsAllowed'),
    ...nonNegative(status.currentHealthy, 'status.currentHealthy'),
    ...nonNegative(status.desiredHealthy, 'status.desiredHealthy'),
    ...nonNegative(status.expectedPods, 'status.expectedPods'),
  ],
});

function validateAmount(amount: number | string | undefined, field: string): FieldError[] {
  if (amount === undefined || typeof amount === 'number') return nonNegative(amount, field);
  if (!PERCENT.test(amount)) return [invalid(field, amount, PERCENT_TEXT)];
  return Number(amount.slice(0, -1)) > 100 ? [invalid(field, amount, 'must not be greater than 100%')] : [];
}
