/**
 * What each node is worth to pods of one shape, in the order of the scan, kept from attempt to attempt and
 * summed up by blocks of nodes: a scan passes whole blocks in one step, and looks at single nodes where it
 * begins and ends. What was written since is judged anew where a scan comes by.
 */
import { Follower, type FollowedNodes } from '../../framework/follower.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import { walkRing } from '../attempt/ring.js';

/** Nodes of a block: 2 to this power. Few, since each node that was written has its block summed up anew. */
const BLOCK_SHIFT = 4;
const BLOCK_MASK = (1 << BLOCK_SHIFT) - 1;

/** States of a block: nothing is known, all is, all but what was written since. */
const BLANK = 0;
const CURRENT = 1;
const STALE = 2;

/** Stands for the total of a node that is rejected. */
export const REJECTED = -1;
/** Stands for a total that is not known, or not any more. */
export const UNKNOWN = -2;

/** Who works totals out. */
export interface NodeJudge {
  /** Room for the positions of all nodes. */
  readonly positions: Int32Array;
  /** Makes `totals` known at the first `count` of the positions; `false` when it cannot. */
  judge(totals: NodeTotals, count: number): boolean;
}

/** See the file header. The outcome of a scan stands in the object until the next one. */
export class NodeTotals implements FollowedNodes {
  /** Number of nodes. */
  readonly size: number;
  /** By position: {@link REJECTED}, {@link UNKNOWN}, or the sum of the scores that differ from node to node. */
  readonly totals: Int32Array;
  /** Nodes that were visited. */
  visited = 0;
  /** Feasible ones among them. */
  feasible = 0;
  /** The best total among these, and how many have it. */
  best = REJECTED;
  ties = 0;
  /** Where the one that was looked for stands among the feasible ones. */
  foundAt = 0;
  /** By block: the state, feasible nodes, their best total, and how many have it. */
  readonly #states: Uint8Array;
  readonly #fit: Int32Array;
  readonly #best: Int32Array;
  readonly #ties: Int32Array;
  #start = 0;
  #target = 0;
  #isJudged = true;
  /** Nodes of the total that are still to be passed by. */
  #skip = 0;
  readonly #follower = new Follower();

  constructor(size: number) {
    const blocks = (size + BLOCK_MASK) >> BLOCK_SHIFT;
    this.size = size;
    this.totals = new Int32Array(size);
    this.#states = new Uint8Array(blocks);
    this.#fit = new Int32Array(blocks);
    this.#best = new Int32Array(blocks);
    this.#ties = new Int32Array(blocks);
  }

  /** Takes notice of what was written. */
  catchUp(columns: NodeColumns): void {
    this.#follower.catchUp(columns, this);
  }

  /** @internal */
  onAll(): void {
    this.totals.fill(UNKNOWN);
    this.#states.fill(BLANK);
  }

  /** @internal */
  onNode(_columns: NodeColumns, position: number): void {
    const block = position >> BLOCK_SHIFT;
    if (this.#states[block] === BLANK) return;
    this.totals[position] = UNKNOWN;
    this.#states[block] = STALE;
  }

  /**
   * Scans from a position on up to the feasible node after `target`; `false` when the judge cannot judge.
   */
  scan(start: number, target: number, judge: NodeJudge): boolean {
    this.#start = start;
    this.#target = target;
    this.visited = 0;
    this.feasible = 0;
    this.best = REJECTED;
    this.ties = 0;
    this.#isJudged = true;
    this.visited = walkRing(start, this.size, this.size, (from, to) => this.#scanOver(from, to, judge));
    return this.#isJudged;
  }

  /** Position in the scan order of the best node after so many others that are as good. */
  find(skip: number): number {
    const { size } = this;
    this.#skip = skip;
    this.foundAt = 0;
    return (this.#start + walkRing(this.#start, this.visited, size, (from, to) => this.#findIn(from, to))) % size;
  }

  /** Finds the positions of the nodes that were visited and rejected, in the order of the scan; returns how many. */
  findRejected(found: Int32Array): number {
    let count = 0;
    walkRing(this.#start, this.visited, this.size, (from, to) => {
      count = this.#findRejectedIn(from, to, found, count);
      return to;
    });
    return count;
  }

  #findRejectedIn(from: number, to: number, found: Int32Array, before: number): number {
    const { totals } = this;
    const blockFit = this.#fit;
    let count = before;
    let position = from;
    while (position < to) {
      const block = position >> BLOCK_SHIFT;
      const blockEnd = Math.min((block + 1) << BLOCK_SHIFT, to);
      // A whole block that fits has nobody to be found.
      if ((blockFit[block] as number) <= BLOCK_MASK) {
        for (let at = position; at < blockEnd; at += 1) if ((totals[at] as number) < 0) found[count++] = at;
      }
      position = blockEnd;
    }
    return count;
  }

  /** Scans the positions `from..to-1`; returns where it ended, at once when the judge cannot judge. */
  #scanOver(from: number, to: number, judge: NodeJudge): number {
    const states = this.#states;
    const blockFit = this.#fit;
    const blockBest = this.#best;
    const blockTies = this.#ties;
    const target = this.#target;
    let position = from;
    while (position < to) {
      const block = position >> BLOCK_SHIFT;
      if (states[block] !== CURRENT && !this.#refresh(block, to, judge)) {
        this.#isJudged = false;
        return position;
      }
      const blockEnd = Math.min((block + 1) << BLOCK_SHIFT, to);
      const feasible = this.feasible + (blockFit[block] as number);
      if (((position | blockEnd) & BLOCK_MASK) === 0 && feasible <= target) {
        const best = blockBest[block] as number;
        this.feasible = feasible;
        if (best > this.best) {
          this.best = best;
          this.ties = blockTies[block] as number;
        } else if (best === this.best) this.ties += blockTies[block] as number;
      } else {
        const end = this.#scanNodes(position, blockEnd);
        if (end < blockEnd) return end;
      }
      position = blockEnd;
    }
    return to;
  }

  /** Looks at single nodes; returns where it ended. */
  #scanNodes(from: number, to: number): number {
    const { totals } = this;
    let { feasible, best, ties } = this;
    const target = this.#target;
    let position = from;
    for (; position < to; position += 1) {
      const total = totals[position] as number;
      if (total < 0) continue;
      if (feasible === target) break;
      feasible += 1;
      if (total > best) {
        best = total;
        ties = 1;
      } else if (total === best) ties += 1;
    }
    this.feasible = feasible;
    this.best = best;
    this.ties = ties;
    return position;
  }

  /** Looks among the positions `from..to-1`; returns where it ended. */
  #findIn(from: number, to: number): number {
    const blockBest = this.#best;
    const blockTies = this.#ties;
    const { best } = this;
    let position = from;
    while (position < to) {
      const block = position >> BLOCK_SHIFT;
      const blockEnd = Math.min((block + 1) << BLOCK_SHIFT, to);
      const isWhole = ((position | blockEnd) & BLOCK_MASK) === 0;
      const ties = blockBest[block] === best ? (blockTies[block] as number) : 0;
      if (isWhole && ties <= this.#skip) {
        this.#skip -= ties;
        this.foundAt += this.#fit[block] as number;
      } else {
        const found = this.#findNode(position, blockEnd);
        if (found < blockEnd) return found;
      }
      position = blockEnd;
    }
    return to;
  }

  #findNode(from: number, to: number): number {
    const { totals, best } = this;
    for (let position = from; position < to; position += 1) {
      const total = totals[position] as number;
      if (total < 0) continue;
      if (total === best) {
        if (this.#skip === 0) return position;
        this.#skip -= 1;
      }
      this.foundAt += 1;
    }
    return to;
  }

  /** Makes blocks known as far as the scan will probably come. */
  #refresh(from: number, end: number, judge: NodeJudge): boolean {
    const ahead = ((this.#target - this.feasible) >> BLOCK_SHIFT) + 2;
    const to = Math.min(from + ahead, (end + BLOCK_MASK) >> BLOCK_SHIFT);
    const { totals, size } = this;
    const states = this.#states;
    const stale = judge.positions;
    let count = 0;
    for (let block = from; block < to; block += 1) {
      if (states[block] === CURRENT) continue;
      const blockEnd = Math.min((block + 1) << BLOCK_SHIFT, size);
      for (let at = block << BLOCK_SHIFT; at < blockEnd; at += 1) if (totals[at] === UNKNOWN) stale[count++] = at;
    }
    if (!judge.judge(this, count)) return false;
    for (let block = from; block < to; block += 1) if (states[block] !== CURRENT) this.#sumUp(block);
    return true;
  }

  #sumUp(block: number): void {
    const { totals } = this;
    const end = Math.min((block + 1) << BLOCK_SHIFT, this.size);
    let fit = 0;
    let best = REJECTED;
    let ties = 0;
    for (let at = block << BLOCK_SHIFT; at < end; at += 1) {
      const total = totals[at] as number;
      if (total < 0) continue;
      fit += 1;
      if (total > best) {
        best = total;
        ties = 1;
      } else if (total === best) ties += 1;
    }
    this.#fit[block] = fit;
    this.#best[block] = best;
    this.#ties[block] = ties;
    this.#states[block] = CURRENT;
  }
}
