/** Validation of the status of validating policies (pkg/apis/admissionregistration/validation, v1.34). */
import type * as admission from 'kubernetes-types/admissionregistration/v1.js';
import { required } from '../../../errors/field-errors.js';
import type { PlainObject } from '../../../objects/plain-kinds.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { validateConditions } from '../../rules/condition-validation.js';
import { statusOf } from './plain-rules.js';

type Warning = Partial<admission.ExpressionWarning>;

/** What is wrong with a policy's status; whether its paths lead anywhere is not looked at. */
export function validatePolicyStatus(object: PlainObject): FieldError[] {
  const { typeChecking, conditions = [] } = statusOf<admission.ValidatingAdmissionPolicyStatus>(object);
  const warnings: readonly Warning[] = typeChecking?.expressionWarnings ?? [];
  return [
    ...warnings.flatMap(({ warning = '', fieldRef = '' }, index) => {
      const field = `status.typeChecking.expressionWarnings[${index}]`;
      return [
        ...(warning === '' ? [required(`${field}.warning`)] : []),
        ...(fieldRef.trim() === '' ? [required(`${field}.fieldRef`)] : []),
      ];
    }),
    ...validateConditions(conditions, 'status.conditions'),
  ];
}
