/**
 * What a direct walk (direct-walk.ts) looks at of each node, in the order of the scan and side by side: a
 * row of numbers per node, prepared so that a pod takes a few multiplications. It follows what is written
 * to the columns, tells which nodes have become others in more than their pods, and makes the passes over
 * the rows.
 */
import type { NodeColumns } from '../framework/node-columns.js';
import { balancedScore, leastAllocatedScore } from '../framework/resource-scores.js';
import { NodeFacts } from './node-facts.js';
import { RowClasses } from './row-classes.js';

// Names of this file alone: what comes from another one is looked up again for every node.

/** A row begins at the position shifted by this. */
const ROW_SHIFT = 3;

/** Cpu and memory that are free for requests, millicores and bytes; nothing fits where there is no place for a pod. */
const FREE_CPU = 0;
const FREE_MEMORY = 1;
/** Free parts of cpu and memory, counting defaults. */
const CPU_PART = 2;
const MEMORY_PART = 3;
/** The part that a millicore, and a byte, is of the whole. */
const PART_PER_CPU = 4;
const PART_PER_MEMORY = 5;
/** Used part of cpu less used part of memory, without defaults; not a number where the row does not tell about scores. */
const TILT = 6;

/** Amounts up to this are told apart by hundredths of their parts: see {@link PART_ERROR}. */
const MAX_TOTAL = 2 ** 40;
/**
 * More than what the hundredfold of a part, less that of a pod, may be off by rounding, and so little that
 * no part of {@link MAX_TOTAL} or less comes to the whole number above it by that.
 */
const PART_ERROR = 5e-13;
/** A balance this near to a whole number is worked out as upstream does, whose rounding decides. */
const NEAR = 1e-9;
/** Bounds are worked out in another order than scores, and may be so much too low. */
const MARGIN = 1e-6;
/** The bound of nodes on which the pod does not fit. */
const UNFIT = Number.NEGATIVE_INFINITY;

/** What a pod asks for, and how its scores weigh; millicores and bytes. */
export interface DirectDemand {
  /** What has to be free; below every number where nothing is asked for. */
  freeCpu: number;
  freeMemory: number;
  /** Of the score by free resources, with defaults counted. */
  leastCpu: number;
  leastMemory: number;
  leastWeight: number;
  cpuWeight: number;
  memoryWeight: number;
  /** Of the score by balance; weight 0 = it is not asked. */
  balancedCpu: number;
  balancedMemory: number;
  balancedWeight: number;
}

/** What passes have found; of each candidate its position, its place among the feasible nodes, and its bound. */
export class Candidates {
  /** Feasible nodes. */
  feasible = 0;
  /** Nodes that may be among the best. */
  count = 0;
  at = new Int32Array(0);
  places = new Int32Array(0);
  /** No score of a node is above its bound; not a number where there is none. */
  bounds = new Float64Array(0);
  /** The best score, and how many of the candidates have it: those in front. */
  best = 0;
  ties = 0;
  /** The highest bound. */
  highest = Number.NEGATIVE_INFINITY;
  /** What bounds may be above the scores. */
  slack = 0;

  /** @param spread - how far apart what else is added to scores may be */
  begin(size: number, { leastWeight, balancedWeight }: DirectDemand, spread: number): void {
    if (this.at.length < size) {
      this.at = new Int32Array(size);
      this.places = new Int32Array(size);
      this.bounds = new Float64Array(size);
    }
    this.feasible = 0;
    this.count = 0;
    this.highest = Number.NEGATIVE_INFINITY;
    // Twice the mean is cut, once the balance.
    this.slack = 2 * leastWeight + balancedWeight + spread + MARGIN;
  }
}

/** See the file header. */
export class DirectRows {
  /** Number of nodes. */
  size = 0;
  /** What outlines go by. */
  readonly facts = new NodeFacts();
  #rows = new Float64Array(0);
  /** Most nodes have a row like others: all is worked out once per class of rows. */
  readonly #classes = new RowClasses();
  /** By class: its bound and its score in the walk under way, if that was the last in which it was met. */
  #bounds = new Float64Array(0);
  #scores = new Float64Array(0);
  #boundOf = new Int32Array(0);
  #scoreOf = new Int32Array(0);
  #walks = 0;
  #revision = -1;
  #layout = -1;
  #seen = 0;

  /** Takes notice of what was written. */
  catchUp(columns: NodeColumns): void {
    const { arrays, written, orderRevision, layout } = columns;
    if (this.#revision !== orderRevision || this.#layout !== layout || this.#seen < written.begin) {
      this.#revision = orderRevision;
      this.#layout = layout;
      this.#writeAll(columns);
    } else {
      const { position } = arrays;
      for (let write = this.#seen; write < written.end; write += 1) {
        const slot = written.slotAt(write);
        const at = position[slot] as number;
        if (at >= 0) this.#write(columns, at, slot);
      }
    }
    this.#seen = written.end;
  }

  #writeAll(columns: NodeColumns): void {
    this.size = columns.nodeCount;
    this.facts.begin(this.size);
    this.#classes.begin(this.size);
    if (this.#rows.length < this.size << ROW_SHIFT) {
      this.#rows = new Float64Array(this.size << ROW_SHIFT);
      this.#bounds = new Float64Array(this.size);
      this.#scores = new Float64Array(this.size);
      this.#boundOf = new Int32Array(this.size);
      this.#scoreOf = new Int32Array(this.size);
    }
    const { order } = columns.arrays;
    for (let at = 0; at < this.size; at += 1) this.#write(columns, at, order[at] as number);
  }

  #write(columns: NodeColumns, at: number, slot: number): void {
    const { arrays } = columns;
    const rows = this.#rows;
    const row = at << ROW_SHIFT;
    const totalCpu = arrays.allocatableCpuMillis[slot] as number;
    const totalMemory = arrays.allocatableMemoryBytes[slot] as number;
    const usedCpu = arrays.cpuMillis[slot] as number;
    const usedMemory = arrays.memoryBytes[slot] as number;
    const hasPlace = (arrays.podCount[slot] as number) + 1 <= (arrays.allocatablePods[slot] as number);
    rows[row + FREE_CPU] = hasPlace ? totalCpu - usedCpu : Number.NEGATIVE_INFINITY;
    rows[row + FREE_MEMORY] = totalMemory - usedMemory;
    rows[row + CPU_PART] = (totalCpu - (arrays.nonZeroCpuMillis[slot] as number)) / totalCpu;
    rows[row + MEMORY_PART] = (totalMemory - (arrays.nonZeroMemoryBytes[slot] as number)) / totalMemory;
    rows[row + PART_PER_CPU] = 1 / totalCpu;
    rows[row + PART_PER_MEMORY] = 1 / totalMemory;
    // Where formulas have cases of their own, or numbers are not fine enough, the node is scored by the columns.
    const tells = tellsParts(usedCpu, totalCpu) && tellsParts(usedMemory, totalMemory);
    rows[row + TILT] = tells ? usedCpu / totalCpu - usedMemory / totalMemory : Number.NaN;
    this.#classes.put(at, rows);
    this.facts.look(arrays, at, slot);
  }

  /** A walk with a demand of its own begins. */
  begin(): void {
    this.#walks = (this.#walks + 1) | 0;
  }

  /**
   * Passes over the positions `from..to-1` and collects candidates; returns the position of the feasible node
   * after `target`, or `to`.
   */
  pass(demand: DirectDemand, found: Candidates, from: number, to: number, target: number): number {
    const rows = this.#rows;
    const { freeCpu, freeMemory, leastCpu, leastMemory, balancedCpu, balancedMemory } = demand;
    const points = (100 * demand.leastWeight) / (demand.cpuWeight + demand.memoryWeight);
    const cpuPoints = points * demand.cpuWeight;
    const memoryPoints = points * demand.memoryWeight;
    const whole = 100 * demand.balancedWeight;
    const tiltPoints = 50 * demand.balancedWeight;
    const { at: candidates, places, bounds, slack } = found;
    let { feasible, count, highest } = found;
    const classes = this.#classes.of;
    const known = this.#bounds;
    const knownOf = this.#boundOf;
    const walk = this.#walks;
    let lowest = highest - slack;
    let at = from;
    for (; at < to; at += 1) {
      const rowClass = classes[at] as number;
      let bound: number;
      if (knownOf[rowClass] === walk) bound = known[rowClass] as number;
      else {
        const row = at << ROW_SHIFT;
        if (freeCpu > (rows[row + FREE_CPU] as number) || freeMemory > (rows[row + FREE_MEMORY] as number))
          bound = UNFIT;
        else {
          const perCpu = rows[row + PART_PER_CPU] as number;
          const perMemory = rows[row + PART_PER_MEMORY] as number;
          const cpuPart = (rows[row + CPU_PART] as number) - leastCpu * perCpu;
          const memoryPart = (rows[row + MEMORY_PART] as number) - leastMemory * perMemory;
          const tilt = (rows[row + TILT] as number) + balancedCpu * perCpu - balancedMemory * perMemory;
          bound = whole - Math.abs(tilt) * tiltPoints;
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

  /** Scores the candidates that no bound has left behind, and moves the best to the front. */
  findBest(columns: NodeColumns, demand: DirectDemand, found: Candidates, additions: Float64Array | undefined): void {
    const rows = this.#rows;
    const { leastCpu, leastMemory, leastWeight, cpuWeight, memoryWeight } = demand;
    const { balancedCpu, balancedMemory, balancedWeight } = demand;
    const weights = cpuWeight + memoryWeight;
    const { at: candidates, places, bounds, count } = found;
    const lowest = found.highest - found.slack;
    let best = Number.NEGATIVE_INFINITY;
    let ties = 0;
    const classes = this.#classes.of;
    const known = this.#scores;
    const knownOf = this.#scoreOf;
    const walk = this.#walks;
    for (let index = 0; index < count; index += 1) {
      if ((bounds[index] as number) < lowest) continue;
      const at = candidates[index] as number;
      const rowClass = classes[at] as number;
      let score: number;
      if (knownOf[rowClass] === walk) score = known[rowClass] as number;
      else {
        const row = at << ROW_SHIFT;
        const perCpu = rows[row + PART_PER_CPU] as number;
        const perMemory = rows[row + PART_PER_MEMORY] as number;
        const tilt = (rows[row + TILT] as number) + balancedCpu * perCpu - balancedMemory * perMemory;
        const balance = 100 - Math.abs(tilt) * 50;
        const balanced = Math.floor(balance);
        const rest = balance - balanced;
        if (rest > NEAR && rest < 1 - NEAR) {
          const cpuPart = (rows[row + CPU_PART] as number) - leastCpu * perCpu;
          const memoryPart = (rows[row + MEMORY_PART] as number) - leastMemory * perMemory;
          const cpu = cpuPart > 0 ? Math.floor(cpuPart * 100 + PART_ERROR) : 0;
          const memory = memoryPart > 0 ? Math.floor(memoryPart * 100 + PART_ERROR) : 0;
          const least = Math.floor((cpu * cpuWeight + memory * memoryWeight) / weights);
          score = least * leastWeight + balanced * balancedWeight;
        } else score = scoreByColumns(columns, demand, at);
        known[rowClass] = score;
        knownOf[rowClass] = walk;
      }
      if (additions !== undefined) score += additions[at] as number;
      if (score < best) continue;
      if (score > best) {
        best = score;
        ties = 0;
      }
      candidates[ties] = at;
      places[ties] = places[index] as number;
      ties += 1;
    }
    found.best = best;
    found.ties = ties;
  }
}

function tellsParts(used: number, total: number): boolean {
  return total > 0 && used <= total && total <= MAX_TOTAL;
}

/** The weighted sum of the scores of the node at a position of the scan order. */
function scoreByColumns({ arrays }: NodeColumns, demand: DirectDemand, at: number): number {
  const slot = arrays.order[at] as number;
  const totalCpu = arrays.allocatableCpuMillis[slot] as number;
  const totalMemory = arrays.allocatableMemoryBytes[slot] as number;
  const least = leastAllocatedScore(
    totalCpu,
    totalCpu - (arrays.nonZeroCpuMillis[slot] as number) - demand.leastCpu,
    demand.cpuWeight,
    totalMemory,
    totalMemory - (arrays.nonZeroMemoryBytes[slot] as number) - demand.leastMemory,
    demand.memoryWeight,
  );
  if (demand.balancedWeight === 0) return least * demand.leastWeight;
  const balanced = balancedScore(
    totalCpu,
    (arrays.cpuMillis[slot] as number) + demand.balancedCpu,
    totalMemory,
    (arrays.memoryBytes[slot] as number) + demand.balancedMemory,
  );
  return least * demand.leastWeight + balanced * demand.balancedWeight;
}
