import type { NodeColumns } from '../framework/node-columns.js';
import type { DirectDemand } from './direct-demand.js';
import { RowFollower, type FollowedRows } from './row-follower.js';

/** Positions of nodes, in rising order; the first so many count. */
interface RisingPositions {
  readonly rejected: Int32Array;
  readonly rejectedCount: number;
}

/** Where a walk went. */
interface WalkedRange {
  /** Position at which it began. */
  readonly start: number;
  /** Nodes that it visited. */
  readonly visited: number;
}

/**
 * What is free of cpu and memory on each node, in the order of the scan. It follows what is written to the
 * columns, and tells which nodes have too little for a pod.
 */
export class FreeRoom implements FollowedRows {
  #size = 0;
  /** By position; nothing fits where there is no place for a pod. */
  #cpu = new Float64Array(0);
  #memory = new Float64Array(0);
  readonly #follower = new RowFollower();

  /**
   * Finds the nodes of a walk that are too full, or rejected for something else.
   *
   * @param others - positions of the latter
   * @param found - the positions, in the order of the walk
   * @returns how many there are
   */
  find(
    columns: NodeColumns,
    demand: DirectDemand,
    others: RisingPositions,
    { start, visited }: WalkedRange,
    found: Int32Array,
  ): number {
    this.#follower.catchUp(columns, this, this.#size);
    const end = Math.min(start + visited, this.#size);
    const count = this.#findIn(demand, others, start, end, found, 0);
    return this.#findIn(demand, others, 0, visited - (end - start), found, count);
  }

  /** @internal */
  writeAll(columns: NodeColumns): void {
    const { nodeCount } = columns;
    this.#size = nodeCount;
    if (this.#cpu.length < nodeCount) {
      this.#cpu = new Float64Array(nodeCount);
      this.#memory = new Float64Array(nodeCount);
    }
    const { order } = columns.arrays;
    for (let at = 0; at < nodeCount; at += 1) this.write(columns, at, order[at] as number);
  }

  /** @internal */
  write({ arrays }: NodeColumns, at: number, slot: number): void {
    const hasPlace = (arrays.podCount[slot] as number) + 1 <= (arrays.allocatablePods[slot] as number);
    const cpuMillis = (arrays.allocatableCpuMillis[slot] as number) - (arrays.cpuMillis[slot] as number);
    this.#cpu[at] = hasPlace ? cpuMillis : Number.NEGATIVE_INFINITY;
    this.#memory[at] = (arrays.allocatableMemoryBytes[slot] as number) - (arrays.memoryBytes[slot] as number);
  }

  /** Looks at the positions `from..to-1`; returns how many were found by now. */
  #findIn(
    { freeCpu, freeMemory }: DirectDemand,
    { rejected, rejectedCount }: RisingPositions,
    from: number,
    to: number,
    found: Int32Array,
    before: number,
  ): number {
    const cpu = this.#cpu;
    const memory = this.#memory;
    let count = before;
    let next = 0;
    while (next < rejectedCount && (rejected[next] as number) < from) next += 1;
    let other = next < rejectedCount ? (rejected[next] as number) : to;
    for (let at = from; at < to; at += 1) {
      if (at === other) {
        next += 1;
        other = next < rejectedCount ? (rejected[next] as number) : to;
      } else if (freeCpu <= (cpu[at] as number) && freeMemory <= (memory[at] as number)) continue;
      found[count] = at;
      count += 1;
    }
    return count;
  }
}
