/**
 * The table: the nodes in the order of the scan as pods of one shape see them, kept from attempt to attempt: the
 * verdict (in a group, or rejected) and the total of each, in one word, summed up by blocks of nodes and groups. What
 * was written since is judged anew where a walk comes by. It holds what depends on the shape and the single node; all
 * else that is said of nodes is said of groups, attempt by attempt (group-walk.ts).
 */
import { Follower, positionWritten, type FollowedNodes } from '../../framework/follower.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { NodeGroups, NodePart } from '../../framework/node-groups.js';
import { REJECTED } from '../attempt/outline.js';
import { PAUSE_ATTEMPTS } from '../attempt/tuning.js';

/** Nodes of a block: 2 to this power, as many as a word has bits. */
export const BLOCK_SHIFT = 5;
export const BLOCK_MASK = (1 << BLOCK_SHIFT) - 1;

/** Groups that are told apart at most: one less than an entry has numbers for. */
export const MAX_GROUPS = 63;
/** In place of a group's number: there are more groups than can be told apart. */
export const TOO_MANY_GROUPS = -1;
/** Parts at most; with more, those that were asked for last are kept. */
const MAX_PARTS = 8;

/** Low bits of an entry are the group, those above the total. */
const GROUP_BITS = 6;
const GROUP_MASK = (1 << GROUP_BITS) - 1;
/** The group by the entry of a node that is rejected: {@link REJECTED} has all bits. */
export const NO_GROUP = GROUP_MASK;

/** Whether a total can be kept in an entry: a whole number, not below 0, of as many bits as are left. */
export function canKeep(total: number): boolean {
  return total >= 0 && totalOf(total << GROUP_BITS) === total;
}

/** The entry of a node that fits; that of one that does not is {@link REJECTED}. @param total - one that {@link canKeep} allows */
export function entryOf(group: number, total: number): number {
  return (total << GROUP_BITS) | group;
}

/** {@link NO_GROUP} for {@link REJECTED}. */
export function groupOf(entry: number): number {
  return entry & GROUP_MASK;
}

/** Of an entry that is not {@link REJECTED}. */
export function totalOf(entry: number): number {
  return entry >> GROUP_BITS;
}

/** Numbers of a sum, side by side since they are read together: nodes, the best total, how many have it. */
export const SUM_LENGTH = 3;
export const NODES = 0;
/** Counts where there are nodes; with no ties it is not known, and all totals are below this: {@link BlockSums.findBest} finds it. */
export const BEST = 1;
export const TIES = 2;

/** What is known of nodes by position, and, by block and group: how many there are, the best total, how many have it. */
export class BlockSums {
  readonly blockCount: number;
  /** By position; a node of which nothing is known counts as {@link REJECTED}. */
  readonly entries: Int32Array;
  /** Groups that there is room for. */
  width = 1;
  /** The sum of a group in a block begins at {@link BlockSums.indexOf}. */
  sums: Int32Array;

  /** @param positions - number of nodes */
  constructor(positions: number) {
    this.blockCount = Math.ceil(positions / 2 ** BLOCK_SHIFT);
    this.entries = new Int32Array(positions).fill(REJECTED);
    this.sums = new Int32Array(this.blockCount * SUM_LENGTH);
  }

  indexOf(block: number, group: number): number {
    return (block * this.width + group) * SUM_LENGTH;
  }

  /** Forgets all nodes. */
  clear(): void {
    this.entries.fill(REJECTED);
    this.sums.fill(0);
  }

  /** Nodes are judged, or have become others: the first `count` of the positions, with an entry for each. */
  put(positions: Int32Array, judged: Int32Array, count: number): void {
    const { entries } = this;
    let { sums, width } = this;
    for (let index = 0; index < count; index += 1) {
      const at = positions[index] as number;
      const entry = judged[index] as number;
      const before = entries[at] as number;
      if (entry === before) continue;
      entries[at] = entry;
      const group = entry & GROUP_MASK;
      if (group >= width && entry !== REJECTED) {
        this.#widen(group);
        ({ sums, width } = this);
      }
      const first = (at >> BLOCK_SHIFT) * width;
      if (before !== REJECTED) {
        const left = (first + (before & GROUP_MASK)) * SUM_LENGTH;
        sums[left + NODES] = (sums[left + NODES] as number) - 1;
        // As a rule another block has a better one, and this one's is not asked for.
        if (before >> GROUP_BITS === sums[left + BEST]) sums[left + TIES] = (sums[left + TIES] as number) - 1;
      }
      if (entry === REJECTED) continue;
      const own = (first + group) * SUM_LENGTH;
      const total = entry >> GROUP_BITS;
      const nodes = sums[own + NODES] as number;
      sums[own + NODES] = nodes + 1;
      if (nodes === 0 || total > (sums[own + BEST] as number)) {
        sums[own + BEST] = total;
        sums[own + TIES] = 1;
      } else if (total === sums[own + BEST]) sums[own + TIES] = (sums[own + TIES] as number) + 1;
    }
  }

  /** Finds the best total of a group that has nodes in a block. */
  findBest(block: number, group: number): void {
    const { entries, sums } = this;
    const end = Math.min((block + 1) << BLOCK_SHIFT, entries.length);
    let best = -1;
    let ties = 0;
    for (let at = block << BLOCK_SHIFT; at < end; at += 1) {
      const entry = entries[at] as number;
      if (groupOf(entry) !== group) continue;
      const total = totalOf(entry);
      if (total > best) {
        best = total;
        ties = 1;
      } else if (total === best) ties += 1;
    }
    const index = this.indexOf(block, group);
    sums[index + BEST] = best;
    sums[index + TIES] = ties;
  }

  /** Makes room for a group. */
  #widen(group: number): void {
    const { sums, width } = this;
    while (this.width <= group) this.width = Math.min(this.width * 4, MAX_GROUPS);
    this.sums = new Int32Array(this.blockCount * this.width * SUM_LENGTH);
    for (let block = 0; block < this.blockCount; block += 1) {
      const first = block * width * SUM_LENGTH;
      this.sums.set(sums.subarray(first, first + width * SUM_LENGTH), this.indexOf(block, 0));
    }
  }
}

/** The groups of a pod shape: combinations of values of parts, with numbers in the order of their appearance. */
export class GroupTable implements NodeGroups {
  count = 0;
  /** Feasible nodes of the attempt by group. */
  readonly nodes = new Int32Array(MAX_GROUPS);
  #parts: NodePart[] = [];
  /** By part, then by group. */
  readonly #values: Float64Array[] = [];
  readonly #current = new Float64Array(MAX_PARTS);

  nodesIn(group: number): number {
    return this.nodes[group] as number;
  }

  valuesOf(part: NodePart): Float64Array {
    return this.#values[this.#parts.indexOf(part)] as Float64Array;
  }

  /** Whether nodes are told apart by all of these parts. */
  has(parts: readonly NodePart[]): boolean {
    for (const part of parts) if (!this.#parts.includes(part)) return false;
    return true;
  }

  /** Tells nodes apart by these parts from now on, too, and forgets all groups; `false` when they are too many. */
  add(parts: readonly NodePart[]): boolean {
    if (parts.length > MAX_PARTS) return false;
    const missing = parts.filter((part) => !this.#parts.includes(part));
    if (this.#parts.length + missing.length > MAX_PARTS) this.#parts = [...parts];
    else this.#parts.push(...missing);
    while (this.#values.length < this.#parts.length) this.#values.push(new Float64Array(MAX_GROUPS));
    this.count = 0;
    return true;
  }

  /** Forgets all groups and parts. */
  clear(): void {
    this.#parts = [];
    this.count = 0;
  }

  /** Forgets all groups. */
  empty(): void {
    this.count = 0;
  }

  refresh(attempt: object): void {
    for (const part of this.#parts) part.refresh?.(attempt);
  }

  /** The group of all nodes, where no part tells them apart. */
  theOne(): number {
    this.count = 1;
    return 0;
  }

  /** The group of the node in a slot; {@link TOO_MANY_GROUPS} when it would be one too many. */
  groupOf(slot: number): number {
    const parts = this.#parts;
    const current = this.#current;
    for (let index = 0; index < parts.length; index += 1) current[index] = (parts[index] as NodePart).valueAt(slot);
    for (let group = 0; group < this.count; group += 1) if (this.#isCurrent(group)) return group;
    if (this.count === MAX_GROUPS) return TOO_MANY_GROUPS;
    for (let index = 0; index < parts.length; index += 1) {
      (this.#values[index] as Float64Array)[this.count] = current[index] as number;
    }
    this.count += 1;
    return this.count - 1;
  }

  #isCurrent(group: number): boolean {
    for (let index = 0; index < this.#parts.length; index += 1) {
      if ((this.#values[index] as Float64Array)[group] !== this.#current[index]) return false;
    }
    return true;
  }
}

/** Nodes that are to be judged anew, in the order of the scan; the first `count` count. */
export class StaleNodes {
  count = 0;
  positions = new Int32Array(0);
  slots = new Int32Array(0);
  /** What is found out about each, to be written by the judge: {@link REJECTED}, or an {@link entryOf} it. */
  entries = new Int32Array(0);

  /** Makes room for so many. */
  reserve(size: number): void {
    if (this.positions.length >= size) return;
    this.positions = new Int32Array(size);
    this.slots = new Int32Array(size);
    this.entries = new Int32Array(size);
  }
}

/** What judges nodes for a shape. */
export interface NodeJudge {
  /** Writes what it finds of each of the nodes; `false` when that cannot be kept. */
  judge(stale: StaleNodes, groups: GroupTable, columns: NodeColumns): boolean;
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
    if (!this.#judge.judge(stale, this.groups, columns)) return false;
    this.sums.put(stale.positions, stale.entries, stale.count);
    return true;
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
