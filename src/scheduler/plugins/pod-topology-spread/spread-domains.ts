import { findUntolerated } from '../../../api/selectors/tolerations.js';
import type { StringMap } from '../../../api/objects/objects.js';
import type { NodeInfo } from '../../framework/node-info.js';
import { DomainTotals } from './domain-totals.js';
import type { NodeLog } from './node-log.js';
import type { CountListener, PodCounter } from './pod-counter.js';
import type { SpreadConstraint } from './spread-constraint.js';
import type { SpreadPlan } from './spread-plan.js';
import { NO_VALUE, type TopologyColumn } from '../topology-column.js';

/** Effects that keep pods from a node. */
const HARD_EFFECTS: readonly string[] = ['NoSchedule', 'NoExecute'];

/** Matching pods per domain of one constraint, over the nodes that count for it. Follows its counter. */
export class SpreadDomains implements CountListener {
  readonly totals: DomainTotals;
  readonly counter: PodCounter;
  readonly #plan: SpreadPlan;
  readonly #constraint: SpreadConstraint;
  readonly #topology: TopologyColumn;
  /** Of every key that a node must have to count. */
  readonly #needed: readonly TopologyColumn[];
  readonly #log: NodeLog;
  /** By number of a set of taints: whether the pods of nodes with it count, once that was asked. */
  readonly #isTolerated: (boolean | undefined)[] = [];
  /** By slot: number of the topology value for which the node's pods count, if they do. */
  readonly #domains: Int32Array;

  constructor(plan: SpreadPlan, constraint: SpreadConstraint, counter: PodCounter, log: NodeLog) {
    this.#plan = plan;
    this.#constraint = constraint;
    this.#topology = log.topology(constraint.topologyKey);
    const needed = plan.requiresAllKeys ? plan.constraints : [];
    this.#needed = needed.map(({ topologyKey }) => log.topology(topologyKey));
    this.#log = log;
    this.#domains = new Int32Array(log.columns.capacity).fill(NO_VALUE);
    this.totals = new DomainTotals(this.#topology);
    this.counter = counter;
    counter.refresh();
    counter.listeners.add(this);
    this.recount(counter.counts);
  }

  /** Ceases to follow the counter. */
  release(): void {
    this.counter.listeners.delete(this);
  }

  recount(counts: Int32Array): void {
    this.#domains.fill(NO_VALUE);
    this.totals.clear();
    for (let slot = 0; slot < this.#log.slotCount; slot += 1) this.place(slot, counts[slot] as number);
  }

  place(slot: number, pods: number): void {
    const previous = this.#domains[slot] as number;
    const next = this.#domainOf(slot);
    if (previous === next) return;
    this.#domains[slot] = next;
    this.totals.reserve();
    if (previous !== NO_VALUE) this.totals.removeNode(previous, pods);
    if (next !== NO_VALUE) this.totals.addNode(next, pods);
  }

  changePods(slot: number, difference: number): void {
    const domain = this.#domains[slot] as number;
    if (domain !== NO_VALUE) this.totals.changePods(domain, difference);
  }

  /** Whether the pods of a node count, as far as node affinity and taints decide. */
  isEligible({ name, node }: NodeInfo): boolean {
    const { required, tolerations } = this.#plan;
    const { honorsAffinity, honorsTaints } = this.#constraint;
    if (honorsAffinity && required?.matches(node?.metadata.labels, name) === false) return false;
    return !honorsTaints || findUntolerated(node?.spec.taints, tolerations, HARD_EFFECTS) === undefined;
  }

  /** Read from columns: with many plans, each over all nodes, the nodes themselves are too far away in memory. */
  #domainOf(slot: number): number {
    const node = this.#log.nodeAt(slot);
    if (node === undefined) return NO_VALUE;
    for (const { bySlot } of this.#needed) if (bySlot[slot] === NO_VALUE) return NO_VALUE;
    if (!this.#isEligibleIn(slot, node)) return NO_VALUE;
    const id = this.#topology.bySlot[slot] as number;
    return id === NO_VALUE ? this.#topology.idOf('') : id;
  }

  /** As {@link isEligible}, with each set of taints judged once. */
  #isEligibleIn(slot: number, node: NodeInfo): boolean {
    if (this.#constraint.honorsAffinity && this.#plan.required !== undefined) return this.isEligible(node);
    if (!this.#constraint.honorsTaints) return true;
    const set = this.#log.columns.arrays.taintSet[slot] as number;
    return (this.#isTolerated[set] ??= this.isEligible(node));
  }
}

/** Whether the labels have the key of every constraint. */
export function hasAllKeys(labels: StringMap | undefined, constraints: readonly SpreadConstraint[]): boolean {
  for (const { topologyKey } of constraints) if (labels?.[topologyKey] === undefined) return false;
  return true;
}
