/**
 * What a direct walk (node-walk.ts) looks at of each node, in the order of the scan and side by side: a
 * row of numbers per node, prepared so that a pod takes a few multiplications. It follows what is written
 * to the columns, and makes the passes over the rows.
 */
import { Follower, type FollowedNodes } from '../../framework/follower.js';
import { hasPlace, isShort, NO_PLACE } from '../../framework/free-resources.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { Candidates } from './candidates.js';
import type { PodDemand } from '../attempt/pod-demand.js';
import { RowClasses } from './row-classes.js';
import { stepOf, walkRing } from '../attempt/ring.js';
import { clearBit } from './walk-buffers.js';

// The passes use names of this file alone: what comes from another one is looked up again for every node.
const lacks = isShort;

/** A row begins at the position shifted by this. */
export const ROW_SHIFT = 3;

/** Cpu and memory that are free for requests, millicores and bytes; nothing fits where there is no place for a pod. */
const FREE_CPU = 0;
const FREE_MEMORY = 1;
/** Free parts of cpu and memory, counting defaults. */
export const CPU_PART = 2;
export const MEMORY_PART = 3;
/** The part that a millicore, and a byte, is of the whole. */
export const PART_PER_CPU = 4;
export const PART_PER_MEMORY = 5;
/** Used part of cpu less used part of memory, without defaults; or {@link UNTOLD}. */
export const TILT = 6;

/** In place of a tilt, and of a score: the row does not tell it. It equals nothing, so that such rows share no class. */
export const UNTOLD = Number.NaN;

/** Whether a score is {@link UNTOLD}. */
export const isUntold = Number.isNaN;

/** Amounts up to this are told apart by hundredths of their parts: see PART_ERROR in row-scores.ts. */
const MAX_TOTAL = 2 ** 40;
/** The bound of nodes on which the pod does not fit. */
const UNFIT = Number.NEGATIVE_INFINITY;

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

/** See the file header. */
export class NodeRows implements FollowedNodes {
  /** Number of nodes. */
  size = 0;
  /** By position. */
  rows = new Float64Array(0);
  /** Most nodes have a row like others: all is worked out once per class of rows. */
  readonly classes = new RowClasses();
  /** By class: its bound in the walk under way, if that was the last in which it was met. */
  #bounds = new Float64Array(0);
  #boundOf = new Int32Array(0);
  /** Number of the walk under way. */
  walks = 0;
  readonly #follower = new Follower();

  /** Takes notice of what was written. */
  catchUp(columns: NodeColumns): void {
    this.#follower.catchUp(columns, this);
  }

  /** @internal */
  onAll(columns: NodeColumns): void {
    this.size = columns.nodeCount;
    this.classes.begin(this.size);
    if (this.rows.length < this.size << ROW_SHIFT) {
      this.rows = new Float64Array(this.size << ROW_SHIFT);
      this.#bounds = new Float64Array(this.size);
      this.#boundOf = new Int32Array(this.size);
    }
    const { order } = columns.arrays;
    for (let at = 0; at < this.size; at += 1) this.onNode(columns, at, order[at] as number);
  }

  /** @internal */
  onNode(columns: NodeColumns, at: number, slot: number): void {
    const { arrays } = columns;
    const rows = this.rows;
    const row = at << ROW_SHIFT;
    const totalCpu = arrays.allocatableCpuMillis[slot] as number;
    const totalMemory = arrays.allocatableMemoryBytes[slot] as number;
    const usedCpu = arrays.cpuMillis[slot] as number;
    const usedMemory = arrays.memoryBytes[slot] as number;
    const places = (arrays.allocatablePods[slot] as number) - (arrays.podCount[slot] as number);
    rows[row + FREE_CPU] = hasPlace(places) ? totalCpu - usedCpu : NO_PLACE;
    rows[row + FREE_MEMORY] = totalMemory - usedMemory;
    rows[row + CPU_PART] = (totalCpu - (arrays.nonZeroCpuMillis[slot] as number)) / totalCpu;
    rows[row + MEMORY_PART] = (totalMemory - (arrays.nonZeroMemoryBytes[slot] as number)) / totalMemory;
    rows[row + PART_PER_CPU] = 1 / totalCpu;
    rows[row + PART_PER_MEMORY] = 1 / totalMemory;
    // Where formulas have cases of their own, or numbers are not fine enough, the node is scored by the columns.
    const tells = tellsParts(usedCpu, totalCpu) && tellsParts(usedMemory, totalMemory);
    rows[row + TILT] = tells ? usedCpu / totalCpu - usedMemory / totalMemory : UNTOLD;
    this.classes.put(at, rows);
  }

  /** A walk with a demand of its own begins. */
  begin(): void {
    this.walks = (this.walks + 1) | 0;
  }

  /**
   * Passes over the positions `from..to-1` and collects candidates; returns the position of the feasible node
   * after `target`, or `to`.
   */
  pass(demand: PodDemand, found: Candidates, from: number, to: number, target: number): number {
    const rows = this.rows;
    // Loaded once, and not for every node.
    const { freeCpu, freeMemory, leastCpu, leastMemory, balancedCpu, balancedMemory, balancedWeight } = demand;
    const points = (100 * demand.leastWeight) / (demand.cpuWeight + demand.memoryWeight);
    const cpuPoints = points * demand.cpuWeight;
    const memoryPoints = points * demand.memoryWeight;
    const { at: candidates, places, bounds, slack } = found;
    let { feasible, count, highest } = found;
    const classes = this.classes.of;
    const known = this.#bounds;
    const knownOf = this.#boundOf;
    const walk = this.walks;
    let lowest = highest - slack;
    let at = from;
    for (; at < to; at += 1) {
      const rowClass = classes[at] as number;
      let bound: number;
      if (knownOf[rowClass] === walk) bound = known[rowClass] as number;
      else {
        const row = at << ROW_SHIFT;
        if (lacks(freeCpu, rows[row + FREE_CPU] as number) || lacks(freeMemory, rows[row + FREE_MEMORY] as number))
          bound = UNFIT;
        else {
          const perCpu = rows[row + PART_PER_CPU] as number;
          const perMemory = rows[row + PART_PER_MEMORY] as number;
          const cpuPart = (rows[row + CPU_PART] as number) - leastCpu * perCpu;
          const memoryPart = (rows[row + MEMORY_PART] as number) - leastMemory * perMemory;
          const tilt = (rows[row + TILT] as number) + balancedCpu * perCpu - balancedMemory * perMemory;
          bound = (100 - Math.abs(tilt) * 50) * balancedWeight;
          if (cpuPart > 0) bound += cpuPart * cpuPoints;
          if (memoryPart > 0) bound += memoryPart * memoryPoints;
        }
        known[rowClass] = bound;
        knownOf[rowClass] = walk;
      }
      if (bound === UNFIT) continue;
      if (feasible === target) break;
      feasible += 1;
      if (bound < lowest) continue;
      if (bound > highest) {
        highest = bound;
        lowest = bound - slack;
      }
      candidates[count] = at;
      places[count] = feasible - 1;
      bounds[count] = bound;
      count += 1;
    }
    found.feasible = feasible;
    found.count = count;
    found.highest = highest;
    return at;
  }

  /**
   * Passes over all nodes class by class: counts those that fit, and collects classes as candidates. Bounds are
   * worked out here once more: to call for each of them would cost every walk a tenth.
   */
  passClasses(demand: PodDemand, found: Candidates): void {
    const { rows, counts, end } = this.classes;
    // Loaded once, and not for every node.
    const { freeCpu, freeMemory, leastCpu, leastMemory, balancedCpu, balancedMemory, balancedWeight } = demand;
    const points = (100 * demand.leastWeight) / (demand.cpuWeight + demand.memoryWeight);
    const cpuPoints = points * demand.cpuWeight;
    const memoryPoints = points * demand.memoryWeight;
    const { at: candidates, bounds, slack } = found;
    let { feasible, count, highest } = found;
    const known = this.#bounds;
    const knownOf = this.#boundOf;
    const walk = this.walks;
    let lowest = highest - slack;
    for (let rowClass = 0; rowClass < end; rowClass += 1) {
      const nodes = counts[rowClass] as number;
      if (nodes === 0) continue;
      const row = rowClass << ROW_SHIFT;
      let bound = UNFIT;
      if (!lacks(freeCpu, rows[row + FREE_CPU] as number) && !lacks(freeMemory, rows[row + FREE_MEMORY] as number)) {
        const perCpu = rows[row + PART_PER_CPU] as number;
        const perMemory = rows[row + PART_PER_MEMORY] as number;
        const cpuPart = (rows[row + CPU_PART] as number) - leastCpu * perCpu;
        const memoryPart = (rows[row + MEMORY_PART] as number) - leastMemory * perMemory;
        const tilt = (rows[row + TILT] as number) + balancedCpu * perCpu - balancedMemory * perMemory;
        bound = (100 - Math.abs(tilt) * 50) * balancedWeight;
        if (cpuPart > 0) bound += cpuPart * cpuPoints;
        if (memoryPart > 0) bound += memoryPart * memoryPoints;
      }
      known[rowClass] = bound;
      knownOf[rowClass] = walk;
      if (bound === UNFIT) continue;
      feasible += nodes;
      if (bound < lowest) continue;
      if (bound > highest) {
        highest = bound;
        lowest = bound - slack;
      }
      candidates[count] = rowClass;
      bounds[count] = bound;
      count += 1;
    }
    found.feasible = feasible;
    found.count = count;
    found.highest = highest;
  }

  /** After {@link NodeRows.passClasses}: collects the nodes of the candidate classes that no bound has left behind. */
  collect(found: Candidates): void {
    const lowest = found.highest - found.slack;
    const { at: candidates, bounds } = found;
    const known = this.#bounds;
    const { of } = this.classes;
    let count = 0;
    for (let at = 0; at < this.size; at += 1) {
      const bound = known[of[at] as number] as number;
      if (bound === UNFIT || bound < lowest) continue;
      candidates[count] = at;
      bounds[count] = bound;
      count += 1;
    }
    found.count = count;
  }

  /** Whether the walk under way found no room on nodes of a class. */
  isUnfit(rowClass: number): boolean {
    return this.#bounds[rowClass] === UNFIT;
  }

  /** Whether the pod fits by what is free. */
  fits(at: number, demand: PodDemand): boolean {
    return rowFits(this.rows, at << ROW_SHIFT, demand);
  }

  /**
   * Finds the nodes of the last walk that are too full, or rejected for something else.
   *
   * @param others - positions of the latter in rising order, the first `otherCount` of them
   * @param found - the positions, in the order of the walk
   * @returns how many there are
   */
  findUnfit(
    demand: PodDemand,
    { rejected: others, rejectedCount: otherCount }: RisingPositions,
    { start, visited }: WalkedRange,
    found: Int32Array,
  ): number {
    const classes = this.classes.of;
    let count = 0;
    walkRing(start, visited, this.size, (from, to) => {
      let next = 0;
      while (next < otherCount && (others[next] as number) < from) next += 1;
      for (let at = from; at < to; at += 1) {
        if (next < otherCount && others[next] === at) next += 1;
        else if (!this.#isClassUnfit(classes[at] as number, demand)) continue;
        found[count] = at;
        count += 1;
      }
      return to;
    });
    return count;
  }

  /** Whether nodes of a class have too little; known for those that the walk has come by. */
  #isClassUnfit(rowClass: number, demand: PodDemand): boolean {
    if (this.#boundOf[rowClass] === this.walks) return this.#bounds[rowClass] === UNFIT;
    return !rowFits(this.classes.rows, rowClass << ROW_SHIFT, demand);
  }

  /** Takes nodes on which the last walk found no room out of bits in the order of the walk. */
  clearUnfit(bits: Int32Array, start: number): void {
    const { size } = this;
    const classes = this.classes.of;
    for (let at = 0; at < size; at += 1) {
      const rowClass = classes[at] as number;
      if (this.#boundOf[rowClass] !== this.walks || this.#bounds[rowClass] !== UNFIT) continue;
      clearBit(bits, stepOf(at, start, size));
    }
  }
}

function rowFits(rows: Float64Array, row: number, { freeCpu, freeMemory }: PodDemand): boolean {
  return !lacks(freeCpu, rows[row + FREE_CPU] as number) && !lacks(freeMemory, rows[row + FREE_MEMORY] as number);
}

function tellsParts(used: number, total: number): boolean {
  return total > 0 && used <= total && total <= MAX_TOTAL;
}
