/**
 * Which pods count when replicas are worked out, and what they request. Mirrors groupPods and calculateRequests of
 * kube-controller-manager v1.34 pkg/controller/podautoscaler/replica_calculator.go.
 */
import { getCondition } from '../../api/objects/conditions.js';
import type { Container, Pod } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { RetryError } from '../runtime/retry-error.js';
import { millisOf } from './autoscaler.js';

/** A metric of one pod. */
export interface PodMetric {
  readonly valueMillis: number;
  readonly atMs: number;
  readonly windowMs: number;
}

/** Metrics by the names of pods. */
export type PodMetrics = Map<string, PodMetric>;

/** How far a pod is trusted after its start. */
export interface ReadinessPeriods {
  /** For so long a sample counts only if the pod was ready throughout its window. */
  readonly cpuInitializationMs: number;
  /** A pod that became unready within it has never been ready. */
  readonly initialReadinessMs: number;
}

/** The pods by how they count, by name. */
export interface PodGroups {
  readonly readyCount: number;
  readonly unready: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
}

/** The moment at which pods are looked at. */
export interface Present {
  readonly nowMs: number;
  readonly timestamps: Pick<Timestamps, 'toMs'>;
}

/** @param resource - `undefined` for a metric that is none of a resource */
export function groupPods(
  pods: readonly Pod[],
  metrics: ReadonlyMap<string, PodMetric>,
  resource: string | undefined,
  periods: ReadinessPeriods,
  present: Present,
): PodGroups {
  const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let readyCount = 0;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const { phase } = pod.status;
    if (deletionTimestamp !== undefined || phase === 'Failed') ignored.add(name);
    else if (phase === 'Pending') unready.add(name);
    else {
      const metric = metrics.get(name);
      if (metric === undefined) missing.add(name);
      else if (resource === 'cpu' && isUnready(pod, metric, periods, present)) unready.add(name);
      else readyCount += 1;
    }
  }
  return { readyCount, unready, missing, ignored };
}

/** Whether the use of CPU of a pod says nothing yet about the load. */
function isUnready(
  { status: { conditions, startTime } }: Pod,
  { atMs, windowMs }: PodMetric,
  { cpuInitializationMs, initialReadinessMs }: ReadinessPeriods,
  { nowMs, timestamps }: Present,
): boolean {
  const ready = getCondition(conditions, 'Ready');
  if (ready === undefined || startTime === undefined) return true;
  const startMs = timestamps.toMs(startTime);
  const turnedMs = ready.lastTransitionTime === undefined ? -Infinity : timestamps.toMs(ready.lastTransitionTime);
  if (startMs + cpuInitializationMs > nowMs) return ready.status === 'False' || atMs < turnedMs + windowMs;
  return ready.status === 'False' && startMs + initialReadinessMs > turnedMs;
}

/**
 * What each pod requests of a resource, in thousandths, by name: of one container, or of the pod.
 *
 * @throws RetryError for a pod or container that requests none
 */
export function requestsOf(
  pods: readonly Pod[],
  container: string | undefined,
  resource: string,
): ReadonlyMap<string, number> {
  return new Map(pods.map((pod) => [pod.metadata.name, requestOf(pod, container, resource)]));
}

/** Whether {@link requestOf} has an answer. */
export function hasRequest(pod: Pod, container: string | undefined, resource: string): boolean {
  try {
    requestOf(pod, container, resource);
    return true;
  } catch (error) {
    if (error instanceof RetryError) return false;
    throw error;
  }
}

/** @throws RetryError for a pod that requests none */
export function requestOf(pod: Pod, container: string | undefined, resource: string): number {
  const { name } = pod.metadata;
  const ofPod = pod.spec.resources?.requests;
  if (container === undefined && ofPod !== undefined && Object.keys(ofPod).some(isPodLevel)) {
    const request = ofPod[resource];
    if (request !== undefined) return millisOf(request);
    const fromContainers = aggregateRequest(pod, resource);
    if (fromContainers !== undefined) return fromContainers;
    throw new RetryError(`missing pod-level request for ${resource} in Pod ${name}`);
  }
  let millis = 0;
  for (const each of countedContainers(pod)) {
    if (container !== undefined && each.name !== container) continue;
    const request = each.resources?.requests?.[resource];
    if (request === undefined) {
      throw new RetryError(`missing request for ${resource} in container ${each.name} of Pod ${name}`);
    }
    millis += millisOf(request);
  }
  return millis;
}

/** Resources that a pod as a whole may request. */
function isPodLevel(resource: string): boolean {
  return resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');
}

function countedContainers({ spec: { containers, initContainers = [] } }: Pod): readonly Container[] {
  return [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')];
}

/** What the containers of a pod request together; undefined if none requests it. */
function aggregateRequest(pod: Pod, resource: string): number | undefined {
  const requests = countedContainers(pod).flatMap((each) => each.resources?.requests?.[resource] ?? []);
  return requests.length === 0 ? undefined : requests.reduce<number>((sum, each) => sum + millisOf(each), 0);
}
