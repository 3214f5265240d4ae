import { RecentlyUsed, SeenNumbers } from '../attempt/recently-used.js';
import { FRESH_SHAPES_KEPT, SEEN_REMEMBERED, shapesKept } from '../attempt/tuning.js';
import { ShapeEvaluation } from './shape-evaluation.js';

/** Evaluations by shape, over buffers that are used again. A shape that comes up twice is kept longer. */
export class EvaluationPool {
  /** By shape id: those that came up twice, and once. */
  readonly #kept = new RecentlyUsed<number, ShapeEvaluation>(() => shapesKept(this.#capacity));
  readonly #fresh = new RecentlyUsed<number, ShapeEvaluation>(() => FRESH_SHAPES_KEPT);
  readonly #seen = new SeenNumbers(SEEN_REMEMBERED);
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
    this.#seen.add(shapeId);
    return true;
  }

  /** Whether the shape has not come up before, as far as is remembered. */
  isUnseen(shapeId: number): boolean {
    return !this.has(shapeId) && !this.#seen.has(shapeId);
  }

  /** Where shapes are kept in another way: what is there is not new. */
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
    if (kept !== undefined) return kept;
    const fresh = this.#fresh.get(shapeId);
    const isAgain = fresh !== undefined || this.#seen.has(shapeId);
    this.#fresh.delete(shapeId);
    this.#seen.delete(shapeId);
    const evaluation = fresh ?? this.#blank();
    const dropped = (isAgain ? this.#kept : this.#fresh).set(shapeId, evaluation);
    if (dropped !== undefined) {
      this.#seen.add(dropped[0]);
      this.#spare.push(dropped[1]);
    }
    return evaluation;
  }

  /** An evaluation that knows nothing. */
  #blank(): ShapeEvaluation {
    const spare = this.#spare.pop();
    if (spare === undefined) return new ShapeEvaluation(this.#capacity, this.#scoreCount);
    spare.reset();
    return spare;
  }
}
