import { CriticalPaths, NO_MINIMUM } from './critical-paths.js';
import type { TopologyColumn } from '../topology-column.js';

const INITIAL_CAPACITY = 16;

/**
 * Pods per domain of one topology key, summed over nodes that come, go and change. A domain exists as
 * long as a node stands in it. The minimum over the domains is known without a walk unless the last
 * domain that had it has left it.
 */
export class DomainTotals {
  /** Pods by number of the topology value. */
  counts = new Int32Array(INITIAL_CAPACITY);
  /** Number of domains. */
  size = 0;
  readonly #topology: TopologyColumn;
  /** Nodes by number of the topology value. */
  #nodes = new Int32Array(INITIAL_CAPACITY);
  /** No domain has less than this, */
  #minimum = NO_MINIMUM;
  /** and this many have exactly this. */
  #atMinimum = 0;
  /** Absent when a count has changed since. */
  #paths: CriticalPaths | undefined;

  constructor(topology: TopologyColumn) {
    this.#topology = topology;
  }

  /** Whether a node stands in the domain. */
  has(id: number): boolean {
    return id < this.#nodes.length && (this.#nodes[id] as number) > 0;
  }

  /** Pods in the domain, 0 if there is no such domain. */
  countOf(id: number | undefined): number {
    return id !== undefined && id < this.counts.length ? (this.counts[id] as number) : 0;
  }

  /** Pods in the emptiest domain; {@link NO_MINIMUM} without domains. */
  get minimum(): number {
    if (this.#atMinimum === 0) this.#findMinimum();
    return this.#minimum;
  }

  /** The two emptiest domains, to be copied before they are changed. */
  get paths(): CriticalPaths {
    if (this.#paths === undefined) {
      this.#paths = new CriticalPaths();
      for (let id = 0; id < this.#nodes.length; id += 1) {
        if (this.has(id)) this.#paths.update(this.#topology.valueOf(id), this.countOf(id));
      }
    }
    return this.#paths;
  }

  /** Makes room for every known topology value. */
  reserve(): void {
    const needed = this.#topology.size;
    if (this.counts.length >= needed) return;
    const capacity = Math.max(needed, this.counts.length * 2);
    this.counts = enlarged(this.counts, capacity);
    this.#nodes = enlarged(this.#nodes, capacity);
  }

  /** Forgets every node. */
  clear(): void {
    this.counts.fill(0);
    this.#nodes.fill(0);
    this.size = 0;
    this.#minimum = NO_MINIMUM;
    this.#atMinimum = 0;
    this.#paths = undefined;
  }

  /** A node with `pods` pods now stands in the domain. */
  addNode(id: number, pods: number): void {
    const nodes = this.#nodes[id] as number;
    this.#nodes[id] = nodes + 1;
    if (nodes === 0) {
      this.size += 1;
      this.#enter(this.#change(id, pods));
    } else if (pods !== 0) this.changePods(id, pods);
  }

  /** A node with `pods` pods has left the domain. */
  removeNode(id: number, pods: number): void {
    const nodes = this.#nodes[id] as number;
    if (nodes === 1) {
      this.#leave(this.counts[id] as number);
      this.#change(id, -pods);
      this.size -= 1;
    } else if (pods !== 0) this.changePods(id, -pods);
    this.#nodes[id] = nodes - 1;
  }

  /** Pods have come to, or left, a domain that stays. */
  changePods(id: number, difference: number): void {
    this.#leave(this.counts[id] as number);
    this.#enter(this.#change(id, difference));
  }

  #change(id: number, difference: number): number {
    this.#paths = undefined;
    const count = (this.counts[id] as number) + difference;
    this.counts[id] = count;
    return count;
  }

  #enter(count: number): void {
    if (count < this.#minimum) {
      this.#minimum = count;
      this.#atMinimum = 1;
    } else if (count === this.#minimum) this.#atMinimum += 1;
  }

  #leave(count: number): void {
    if (count === this.#minimum) this.#atMinimum -= 1;
  }

  #findMinimum(): void {
    this.#minimum = NO_MINIMUM;
    for (let id = 0; id < this.#nodes.length; id += 1) {
      if ((this.#nodes[id] as number) > 0) this.#enter(this.counts[id] as number);
    }
  }
}

function enlarged(column: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(capacity);
  grown.set(column);
  return grown;
}
