/**
 * The soft constraints of one attempt: fewer pods in a node's domains mean a better score, and few
 * domains weigh no less than many. Mirrors kube-scheduler v1.34 `podtopologyspread/scoring.go`.
 */
import { StateKey, type StateData } from '../../framework/cycle-state.js';
import type { ColumnScore, NodeList } from '../../framework/interface.js';
import type { GroupScore } from '../../framework/node-groups.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { ConstraintReading } from './constraint-part.js';
import { assertCurrent, PLUGIN_NAME } from './filter-state.js';
import { GroupSpread } from './group-spread.js';
import { normalized, weightOf } from './spread-score.js';
import type { ConstraintCounts, PlanCounts } from './spread-counts.js';
import { hasAllKeys } from './spread-domains.js';
import type { SpreadPlan } from './spread-plan.js';

/** See the file header. */
export class ScoreState implements StateData {
  readonly #plan: SpreadPlan;
  readonly #counts: PlanCounts;
  readonly #nodes: NodeList;
  /** By constraint: what one pod counts; worked out when first needed. */
  #weights: readonly number[] | undefined;
  /** Whether some node lacks a key that it must have to be scored. */
  #hasIgnored = false;

  /** @param nodes - those that passed the filters */
  constructor(plan: SpreadPlan, counts: PlanCounts, nodes: NodeList) {
    this.#plan = plan;
    this.#counts = counts;
    this.#nodes = nodes;
  }

  clone(): this {
    return this;
  }

  /** The plain form of Score. */
  scoreOf(info: NodeInfo): number {
    assertCurrent(this.#counts);
    const { constraints, requiresAllKeys } = this.#plan;
    const labels = info.node?.metadata.labels;
    if (requiresAllKeys && !hasAllKeys(labels, constraints)) return 0;
    const weights = this.#weighNodes();
    let score = 0;
    const counts = this.#counts.constraints;
    for (let index = 0; index < counts.length; index += 1) {
      const { constraint, topology, counter, domains } = counts[index] as ConstraintCounts;
      const value = labels?.[constraint.topologyKey];
      if (value === undefined) continue;
      const pods = domains === undefined ? counter.countOn(info) : domains.totals.countOf(topology.find(value));
      score += pods * (weights[index] as number) + (constraint.maxSkew - 1);
    }
    return Math.round(score);
  }

  /** The column form of Score. */
  compile(): ColumnScore {
    assertCurrent(this.#counts);
    const { constraints } = this.#counts;
    const weights = this.#weighNodes();
    // Not a number plus any number is not a number: the mark of a node that is not scored.
    const missing = this.#plan.requiresAllKeys ? Number.NaN : 0;
    return {
      score(slots, count, raw) {
        for (let index = 0; index < count; index += 1) raw[slots[index] as number] = 0;
        for (let index = 0; index < constraints.length; index += 1) {
          const constraint = constraints[index] as ConstraintCounts;
          if (constraint.domains === undefined)
            addNodePods(constraint, weights[index] as number, missing, slots, count, raw);
          else addDomainPods(constraint, weights[index] as number, missing, slots, count, raw);
        }
        for (let index = 0; index < count; index += 1) {
          const slot = slots[index] as number;
          const score = raw[slot] as number;
          raw[slot] = Number.isNaN(score) ? 0 : Math.round(score);
        }
      },
    };
  }

  /** Turns pods into scores: the fewest score best, nodes that take no part score nothing. */
  normalize(scores: Float64Array, { slots }: NodeList): void {
    this.#weighNodes();
    const hasIgnored = this.#hasIgnored;
    let least = Number.MAX_SAFE_INTEGER;
    let most = 0;
    for (let index = 0; index < scores.length; index += 1) {
      if (hasIgnored && this.#isIgnored(slots[index] as number)) continue;
      const score = scores[index] as number;
      if (score < least) least = score;
      if (score > most) most = score;
    }
    for (let index = 0; index < scores.length; index += 1) {
      if (hasIgnored && this.#isIgnored(slots[index] as number)) scores[index] = 0;
      else scores[index] = normalized(scores[index] as number, least, most);
    }
  }

  /** The form for groups of nodes; `undefined` where domains are many and shared by nodes. */
  group(): GroupScore | undefined {
    assertCurrent(this.#counts);
    const { constraints, readings } = this.#counts;
    const read: ConstraintReading[] = [];
    for (const { topology, counter, domains } of constraints) {
      const reading =
        domains === undefined ? readings.ofNodes(topology, counter) : readings.ofSharedDomains(topology, domains);
      if (reading === undefined) return undefined;
      read.push(reading);
    }
    return new GroupSpread(read, constraints, this.#plan.requiresAllKeys);
  }

  /** What one pod counts by constraint; more where there are more domains. */
  #weighNodes(): readonly number[] {
    if (this.#weights === undefined) {
      const nodes = this.#nodes;
      const ignored = this.#countIgnored(nodes);
      this.#hasIgnored = ignored > 0;
      this.#weights = this.#counts.constraints.map((constraint) =>
        weightOf(constraint.domains === undefined ? nodes.count - ignored : this.#countDomains(constraint, nodes)),
      );
    }
    return this.#weights;
  }

  #countIgnored({ slots, count }: NodeList): number {
    if (!this.#plan.requiresAllKeys) return 0;
    let ignored = 0;
    for (let index = 0; index < count; index += 1) if (this.#isIgnored(slots[index] as number)) ignored += 1;
    return ignored;
  }

  /** Domains among the nodes that are scored. Nodes without the key share that of the empty value. */
  #countDomains({ topology }: ConstraintCounts, { slots, count }: NodeList): number {
    const { bySlot } = topology;
    const none = topology.idOf('');
    const seen = new Uint8Array(topology.size);
    let domains = 0;
    for (let index = 0; index < count; index += 1) {
      const slot = slots[index] as number;
      if (this.#hasIgnored && this.#isIgnored(slot)) continue;
      const own = bySlot[slot] as number;
      const id = own < 0 ? none : own;
      if (seen[id] !== 0) continue;
      seen[id] = 1;
      domains += 1;
    }
    return domains;
  }

  /** Whether the node in a slot lacks the key of a constraint. */
  #isIgnored(slot: number): boolean {
    const { constraints } = this.#counts;
    for (let index = 0; index < constraints.length; index += 1) {
      if (((constraints[index] as ConstraintCounts).topology.bySlot[slot] as number) < 0) return true;
    }
    return false;
  }
}

/** Where the attempt keeps its soft constraints. */
export const SCORE_STATE = new StateKey<ScoreState>(`PreScore${PLUGIN_NAME}`);

function addNodePods(
  { constraint, topology, counter }: ConstraintCounts,
  weight: number,
  missing: number,
  slots: Int32Array,
  count: number,
  raw: Float64Array,
): void {
  const { bySlot } = topology;
  const { counts } = counter;
  const offset = constraint.maxSkew - 1;
  for (let index = 0; index < count; index += 1) {
    const slot = slots[index] as number;
    const added = (bySlot[slot] as number) < 0 ? missing : (counts[slot] as number) * weight + offset;
    raw[slot] = (raw[slot] as number) + added;
  }
}

function addDomainPods(
  { constraint, topology, domains }: ConstraintCounts,
  weight: number,
  missing: number,
  slots: Int32Array,
  count: number,
  raw: Float64Array,
): void {
  const { bySlot } = topology;
  const counts = domains?.totals.counts ?? new Int32Array(0);
  const offset = constraint.maxSkew - 1;
  for (let index = 0; index < count; index += 1) {
    const slot = slots[index] as number;
    const value = bySlot[slot] as number;
    const added = value < 0 ? missing : (counts[value] as number) * weight + offset;
    raw[slot] = (raw[slot] as number) + added;
  }
}
