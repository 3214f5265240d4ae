/**
 * The table: the nodes in the order of the scan as pods of one shape see them, kept from attempt to attempt: the
 * verdict (in a group, or rejected) and the total of each, summed up by blocks of nodes. What was written since is
 * judged anew where a walk comes by. It holds what depends on the shape and the single node; all else that is said
 * of nodes is said of groups, attempt by attempt (group-walk.ts).
 */
import { Follower, positionWritten, type FollowedNodes } from '../../framework/follower.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { NodePart } from '../../framework/node-groups.js';
import { PAUSE_ATTEMPTS } from '../attempt/tuning.js';
import { REJECTED } from '../attempt/rejected.js';
import { BLOCK_MASK, BLOCK_SHIFT, BlockSums, canKeep, entryOf } from './block-sums.js';
import { GroupTable } from './group-table.js';

/** Nodes that are to be judged anew, in the order of the scan; the first `count` count. */
export class StaleNodes {
  count = 0;
  positions = new Int32Array(0);
  slots = new Int32Array(0);
  /** Room for those of the slots that fit. */
  fitting = new Int32Array(0);

  /** Makes room for so many. */
  reserve(size: number): void {
    if (this.positions.length >= size) return;
    this.positions = new Int32Array(size);
    this.slots = new Int32Array(size);
    this.fitting = new Int32Array(size);
  }
}

/** What judges nodes for a shape. */
export interface NodeJudge {
  /** Tells the table of each of the nodes, by {@link NodeTable.take} or {@link NodeTable.reject}; `false` when it cannot. */
  judge(table: NodeTable, stale: StaleNodes, columns: NodeColumns): boolean;
}

/** A block of which no node is known: all its bits. */
const NONE_KNOWN = -1;
/** The bit of a block's first node; those of the others follow downwards. */
const FIRST_BIT = 1 << BLOCK_MASK;

/** See the file header. */
export class NodeTable implements FollowedNodes {
  readonly groups = new GroupTable();
  /** Number of nodes. */
  size = 0;
  /** By position in the scan order, and by block. */
  sums = new BlockSums(0);
  readonly #judge: NodeJudge;
  #filterParts: readonly NodePart[] = [];
  /** What nodes are to be told apart by from the next attempt on; until then the walk of this one is asked about. */
  #wanted: readonly NodePart[] | undefined;
  readonly #follower = new Follower();
  #pause = 0;
  /** By block: a bit for each node that is not known, or not any more. */
  #stale = new Int32Array(0);

  constructor(judge: NodeJudge) {
    this.#judge = judge;
  }

  /** Forgets everything. */
  reset(): void {
    this.groups.clear();
    this.#follower.forget();
    this.#pause = 0;
  }

  /** Whether it is better to do without for a while; to be asked once per attempt. */
  isPaused(): boolean {
    if (this.#pause === 0) return false;
    this.#pause -= 1;
    return true;
  }

  pause(): void {
    this.#pause = PAUSE_ATTEMPTS;
    this.groups.clear();
    this.forget();
  }

  /** Tells nodes apart by what the filters of an attempt judge by. */
  tellApart(filterParts: readonly NodePart[]): void {
    this.#filterParts = filterParts;
    if (this.#wanted !== undefined) this.#add(this.#wanted);
    this.#wanted = undefined;
    if (!this.groups.has(filterParts)) this.#add(filterParts);
  }

  /** Tells nodes apart by what its scores go by as well, from the next attempt on. */
  want(scoreParts: readonly NodePart[]): void {
    this.#wanted = [...new Set([...this.#filterParts, ...scoreParts])];
  }

  /** Forgets all nodes, and their groups. */
  forget(): void {
    this.groups.empty();
    this.#stale.fill(NONE_KNOWN);
    this.sums.clear();
  }

  /** Takes notice of what was written. */
  catchUp(columns: NodeColumns): void {
    this.#follower.catchUp(columns, this);
  }

  /** @internal */
  onAll({ nodeCount }: NodeColumns): void {
    this.#resize(nodeCount);
    this.forget();
  }

  /** @internal */
  onWrites(columns: NodeColumns, from: number): void {
    const stale = this.#stale;
    const { end } = columns.written;
    for (let write = from; write < end; write += 1) {
      const position = positionWritten(columns, write);
      if (position < 0) continue;
      const block = position >> BLOCK_SHIFT;
      stale[block] = (stale[block] as number) | (FIRST_BIT >>> (position & BLOCK_MASK));
    }
  }

  isCurrent(block: number): boolean {
    return this.#stale[block] === 0;
  }

  /** Judges what is not current in the blocks `from..to-1`; `false` when that cannot be done. */
  refresh(columns: NodeColumns, from: number, to: number, stale: StaleNodes): boolean {
    this.#collectStale(columns, from, to, stale);
    return this.#judge.judge(this, stale, columns);
  }

  /** The node at a position fits; `false` when its total cannot be kept. @param total - of scores that count as they are */
  take(at: number, group: number, total: number): boolean {
    if (!canKeep(total)) return false;
    this.sums.put(at, entryOf(group, total));
    return true;
  }

  /** The node at a position is rejected. */
  reject(at: number): void {
    this.sums.put(at, REJECTED);
  }

  #add(parts: readonly NodePart[]): void {
    if (this.groups.add(parts)) this.forget();
    else this.pause();
  }

  #resize(size: number): void {
    if (this.size === size) return;
    this.size = size;
    this.sums = new BlockSums(size);
    this.#stale = new Int32Array(this.sums.blockCount);
  }

  /** Collects what is not known in these blocks: it counts as known from now on. */
  #collectStale({ arrays }: NodeColumns, from: number, to: number, stale: StaleNodes): void {
    const { order } = arrays;
    const { size } = this;
    const bitsOf = this.#stale;
    stale.reserve(size);
    const { positions, slots } = stale;
    let count = 0;
    for (let block = from; block < to; block += 1) {
      let bits = bitsOf[block] as number;
      if (bits === 0) continue;
      bitsOf[block] = 0;
      const first = block << BLOCK_SHIFT;
      while (bits !== 0) {
        const offset = Math.clz32(bits);
        bits &= ~(FIRST_BIT >>> offset);
        const at = first + offset;
        if (at >= size) break;
        positions[count] = at;
        slots[count] = order[at] as number;
        count += 1;
      }
    }
    stale.count = count;
  }
}
