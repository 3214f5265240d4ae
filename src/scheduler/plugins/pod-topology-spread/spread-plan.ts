/**
 * What the plugin has to do for a pod in one of its two stages, worked out once per pod shape: the
 * constraints, and what decides which nodes and pods count for them.
 */
import type { Selector } from '../../../api/selectors/labels.js';
import { requiredNodeAffinity, type NodeMatcher } from '../../../api/selectors/node-affinity.js';
import type { core } from '../../../api/objects/objects.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import type { DefaultSelectors } from './default-selectors.js';
import { compileConstraints, HOSTNAME_KEY, type SpreadAction, type SpreadConstraint } from './spread-constraint.js';

/** See the file header. Immutable; at least one constraint. */
export interface SpreadPlan {
  readonly constraints: readonly SpreadConstraint[];
  /** By constraint: 1 if the pod itself counts, else 0. */
  readonly selfMatches: readonly (0 | 1)[];
  /** Whether a node without some key of the constraints takes no part; else it stands in domain `''` of that key. */
  readonly requiresAllKeys: boolean;
  readonly namespace: string;
  /** What the pod requires of a node; absent = nothing. */
  readonly required: NodeMatcher | undefined;
  readonly tolerations: readonly core.Toleration[];
  /**
   * By constraint: equal where the same pods count on the same nodes for the same domains. Absent where
   * pods are counted on each node for itself, as soft constraints by hostname do.
   */
  readonly domainsKeys: readonly (string | undefined)[];
}

/** Defaults for pods without constraints. */
export interface DefaultConstraints {
  readonly constraints: readonly core.TopologySpreadConstraint[];
  /** Built-in ones do without nodes' labels: a node that lacks a zone is still spread over by name. */
  readonly isSystem: boolean;
}

interface Known {
  /** Absent when the pod's own constraints decide. */
  readonly selector: Selector | undefined;
  readonly plan: SpreadPlan | undefined;
}

/** Makes and keeps plans. */
export class SpreadPlans {
  readonly #defaults: DefaultConstraints;
  readonly #selectors: DefaultSelectors;
  readonly #known: Readonly<Record<SpreadAction, WeakMap<PodShape, Known>>> = {
    DoNotSchedule: new WeakMap(),
    ScheduleAnyway: new WeakMap(),
  };
  /** Whether a default constraint is of the kind. */
  readonly #hasDefaults: Readonly<Record<SpreadAction, boolean>>;

  constructor(defaults: DefaultConstraints, selectors: DefaultSelectors) {
    this.#defaults = defaults;
    this.#selectors = selectors;
    const has = (action: SpreadAction): boolean =>
      defaults.constraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable === action);
    this.#hasDefaults = { DoNotSchedule: has('DoNotSchedule'), ScheduleAnyway: has('ScheduleAnyway') };
  }

  /** The plan for the pod's constraints of one kind; `undefined` if it has none. */
  planOf(pod: PodInfo, action: SpreadAction): SpreadPlan | undefined {
    const { shape } = pod;
    const own = shape.spec.topologySpreadConstraints ?? [];
    if (own.length === 0 && !this.#hasDefaults[action]) return undefined;
    const selector = own.length === 0 ? this.#selectors.selectorOf(pod) : undefined;
    if (selector?.isEmpty === true) return undefined;
    const known = this.#known[action].get(shape);
    if (known !== undefined && known.selector === selector) return known.plan;
    const plan = selector === undefined ? this.#ownPlan(shape, action) : this.#defaultPlan(shape, action, selector);
    this.#known[action].set(shape, { selector, plan });
    return plan;
  }

  #ownPlan(shape: PodShape, action: SpreadAction): SpreadPlan | undefined {
    const constraints = compileConstraints(shape.spec.topologySpreadConstraints ?? [], action, shape.labels);
    return constraints.length === 0 ? undefined : createPlan(shape, constraints, action, true);
  }

  #defaultPlan(shape: PodShape, action: SpreadAction, selector: Selector): SpreadPlan {
    const { constraints, isSystem } = this.#defaults;
    const compiled = compileConstraints(constraints, action, shape.labels).map((each) => ({ ...each, selector }));
    return createPlan(shape, compiled, action, !isSystem || action === 'DoNotSchedule');
  }
}

function createPlan(
  shape: PodShape,
  constraints: readonly SpreadConstraint[],
  action: SpreadAction,
  requiresAllKeys: boolean,
): SpreadPlan {
  const { spec, labels, namespace, tolerations } = shape;
  const requiredKeys = requiresAllKeys ? constraints.map(({ topologyKey }) => topologyKey).sort() : [];
  return {
    constraints,
    selfMatches: constraints.map(({ selector }) => (selector.matches(labels) ? 1 : 0)),
    requiresAllKeys,
    namespace,
    required: requiredNodeAffinity(spec),
    tolerations,
    domainsKeys: constraints.map((constraint) =>
      action === 'ScheduleAnyway' && constraint.topologyKey === HOSTNAME_KEY
        ? undefined
        : domainsKey(shape, constraint, requiredKeys),
    ),
  };
}

function domainsKey(
  { namespace, spec, tolerations }: PodShape,
  { topologyKey, selector, honorsAffinity, honorsTaints }: SpreadConstraint,
  requiredKeys: readonly string[],
): string {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return JSON.stringify([
    namespace,
    topologyKey,
    selector.text,
    requiredKeys,
    honorsAffinity ? [spec.nodeSelector ?? null, required ?? null] : null,
    honorsTaints ? tolerations : null,
  ]);
}
