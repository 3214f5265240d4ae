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
/** Totals are whole numbers below this. */
const TOTAL_LIMIT = 2 ** (31 - GROUP_BITS);

/** Whether a total can be kept in an entry. */
export function canKeep(total: number): boolean {
  return Number.isInteger(total) && total >= 0 && total < TOTAL_LIMIT;
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
export const BEST = 1;
export const TIES = 2;
/** The best total where there is no node: below all. */
export const NO_BEST = -1;

/** See the file header. */
export class BlockSums {
  readonly blockCount: number;
  /** Groups that there is room for. */
  width = 1;
  /** The sum of a group in a block begins at {@link BlockSums.indexOf}. */
  sums: Int32Array;
  readonly #positions: number;

  /** @param positions - number of nodes */
  constructor(positions: number) {
    this.#positions = positions;
    this.blockCount = Math.ceil(positions / 2 ** BLOCK_SHIFT);
    this.sums = new Int32Array(this.blockCount * SUM_LENGTH);
  }

  indexOf(block: number, group: number): number {
    return (block * this.width + group) * SUM_LENGTH;
  }

  /** Makes room for so many groups; `true` when all sums are void now. */
  reserve(groups: number): boolean {
    if (groups <= this.width) return false;
    while (this.width < groups) this.width = Math.min(this.width * 4, MAX_GROUPS);
    this.sums = new Int32Array(this.blockCount * this.width * SUM_LENGTH);
    return true;
  }

  /** A node comes to a block. */
  add(block: number, entry: number): void {
    if (entry !== REJECTED) this.#count(this.indexOf(block, groupOf(entry)), totalOf(entry));
  }

  /** A node leaves a block; `true` when it is not known which is best then. */
  remove(block: number, entry: number): boolean {
    if (entry === REJECTED) return false;
    const { sums } = this;
    const index = this.indexOf(block, groupOf(entry));
    sums[index + NODES] = (sums[index + NODES] as number) - 1;
    if (totalOf(entry) !== sums[index + BEST]) return false;
    const ties = (sums[index + TIES] as number) - 1;
    sums[index + TIES] = ties;
    if (ties > 0) return false;
    sums[index + BEST] = NO_BEST;
    return (sums[index + NODES] as number) > 0;
  }

  /** Sums one block up. @param entries - by position */
  sum(block: number, entries: Int32Array): void {
    const { sums } = this;
    const first = this.indexOf(block, 0);
    for (let index = first; index < first + this.width * SUM_LENGTH; index += SUM_LENGTH) {
      sums[index + NODES] = 0;
      sums[index + BEST] = NO_BEST;
      sums[index + TIES] = 0;
    }
    const end = Math.min((block + 1) << BLOCK_SHIFT, this.#positions);
    for (let position = block << BLOCK_SHIFT; position < end; position += 1) {
      const entry = entries[position] as number;
      if (entry !== REJECTED) this.#count(first + groupOf(entry) * SUM_LENGTH, totalOf(entry));
    }
  }

  #count(index: number, total: number): void {
    const { sums } = this;
    sums[index + NODES] = (sums[index + NODES] as number) + 1;
    if (total > (sums[index + BEST] as number)) {
      sums[index + BEST] = total;
      sums[index + TIES] = 1;
    } else if (total === sums[index + BEST]) sums[index + TIES] = (sums[index + TIES] as number) + 1;
  }
}
