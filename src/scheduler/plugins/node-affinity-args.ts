/**
 * Validation of NodeAffinityArgs: terms that cannot be read would match nothing, so they are refused.
 * Mirrors `ValidateNodeAffinityArgs` of kube-scheduler v1.34 with component-helpers' nodeaffinity and
 * apimachinery's pkg/labels.
 */
import { invalid, notSupported } from '../../api/errors/field-errors.js';
import { parseInt64 } from '../../api/selectors/label-requirement.js';
import { labelValue, qualifiedName } from '../../api/values/names.js';
import type { core } from '../../api/objects/objects.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import type { NodeAffinityArgs } from './node-affinity.js';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];
const FIELD_OPERATORS: readonly string[] = ['In', 'NotIn'];

/** Parts of an affinity as they may come: any of their fields may be missing. */
type Requirement = Partial<core.NodeSelectorRequirement>;
interface Term {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

/** What is wrong with NodeAffinityArgs. */
export function validateNodeAffinityArgs({ addedAffinity }: NodeAffinityArgs, path: string): readonly FieldError[] {
  if (addedAffinity === undefined) return [];
  const { [REQUIRED]: required, [PREFERRED]: preferred = [] } = addedAffinity;
  const own = `${path}.addedAffinity`;
  const { nodeSelectorTerms: terms = [] }: Partial<core.NodeSelector> = required ?? {};
  return [
    ...terms.flatMap((term, index) => validateTerm(term, `${own}.${REQUIRED}.nodeSelectorTerms[${index}]`)),
    ...preferred.flatMap(({ weight, preference }: Partial<core.PreferredSchedulingTerm>, index) =>
      (weight ?? 0) === 0 ? [] : validateTerm(preference ?? {}, `${own}.${PREFERRED}[${index}].preference`),
    ),
  ];
}

function validateTerm({ matchExpressions = [], matchFields = [] }: Term, path: string): FieldError[] {
  return [
    ...matchExpressions.flatMap((each, index) => validateExpression(each, `${path}.matchExpressions[${index}]`)),
    ...matchFields.flatMap((each, index) => validateField(each, `${path}.matchFields[${index}]`)),
  ];
}

function validateExpression({ key = '', operator = '', values = [] }: Requirement, path: string): FieldError[] {
  if (!OPERATORS.includes(operator)) return [notSupported(`${path}.operator`, operator, OPERATORS)];
  const keyProblems = qualifiedName(key);
  const errors = keyProblems.length === 0 ? [] : [invalid(`${path}.key`, key, keyProblems.join('; '))];
  const count = countProblem(operator, values.length);
  if (count !== undefined) errors.push(invalid(`${path}.values`, values, count));
  for (const [index, value] of values.entries()) {
    const problems = labelValue(value);
    if (problems.length > 0) errors.push(invalid(`${path}.values[${index}]`, value, problems.join('; ')));
    else if ((operator === 'Gt' || operator === 'Lt') && parseInt64(value) === undefined) {
      const rule = "for 'Gt', 'Lt' operators, the value must be an integer";
      errors.push(invalid(`${path}.values[${index}]`, value, rule));
    }
  }
  return errors;
}

function countProblem(operator: string, count: number): string | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? undefined : "for 'in', 'notin' operators, values set can't be empty";
    case 'Exists':
    case 'DoesNotExist':
      return count === 0 ? undefined : 'values set must be empty for exists and does not exist';
    default:
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

function validateField({ operator = '', values = [] }: Requirement, path: string): FieldError[] {
  if (!FIELD_OPERATORS.includes(operator)) return [notSupported(`${path}.operator`, operator, FIELD_OPERATORS)];
  return values.length === 1 ? [] : [invalid(`${path}.values`, values, 'must have one element')];
}
