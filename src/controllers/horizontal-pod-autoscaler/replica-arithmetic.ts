/**
 * How many replicas a metric asks for: pure arithmetic over pods and their metrics. Mirrors
 * kube-controller-manager v1.34 pkg/controller/podautoscaler/replica_calculator.go and metrics/utilization.go, the
 * whole numbers of which lose their fractions.
 */
import { isPodReady } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';
import { RetryError } from '../runtime/retry-error.js';
import {
  groupPods,
  requestsOf,
  type PodMetric,
  type PodMetrics,
  type Present,
  type ReadinessPeriods,
} from './pod-groups.js';

/** How far use may be off its target before replicas change, as shares. */
export interface Tolerances {
  readonly scaleDown: number;
  readonly scaleUp: number;
}

/** What replicas are worked out from. */
export interface Situation {
  /** What the scale asks for now. */
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  /** Those that the scale's selector takes. */
  readonly pods: readonly Pod[];
  readonly periods: ReadinessPeriods;
  readonly present: Present;
}

/** Replicas that a metric asks for, and what it amounts to on average. */
export interface Proposal {
  readonly replicas: number;
  readonly usageMillis: number;
  /** Percent of what is requested, for a target in percent. */
  readonly utilization?: number;
}

const MOST_INT32 = 2_147_483_647;
const NO_PODS = 'no pods returned by selector while calculating replica count';
const NO_METRICS = 'did not receive metrics for targeted pods (pods might be unready)';

function isWithin({ scaleDown, scaleUp }: Tolerances, ratio: number): boolean {
  return 1 - scaleDown <= ratio && ratio <= 1 + scaleUp;
}

/** A use against a target. */
interface Ratio {
  readonly ratio: number;
  readonly usageMillis: number;
  readonly utilization?: number;
}

/** A quotient without its fraction, exact beyond 2⁵³. */
function quotient(dividend: number, factor: number, divisor: number): number {
  return Number((BigInt(dividend) * BigInt(factor)) / BigInt(divisor));
}

function utilizationRatio(metrics: PodMetrics, requests: ReadonlyMap<string, number>, targetPercent: number): Ratio {
  let [used, requested, count] = [0, 0, 0];
  for (const [pod, { valueMillis }] of metrics) {
    const request = requests.get(pod);
    if (request === undefined) continue;
    used += valueMillis;
    requested += request;
    count += 1;
  }
  if (requested === 0) throw new RetryError('no metrics returned matched known pods');
  const utilization = quotient(used, 100, requested);
  return { ratio: utilization / targetPercent, utilization, usageMillis: quotient(used, 1, count) };
}

function usageRatio(metrics: PodMetrics, targetMillis: number): Ratio {
  let used = 0;
  for (const { valueMillis } of metrics.values()) used += valueMillis;
  const usageMillis = quotient(used, 1, metrics.size);
  return { ratio: usageMillis / targetMillis, usageMillis };
}

/** What stands for a metric that is not there or not trusted. */
function standIn(valueMillis: number): PodMetric {
  return { valueMillis, atMs: 0, windowMs: 0 };
}

/** A target in percent of what pods, or one of their containers, request. @throws RetryError */
export function replicasForUtilization(
  situation: Situation,
  metrics: PodMetrics,
  target: { readonly percent: number; readonly resource: string; readonly container: string | undefined },
): Proposal {
  const { percent, resource, container } = target;
  const { pods } = situation;
  if (pods.length === 0) throw new RetryError(NO_PODS);
  let known: ReadonlyMap<string, number> | undefined;
  const requests = (): ReadonlyMap<string, number> => (known ??= requestsOf(pods, container, resource));
  return replicasForPods(situation, metrics, resource, {
    ratioOf: () => utilizationRatio(metrics, requests(), percent),
    fallbackOf: (pod) => Math.trunc(((requests().get(pod) ?? 0) * Math.max(100, percent)) / 100),
  });
}

/** A target in amounts for each pod. @param resource - absent for a metric that is none of a resource @throws RetryError */
export function replicasForUsage(
  situation: Situation,
  metrics: PodMetrics,
  target: { readonly millis: number; readonly resource?: string },
): Proposal {
  if (situation.pods.length === 0) throw new RetryError(NO_PODS);
  return replicasForPods(situation, metrics, target.resource, {
    ratioOf: () => usageRatio(metrics, target.millis),
    fallbackOf: () => target.millis,
  });
}

/** How a sort of target is measured. */
interface Measure {
  ratioOf(): Ratio;
  /** What a pod without a metric counts as when the others are below the target. */
  fallbackOf(pod: string): number;
}

function replicasForPods(
  { currentReplicas, tolerances, pods, periods, present }: Situation,
  metrics: PodMetrics,
  resource: string | undefined,
  measure: Measure,
): Proposal {
  const { readyCount, unready, missing, ignored } = groupPods(pods, metrics, resource, periods, present);
  for (const pod of [...ignored, ...unready]) metrics.delete(pod);
  if (metrics.size === 0) throw new RetryError(NO_METRICS);
  const { ratio, ...usage } = measure.ratioOf();
  const keeps: Proposal = { replicas: currentReplicas, ...usage };
  const isUpWithUnready = unready.size > 0 && ratio > 1;
  if (!isUpWithUnready && missing.size === 0) {
    return isWithin(tolerances, ratio) ? keeps : { replicas: Math.ceil(ratio * readyCount), ...usage };
  }
  if (ratio < 1) for (const pod of missing) metrics.set(pod, standIn(measure.fallbackOf(pod)));
  if (ratio > 1) for (const pod of missing) metrics.set(pod, standIn(0));
  if (isUpWithUnready) for (const pod of unready) metrics.set(pod, standIn(0));
  const { ratio: cautious } = measure.ratioOf();
  const isTurned = (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1);
  if (isTurned || isWithin(tolerances, cautious)) return keeps;
  const replicas = Math.ceil(cautious * metrics.size);
  const isContrary = (cautious < 1 && replicas > currentReplicas) || (cautious > 1 && replicas < currentReplicas);
  return isContrary ? keeps : { replicas, ...usage };
}

/** A target for a value that is none of pods, over all of them. From nothing it asks for what the value says alone. */
export function replicasForValue(
  { currentReplicas, tolerances, pods }: Situation,
  usageMillis: number,
  targetMillis: number,
): Proposal {
  const ratio = usageMillis / targetMillis;
  if (currentReplicas === 0) return { replicas: Math.ceil(ratio), usageMillis };
  if (isWithin(tolerances, ratio)) return { replicas: currentReplicas, usageMillis };
  if (pods.length === 0) throw new RetryError(`unable to calculate ready pods: ${NO_PODS}`);
  const ready = pods.filter((pod) => pod.status.phase === 'Running' && isPodReady(pod)).length;
  return { replicas: Math.ceil(ratio * ready), usageMillis };
}

/** A target for a value that is none of pods, for each of them. @param statusReplicas - those that there are */
export function replicasForShare(
  tolerances: Tolerances,
  statusReplicas: number,
  usageMillis: number,
  targetMillis: number,
): Proposal {
  const ratio = usageMillis / (targetMillis * statusReplicas);
  const replicas = isWithin(tolerances, ratio)
    ? statusReplicas
    : Math.min(MOST_INT32, Math.ceil(usageMillis / targetMillis));
  return { replicas, usageMillis: statusReplicas === 0 ? MOST_INT64 : Math.ceil(usageMillis / statusReplicas) };
}

/** What Go makes of an infinite number in an int64, near enough. */
const MOST_INT64 = 9_223_372_036_854_774_784;
