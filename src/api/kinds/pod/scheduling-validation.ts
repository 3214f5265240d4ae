/** Validation of what steers scheduling: tolerations, gates, topology spread (pkg/apis/core/validation, v1.34). */
import { RecentMap } from '../../../kernel/recent-map.js';
import { duplicate, forbidden, invalid, invalidEach, notSupported, required } from '../../errors/field-errors.js';
import { labelValue, qualifiedName } from '../../values/names.js';
import type { core, Toleration } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateLabelSelector } from '../rules/label-selector-validation.js';

const LISTS_REMEMBERED = 512;
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);
const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const UNSATISFIABLE_ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSION_POLICIES = ['Honor', 'Ignore'];

/** A taint effect; only tolerations may leave it empty. */
export function validateTaintEffect(effect: string, field: string): FieldError[] {
  return TAINT_EFFECTS.includes(effect) ? [] : [notSupported(field, effect, TAINT_EFFECTS)];
}

/** Most pods have the same ones: those that admission gives them. */
const goodTolerations = new RecentMap<readonly Toleration[], true>(LISTS_REMEMBERED);

/** Everything wrong with a list of tolerations. */
export function validateTolerations(tolerations: readonly Toleration[], field: string): readonly FieldError[] {
  if (goodTolerations.get(tolerations) === true) return NO_ERRORS;
  const errors = tolerationErrors(tolerations, field);
  if (errors.length === 0) goodTolerations.set(tolerations, true);
  return errors;
}

function tolerationErrors(tolerations: readonly Toleration[], field: string): readonly FieldError[] {
  return tolerations.flatMap(({ key = '', operator = '', value = '', effect = '', tolerationSeconds }, index) => {
    const own = `${field}[${index}]`;
    const errors = key === '' ? [] : invalidEach(`${own}.key`, key, qualifiedName(key));
    if (key === '' && operator !== 'Exists') {
      const rule = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalid(`${own}.operator`, operator, rule));
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(invalid(`${own}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    errors.push(...validateOperator(operator, value, `${own}.operator`));
    if (effect !== '') errors.push(...validateTaintEffect(effect, `${own}.effect`));
    return errors;
  });
}

function validateOperator(operator: string, value: string, field: string): FieldError[] {
  switch (operator) {
    case '':
    case 'Equal': {
      const messages = labelValue(value);
      return messages.length === 0 ? [] : [invalid(field, value, messages.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [invalid(field, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [notSupported(field, operator, ['Equal', 'Exists'])];
  }
}

/** Gates have qualified names, each once. */
export function validateSchedulingGates(
  gates: readonly Partial<core.PodSchedulingGate>[],
  field: string,
): FieldError[] {
  const names = new Set<string>();
  return gates.flatMap(({ name = '' }, index) => {
    const own = `${field}[${index}]`;
    const errors = invalidEach(own, name, qualifiedName(name));
    if (names.has(name)) errors.push(duplicate(own, name));
    names.add(name);
    return errors;
  });
}

/** Everything wrong with topology spread constraints. */
export function validateSpreadConstraints(
  constraints: readonly Partial<core.TopologySpreadConstraint>[],
  field: string,
): FieldError[] {
  return constraints.flatMap((constraint, index) => {
    const own = `${field}[${index}]`;
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '' } = constraint;
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalid(`${own}.maxSkew`, maxSkew, 'must be greater than zero'));
    if (topologyKey === '') errors.push(required(`${own}.topologyKey`, 'can not be empty'));
    if (!UNSATISFIABLE_ACTIONS.includes(whenUnsatisfiable)) {
      errors.push(notSupported(`${own}.whenUnsatisfiable`, whenUnsatisfiable, UNSATISFIABLE_ACTIONS));
    }
    const isRepeated = constraints
      .slice(index + 1)
      .some((each) => each.topologyKey === topologyKey && each.whenUnsatisfiable === whenUnsatisfiable);
    if (isRepeated) {
      errors.push(duplicate(`${own}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
    }
    errors.push(...validateMinDomains(constraint, `${own}.minDomains`));
    errors.push(...validateInclusionPolicy(constraint.nodeAffinityPolicy, `${own}.nodeAffinityPolicy`));
    errors.push(...validateInclusionPolicy(constraint.nodeTaintsPolicy, `${own}.nodeTaintsPolicy`));
    errors.push(...validateMatchLabelKeys(constraint, `${own}.matchLabelKeys`));
    errors.push(...validateLabelSelector(constraint.labelSelector, `${own}.labelSelector`));
    return errors;
  });
}

function validateMinDomains(
  { minDomains, whenUnsatisfiable = '' }: Partial<core.TopologySpreadConstraint>,
  field: string,
): FieldError[] {
  if (minDomains === undefined) return [];
  const errors = minDomains <= 0 ? [invalid(field, minDomains, 'must be greater than zero')] : [];
  if (whenUnsatisfiable !== 'DoNotSchedule') {
    const rule = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
    errors.push(invalid(field, minDomains, rule));
  }
  return errors;
}

function validateInclusionPolicy(policy: string | undefined, field: string): FieldError[] {
  return policy === undefined || INCLUSION_POLICIES.includes(policy)
    ? []
    : [notSupported(field, policy, INCLUSION_POLICIES)];
}

/** Shared with affinity terms. */
export function validateMatchLabelKeys(
  { matchLabelKeys = [], labelSelector }: Pick<core.TopologySpreadConstraint, 'matchLabelKeys' | 'labelSelector'>,
  field: string,
): FieldError[] {
  if (matchLabelKeys.length === 0) return [];
  if (labelSelector === undefined) return [forbidden(field, 'must not be specified when labelSelector is not set')];
  return matchLabelKeys.flatMap((key, index) => invalidEach(`${field}[${index}]`, key, qualifiedName(key)));
}
