/**
 * One walk over rows of numbers (node-rows.ts) that filters, scores and finds the best nodes, with nothing
 * kept for the pod's shape. Equal in everything to a walk from node to node: a first pass shows of most
 * nodes that they are not among the best, by a bound above their score; the few that are left are scored
 * exactly.
 */
import type { NodeColumns } from '../../framework/node-columns.js';
import { Candidates, MARGIN } from './candidates.js';
import type { PodDemand } from '../attempt/pod-demand.js';
import type { NodeRows } from './node-rows.js';
import type { OutlineFacts } from './outline-facts.js';
import type { RowScores } from './row-scores.js';
import { stepOf, walkRing, type RingRange } from '../attempt/ring.js';
import { MANY_TOLD, MAX_TOLD_DEPTH, MIN_TOLD } from '../attempt/tuning.js';
import { clearBit, MAX_LEVELS, setBit, setFirst, type WalkBuffers } from './walk-buffers.js';
import type { WalkResult } from './walk-result.js';

/** See the file header. The result stands in the object until the next walk. */
export class NodeWalk implements WalkResult {
  /** Nodes that were visited. */
  visited = 0;
  readonly #found = new Candidates();
  /** Points below the best score down to which nodes were told of last. */
  #depth = 0;

  /** Feasible nodes among those that were visited. */
  get feasible(): number {
    return this.#found.feasible;
  }

  /** The best score. */
  get best(): number {
    return this.#found.best;
  }

  /** How many nodes have it. */
  get ties(): number {
    return this.#found.ties;
  }

  run(columns: NodeColumns, scores: RowScores, facts: OutlineFacts, demand: PodDemand, range: RingRange): void {
    this.#collect(scores, facts, demand, range);
    scores.findBest(columns, demand, this.#found, facts.additions);
  }

  /** Walks over all nodes for somebody who will know better of some of them: tells of more than the best. */
  tell(
    columns: NodeColumns,
    scores: RowScores,
    facts: OutlineFacts,
    demand: PodDemand,
    start: number,
    told: WalkBuffers,
  ): void {
    const { rows } = scores;
    const { size } = rows;
    if (facts.rejectedCount === 0) this.#collectByClass(scores, facts, demand);
    else this.#collect(scores, facts, demand, { start, target: size });
    told.feasible = this.feasible;
    setFirst(told.fits, size);
    if (this.feasible + facts.rejectedCount < size) rows.clearUnfit(told.fits, start);
    for (let index = 0; index < facts.rejectedCount; index += 1)
      clearBit(told.fits, stepOf(facts.rejected[index] as number, start, size));
    scores.scoreAll(columns, demand, this.#found, facts.additions);
    this.#tellLevels(facts, start, size, told);
  }

  /** Tells of the highest scores, one after the other; what the bounds may hide is not among them. */
  #tellLevels({ common, highest }: OutlineFacts, start: number, size: number, told: WalkBuffers): void {
    const { at: candidates, bounds: scores, count } = this.#found;
    const lowest = this.#found.highest - this.#found.slack + MARGIN + highest;
    let level = 0;
    let sum = 0;
    let score = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < count; index += 1) score = Math.max(score, scores[index] as number);
    while (level < MAX_LEVELS && sum < MIN_TOLD && score >= lowest) {
      const bits = told.levels[level] as Int32Array;
      bits.fill(0);
      let nodes = 0;
      let next = Number.NEGATIVE_INFINITY;
      for (let index = 0; index < count; index += 1) {
        const other = scores[index] as number;
        if (other === score) {
          setBit(bits, stepOf(candidates[index] as number, start, size));
          nodes += 1;
        } else if (other < score && other > next) next = other;
      }
      told.totals[level] = score + common;
      told.counts[level] = nodes;
      level += 1;
      sum += nodes;
      score = next;
    }
    told.levelCount = level;
  }

  /** Collects more and more nodes below the best ones, until there are enough to tell of. */
  #collectByClass(scores: RowScores, { spread }: OutlineFacts, demand: PodDemand): void {
    const { rows } = scores;
    const found = this.#found;
    scores.begin();
    found.begin(rows.size, demand, spread);
    rows.passClasses(demand, found);
    const slack = found.slack;
    found.slack = slack + this.#depth;
    rows.collect(found);
    // As a rule it takes what the last walk took.
    if (found.count > MANY_TOLD) this.#depth >>= 1;
    while (found.count < MIN_TOLD && this.#depth < MAX_TOLD_DEPTH) {
      this.#depth = 2 * this.#depth + 1;
      found.slack = slack + this.#depth;
      rows.collect(found);
    }
    this.visited = rows.size;
  }

  #collect(scores: RowScores, facts: OutlineFacts, demand: PodDemand, { start, target }: RingRange): void {
    const { rows } = scores;
    scores.begin();
    this.#found.begin(rows.size, demand, facts.spread);
    // Classes by themselves tell of bounds that leave few candidates, if each has a node that may be chosen.
    if (target >= rows.size && facts.rejectedCount === 0) rows.passClasses(demand, this.#found);
    this.#found.forget();
    const { size } = rows;
    this.visited = walkRing(start, size, size, (from, to) => this.#walkOver(rows, facts, demand, from, to, target));
  }

  positionOf(tie: number): number {
    return this.#found.at[tie] as number;
  }

  placeOf(tie: number): number {
    return this.#found.places[tie] as number;
  }

  /** Walks over the positions `from..to-1`; returns where it ended. */
  #walkOver(
    rows: NodeRows,
    { rejected, rejectedCount }: OutlineFacts,
    demand: PodDemand,
    from: number,
    to: number,
    target: number,
  ): number {
    let next = rejectedCount === 0 ? 0 : firstFrom(rejected, rejectedCount, from);
    let at = from;
    while (at < to) {
      const end = next < rejectedCount ? Math.min(rejected[next] as number, to) : to;
      const stop = rows.pass(demand, this.#found, at, end, target);
      if (stop < end) return stop;
      // The node at the end is a rejected one.
      at = end + 1;
      next += 1;
    }
    return to;
  }
}

/** Index of the first of the rising numbers that is not below a limit. */
function firstFrom(numbers: Int32Array, count: number, limit: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
