/**
 * Exact scores of the candidates of a direct walk (node-walk.ts), worked out from rows (node-rows.ts) where
 * these are fine enough, and from the columns where they are not.
 */
import type { NodeColumns } from '../../framework/node-columns.js';
import type { Candidates } from './candidates.js';
import { scoreSlot, type PodDemand } from '../attempt/pod-demand.js';
import {
  CPU_PART,
  MEMORY_PART,
  PART_PER_CPU,
  PART_PER_MEMORY,
  ROW_SHIFT,
  TILT,
  isUntold,
  UNTOLD,
  type NodeRows,
} from './node-rows.js';

/**
 * More than what the hundredfold of a part, less that of a pod, may be off by rounding, and so little that
 * no part of an amount that rows tell about comes to the whole number above it by that.
 */
const PART_ERROR = 5e-13;
/** A balance this near to a whole number is worked out as upstream does, whose rounding decides. */
const NEAR = 1e-9;

/** See the file header. */
export class RowScores {
  readonly rows: NodeRows;
  /** By class: its score in the walk under way, if that was the last in which it was asked for. */
  #scores = new Float64Array(0);
  #scoreOf = new Int32Array(0);

  constructor(rows: NodeRows) {
    this.rows = rows;
  }

  /** A walk with a demand of its own begins. */
  begin(): void {
    const { rows } = this;
    rows.begin();
    if (this.#scores.length >= rows.size) return;
    this.#scores = new Float64Array(rows.size);
    this.#scoreOf = new Int32Array(rows.size);
  }

  /**
   * Scores the candidate classes that no bound has left behind.
   *
   * @param marks - gets a mark for each of the best classes, which is a number above `mark` and is returned
   */
  findBestClasses(columns: NodeColumns, demand: PodDemand, found: Candidates, marks: Int32Array, mark: number): number {
    const { at: candidates, bounds, count } = found;
    const { counts, of } = this.rows.classes;
    const lowest = found.highest - found.slack;
    found.best = Number.NEGATIVE_INFINITY;
    let last = mark;
    for (let index = 0; index < count; index += 1) {
      if ((bounds[index] as number) < lowest) continue;
      const rowClass = candidates[index] as number;
      let score = scoreByRow(this.rows.classes.rows, rowClass << ROW_SHIFT, demand);
      if (isUntold(score)) score = scoreByColumns(columns, demand, of.indexOf(rowClass));
      if (score < found.best) continue;
      if (score > found.best) {
        found.best = score;
        found.ties = 0;
        last = (last + 1) | 0;
      }
      marks[rowClass] = last;
      found.ties += counts[rowClass] as number;
    }
    return last;
  }

  /** Scores all candidates that no bound has left behind, in place of their bounds; others get the lowest number. */
  scoreAll(columns: NodeColumns, demand: PodDemand, found: Candidates, additions: Float64Array | undefined): void {
    const { at: candidates, bounds, count } = found;
    const lowest = found.highest - found.slack;
    for (let index = 0; index < count; index += 1) {
      if ((bounds[index] as number) < lowest) {
        bounds[index] = Number.NEGATIVE_INFINITY;
        continue;
      }
      const at = candidates[index] as number;
      bounds[index] = this.scoreOf(columns, demand, at) + (additions === undefined ? 0 : (additions[at] as number));
    }
  }

  /**
   * The score of the node at a position. Rows are worked out once per class of them, but columns, which may
   * be written meanwhile, once per node: what is wrong for one node must be wrong for no other.
   */
  scoreOf(columns: NodeColumns, demand: PodDemand, at: number): number {
    const rowClass = this.rows.classes.of[at] as number;
    if (this.#scoreOf[rowClass] !== this.rows.walks) {
      this.#scores[rowClass] = scoreByRow(this.rows.rows, at << ROW_SHIFT, demand);
      this.#scoreOf[rowClass] = this.rows.walks;
    }
    const score = this.#scores[rowClass] as number;
    return isUntold(score) ? scoreByColumns(columns, demand, at) : score;
  }

  /** Scores the candidates that no bound has left behind, and moves the best to the front. */
  findBest(columns: NodeColumns, demand: PodDemand, found: Candidates, additions: Float64Array | undefined): void {
    const { at: candidates, places, bounds, count } = found;
    const lowest = found.highest - found.slack;
    let best = Number.NEGATIVE_INFINITY;
    let ties = 0;
    const classes = this.rows.classes.of;
    const known = this.#scores;
    const knownOf = this.#scoreOf;
    const walk = this.rows.walks;
    for (let index = 0; index < count; index += 1) {
      if ((bounds[index] as number) < lowest) continue;
      const at = candidates[index] as number;
      const rowClass = classes[at] as number;
      let score: number;
      if (knownOf[rowClass] === walk) score = known[rowClass] as number;
      else {
        score = scoreByRow(this.rows.rows, at << ROW_SHIFT, demand);
        if (isUntold(score)) score = scoreByColumns(columns, demand, at);
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

/** The score of a node with this row; {@link UNTOLD} where the row does not tell. */
function scoreByRow(rows: Float64Array, row: number, demand: PodDemand): number {
  const perCpu = rows[row + PART_PER_CPU] as number;
  const perMemory = rows[row + PART_PER_MEMORY] as number;
  const tilt = (rows[row + TILT] as number) + demand.balancedCpu * perCpu - demand.balancedMemory * perMemory;
  const balance = 100 - Math.abs(tilt) * 50;
  const balanced = Math.floor(balance);
  const rest = balance - balanced;
  if (!(rest > NEAR && rest < 1 - NEAR)) return UNTOLD;
  const { cpuWeight, memoryWeight } = demand;
  const cpuPart = (rows[row + CPU_PART] as number) - demand.leastCpu * perCpu;
  const memoryPart = (rows[row + MEMORY_PART] as number) - demand.leastMemory * perMemory;
  const cpu = cpuPart > 0 ? Math.floor(cpuPart * 100 + PART_ERROR) : 0;
  const memory = memoryPart > 0 ? Math.floor(memoryPart * 100 + PART_ERROR) : 0;
  const least = Math.floor((cpu * cpuWeight + memory * memoryWeight) / (cpuWeight + memoryWeight));
  return least * demand.leastWeight + balanced * demand.balancedWeight;
}

function scoreByColumns({ arrays }: NodeColumns, demand: PodDemand, at: number): number {
  return scoreSlot(arrays, arrays.order[at] as number, demand);
}
