/**
 * Memory for a walk over all nodes, which threads may share: what is asked, and what was found. Nodes are
 * bits, in the order of the walk: those that fit, and for each of the highest scores those that have it.
 */
import type { PodDemand } from '../attempt/pod-demand.js';

/** Scores that are told apart. */
export const MAX_LEVELS = 16;

/** Numbers of a demand. */
const DEMANDED = 10;

/** Whole numbers: feasible nodes, levels. */
const HEAD = 2;
const FEASIBLE = 0;
const LEVELS = 1;

/** See the file header. */
export class WalkBuffers {
  readonly memory: SharedArrayBuffer;
  /** Words of 32 bits for a bit per node. */
  readonly words: number;
  /** 1 = the pod fits; nodes in the order of the walk. */
  readonly fits: Int32Array;
  /** By level: the nodes that have its score. */
  readonly levels: readonly Int32Array[];
  /** By level, falling: scores with all that is added to them. Every node that has at least the last of them is told of. */
  readonly totals: Float64Array;
  /** By level: its number of nodes. */
  readonly counts: Int32Array;
  readonly #demand: Float64Array;
  readonly #head: Int32Array;

  /** @param nodeCount - number of nodes, at most */
  constructor(nodeCount: number, memory?: SharedArrayBuffer) {
    const words = (nodeCount + 31) >>> 5;
    const floats = DEMANDED + MAX_LEVELS;
    const bytes = 8 * floats + 4 * (HEAD + MAX_LEVELS + words * (1 + MAX_LEVELS));
    this.memory = memory ?? new SharedArrayBuffer(bytes);
    this.words = words;
    this.#demand = new Float64Array(this.memory, 0, DEMANDED);
    this.totals = new Float64Array(this.memory, 8 * DEMANDED, MAX_LEVELS);
    let next = 8 * floats;
    const ints = (count: number): Int32Array => {
      const view = new Int32Array(this.memory, next, count);
      next += 4 * count;
      return view;
    };
    this.#head = ints(HEAD);
    this.counts = ints(MAX_LEVELS);
    this.fits = ints(words);
    this.levels = Array.from({ length: MAX_LEVELS }, () => ints(words));
  }

  get feasible(): number {
    return this.#head[FEASIBLE] as number;
  }

  set feasible(count: number) {
    this.#head[FEASIBLE] = count;
  }

  get levelCount(): number {
    return this.#head[LEVELS] as number;
  }

  set levelCount(count: number) {
    this.#head[LEVELS] = count;
  }

  writeDemand(demand: PodDemand): void {
    const numbers = this.#demand;
    numbers[0] = demand.freeCpu;
    numbers[1] = demand.freeMemory;
    numbers[2] = demand.leastCpu;
    numbers[3] = demand.leastMemory;
    numbers[4] = demand.leastWeight;
    numbers[5] = demand.cpuWeight;
    numbers[6] = demand.memoryWeight;
    numbers[7] = demand.balancedCpu;
    numbers[8] = demand.balancedMemory;
    numbers[9] = demand.balancedWeight;
  }

  readDemand(demand: PodDemand): void {
    const numbers = this.#demand;
    demand.freeCpu = numbers[0] as number;
    demand.freeMemory = numbers[1] as number;
    demand.leastCpu = numbers[2] as number;
    demand.leastMemory = numbers[3] as number;
    demand.leastWeight = numbers[4] as number;
    demand.cpuWeight = numbers[5] as number;
    demand.memoryWeight = numbers[6] as number;
    demand.balancedCpu = numbers[7] as number;
    demand.balancedMemory = numbers[8] as number;
    demand.balancedWeight = numbers[9] as number;
  }
}

/** Sets the first so many bits, and clears the rest of the last word. */
export function setFirst(words: Int32Array, count: number): void {
  const full = count >>> 5;
  words.fill(-1, 0, full);
  if ((count & 31) > 0) words[full] = (1 << (count & 31)) - 1;
}

export function setBit(words: Int32Array, bit: number): void {
  words[bit >>> 5] = (words[bit >>> 5] as number) | (1 << (bit & 31));
}

export function clearBit(words: Int32Array, bit: number): void {
  words[bit >>> 5] = (words[bit >>> 5] as number) & ~(1 << (bit & 31));
}

export function hasBit(words: Int32Array, bit: number): boolean {
  return ((words[bit >>> 5] as number) & (1 << (bit & 31))) !== 0;
}

/** How many bits are set below one. */
export function countBelow(words: Int32Array, bit: number): number {
  const last = bit >>> 5;
  let count = 0;
  for (let index = 0; index < last; index += 1) count += countOnes(words[index] as number);
  if ((bit & 31) > 0) count += countOnes((words[last] as number) & ((1 << (bit & 31)) - 1));
  return count;
}

/** The set bit with so many set ones below it; there must be one. */
export function findSet(words: Int32Array, below: number): number {
  let left = below;
  let index = 0;
  for (;;) {
    const count = countOnes(words[index] as number);
    if (left < count) break;
    left -= count;
    index += 1;
  }
  let word = words[index] as number;
  for (; left > 0; left -= 1) word &= word - 1;
  return (index << 5) + (31 - Math.clz32(word & -word));
}

function countOnes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
