/**
 * Reads metrics over the controller's links, in the words of upstream's clients. Mirrors kube-controller-manager v1.34
 * pkg/controller/podautoscaler/metrics/client.go.
 */
import { ApiError } from '../../api/errors/api-error.js';
import type { Selector } from '../../api/selectors/labels.js';
import { LinkDownError } from '../../bus/bus-types.js';
import type { MetricApis, MetricObject, UsageSubject } from '../runtime/metric-apis.js';
import type { UsageReading } from '../runtime/usage-reading.js';
import { RetryError } from '../runtime/retry-error.js';
import type { AutoscalerMemory } from './autoscaler-memory.js';
import type { PodMetrics } from './pod-groups.js';

const NO_CUSTOM_API = 'no custom metrics API (custom.metrics.k8s.io) registered';

/** What metrics are read with. */
export interface MetricReader {
  readonly memory: AutoscalerMemory;
  readonly apis: MetricApis;
}

/** Whether something went wrong outside of the program: a refusal, a link that is cut, or what cannot be worked out. */
export function isFailure(error: unknown): error is Error {
  return error instanceof ApiError || error instanceof LinkDownError || error instanceof RetryError;
}

/** Runs `work`; what goes wrong is told behind `prefix`. */
export async function told<T>(prefix: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isFailure(error)) throw error;
    throw new RetryError(`${prefix}: ${error.message}`);
  }
}

function notServed(what: string): ApiError {
  return new ApiError(404, 'NotFound', `the server could not find the requested resource (get ${what})`);
}

/** What pods, or one of their containers, use of a resource. @throws RetryError */
export async function readUsage(
  { memory, apis }: MetricReader,
  namespace: string,
  pods: Selector,
  what: UsageSubject,
): Promise<UsageReading> {
  const read = (): UsageReading => {
    if (apis.usage === undefined) throw notServed('pods.metrics.k8s.io');
    return apis.usage(namespace, pods, what);
  };
  const reading = await told('unable to fetch metrics from resource metrics API', () =>
    memory.usage.readBeside({ kind: 'PodMetrics', namespace }, read),
  );
  if (reading.measured === 0) throw new RetryError('no metrics returned from resource metrics API');
  return reading;
}

/** A custom metric of pods. @throws RetryError */
export async function readPodsMetric(
  { memory, apis: { custom } }: MetricReader,
  namespace: string,
  metric: string,
  { pods, labels }: { readonly pods: Selector; readonly labels: Selector },
): Promise<PodMetrics> {
  const values = await told('unable to fetch metrics from custom metrics API', () => {
    if (custom === undefined) throw new RetryError(NO_CUSTOM_API);
    const read = () => custom.ofPods(namespace, metric, pods, labels);
    return memory.customMetrics.readBeside({ kind: 'MetricValue', namespace }, read);
  });
  if (values.length === 0) throw new RetryError('no metrics returned from custom metrics API');
  return new Map(values.map(({ object, ...value }) => [object, value]));
}

/** A custom metric of one object, in thousandths. @throws RetryError */
export async function readObjectMetric(
  { memory, apis: { custom } }: MetricReader,
  namespace: string,
  metric: string,
  { object, labels }: { readonly object: MetricObject; readonly labels: Selector },
): Promise<number> {
  const { valueMillis } = await told('unable to fetch metrics from custom metrics API', () => {
    if (custom === undefined) throw new RetryError(NO_CUSTOM_API);
    const read = () => custom.ofObject(namespace, metric, object, labels);
    return memory.customMetrics.readBeside({ kind: 'MetricValue', namespace, name: object.name }, read);
  });
  return valueMillis;
}

/** The sum of an external metric's values, in thousandths. @throws RetryError */
export async function readExternalMetric(
  { memory, apis: { external } }: MetricReader,
  namespace: string,
  metric: string,
  labels: Selector,
): Promise<number> {
  const values = await told('unable to fetch metrics from external metrics API', () =>
    memory.externalMetrics.readBeside({ kind: 'ExternalMetricValue', namespace }, () => {
      if (external === undefined) throw notServed(`${metric}.external.metrics.k8s.io`);
      return external(namespace, metric, labels);
    }),
  );
  if (values.length === 0) throw new RetryError('no metrics returned from external metrics API');
  return values.reduce((sum, { valueMillis }) => sum + valueMillis, 0);
}
