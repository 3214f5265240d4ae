/**
 * What the table knows of a node, in one word each: the group and the total, or that the node is rejected; and, by
 * block of nodes and group, how many nodes there are, the best of their totals, and how many have it.
 */
import { REJECTED } from '../attempt/rejected.js';
import { MAX_GROUPS } from './group-table.js';

/** Nodes of a block: 2 to this power, as many as a word has bits. */
export const BLOCK_SHIFT = 5;
export const BLOCK_MASK = (1 << BLOCK_SHIFT) - 1;

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

/** See the file header. */
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

  /** A node is judged, or has become another one. */
  put(at: number, entry: number): void {
    const { entries } = this;
    const before = entries[at] as number;
    if (entry === before) return;
    entries[at] = entry;
    const block = at >> BLOCK_SHIFT;
    const group = groupOf(entry);
    const groupBefore = groupOf(before);
    if (group >= this.width && entry !== REJECTED) this.#widen(group);
    const { sums } = this;
    let index = this.indexOf(block, group);
    if (group !== groupBefore) {
      if (entry !== REJECTED) this.#add(index, totalOf(entry));
      if (before === REJECTED) return;
      index = this.indexOf(block, groupBefore);
      sums[index + NODES] = (sums[index + NODES] as number) - 1;
    } else this.#rank(index, totalOf(entry));
    if (totalOf(before) !== sums[index + BEST]) return;
    // As a rule another block has a better one, and this one's is not asked for.
    sums[index + TIES] = (sums[index + TIES] as number) - 1;
  }

  #add(index: number, total: number): void {
    const { sums } = this;
    const nodes = sums[index + NODES] as number;
    if (nodes === 0) sums[index + BEST] = -1;
    sums[index + NODES] = nodes + 1;
    this.#rank(index, total);
  }

  #rank(index: number, total: number): void {
    const { sums } = this;
    const best = sums[index + BEST] as number;
    if (total > best) {
      sums[index + BEST] = total;
      sums[index + TIES] = 1;
    } else if (total === best) sums[index + TIES] = (sums[index + TIES] as number) + 1;
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
