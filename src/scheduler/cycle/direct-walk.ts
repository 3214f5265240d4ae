/**
 * One walk over rows of numbers (direct-rows.ts) that filters, scores and finds the best nodes, with nothing
 * kept for the pod's shape. Equal in everything to a walk from node to node: a first pass shows of most
 * nodes that they are not among the best, by a bound above their score; the few that are left are scored
 * exactly.
 */
import type { NodeColumns } from '../framework/node-columns.js';
import { Candidates, type DirectDemand, type DirectRows } from './direct-rows.js';
import type { OutlineFacts } from './outline-facts.js';

/** Where a walk begins and ends. */
export interface DirectRange {
  /** Position at which it begins. */
  readonly start: number;
  /** It ends before the feasible node after this many. */
  readonly target: number;
}

/** See the file header. The result stands in the object until the next walk. */
export class DirectWalk {
  /** Nodes that were visited. */
  visited = 0;
  readonly #found = new Candidates();

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

  run(columns: NodeColumns, rows: DirectRows, facts: OutlineFacts, demand: DirectDemand, range: DirectRange): void {
    const { start, target } = range;
    rows.begin();
    this.#found.begin(rows.size, demand, facts.spread);
    this.visited = 0;
    if (!this.#walkOver(rows, facts, demand, start, rows.size, target))
      this.#walkOver(rows, facts, demand, 0, start, target);
    rows.findBest(columns, demand, this.#found, facts.additions);
  }

  /** Position in the scan order of one of the best nodes, by its number among them in the order of the walk. */
  positionOf(tie: number): number {
    return this.#found.at[tie] as number;
  }

  /** Its place among the feasible nodes. */
  placeOf(tie: number): number {
    return this.#found.places[tie] as number;
  }

  /** Walks over the positions `from..to-1`; `true` when the walk is over. */
  #walkOver(
    rows: DirectRows,
    { rejected, rejectedCount }: OutlineFacts,
    demand: DirectDemand,
    from: number,
    to: number,
    target: number,
  ): boolean {
    let next = rejectedCount === 0 ? 0 : firstFrom(rejected, rejectedCount, from);
    let at = from;
    while (at < to) {
      const end = next < rejectedCount ? Math.min(rejected[next] as number, to) : to;
      const stop = rows.pass(demand, this.#found, at, end, target);
      if (stop < end) {
        this.visited += stop - from;
        return true;
      }
      // The node at the end is a rejected one.
      at = end + 1;
      next += 1;
    }
    this.visited += to - from;
    return false;
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
