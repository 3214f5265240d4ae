/**
 * Puts right what somebody else has found on a walk over all nodes: the nodes that were written since are
 * judged anew, and all others stay as they are. Equal in everything to a walk that is made now.
 */
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodDemand } from '../attempt/pod-demand.js';
import type { NodeRows } from './node-rows.js';
import type { OutlineFacts } from './outline-facts.js';
import type { RowScores } from './row-scores.js';
import { stepOf } from '../attempt/ring.js';
import { MAX_AMENDED_WRITES } from '../attempt/tuning.js';
import { clearBit, countBelow, findSet, hasBit, setBit, type WalkBuffers } from './walk-buffers.js';
import type { ForeseenWalk, WalkResult } from './walk-result.js';

/** See the file header. The result stands in the object until the next walk is put right. */
export class AmendedWalk implements WalkResult {
  visited = 0;
  feasible = 0;
  best = 0;
  ties = 0;
  #start = 0;
  #told: WalkBuffers | undefined;
  /** Nodes that were written since: position, bit, whether they fit now, and their score with all that is added. */
  readonly #at = new Int32Array(MAX_AMENDED_WRITES);
  readonly #bits = new Int32Array(MAX_AMENDED_WRITES);
  readonly #fits = new Uint8Array(MAX_AMENDED_WRITES);
  readonly #totals = new Float64Array(MAX_AMENDED_WRITES);
  #count = 0;
  /** By position: the walk for which the node was noted last. */
  #noted = new Int32Array(0);
  #walks = 0;
  /** The best nodes, by bit. */
  #tied = new Int32Array(0);

  /** Counts the nodes that fit; `false` when the walk cannot be put right. Rows and facts must be current. */
  count(
    { buffers, start, written }: ForeseenWalk,
    columns: NodeColumns,
    rows: NodeRows,
    facts: OutlineFacts,
    demand: PodDemand,
  ): boolean {
    if (!this.#noteWritten(written, columns, rows.size)) return false;
    let { feasible } = buffers;
    for (let index = 0; index < this.#count; index += 1) {
      const at = this.#at[index] as number;
      const bit = stepOf(at, start, rows.size);
      const fits = rows.fits(at, demand) && !facts.isRejected(at, columns);
      this.#bits[index] = bit;
      this.#fits[index] = fits ? 1 : 0;
      feasible += (fits ? 1 : 0) - (hasBit(buffers.fits, bit) ? 1 : 0);
    }
    this.#told = buffers;
    this.#start = start;
    this.visited = rows.size;
    this.feasible = feasible;
    return true;
  }

  /** Finds the best nodes after {@link AmendedWalk.count}; `false` when that takes a look at nodes that were not told of. */
  choose(columns: NodeColumns, scores: RowScores, facts: OutlineFacts, demand: PodDemand): boolean {
    const told = this.#told as WalkBuffers;
    const { common, additions } = facts;
    scores.begin();
    let own = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < this.#count; index += 1) {
      if (this.#fits[index] === 0) continue;
      const at = this.#at[index] as number;
      const added = additions === undefined ? common : common + (additions[at] as number);
      const total = scores.scoreOf(columns, demand, at) + added;
      this.#totals[index] = total;
      if (total > own) own = total;
    }
    const level = this.#bestLevel(told);
    const other = level < told.levelCount ? (told.totals[level] as number) : Number.NEGATIVE_INFINITY;
    // Below the last level there may be nodes that were not told of.
    if (level === told.levelCount && !(level > 0 && own >= (told.totals[level - 1] as number))) return false;
    const total = Math.max(own, other);
    this.best = total - common;
    this.#tie(told, total === other ? told.levels[level] : undefined, total);
    return true;
  }

  positionOf(tie: number): number {
    const at = this.#start + findSet(this.#tied, tie);
    return at < this.visited ? at : at - this.visited;
  }

  placeOf(tie: number): number {
    const { fits } = this.#told as WalkBuffers;
    const bit = findSet(this.#tied, tie);
    let place = countBelow(fits, bit);
    for (let index = 0; index < this.#count; index += 1) {
      const other = this.#bits[index] as number;
      if (other < bit) place += (this.#fits[index] as number) - (hasBit(fits, other) ? 1 : 0);
    }
    return place;
  }

  /** Notes each node that was written since; `false` when these are too many. */
  #noteWritten(since: number, { written, arrays }: NodeColumns, size: number): boolean {
    const { end } = written;
    if (end - since > MAX_AMENDED_WRITES) return false;
    if (this.#noted.length < size) this.#noted = new Int32Array(size);
    this.#walks = (this.#walks + 1) | 0;
    this.#count = 0;
    for (let write = since; write < end; write += 1) {
      const at = arrays.position[written.slotAt(write)] as number;
      if (at < 0 || this.#noted[at] === this.#walks) continue;
      this.#noted[at] = this.#walks;
      this.#at[this.#count] = at;
      this.#count += 1;
    }
    return true;
  }

  /** The highest score that a node has which was not written since. */
  #bestLevel({ levelCount, levels, counts }: WalkBuffers): number {
    for (let level = 0; level < levelCount; level += 1) {
      const bits = levels[level] as Int32Array;
      let left = counts[level] as number;
      for (let index = 0; index < this.#count; index += 1) {
        if (hasBit(bits, this.#bits[index] as number)) left -= 1;
      }
      if (left > 0) return level;
    }
    return levelCount;
  }

  /** @param others - nodes that have the score, but for those that were written since */
  #tie({ words, counts, levels }: WalkBuffers, others: Int32Array | undefined, total: number): void {
    if (this.#tied.length !== words) this.#tied = new Int32Array(words);
    const tied = this.#tied;
    let ties = 0;
    if (others === undefined) tied.fill(0);
    else {
      tied.set(others);
      ties = counts[levels.indexOf(others)] as number;
    }
    for (let index = 0; index < this.#count; index += 1) {
      const bit = this.#bits[index] as number;
      if (hasBit(tied, bit)) {
        clearBit(tied, bit);
        ties -= 1;
      }
      if (this.#fits[index] === 0 || this.#totals[index] !== total) continue;
      setBit(tied, bit);
      ties += 1;
    }
    this.ties = ties;
  }
}
