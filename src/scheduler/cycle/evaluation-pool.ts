import { createEvaluationBuffers, ShapeEvaluation } from './shape-evaluation.js';

/** Shapes whose results are kept; the one that was not needed for longest makes room. */
const MAX_EVALUATIONS = 64;

/** Evaluations by shape, over buffers that are used again. */
export class EvaluationPool {
  /** By shape id, least recently used first. */
  readonly #byShape = new Map<number, ShapeEvaluation>();
  #capacity = 0;
  readonly #scoreCount: number;

  /** @param scoreCount - number of Score plugins of the profile */
  constructor(scoreCount: number) {
    this.#scoreCount = scoreCount;
  }

  /** The evaluation of a shape, fresh if it is new. `capacity` is that of the columns. */
  get(shapeId: number, capacity: number): ShapeEvaluation {
    if (capacity !== this.#capacity) {
      this.#byShape.clear();
      this.#capacity = capacity;
    }
    let evaluation = this.#byShape.get(shapeId);
    if (evaluation === undefined) evaluation = this.#recycle() ?? this.#create();
    else this.#byShape.delete(shapeId);
    this.#byShape.set(shapeId, evaluation);
    return evaluation;
  }

  /** Drops the evaluation of a shape that shares no results with its pods. */
  release(shapeId: number): void {
    this.#byShape.delete(shapeId);
  }

  #recycle(): ShapeEvaluation | undefined {
    if (this.#byShape.size < MAX_EVALUATIONS) return undefined;
    for (const [shapeId, evaluation] of this.#byShape) {
      this.#byShape.delete(shapeId);
      evaluation.reset();
      return evaluation;
    }
    return undefined;
  }

  #create(): ShapeEvaluation {
    return new ShapeEvaluation(createEvaluationBuffers(this.#capacity, this.#scoreCount));
  }
}
