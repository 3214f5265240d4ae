/** The memory of one evaluation, by slot. */
export interface EvaluationBuffers {
  /** Its one entry and the version of a slot add up to the stamp of what was found out about the slot. */
  readonly epoch: Float64Array;
  /** Stamp for which the verdict holds. */
  readonly filterStamps: Float64Array;
  /** Stamp for which the raw scores hold. */
  readonly scoreStamps: Float64Array;
  /** Weighted sums of the raw scores that count as they are. */
  readonly settled: Float64Array;
  /** Raw scores, one array per Score plugin of the profile. */
  readonly raw: readonly Float64Array[];
  /** Per Score plugin the lowest and the highest raw score of this epoch. */
  readonly bounds: Float64Array;
  readonly verdicts: Int32Array;
}

/** Allocates memory for one evaluation. */
export function createEvaluationBuffers(capacity: number, scoreCount: number): EvaluationBuffers {
  return {
    epoch: new Float64Array(1),
    bounds: new Float64Array(2 * scoreCount),
    filterStamps: new Float64Array(capacity),
    scoreStamps: new Float64Array(capacity),
    settled: new Float64Array(capacity),
    raw: Array.from({ length: scoreCount }, () => new Float64Array(capacity)),
    verdicts: new Int32Array(capacity),
  };
}
