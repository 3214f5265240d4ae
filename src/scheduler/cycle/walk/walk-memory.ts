/** Memory for a walk over all nodes, which threads share: what is asked, and what was found of each node. */
import type { PodDemand } from '../attempt/pod-demand.js';

/** What is told of a node, by its code: it is rejected, or fits with a total below all that are told. */
export const UNFIT = 0;
export const LOW = 1;
/** It fits, and was written since: its total is not known yet. */
export const WRITTEN = 2;
/** It was written since, and has the best total, which none of the told ones is. */
export const BEST_WRITTEN = 3;
/** From this on: it has the total of the level that is the rest of the code. */
export const FIRST_LEVEL = 4;

/** Totals that are told apart. */
export const MAX_LEVELS = 16;

const DEMANDED = [
  'freeCpu',
  'freeMemory',
  'leastCpu',
  'leastMemory',
  'leastWeight',
  'cpuWeight',
  'memoryWeight',
] as const;
const BALANCED = ['balancedCpu', 'balancedMemory', 'balancedWeight'] as const;
/** Numbers of a demand, in their order. */
const NUMBERS = [...DEMANDED, ...BALANCED] as const;

/** See the file header. */
export class WalkMemory {
  readonly memory: SharedArrayBuffer;
  /** By level, falling. Every node that has at least the last of them, and fits, is told of with its level. */
  readonly totals: Float64Array;
  /** By level: nodes that have it. */
  readonly counts: Int32Array;
  /** By position: see {@link UNFIT} and those after it. */
  readonly codes: Uint8Array;
  readonly #demand: Float64Array;
  /** Feasible nodes, and levels. */
  readonly #head: Int32Array;

  /** @param nodeCount - number of nodes, at most */
  constructor(nodeCount: number, memory?: SharedArrayBuffer) {
    const floats = NUMBERS.length + MAX_LEVELS;
    const ints = 2 + MAX_LEVELS;
    this.memory = memory ?? new SharedArrayBuffer(8 * floats + 4 * ints + nodeCount);
    this.#demand = new Float64Array(this.memory, 0, NUMBERS.length);
    this.totals = new Float64Array(this.memory, 8 * NUMBERS.length, MAX_LEVELS);
    this.#head = new Int32Array(this.memory, 8 * floats, 2);
    this.counts = new Int32Array(this.memory, 8 * floats + 8, MAX_LEVELS);
    this.codes = new Uint8Array(this.memory, 8 * floats + 4 * ints, nodeCount);
  }

  get feasible(): number {
    return this.#head[0] as number;
  }

  set feasible(count: number) {
    this.#head[0] = count;
  }

  get levelCount(): number {
    return this.#head[1] as number;
  }

  set levelCount(count: number) {
    this.#head[1] = count;
  }

  writeDemand(demand: PodDemand): void {
    NUMBERS.forEach((name, index) => (this.#demand[index] = demand[name]));
  }

  readDemand(demand: PodDemand): void {
    NUMBERS.forEach((name, index) => (demand[name] = this.#demand[index] as number));
  }
}
