/**
 * The walk: filters, scores and finds the best nodes in one go, with nothing kept for the pod's shape. Equal in
 * everything to a scan from node to node. It goes by classes of equal rows of free resources and by what the pod's outline
 * says of single nodes:
 *
 * 1. It collects what may be among the best. A bound, which no score is above, is worked out once per class, and what
 *    lies too far below the highest bound is left out. Where all nodes are wanted and the outline tells none apart,
 *    classes are collected, else nodes.
 * 2. It scores what was collected exactly, once per class.
 * 3. It looks for one of the best nodes, once it is known which of them it shall be.
 *
 * A thread can make the first two steps ahead and tell what it has found of each node ({@link Walk.tell}). The walk then
 * begins with that, and judges the nodes that were written since ({@link Walk.amend}).
 */
import {
  AMOUNTS_SHIFT,
  COUNTED_CPU,
  COUNTED_MEMORY,
  PLACES,
  POD_COUNT,
  TOTAL_CPU,
  TOTAL_MEMORY,
  USED_CPU,
  USED_MEMORY,
} from '../../framework/node-amounts.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import { Follower, positionWritten, type FollowedNodes } from '../../framework/follower.js';
import { hasPlace, isShort, NO_PLACE } from '../../framework/free-resources.js';
import { balancedScore } from '../../framework/resource-scores.js';
import { REJECTED, type Outline } from '../attempt/outline.js';
import { noDemand, scoreRow, type PodDemand } from '../attempt/pod-demand.js';
import { walkRing, type RingRange } from '../attempt/ring.js';
import { MANY_TOLD, MAX_AMENDED_WRITES, MAX_TOLD_DEPTH, MIN_TOLD } from '../attempt/tuning.js';
import { RowClasses } from './row-classes.js';
import { BEST_WRITTEN, FIRST_LEVEL, LOW, MAX_LEVELS, UNFIT, WRITTEN, type WalkMemory } from './walk-memory.js';

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
/** Used part of cpu less used part of memory, without defaults; or {@link NO_TILT}. */
const TILT = 6;

/**
 * In place of a tilt: the row does not tell scores, which are those of the columns. It equals nothing, so that such
 * rows share no class, and so does every bound that is worked out from it.
 */
const NO_TILT = Number.NaN;

/** Amounts up to this are told apart by hundredths of their parts: see {@link PART_ERROR}. */
const MAX_TOTAL = 2 ** 40;

/** The bound of nodes on which the pod does not fit. */
const NO_ROOM = Number.NEGATIVE_INFINITY;
/** Bounds are worked out in another order than scores, and may be so much too low. */
const MARGIN = 1e-6;
/**
 * More than what the hundredfold of a part, less that of a pod, may be off by rounding, and so little that
 * no part of an amount that rows tell about comes to the whole number above it by that.
 */
const PART_ERROR = 5e-13;
/** A balance this near to a whole number is worked out as upstream does, whose rounding decides. */
const NEAR = 1e-9;

/** A walk over all nodes that was made ahead. */
export interface ForeseenWalk {
  readonly memory: WalkMemory;
  /** Position in the log of written slots: nodes written since may have been seen as they never were. */
  readonly written: number;
}

/** A node among the best. */
export interface FoundNode {
  /** In the order of the scan. */
  readonly position: number;
  /** Its place among the feasible nodes. */
  readonly place: number;
}

/** See the file header. What was found stands in the object until the next walk. */
export class Walk {
  /** Nodes that were visited, and feasible ones among them. */
  visited = 0;
  feasible = 0;
  /** The best total, without what all nodes get alike, and how many nodes have it. */
  best = 0;
  ties = 0;
  readonly demand = noDemand();
  readonly #rows = new NodeRows();
  #columns: NodeColumns | undefined;
  /** By position: what the outline says; absent where that is the same of all nodes. */
  #sums: Int32Array | undefined;
  #start = 0;
  /** Number of the walk: bounds and scores of classes count for the walk that they were worked out in. */
  #walk = 0;
  #bounds = new Float64Array(0);
  #boundOf = new Int32Array(0);
  #scores = new Float64Array(0);
  #scoreOf = new Int32Array(0);
  /** What may be among the best: classes or positions, and their bounds. Not all of it is above the {@link Walk.#lowest}. */
  #areClasses = false;
  #collected = new Int32Array(0);
  #collectedBounds = new Float64Array(0);
  #count = 0;
  #highest = NO_ROOM;
  /** What bounds may be above the scores. */
  #slack = 0;
  /** Points below that down to which nodes were told of last. */
  #depth = 0;
  /** By class or position, as it was collected: a mark, which for the best is the last. */
  #marks = new Int32Array(0);
  #mark = 0;
  /** A walk that was made ahead, and the code of the best nodes in it. */
  #foreseen: ForeseenWalk | undefined;
  #bestCode = 0;
  /** While one of the best is looked for: best nodes that come before, and nodes without room that were passed by. */
  #left = 0;
  #passedUnfit = 0;

  /** Number of nodes. */
  get size(): number {
    return this.#rows.size;
  }

  /** Takes notice of what was written. To be called before a walk, when {@link Walk.demand} says what is asked for. */
  begin(columns: NodeColumns, outline: Outline): void {
    const rows = this.#rows;
    rows.catchUp(columns);
    this.#columns = columns;
    this.#sums = outline.isFlat ? undefined : outline.sums;
    this.#foreseen = undefined;
    this.#walk = (this.#walk + 1) | 0;
    if (this.#bounds.length >= rows.size) return;
    this.#bounds = new Float64Array(rows.size);
    this.#boundOf = new Int32Array(rows.size);
    this.#scores = new Float64Array(rows.size);
    this.#scoreOf = new Int32Array(rows.size);
    this.#collected = new Int32Array(rows.size);
    this.#collectedBounds = new Float64Array(rows.size);
    this.#marks = new Int32Array(rows.size);
  }

  /** Walks. */
  run(range: RingRange): void {
    this.#foreseen = undefined;
    this.#collect(range, 0);
    this.#findBest();
  }

  /**
   * Walks over all nodes, and tells of more than the best: of some of them it may be known better where that is read.
   *
   * @param addition - what all nodes get alike
   */
  tell(told: WalkMemory, addition: number): void {
    const all = { start: 0, target: this.size };
    this.#collect(all, this.#depth);
    // As a rule it takes what the last walk took.
    if (this.#countNodes() > MANY_TOLD) this.#depth >>= 1;
    while (this.#countNodes() < MIN_TOLD && this.#depth < MAX_TOLD_DEPTH) {
      this.#depth = 2 * this.#depth + 1;
      this.#collect(all, this.#depth);
    }
    told.feasible = this.feasible;
    this.#tellLevels(told);
    this.#tellNodes(told);
    for (let level = 0; level < told.levelCount; level += 1)
      told.totals[level] = (told.totals[level] as number) + addition;
  }

  /**
   * Begins with a walk that was made ahead: counts the nodes that fit; `false` when too many were written since.
   * {@link Walk.chooseAmended} goes on.
   */
  amend(foreseen: ForeseenWalk, start: number): boolean {
    const { memory, written: since } = foreseen;
    const { written, arrays } = this.#columnsNow;
    if (written.end - since > MAX_AMENDED_WRITES) return false;
    const { codes, counts } = memory;
    this.feasible = memory.feasible;
    for (let write = since; write < written.end; write += 1) {
      const at = arrays.position[written.slotAt(write)] as number;
      if (at < 0) continue;
      const code = codes[at] as number;
      if (code >= FIRST_LEVEL) counts[code - FIRST_LEVEL] = (counts[code - FIRST_LEVEL] as number) - 1;
      const fits = this.#sums?.[at] !== REJECTED && this.#rows.fits(at, this.demand);
      this.feasible += (fits ? 1 : 0) - (code === UNFIT ? 0 : 1);
      codes[at] = fits ? WRITTEN : UNFIT;
    }
    this.visited = this.size;
    this.#start = start;
    this.#foreseen = foreseen;
    return true;
  }

  /** Whether {@link Walk.amend} has counted the nodes. */
  get isAmended(): boolean {
    return this.#foreseen !== undefined;
  }

  /**
   * Finds the best nodes after {@link Walk.amend}; `false` when that takes a look at nodes that were not told of.
   *
   * @param addition - what all nodes get alike, and told totals have in them
   */
  chooseAmended(addition: number): boolean {
    const { memory, written: since } = this.#foreseen as ForeseenWalk;
    const { codes, counts, totals, levelCount } = memory;
    const { written, arrays } = this.#columnsNow;
    const { end } = written;
    const { of } = this.#rows.classes;
    const totalAt = (at: number): number =>
      this.#scoreOfClass(of[at] as number, at) + (this.#sums === undefined ? 0 : (this.#sums[at] as number)) + addition;
    let own = Number.NEGATIVE_INFINITY;
    for (let write = since; write < end; write += 1) {
      const at = arrays.position[written.slotAt(write)] as number;
      if (at >= 0 && codes[at] === WRITTEN) own = Math.max(own, totalAt(at));
    }
    let level = 0;
    while (level < levelCount && counts[level] === 0) level += 1;
    // Below the last level there may be nodes that were not told of.
    if (level === levelCount && !(level > 0 && own >= (totals[level - 1] as number))) return false;
    const other = level < levelCount ? (totals[level] as number) : Number.NEGATIVE_INFINITY;
    const best = Math.max(own, other);
    const isTold = other === best;
    this.#bestCode = isTold ? FIRST_LEVEL + level : BEST_WRITTEN;
    this.ties = isTold ? (counts[level] as number) : 0;
    for (let write = since; write < end; write += 1) {
      const at = arrays.position[written.slotAt(write)] as number;
      if (at < 0 || codes[at] !== WRITTEN) continue;
      const isBest = totalAt(at) === best;
      codes[at] = isBest ? this.#bestCode : LOW;
      if (isBest) this.ties += 1;
    }
    this.best = best - addition;
    return true;
  }

  /** Looks for one of the best nodes, by its number among them in the order of the walk. */
  find(tie: number): FoundNode {
    const { size, visited } = this;
    this.#left = tie;
    this.#passedUnfit = 0;
    const steps = walkRing(this.#start, visited, size, (from, to) => this.#findIn(from, to));
    return { position: (this.#start + steps) % size, place: steps - this.#passedUnfit };
  }

  /** Looks among the positions `from..to-1`; returns where it ended. */
  #findIn(from: number, to: number): number {
    const foreseen = this.#foreseen?.memory;
    const marks = foreseen?.codes ?? this.#marks;
    const mark = foreseen === undefined ? this.#mark : this.#bestCode;
    const of = foreseen === undefined && this.#areClasses ? this.#rows.classes.of : undefined;
    let left = this.#left;
    let at = from;
    for (; at < to; at += 1) {
      if (marks[of === undefined ? at : (of[at] as number)] !== mark) continue;
      if (left === 0) break;
      left -= 1;
    }
    this.#left = left;
    // A node with the mark fits.
    if (this.feasible < this.visited)
      for (let passed = from; passed < at; passed += 1) if (this.#isUnfit(passed)) this.#passedUnfit += 1;
    return at;
  }

  /** Finds the positions of the nodes that were visited and rejected, in the order of the walk; returns how many. */
  findRejected(found: Int32Array): number {
    let count = 0;
    walkRing(this.#start, this.visited, this.size, (from, to) => {
      for (let at = from; at < to; at += 1) if (this.#isUnfit(at)) found[count++] = at;
      return to;
    });
    return count;
  }

  get #columnsNow(): NodeColumns {
    return this.#columns as NodeColumns;
  }

  /** No candidate counts with a bound below this. */
  get #lowest(): number {
    return this.#highest - this.#slack;
  }

  #isUnfit(at: number): boolean {
    if (this.#foreseen !== undefined) return this.#foreseen.memory.codes[at] === UNFIT;
    return this.#bounds[this.#rows.classes.of[at] as number] === NO_ROOM || this.#sums?.[at] === REJECTED;
  }

  /** Collects what may be among the best, or less than so many points below them. */
  #collect({ start, target }: RingRange, depth: number): void {
    const { size } = this;
    const { leastWeight, balancedWeight } = this.demand;
    this.#start = start;
    this.feasible = 0;
    this.#count = 0;
    this.#highest = NO_ROOM;
    // Twice the mean is cut, once the balance.
    this.#slack = 2 * leastWeight + balancedWeight + MARGIN + depth;
    this.#areClasses = target >= size && this.#sums === undefined;
    if (this.#areClasses) {
      this.#collectFrom(0, this.#rows.classes.end, target);
      this.visited = size;
    } else this.visited = walkRing(start, size, size, (from, to) => this.#collectFrom(from, to, target));
  }

  /**
   * Visits the positions, or the classes, `from..to-1`; returns the position of the feasible node after `target`, or
   * `to`. One loop, and the bound within it: to call for each of them costs every walk more than it takes itself.
   */
  #collectFrom(from: number, to: number, target: number): number {
    const { of, rows, counts } = this.#rows.classes;
    // Loaded once, and not for every node.
    const { freeCpu, freeMemory, leastCpu, leastMemory, balancedCpu, balancedMemory, balancedWeight } = this.demand;
    const points = (100 * this.demand.leastWeight) / (this.demand.cpuWeight + this.demand.memoryWeight);
    const cpuPoints = points * this.demand.cpuWeight;
    const memoryPoints = points * this.demand.memoryWeight;
    const areClasses = this.#areClasses;
    const sums = this.#sums;
    const bounds = this.#bounds;
    const boundOf = this.#boundOf;
    const walk = this.#walk;
    const collected = this.#collected;
    const collectedBounds = this.#collectedBounds;
    const slack = this.#slack;
    let highest = this.#highest;
    let lowest = highest - slack;
    let { feasible } = this;
    let count = this.#count;
    let each = from;
    for (; each < to; each += 1) {
      const nodes = areClasses ? (counts[each] as number) : 1;
      if (nodes === 0) continue;
      const rowClass = areClasses ? each : (of[each] as number);
      let bound = NO_ROOM;
      if (!areClasses && boundOf[rowClass] === walk) bound = bounds[rowClass] as number;
      else {
        const row = rowClass << ROW_SHIFT;
        if (
          !isShort(freeCpu, rows[row + FREE_CPU] as number) &&
          !isShort(freeMemory, rows[row + FREE_MEMORY] as number)
        ) {
          const perCpu = rows[row + PART_PER_CPU] as number;
          const perMemory = rows[row + PART_PER_MEMORY] as number;
          const tilt = (rows[row + TILT] as number) + balancedCpu * perCpu - balancedMemory * perMemory;
          const cpuPart = (rows[row + CPU_PART] as number) - leastCpu * perCpu;
          const memoryPart = (rows[row + MEMORY_PART] as number) - leastMemory * perMemory;
          bound = (100 - Math.abs(tilt) * 50) * balancedWeight;
          if (cpuPart > 0) bound += cpuPart * cpuPoints;
          if (memoryPart > 0) bound += memoryPart * memoryPoints;
        }
        bounds[rowClass] = bound;
        boundOf[rowClass] = walk;
      }
      if (bound === NO_ROOM) continue;
      if (sums !== undefined) {
        const sum = sums[each] as number;
        if (sum === REJECTED) continue;
        bound += sum;
      }
      if (feasible === target) break;
      feasible += nodes;
      if (bound < lowest) continue;
      if (bound > highest) {
        highest = bound;
        lowest = bound - slack;
      }
      collected[count] = each;
      collectedBounds[count] = bound;
      count += 1;
    }
    this.feasible = feasible;
    this.#highest = highest;
    this.#count = count;
    return each;
  }

  /** Scores what was collected and no bound has left behind. */
  #findBest(): void {
    const collected = this.#collected;
    const collectedBounds = this.#collectedBounds;
    const { of, counts } = this.#rows.classes;
    const areClasses = this.#areClasses;
    const sums = this.#sums;
    const count = this.#count;
    const lowest = this.#lowest;
    let best = NO_ROOM;
    let ties = 0;
    for (let index = 0; index < count; index += 1) {
      if ((collectedBounds[index] as number) < lowest) continue;
      const each = collected[index] as number;
      const rowClass = areClasses ? each : (of[each] as number);
      let total = this.#scoreOfClass(rowClass, areClasses ? undefined : each);
      if (sums !== undefined) total += sums[each] as number;
      if (total < best) continue;
      if (total > best) {
        best = total;
        ties = 0;
        this.#mark = (this.#mark + 1) | 0;
      }
      this.#marks[each] = this.#mark;
      ties += areClasses ? (counts[rowClass] as number) : 1;
    }
    this.best = best;
    this.ties = ties;
  }

  /** The score of nodes with a row. @param at - one of them, where it is known */
  #scoreOfClass(rowClass: number, at: number | undefined): number {
    if (this.#scoreOf[rowClass] === this.#walk) return this.#scores[rowClass] as number;
    const { rows, of } = this.#rows.classes;
    const { arrays } = this.#columnsNow;
    const score =
      scoreByRow(rows, rowClass << ROW_SHIFT, this.demand) ??
      scoreRow(arrays.amounts, (arrays.order[at ?? of.indexOf(rowClass)] as number) << AMOUNTS_SHIFT, this.demand);
    this.#scores[rowClass] = score;
    this.#scoreOf[rowClass] = this.#walk;
    return score;
  }

  /** Number of nodes that were collected. */
  #countNodes(): number {
    if (!this.#areClasses) return this.#count;
    const { counts } = this.#rows.classes;
    let sum = 0;
    for (let index = 0; index < this.#count; index += 1) sum += counts[this.#collected[index] as number] as number;
    return sum;
  }

  /** Tells of the highest totals, one after the other; what the bounds may hide is not among them. */
  #tellLevels(told: WalkMemory): void {
    const { of, counts } = this.#rows.classes;
    const totals = this.#collectedBounds;
    const lowest = this.#lowest;
    let next = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < this.#count; index += 1) {
      // Totals take the places of the bounds, which are of no more use.
      if ((totals[index] as number) < lowest) {
        totals[index] = Number.NEGATIVE_INFINITY;
        continue;
      }
      const each = this.#collected[index] as number;
      const score = this.#areClasses
        ? this.#scoreOfClass(each, undefined)
        : this.#scoreOfClass(of[each] as number, each);
      const total = this.#sums === undefined ? score : score + (this.#sums[each] as number);
      totals[index] = total;
      next = Math.max(next, total);
    }
    let level = 0;
    let sum = 0;
    while (level < MAX_LEVELS && sum < MIN_TOLD && next >= lowest + MARGIN) {
      const total = next;
      next = Number.NEGATIVE_INFINITY;
      let nodes = 0;
      for (let index = 0; index < this.#count; index += 1) {
        const other = totals[index] as number;
        if (other === total) nodes += this.#areClasses ? (counts[this.#collected[index] as number] as number) : 1;
        else if (other < total && other > next) next = other;
      }
      told.totals[level] = total;
      told.counts[level] = nodes;
      level += 1;
      sum += nodes;
    }
    told.levelCount = level;
  }

  /** Writes the code of each node. */
  #tellNodes({ codes, totals, levelCount }: WalkMemory): void {
    const { of } = this.#rows.classes;
    for (let at = 0; at < this.size; at += 1) {
      const rowClass = of[at] as number;
      if (this.#isUnfit(at)) codes[at] = UNFIT;
      else if (this.#scoreOf[rowClass] !== this.#walk) codes[at] = LOW;
      else {
        const total = (this.#scores[rowClass] as number) + (this.#sums === undefined ? 0 : (this.#sums[at] as number));
        let level = 0;
        while (level < levelCount && totals[level] !== total) level += 1;
        codes[at] = level === levelCount ? LOW : FIRST_LEVEL + level;
      }
    }
  }
}

/** The score of nodes with this row, exact; `undefined` where the row does not tell. */
function scoreByRow(rows: Float64Array, row: number, demand: PodDemand): number | undefined {
  const perCpu = rows[row + PART_PER_CPU] as number;
  const perMemory = rows[row + PART_PER_MEMORY] as number;
  const tilt = (rows[row + TILT] as number) + demand.balancedCpu * perCpu - demand.balancedMemory * perMemory;
  const balance = 100 - Math.abs(tilt) * 50;
  if (Number.isNaN(balance)) return undefined;
  let balanced = Math.floor(balance);
  const rest = balance - balanced;
  if (rest <= NEAR || rest >= 1 - NEAR) balanced = exactBalance(rows, row, demand);
  const { cpuWeight, memoryWeight } = demand;
  const cpuPart = (rows[row + CPU_PART] as number) - demand.leastCpu * perCpu;
  const memoryPart = (rows[row + MEMORY_PART] as number) - demand.leastMemory * perMemory;
  const cpu = cpuPart > 0 ? Math.floor(cpuPart * 100 + PART_ERROR) : 0;
  const memory = memoryPart > 0 ? Math.floor(memoryPart * 100 + PART_ERROR) : 0;
  const least = Math.floor((cpu * cpuWeight + memory * memoryWeight) / (cpuWeight + memoryWeight));
  return least * demand.leastWeight + balanced * demand.balancedWeight;
}

/** The balance by whole numbers; a total that rows tell about comes back whole from the part that one of it is. */
function exactBalance(rows: Float64Array, row: number, { balancedCpu, balancedMemory }: PodDemand): number {
  const totalCpu = Math.round(1 / (rows[row + PART_PER_CPU] as number));
  const totalMemory = Math.round(1 / (rows[row + PART_PER_MEMORY] as number));
  const usedCpu = totalCpu - (rows[row + FREE_CPU] as number) + balancedCpu;
  const usedMemory = totalMemory - (rows[row + FREE_MEMORY] as number) + balancedMemory;
  return balancedScore(totalCpu, usedCpu, totalMemory, usedMemory);
}

/**
 * What a walk looks at of each node: a row of numbers, prepared so that a pod takes a few multiplications. It follows
 * what is written to the columns.
 */
class NodeRows implements FollowedNodes {
  /** Number of nodes. */
  size = 0;
  /** Most nodes have a row like others: all is worked out once per class of rows. */
  readonly classes = new RowClasses();
  /** The row that is being made. */
  readonly #row = new Float64Array(1 << ROW_SHIFT);
  readonly #follower = new Follower();

  /** Takes notice of what was written. */
  catchUp(columns: NodeColumns): void {
    this.#follower.catchUp(columns, this);
  }

  /** @internal */
  onAll(columns: NodeColumns): void {
    this.size = columns.nodeCount;
    this.classes.begin(this.size);
    const { order } = columns.arrays;
    for (let at = 0; at < this.size; at += 1) this.#write(columns, at, order[at] as number);
  }

  /** @internal */
  onWrites(columns: NodeColumns, from: number): void {
    const { written } = columns;
    for (let write = from; write < written.end; write += 1) {
      const at = positionWritten(columns, write);
      if (at >= 0) this.#write(columns, at, written.slotAt(write));
    }
  }

  #write({ arrays }: NodeColumns, at: number, slot: number): void {
    const row = this.#row;
    const { amounts } = arrays;
    const own = slot << AMOUNTS_SHIFT;
    const totalCpu = amounts[own + TOTAL_CPU] as number;
    const totalMemory = amounts[own + TOTAL_MEMORY] as number;
    const usedCpu = amounts[own + USED_CPU] as number;
    const usedMemory = amounts[own + USED_MEMORY] as number;
    const places = (amounts[own + PLACES] as number) - (amounts[own + POD_COUNT] as number);
    row[FREE_CPU] = hasPlace(places) ? totalCpu - usedCpu : NO_PLACE;
    row[FREE_MEMORY] = totalMemory - usedMemory;
    row[CPU_PART] = (totalCpu - (amounts[own + COUNTED_CPU] as number)) / totalCpu;
    row[MEMORY_PART] = (totalMemory - (amounts[own + COUNTED_MEMORY] as number)) / totalMemory;
    row[PART_PER_CPU] = 1 / totalCpu;
    row[PART_PER_MEMORY] = 1 / totalMemory;
    // Where formulas have cases of their own, or numbers are not fine enough, the node is scored by the columns.
    const tells = tellsParts(usedCpu, totalCpu) && tellsParts(usedMemory, totalMemory);
    row[TILT] = tells ? usedCpu / totalCpu - usedMemory / totalMemory : NO_TILT;
    this.classes.put(at, row);
  }

  /** Whether the pod fits by what is free on the node at a position. */
  fits(at: number, demand: PodDemand): boolean {
    const { of, rows } = this.classes;
    return rowFits(rows, (of[at] as number) << ROW_SHIFT, demand);
  }
}

/** Whether a pod fits by what is free on nodes with a row. */
function rowFits(rows: Float64Array, row: number, { freeCpu, freeMemory }: PodDemand): boolean {
  return !isShort(freeCpu, rows[row + FREE_CPU] as number) && !isShort(freeMemory, rows[row + FREE_MEMORY] as number);
}

function tellsParts(used: number, total: number): boolean {
  return total > 0 && used <= total && total <= MAX_TOTAL;
}
