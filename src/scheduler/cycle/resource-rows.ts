/**
 * What pods take of nodes and what is there, side by side for each node in the order of the scan: who judges
 * a few nodes here and there by cpu and memory looks at one place in memory per node. It follows what is
 * written to the columns.
 */
import type { NodeColumns } from '../framework/node-columns.js';
import { RowFollower, type FollowedRows } from './row-follower.js';

/** A row begins at the position shifted by this. */
export const ROW_SHIFT = 3;

/** Of cpu, in millicores, and memory, in bytes: what there is, what is requested, and the same with defaults. */
export const TOTAL_CPU = 0;
export const TOTAL_MEMORY = 1;
export const USED_CPU = 2;
export const USED_MEMORY = 3;
export const NON_ZERO_CPU = 4;
export const NON_ZERO_MEMORY = 5;
/** Pods that still have a place. */
export const PLACES = 6;

/** See the file header. */
export class ResourceRows implements FollowedRows {
  rows = new Float64Array(0);
  #size = 0;
  readonly #follower = new RowFollower();

  /** Takes notice of what was written. */
  catchUp(columns: NodeColumns): void {
    this.#follower.catchUp(columns, this, this.#size);
  }

  /** @internal */
  writeAll(columns: NodeColumns): void {
    const { nodeCount } = columns;
    this.#size = nodeCount;
    if (this.rows.length < nodeCount << ROW_SHIFT) this.rows = new Float64Array(nodeCount << ROW_SHIFT);
    const { order } = columns.arrays;
    for (let at = 0; at < nodeCount; at += 1) this.write(columns, at, order[at] as number);
  }

  /** @internal */
  write({ arrays }: NodeColumns, at: number, slot: number): void {
    const { rows } = this;
    const row = at << ROW_SHIFT;
    rows[row + TOTAL_CPU] = arrays.allocatableCpuMillis[slot] as number;
    rows[row + TOTAL_MEMORY] = arrays.allocatableMemoryBytes[slot] as number;
    rows[row + USED_CPU] = arrays.cpuMillis[slot] as number;
    rows[row + USED_MEMORY] = arrays.memoryBytes[slot] as number;
    rows[row + NON_ZERO_CPU] = arrays.nonZeroCpuMillis[slot] as number;
    rows[row + NON_ZERO_MEMORY] = arrays.nonZeroMemoryBytes[slot] as number;
    rows[row + PLACES] = (arrays.allocatablePods[slot] as number) - (arrays.podCount[slot] as number);
  }
}
