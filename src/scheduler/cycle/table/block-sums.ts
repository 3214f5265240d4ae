import { MAX_GROUPS } from './group-table.js';

/** Nodes of a block: 2 to this power. */
export const BLOCK_SHIFT = 6;
/** Stands for "in no group", because a kept filter rejects the node. */
export const NO_GROUP = 255;
/** Stands for "not known any more": the node was written since it was judged. */
export const OLD_GROUP = 254;

/** By block and group: how many nodes there are, the best of their scores, and how many have it. */
export class BlockSums {
  readonly blockCount: number;
  /** Groups that there is room for. */
  width = 1;
  /** All three at `block * width + group`. */
  nodes: Int32Array;
  best: Float64Array;
  ties: Int32Array;
  readonly #positions: number;

  /** @param positions - number of nodes */
  constructor(positions: number) {
    this.#positions = positions;
    this.blockCount = Math.ceil(positions / 2 ** BLOCK_SHIFT);
    this.nodes = new Int32Array(this.blockCount);
    this.best = new Float64Array(this.blockCount);
    this.ties = new Int32Array(this.blockCount);
  }

  /** Makes room for so many groups; `true` when all sums are void now. */
  reserve(groups: number): boolean {
    if (groups <= this.width) return false;
    while (this.width < groups) this.width = Math.min(this.width * 4, MAX_GROUPS);
    this.nodes = new Int32Array(this.blockCount * this.width);
    this.best = new Float64Array(this.blockCount * this.width);
    this.ties = new Int32Array(this.blockCount * this.width);
    return true;
  }

  /** A node comes to a block. */
  add(block: number, group: number, score: number): void {
    const { nodes, best, ties } = this;
    const index = block * this.width + group;
    nodes[index] = (nodes[index] as number) + 1;
    if (score > (best[index] as number)) {
      best[index] = score;
      ties[index] = 1;
    } else if (score === best[index]) ties[index] = (ties[index] as number) + 1;
  }

  /** A node leaves a block; `true` when it is not known who is best then. */
  remove(block: number, group: number, score: number): boolean {
    const { nodes, best, ties } = this;
    const index = block * this.width + group;
    nodes[index] = (nodes[index] as number) - 1;
    if (score !== best[index]) return false;
    ties[index] = (ties[index] as number) - 1;
    if (ties[index] > 0) return false;
    best[index] = Number.NEGATIVE_INFINITY;
    return nodes[index] > 0;
  }

  /** Sums one block up. @param groups - by position, as are the scores */
  sum(block: number, groups: Uint8Array, scores: Float64Array): void {
    const { nodes, best, ties, width } = this;
    const first = block * width;
    for (let index = first; index < first + width; index += 1) {
      nodes[index] = 0;
      ties[index] = 0;
      best[index] = Number.NEGATIVE_INFINITY;
    }
    const end = Math.min((block + 1) << BLOCK_SHIFT, this.#positions);
    for (let position = block << BLOCK_SHIFT; position < end; position += 1) {
      const group = groups[position] as number;
      if (group >= OLD_GROUP) continue;
      const index = first + group;
      const score = scores[position] as number;
      nodes[index] = (nodes[index] as number) + 1;
      if (score > (best[index] as number)) {
        best[index] = score;
        ties[index] = 1;
      } else if (score === best[index]) ties[index] = (ties[index] as number) + 1;
    }
  }
}
