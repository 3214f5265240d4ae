/** 32-bit columns of an evaluation. */
const INT_COLUMNS = 1;
/** 64-bit columns besides the raw scores. */
const FLOAT_COLUMNS = 3;

/** The memory of one evaluation, by slot; all arrays lie in one block that threads share. */
export interface EvaluationBuffers {
  readonly memory: SharedArrayBuffer;
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

/** Allocates shared memory for one evaluation. */
export function createEvaluationBuffers(capacity: number, scoreCount: number): EvaluationBuffers {
  const floats = 1 + 2 * scoreCount + capacity * (FLOAT_COLUMNS + scoreCount);
  const bytes = floats * Float64Array.BYTES_PER_ELEMENT + capacity * INT_COLUMNS * Int32Array.BYTES_PER_ELEMENT;
  return viewEvaluationBuffers(new SharedArrayBuffer(bytes), capacity, scoreCount);
}

/** Looks at the memory of an evaluation that was allocated, perhaps on another thread. */
export function viewEvaluationBuffers(
  memory: SharedArrayBuffer,
  capacity: number,
  scoreCount: number,
): EvaluationBuffers {
  let offset = 0;
  const floats = (length: number): Float64Array => {
    const view = new Float64Array(memory, offset, length);
    offset += length * Float64Array.BYTES_PER_ELEMENT;
    return view;
  };
  return {
    memory,
    epoch: floats(1),
    bounds: floats(2 * scoreCount),
    filterStamps: floats(capacity),
    scoreStamps: floats(capacity),
    settled: floats(capacity),
    raw: Array.from({ length: scoreCount }, () => floats(capacity)),
    verdicts: new Int32Array(memory, offset, capacity),
  };
}
