/** What a reading says of a pod that has no value. */
export const NOT_MEASURED = -1;

/**
 * What pods use of a resource, at a moment: columns, since an autoscaler of thousands of pods reads them every 15 s.
 * A pod keeps its row from one reading of a selector to the next.
 */
export interface UsageReading {
  /** Simulated time of the samples, ms. */
  readonly atMs: number;
  /** Over which they are averaged. */
  readonly windowMs: number;
  /** Names of the pods by row; a row may be of none. */
  readonly pods: readonly (string | undefined)[];
  /** Thousandths by row: of millicores or bytes; {@link NOT_MEASURED} where a pod has no value. */
  readonly values: Float64Array;
  /** Pods of which anything is measured. */
  readonly measured: number;
  /** Pods that have a value, and their sum. */
  readonly count: number;
  readonly sum: number;
  /** The row that a pod has at present, if any. */
  rowOf(pod: string): number | undefined;
}
