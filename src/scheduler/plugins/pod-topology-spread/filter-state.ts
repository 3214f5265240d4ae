/**
 * The hard constraints of one attempt: what Filter compares each node with, and how a dry run changes
 * it. Counts are shared; a dry run lays its own differences over them, so that a copy costs the same in
 * a cluster of any size. Mirrors `preFilterState` of kube-scheduler v1.34.
 */
import { assert } from '../../../kernel/assert.js';
import { StateKey, type StateData } from '../../framework/cycle-state.js';
import type { ColumnFilter } from '../../framework/interface.js';
import type { GroupFilter } from '../../framework/node-groups.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { Code, createStatus, type Status } from '../../framework/status.js';
import type { ConstraintReading } from './constraint-part.js';
import type { CriticalPaths } from './critical-paths.js';
import { hasAllKeys, type SpreadDomains } from './spread-domains.js';
import type { PlanCounts } from './spread-counts.js';
import type { SpreadPlan } from './spread-plan.js';
import { NO_VALUE, type TopologyColumn } from '../topology-column.js';

export const PLUGIN_NAME = 'PodTopologySpread';

const MISSING_LABEL = createStatus(
  Code.UnschedulableAndUnresolvable,
  PLUGIN_NAME,
  "node(s) didn't match pod topology spread constraints (missing required label)",
);
const TOO_SKEWED = createStatus(
  Code.Unschedulable,
  PLUGIN_NAME,
  "node(s) didn't match pod topology spread constraints",
);
/** By code of the column form, from 1. */
const STATUSES: readonly Status[] = [MISSING_LABEL, TOO_SKEWED];
const MISSING_LABEL_CODE = 1;
const TOO_SKEWED_CODE = 2;

/** How a dry run differs from the counts for one constraint. */
interface Difference {
  readonly paths: CriticalPaths;
  /** Pods more or fewer, by number of the topology value. */
  readonly pods: Map<number, number>;
  /** Domains that only the dry run has. */
  newDomains: number;
}

/** One hard constraint over all nodes. */
interface HardConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** 1 if the pod itself counts. */
  readonly selfMatch: number;
  readonly topology: TopologyColumn;
  readonly domains: SpreadDomains;
}

/** See the file header. */
export class FilterState implements StateData {
  readonly #plan: SpreadPlan;
  readonly #counts: PlanCounts;
  readonly #constraints: readonly HardConstraint[];
  /** By constraint; absent until a dry run changes something. */
  #differences: readonly Difference[] | undefined;

  constructor(plan: SpreadPlan, counts: PlanCounts, constraints = hardConstraintsOf(plan, counts)) {
    this.#plan = plan;
    this.#counts = counts;
    this.#constraints = constraints;
  }

  clone(): FilterState {
    const copy = new FilterState(this.#plan, this.#counts, this.#constraints);
    copy.#differences = this.#differences?.map(({ paths, pods, newDomains }) => ({
      paths: paths.copy(),
      pods: new Map(pods),
      newDomains,
    }));
    return copy;
  }

  /** The plain form of Filter. */
  judge({ node }: NodeInfo): Status | undefined {
    assertCurrent(this.#counts);
    const labels = node?.metadata.labels;
    for (let index = 0; index < this.#constraints.length; index += 1) {
      const constraint = this.#constraints[index] as HardConstraint;
      const value = labels?.[constraint.topologyKey];
      if (value === undefined) return MISSING_LABEL;
      const pods = this.#podsIn(constraint, index, constraint.topology.find(value));
      const skew = pods + constraint.selfMatch - this.#minimum(constraint, index);
      if (skew > constraint.maxSkew) return TOO_SKEWED;
    }
    return undefined;
  }

  /** The column form of Filter; `undefined` in a dry run, which knows single nodes only. */
  compile(): ColumnFilter | undefined {
    if (this.#differences !== undefined) return undefined;
    assertCurrent(this.#counts);
    const constraints = this.#constraints;
    const limits = this.#limits();
    return {
      filter(slots, count, verdicts, base) {
        for (let index = 0; index < constraints.length; index += 1) {
          const { topology, domains } = constraints[index] as HardConstraint;
          const limit = limits[index] as number;
          judgeColumn(topology.bySlot, domains.totals.counts, limit, slots, count, verdicts, base);
        }
      },
      statusOf: (code) => STATUSES[code - 1] as Status,
    };
  }

  /** The form for groups of nodes; `undefined` in a dry run, and where domains are many and shared by nodes. */
  group(): GroupFilter | undefined {
    if (this.#differences !== undefined) return undefined;
    assertCurrent(this.#counts);
    const { readings } = this.#counts;
    const read: ConstraintReading[] = [];
    for (const { topology, domains } of this.#constraints) {
      const reading = readings.ofDomains(topology, domains);
      if (reading === undefined) return undefined;
      read.push(reading);
    }
    const limits = this.#limits();
    return {
      parts: read.map(({ part }) => part),
      judge(groups, group) {
        for (let index = 0; index < read.length; index += 1) {
          const pods = (read[index] as ConstraintReading).podsAt(groups, group);
          if (pods === NO_VALUE) return MISSING_LABEL_CODE;
          if (pods > (limits[index] as number)) return TOO_SKEWED_CODE;
        }
        return 0;
      },
    };
  }

  /**
   * A pod has come to a node (+1) or left it (-1). Unlike before it counts although it may be on its
   * way out, and although the selector may be empty, as upstream.
   */
  changePod({ shape }: PodInfo, info: NodeInfo, difference: 1 | -1): void {
    assertCurrent(this.#counts);
    const { constraints, namespace } = this.#plan;
    const labels = info.node?.metadata.labels;
    if (shape.namespace !== namespace || !hasAllKeys(labels, constraints)) return;
    for (let index = 0; index < constraints.length; index += 1) {
      const constraint = this.#constraints[index] as HardConstraint;
      const { topology, domains, topologyKey } = constraint;
      if (constraints[index]?.selector.matches(shape.labels) !== true || !domains.isEligible(info)) continue;
      const value = labels?.[topologyKey] ?? '';
      const id = topology.idOf(value);
      const changed = this.#differenceOf(index);
      const known = changed.pods.get(id);
      if (known === undefined && !domains.totals.has(id)) changed.newDomains += 1;
      changed.pods.set(id, (known ?? 0) + difference);
      changed.paths.update(value, this.#podsIn(constraint, index, id));
    }
  }

  /** By constraint: the most pods that a domain may have already. */
  #limits(): readonly number[] {
    return this.#constraints.map(
      (constraint, index) => constraint.maxSkew + this.#minimum(constraint, index) - constraint.selfMatch,
    );
  }

  #differenceOf(index: number): Difference {
    this.#differences ??= this.#constraints.map(({ domains }) => ({
      paths: domains.totals.paths.copy(),
      pods: new Map(),
      newDomains: 0,
    }));
    return this.#differences[index] as Difference;
  }

  #podsIn({ domains }: HardConstraint, index: number, id: number | undefined): number {
    if (id === undefined) return 0;
    return domains.totals.countOf(id) + (this.#differences?.[index]?.pods.get(id) ?? 0);
  }

  /** Pods in the emptiest domain; too few domains count as one more, empty one. */
  #minimum({ domains, minDomains }: HardConstraint, index: number): number {
    const { totals } = domains;
    const difference = this.#differences?.[index];
    if (totals.size + (difference?.newDomains ?? 0) < minDomains) return 0;
    return difference === undefined ? totals.minimum : difference.paths.minimum;
  }
}

/** Where the attempt keeps its hard constraints. */
export const FILTER_STATE = new StateKey<FilterState>(`PreFilter${PLUGIN_NAME}`);

/** Stops the run if the counts of an attempt have moved on while it lasts. */
export function assertCurrent({ log, position }: PlanCounts): void {
  if (log.end === position) return;
  assert(
    false,
    `${PLUGIN_NAME}: counts must not change during an attempt, got changes up to ${log.end} after ${position}`,
  );
}

function hardConstraintsOf(plan: SpreadPlan, { constraints }: PlanCounts): readonly HardConstraint[] {
  return constraints.map(({ constraint, topology, domains }, index) => {
    assert(domains !== undefined, `${PLUGIN_NAME}: a hard constraint has domains, got none`);
    const { topologyKey, maxSkew, minDomains } = constraint;
    return { topologyKey, maxSkew, minDomains, selfMatch: plan.selfMatches[index] ?? 0, topology, domains };
  });
}

function judgeColumn(
  values: Int32Array,
  pods: Int32Array,
  limit: number,
  slots: Int32Array,
  count: number,
  verdicts: Int32Array,
  base: number,
): void {
  for (let index = 0; index < count; index += 1) {
    const slot = slots[index] as number;
    if (verdicts[slot] !== 0) continue;
    const value = values[slot] as number;
    if (value < 0) verdicts[slot] = base + MISSING_LABEL_CODE;
    else if ((pods[value] as number) > limit) verdicts[slot] = base + TOO_SKEWED_CODE;
  }
}
