/** Validation of node and pod affinity (pkg/apis/core/validation, v1.34). */
import { invalid, invalidEach, required } from '../../errors/field-errors.js';
import { dns1123Label, dns1123Subdomain, labelValue, qualifiedName } from '../../values/names.js';
import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateLabelSelector, validateOperator } from '../rules/label-selector-validation.js';
import { validateMatchLabelKeys } from './scheduling-validation.js';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const MIN_WEIGHT = 1;
const MAX_WEIGHT = 100;

/** Terms as they may come before they were validated. */
interface NodeTerm {
  readonly matchExpressions?: readonly Partial<core.NodeSelectorRequirement>[];
  readonly matchFields?: readonly Partial<core.NodeSelectorRequirement>[];
}

/** Everything wrong with a pod's affinity. */
export function validateAffinity(
  { nodeAffinity, podAffinity, podAntiAffinity }: core.Affinity,
  field: string,
): FieldError[] {
  return [
    ...(nodeAffinity === undefined ? [] : validateNodeAffinity(nodeAffinity, `${field}.nodeAffinity`)),
    ...(podAffinity === undefined ? [] : validatePodAffinity(podAffinity, `${field}.podAffinity`)),
    ...(podAntiAffinity === undefined ? [] : validatePodAffinity(podAntiAffinity, `${field}.podAntiAffinity`)),
  ];
}

function validateNodeAffinity(affinity: core.NodeAffinity, field: string): FieldError[] {
  const { [REQUIRED]: selector, [PREFERRED]: preferred = [] } = affinity;
  const errors = selector === undefined ? [] : validateNodeSelector(selector, `${field}.${REQUIRED}`);
  for (const [index, { weight, preference }] of partial(preferred).entries()) {
    const own = `${field}.${PREFERRED}[${index}]`;
    errors.push(...validateWeight(weight, own), ...validateTerm(preference, `${own}.preference`, false));
  }
  return errors;
}

/** Terms of which a node must match one. */
export function validateNodeSelector(
  { nodeSelectorTerms = [] }: Partial<core.NodeSelector>,
  field: string,
): FieldError[] {
  const own = `${field}.nodeSelectorTerms`;
  if (nodeSelectorTerms.length === 0) return [required(own, 'must have at least one node selector term')];
  return nodeSelectorTerms.flatMap((term, index) => validateTerm(term, `${own}[${index}]`, true));
}

/** Label values of preferred terms are not looked at: they have always been allowed. */
function validateTerm(term: core.NodeSelectorTerm = {}, field: string, areValuesChecked: boolean): FieldError[] {
  const { matchExpressions = [], matchFields = [] }: NodeTerm = term;
  const errors: FieldError[] = [];
  for (const [index, { key = '', operator = '', values = [] }] of matchExpressions.entries()) {
    const own = `${field}.matchExpressions[${index}]`;
    errors.push(...validateNodeOperator(operator, values, own), ...invalidEach(`${own}.key`, key, qualifiedName(key)));
    if (!areValuesChecked) continue;
    for (const [at, value] of values.entries()) {
      errors.push(...invalidEach(`${own}.values[${at}]`, value, labelValue(value)));
    }
  }
  for (const [index, requirement] of matchFields.entries()) {
    errors.push(...validateFieldRequirement(requirement, `${field}.matchFields[${index}]`));
  }
  return errors;
}

/** Nodes are compared with numbers, too. */
function validateNodeOperator(operator: string, values: readonly string[], field: string): FieldError[] {
  if (operator !== 'Gt' && operator !== 'Lt') return validateOperator(operator, values, field);
  if (values.length === 1) return [];
  return [required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
}

function validateFieldRequirement(
  { key = '', operator = '', values = [] }: Partial<core.NodeSelectorRequirement>,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const rule = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${field}.values`, rule));
  }
  if (key !== 'metadata.name') return [...errors, invalid(`${field}.key`, key, 'not a valid field selector key')];
  for (const [at, value] of values.entries()) {
    errors.push(...invalidEach(`${field}.values[${at}]`, value, dns1123Subdomain(value)));
  }
  return errors;
}

function validatePodAffinity(affinity: core.PodAffinity, field: string): FieldError[] {
  const { [REQUIRED]: terms = [], [PREFERRED]: weighted = [] } = affinity;
  return [
    ...terms.flatMap((term, index) => validatePodTerm(term, `${field}.${REQUIRED}[${index}]`)),
    ...partial(weighted).flatMap(({ weight, podAffinityTerm = {} }, index) => {
      const own = `${field}.${PREFERRED}[${index}]`;
      return [...validateWeight(weight, own), ...validatePodTerm(podAffinityTerm, `${own}.podAffinityTerm`)];
    }),
  ];
}

function validatePodTerm(term: Partial<core.PodAffinityTerm>, field: string): FieldError[] {
  const { topologyKey = '', namespaces = [] } = term;
  return [
    ...validateLabelSelector(term.labelSelector, `${field}.labelSelector`),
    ...validateLabelSelector(term.namespaceSelector, `${field}.namespaceSelector`),
    ...namespaces.flatMap((name) => invalidEach(`${field}.namespace`, name, dns1123Label(name))),
    ...validateMatchLabelKeys(term, `${field}.matchLabelKeys`),
    ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...invalidEach(`${field}.topologyKey`, topologyKey, qualifiedName(topologyKey)),
  ];
}

function validateWeight(weight: number | undefined, field: string): FieldError[] {
  const given = weight ?? 0;
  const isAllowed = given >= MIN_WEIGHT && given <= MAX_WEIGHT;
  return isAllowed ? [] : [invalid(`${field}.weight`, given, 'must be in the range 1-100')];
}

/** The items as they may come: any of their fields may be missing. */
function partial<T>(items: readonly T[]): readonly Partial<T>[] {
  return items;
}
