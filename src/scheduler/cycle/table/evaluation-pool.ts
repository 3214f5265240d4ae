import { createEvaluationBuffers } from './evaluation-buffers.js';
import { ShapeEvaluation } from './shape-evaluation.js';

/** Nodes of all evaluations together: 200 shapes over 5,000 nodes, some 50 MiB. */
const MAX_ENTRIES = 1 << 20;
const MIN_KEPT = 64;
const MAX_KEPT = 1024;
/** Shapes that came up for the first time. Most of them never come back: their memory stays in the processor's cache. */
const MAX_FRESH = 4;
/** Shapes of which it is remembered that they came up once. */
const MAX_SEEN = 4096;

/** Evaluations by shape, over buffers that are used again. A shape that comes up twice is kept longer. */
export class EvaluationPool {
  /** By shape id, the least recently used first. */
  readonly #kept = new Map<number, ShapeEvaluation>();
  /** By shape id, the oldest first. */
  readonly #fresh = new Map<number, ShapeEvaluation>();
  readonly #seen = new Set<number>();
  readonly #spare: ShapeEvaluation[] = [];
  readonly #scoreCount: number;
  #capacity = 0;
  #lastId = -1;
  #last: ShapeEvaluation | undefined;
  #neighbour: { has(shapeId: number): boolean } | undefined;

  /** @param scoreCount - number of Score plugins of the profile */
  constructor(scoreCount: number) {
    this.#scoreCount = scoreCount;
  }

  /** The evaluation of a shape, fresh if it is new. `capacity` is that of the columns. */
  get(shapeId: number, capacity: number): ShapeEvaluation {
    if (capacity !== this.#capacity) this.#clear(capacity);
    if (shapeId === this.#lastId && this.#last !== undefined) return this.#last;
    this.#lastId = shapeId;
    this.#last = this.#find(shapeId);
    return this.#last;
  }

  /** Whether anything is kept for the shape. */
  has(shapeId: number): boolean {
    return this.#kept.has(shapeId) || this.#fresh.has(shapeId) || this.#neighbour?.has(shapeId) === true;
  }

  /** Whether nothing is kept for the shape nor under way: then this is remembered as the first time it came up. */
  isFirst(shapeId: number): boolean {
    if (!this.isUnseen(shapeId)) return false;
    this.#see(shapeId);
    return true;
  }

  /** Whether the shape has not come up before, as far as is remembered. */
  isUnseen(shapeId: number): boolean {
    return !this.has(shapeId) && !this.#seen.has(shapeId);
  }

  /** Whoever keeps shapes in another way: what is there is not new. */
  setNeighbour(neighbour: { has(shapeId: number): boolean }): void {
    this.#neighbour = neighbour;
  }

  #clear(capacity: number): void {
    this.#capacity = capacity;
    this.#kept.clear();
    this.#fresh.clear();
    this.#spare.length = 0;
    this.#last = undefined;
  }

  #find(shapeId: number): ShapeEvaluation {
    const kept = this.#kept.get(shapeId);
    if (kept !== undefined) {
      this.#kept.delete(shapeId);
      this.#kept.set(shapeId, kept);
      return kept;
    }
    const fresh = this.#fresh.get(shapeId);
    if (fresh !== undefined) {
      this.#fresh.delete(shapeId);
      this.#keep(shapeId, fresh);
      return fresh;
    }
    if (this.#seen.delete(shapeId)) {
      const evaluation = this.#blank();
      this.#keep(shapeId, evaluation);
      return evaluation;
    }
    this.#dropOldestFresh();
    const evaluation = this.#blank();
    this.#fresh.set(shapeId, evaluation);
    return evaluation;
  }

  #keep(shapeId: number, evaluation: ShapeEvaluation): void {
    this.#kept.set(shapeId, evaluation);
    const limit = Math.min(Math.max(Math.floor(MAX_ENTRIES / this.#capacity), MIN_KEPT), MAX_KEPT);
    if (this.#kept.size <= limit) return;
    for (const [oldest, dropped] of this.#kept) {
      this.#kept.delete(oldest);
      this.#drop(oldest, dropped);
      return;
    }
  }

  #dropOldestFresh(): void {
    if (this.#fresh.size < MAX_FRESH) return;
    for (const [oldest, dropped] of this.#fresh) {
      this.#fresh.delete(oldest);
      this.#drop(oldest, dropped);
      return;
    }
  }

  #drop(shapeId: number, evaluation: ShapeEvaluation): void {
    this.#see(shapeId);
    this.#spare.push(evaluation);
  }

  #see(shapeId: number): void {
    if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
    this.#seen.add(shapeId);
  }

  /** An evaluation that knows nothing. */
  #blank(): ShapeEvaluation {
    const spare = this.#spare.pop();
    if (spare === undefined) return new ShapeEvaluation(createEvaluationBuffers(this.#capacity, this.#scoreCount));
    spare.reset();
    return spare;
  }
}
