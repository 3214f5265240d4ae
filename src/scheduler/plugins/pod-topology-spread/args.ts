/** PodTopologySpreadArgs: what constraints pods get that have none. Mirrors `apis/config` of kube-scheduler v1.34. */
import {
  duplicate,
  forbidden,
  invalid,
  invalidEach,
  notSupported,
  required,
} from '../../../api/errors/field-errors.js';
import { qualifiedName } from '../../../api/values/names.js';
import type { core } from '../../../api/objects/objects.js';
import type { FieldError } from '../../../api/objects/resource-kind.js';

/** PodTopologySpreadArgs. */
export interface PodTopologySpreadArgs {
  /** Constraints without selectors for pods that have no constraint of their own; only with type List. */
  readonly defaultConstraints?: readonly core.TopologySpreadConstraint[] | undefined;
  /** @defaultValue `System` */
  readonly defaultingType?: 'System' | 'List' | undefined;
}

const DEFAULTING_TYPES: readonly string[] = ['System', 'List'];
const ACTIONS: readonly string[] = ['DoNotSchedule', 'ScheduleAnyway'];

/** The built-in defaults: spread over nodes and zones where that costs nothing else. */
export const SYSTEM_CONSTRAINTS: readonly core.TopologySpreadConstraint[] = [
  { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

/**
 * Everything that is wrong with the args, in upstream's words (`ValidatePodTopologySpreadArgs`).
 *
 * @param path - where the args stand, such as `profiles[0].pluginConfig[2].args`; empty = at the root
 */
export function validatePodTopologySpreadArgs(args: PodTopologySpreadArgs, path = ''): readonly FieldError[] {
  const prefix = path === '' ? '' : `${path}.`;
  const { defaultConstraints = [], defaultingType = 'System' } = args;
  const errors: FieldError[] = [];
  if (!DEFAULTING_TYPES.includes(defaultingType)) {
    errors.push(notSupported(`${prefix}defaultingType`, defaultingType, DEFAULTING_TYPES));
  } else if (defaultingType === 'System' && defaultConstraints.length > 0) {
    errors.push(invalid(`${prefix}defaultingType`, defaultingType, 'when .defaultConstraints are not empty'));
  }
  for (const [index, constraint] of defaultConstraints.entries()) {
    const at = `${prefix}defaultConstraints[${index}]`;
    errors.push(...validateConstraint(constraint, at));
    const { topologyKey, whenUnsatisfiable } = constraint;
    const isRepeated = defaultConstraints
      .slice(0, index)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (isRepeated) errors.push(duplicate(at, `{${topologyKey}, ${whenUnsatisfiable}}`));
  }
  return errors;
}

function validateConstraint(constraint: Partial<core.TopologySpreadConstraint>, at: string): FieldError[] {
  const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', labelSelector } = constraint;
  const errors: FieldError[] = [];
  if (maxSkew <= 0) errors.push(invalid(`${at}.maxSkew`, maxSkew, 'not in valid range (0, inf)'));
  if (topologyKey === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'));
  else errors.push(...invalidEach(`${at}.topologyKey`, topologyKey, qualifiedName(topologyKey)));
  if (whenUnsatisfiable === '') errors.push(required(`${at}.whenUnsatisfiable`, 'can not be empty'));
  else if (!ACTIONS.includes(whenUnsatisfiable)) {
    errors.push(notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, ACTIONS));
  }
  if (labelSelector !== undefined) {
    const detail = 'constraint must not define a selector, as they deduced for each pod';
    errors.push(forbidden(`${at}.labelSelector`, detail));
  }
  return errors;
}
