import type { NodeGroups, NodePart } from '../../framework/node-groups.js';
import type { NodeLog } from './node-log.js';
import type { PodCounter } from './pod-counter.js';
import type { SpreadDomains } from './spread-domains.js';
import { NO_VALUE, type TopologyColumn } from '../topology-column.js';

/** Values of a key up to which nodes are told apart by the value itself. */
const FEW_DOMAINS = 16;

/** The value of a topology key: pods that come or go change the count of a domain, not which nodes are in it. */
class DomainPart implements NodePart {
  readonly #topology: TopologyColumn;
  readonly #log: NodeLog;

  constructor(topology: TopologyColumn, log: NodeLog) {
    this.#topology = topology;
    this.#log = log;
  }

  refresh(attempt: object): void {
    this.#log.update(attempt);
  }

  valueAt(slot: number): number {
    return this.#topology.bySlot[slot] as number;
  }
}

/** Matching pods on the node itself; {@link NO_VALUE} if it lacks the key. */
class OwnPodsPart implements NodePart {
  readonly #topology: TopologyColumn;
  readonly #counter: PodCounter;
  readonly #log: NodeLog;

  constructor(topology: TopologyColumn, counter: PodCounter, log: NodeLog) {
    this.#topology = topology;
    this.#counter = counter;
    this.#log = log;
  }

  refresh(attempt: object): void {
    this.#log.update(attempt);
    this.#counter.refresh();
  }

  valueAt(slot: number): number {
    return this.#topology.bySlot[slot] === NO_VALUE ? NO_VALUE : (this.#counter.counts[slot] as number);
  }
}

/** Matching pods in the node's domain, where every node is a domain of its own. */
class OwnDomainPart implements NodePart {
  readonly #topology: TopologyColumn;
  readonly #domains: SpreadDomains;
  readonly #log: NodeLog;

  constructor(topology: TopologyColumn, domains: SpreadDomains, log: NodeLog) {
    this.#topology = topology;
    this.#domains = domains;
    this.#log = log;
  }

  refresh(attempt: object): void {
    this.#log.update(attempt);
    this.#domains.counter.refresh();
  }

  valueAt(slot: number): number {
    const id = this.#topology.bySlot[slot] as number;
    return id === NO_VALUE ? NO_VALUE : this.#domains.totals.countOf(id);
  }
}

/** How the nodes of a group stand to a constraint. */
export class ConstraintReading {
  readonly part: NodePart;
  /** Absent where the part gives the pods themselves. */
  readonly #domains: SpreadDomains | undefined;

  constructor(part: NodePart, domains: SpreadDomains | undefined) {
    this.part = part;
    this.#domains = domains;
  }

  /** Matching pods in the domain of the nodes; {@link NO_VALUE} if they lack the key. */
  podsAt(groups: NodeGroups, group: number): number {
    const value = groups.valuesOf(this.part)[group] as number;
    return value === NO_VALUE || this.#domains === undefined ? value : this.#domains.totals.countOf(value);
  }

  /** Number of the topology value of the nodes; {@link NO_VALUE} if they lack the key, or are not told apart by it. */
  domainAt(groups: NodeGroups, group: number): number {
    return this.#domains === undefined ? NO_VALUE : (groups.valuesOf(this.part)[group] as number);
  }
}

interface Known {
  /** {@link TopologyColumn.sharings} for which it holds. */
  readonly sharings: number;
  readonly reading: ConstraintReading;
}

/** Finds how constraints are read by group; the same reading as long as it holds. For one log. */
export class ConstraintReadings {
  readonly #log: NodeLog;
  readonly #byTopology = new WeakMap<TopologyColumn, NodePart>();
  readonly #byDomain = new WeakMap<SpreadDomains, ConstraintReading>();
  readonly #own = new WeakMap<SpreadDomains, Known>();
  readonly #byNode = new WeakMap<PodCounter, Map<TopologyColumn, ConstraintReading>>();

  constructor(log: NodeLog) {
    this.#log = log;
  }

  /** Of pods in domains; `undefined` when domains are many, and shared by nodes. */
  ofDomains(topology: TopologyColumn, domains: SpreadDomains): ConstraintReading | undefined {
    if (topology.size <= FEW_DOMAINS) return this.#valueReading(topology, domains);
    return topology.isUnique ? this.#ownReading(topology, domains) : undefined;
  }

  /** Of pods in domains that are few; else `undefined`. */
  ofSharedDomains(topology: TopologyColumn, domains: SpreadDomains): ConstraintReading | undefined {
    return topology.size <= FEW_DOMAINS ? this.#valueReading(topology, domains) : undefined;
  }

  /** Of pods on each node for itself. */
  ofNodes(topology: TopologyColumn, counter: PodCounter): ConstraintReading {
    const known = this.#byNode.get(counter) ?? new Map<TopologyColumn, ConstraintReading>();
    this.#byNode.set(counter, known);
    let reading = known.get(topology);
    if (reading === undefined) {
      reading = new ConstraintReading(new OwnPodsPart(topology, counter, this.#log), undefined);
      known.set(topology, reading);
    }
    return reading;
  }

  #valueReading(topology: TopologyColumn, domains: SpreadDomains): ConstraintReading {
    let reading = this.#byDomain.get(domains);
    if (reading === undefined) {
      const part = this.#byTopology.get(topology) ?? new DomainPart(topology, this.#log);
      this.#byTopology.set(topology, part);
      reading = new ConstraintReading(part, domains);
      this.#byDomain.set(domains, reading);
    }
    return reading;
  }

  #ownReading(topology: TopologyColumn, domains: SpreadDomains): ConstraintReading {
    const { sharings } = topology;
    let known = this.#own.get(domains);
    if (known?.sharings !== sharings) {
      const part = new OwnDomainPart(topology, domains, this.#log);
      known = { sharings, reading: new ConstraintReading(part, undefined) };
      this.#own.set(domains, known);
    }
    return known.reading;
  }
}
