/** The measurement of a load from its first moment to its last one, for thresholds and reports. */
import { AbortedError } from './aborted-error.js';
import type { Cluster } from '../../cluster/cluster.js';
import type { Measurement, MeasurementReading } from '../../measurements/measurement.js';
import {
  thresholdsOf,
  type Threshold,
  type ThresholdMap,
  type ThresholdResult,
} from '../../measurements/thresholds.js';

/** What stands among the errors of a load that a threshold has ended. */
export const ENDED_BY_THRESHOLD = 'a threshold has ended it before its time';

/** What is asked for. */
export interface LoadMeasuring {
  /** Bounds on what is measured: `{ pod_startup_ms: 'p(99)<5000' }`. One with `abortOnFail` ends the load. */
  readonly thresholds?: ThresholdMap | readonly Threshold[] | undefined;
  /** Has everything measured from the beginning on, and hands it over. @defaultValue false */
  readonly measure?: boolean;
}

/** What came of it. */
export interface LoadMeasured {
  readonly thresholds: readonly ThresholdResult[];
  /** What was measured, if that was asked for. */
  readonly measured?: MeasurementReading;
  /** Simulated time 0 in milliseconds since 1970. */
  readonly epochMs: number;
}

/** See the file header. */
export class MeasuredLoad {
  readonly #thresholds: readonly Threshold[];
  readonly #isHandedOver: boolean;
  #cluster: Cluster | undefined;
  #measurement: Measurement | undefined;

  /** @throws OptionError for thresholds that cannot be read */
  constructor({ thresholds = [], measure = false }: LoadMeasuring) {
    this.#thresholds = thresholdsOf(thresholds);
    this.#isHandedOver = measure;
  }

  begin(cluster: Cluster): void {
    this.#cluster = cluster;
    if (this.#isHandedOver || this.#thresholds.length > 0) {
      this.#measurement = cluster.measure({ thresholds: this.#thresholds });
    }
  }

  /** Notes a step that begins. */
  step(text: string): void {
    this.#measurement?.mark(text, { kind: 'step' });
  }

  /** Lets the load end where a threshold has ended it. @returns whether that is why it ended; @throws any other error */
  isEndedBy(error: unknown): boolean {
    if (error instanceof AbortedError && this.#measurement?.isAborted === true) return true;
    throw error;
  }

  end(): LoadMeasured {
    const measurement = this.#measurement;
    measurement?.stop();
    return {
      thresholds: measurement?.check() ?? [],
      ...(this.#isHandedOver && measurement !== undefined ? { measured: measurement.read() } : {}),
      epochMs: this.#cluster?.epochMs ?? 0,
    };
  }
}
