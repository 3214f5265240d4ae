import type { Selector } from '../../api/selectors/labels.js';
import type { UsageReading } from './usage-reading.js';

/** What is read of pods. */
export interface UsageSubject {
  readonly resource: string;
  /** `undefined` = all containers together. */
  readonly container: string | undefined;
}

/** A value of a custom or external metric. */
export interface MetricValue {
  /** Name of what it is about; of an external metric empty. */
  readonly object: string;
  /** Simulated time of the sample, ms. */
  readonly atMs: number;
  readonly windowMs: number;
  /** In thousandths. */
  readonly valueMillis: number;
}

/** What a metric is about. */
export interface MetricObject {
  readonly apiVersion?: string | undefined;
  readonly kind: string;
  readonly name: string;
}

/**
 * The APIs of metrics, which others than the API server answer: each is called at the API server's end of a link. An
 * API that is absent is not served. They throw an ApiError for what they refuse.
 */
export interface MetricApis {
  /** metrics.k8s.io: the pods of a namespace that a selector takes. */
  readonly usage?: ((namespace: string, pods: Selector, what: UsageSubject) => UsageReading) | undefined;
  /** custom.metrics.k8s.io. */
  readonly custom?:
    | {
        ofPods(namespace: string, metric: string, pods: Selector, labels: Selector): readonly MetricValue[];
        ofObject(namespace: string, metric: string, object: MetricObject, labels: Selector): MetricValue;
      }
    | undefined;
  /** external.metrics.k8s.io. */
  readonly external?: ((namespace: string, metric: string, labels: Selector) => readonly MetricValue[]) | undefined;
}

/** No metrics: none of the APIs is served. */
export const NO_METRIC_APIS: MetricApis = {};
