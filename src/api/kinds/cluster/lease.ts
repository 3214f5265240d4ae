/** Leases (pkg/apis/coordination/validation, v1.34). */
import { invalid } from '../../errors/field-errors.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';
import { nonNegative } from '../rules/number-validation.js';

/** The description of leases. */
export const leaseKind = describeKind({
  kind: 'Lease',
  group: 'coordination.k8s.io',
  plural: 'leases',
  requiresVersionOnUpdate: true,
  createsOnUpdate: true,
  // CoordinatedLeaderElection
  droppedFields: ['spec.strategy', 'spec.preferredHolder'],
  applyDefaults: (draft) => filled(draft, { spec: {} }),
  validate({ spec = {} }) {
    const { leaseDurationSeconds, leaseTransitions } = spec;
    const errors: FieldError[] = [];
    if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
      errors.push(invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'));
    }
    errors.push(...nonNegative(leaseTransitions, 'spec.leaseTransitions'));
    return errors;
  },
});
