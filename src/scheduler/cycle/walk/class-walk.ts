import type { NodeColumns } from '../../framework/node-columns.js';
import { Candidates } from './candidates.js';
import type { PodDemand } from '../attempt/pod-demand.js';
import type { NodeRows } from './node-rows.js';
import type { RowScores } from './row-scores.js';
import { walkRing } from '../attempt/ring.js';
import type { WalkResult } from './walk-result.js';

/**
 * A direct walk over all nodes where nothing but their rows matters: it goes from class to class of equal rows,
 * and looks for single nodes only once it is known which of the best it shall be.
 */
export class ClassWalk implements WalkResult {
  visited = 0;
  readonly #found = new Candidates();
  #rows: NodeRows | undefined;
  #start = 0;
  /** By class: a mark, which for the best ones is the last. */
  #marks = new Int32Array(0);
  #mark = 0;
  /** Of the best nodes the one that was looked for last. */
  #tie: number | undefined;
  #position = 0;
  #place = 0;
  /** While it is looked for: best nodes that come before, and nodes that have no room. */
  #left = 0;
  #unfit = 0;

  get feasible(): number {
    return this.#found.feasible;
  }

  get best(): number {
    return this.#found.best;
  }

  get ties(): number {
    return this.#found.ties;
  }

  run(columns: NodeColumns, scores: RowScores, demand: PodDemand, start: number): void {
    const { rows } = scores;
    scores.begin();
    this.#rows = rows;
    this.#start = start;
    this.#tie = undefined;
    this.visited = rows.size;
    if (this.#marks.length < rows.size) {
      this.#marks = new Int32Array(rows.size);
      this.#mark = 0;
    }
    this.#found.begin(rows.size, demand, 0);
    rows.passClasses(demand, this.#found);
    this.#mark = scores.findBestClasses(columns, demand, this.#found, this.#marks, this.#mark);
  }

  positionOf(tie: number): number {
    this.#find(tie);
    return this.#position;
  }

  placeOf(tie: number): number {
    this.#find(tie);
    return this.#place;
  }

  /** Looks for one of the best nodes, in the order of the walk. */
  #find(tie: number): void {
    if (tie === this.#tie) return;
    this.#tie = tie;
    this.#left = tie;
    this.#unfit = 0;
    const size = this.visited;
    const steps = walkRing(this.#start, size, size, (from, to) => this.#findIn(from, to));
    this.#position = (this.#start + steps) % size;
    this.#place = steps - this.#unfit;
  }

  /** Looks among the positions `from..to-1`; returns where it ended. */
  #findIn(from: number, to: number): number {
    const rows = this.#rows;
    if (rows === undefined) return to;
    const { of } = rows.classes;
    const marks = this.#marks;
    const mark = this.#mark;
    const isFull = this.feasible === this.visited;
    for (let at = from; at < to; at += 1) {
      const rowClass = of[at] as number;
      if (marks[rowClass] === mark) {
        if (this.#left === 0) return at;
        this.#left -= 1;
      } else if (!isFull && rows.isUnfit(rowClass)) this.#unfit += 1;
    }
    return to;
  }
}
