/**
 * How many replicas a metric asks for: pure arithmetic over pods and their metrics. Mirrors
 * kube-controller-manager v1.34 pkg/controller/podautoscaler/replica_calculator.go and metrics/utilization.go, the
 * whole numbers of which lose their fractions.
 */
import { isPodReady } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';
import { assert } from '../../kernel/assert.js';
import { RetryError } from '../runtime/retry-error.js';
import type { UsageReading } from '../runtime/usage-reading.js';
import {
  groupPods,
  hasRequest,
  requestOf,
  requestsOf,
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
  /** The same in columns. */
  readonly columns?: PodColumns;
  readonly periods: ReadinessPeriods;
  readonly present: Present;
}

/** Pods in columns. */
export interface PodColumns {
  readonly size: number;
  /** How they count by what was read of them. */
  tally(
    reading: UsageReading,
    what: { readonly resource: string; readonly container: string | undefined },
    periods: ReadinessPeriods,
    present: Present,
  ): Tally;
}

/** Replicas that a metric asks for, and what it amounts to on average. */
export interface Proposal {
  readonly replicas: number;
  readonly usageMillis: number;
  /** Percent of what is requested, for a target in percent. */
  readonly utilization?: number;
}

const LEAST_INT32 = -2_147_483_648;
const MOST_INT32 = 2_147_483_647;
const LEAST_INT64 = -9_223_372_036_854_775_808;
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

/** Replicas as Go makes them of a number on amd64: those that an int32 does not hold come to the least one. */
function replicasOf(number: number): number {
  const replicas = Math.ceil(number);
  return replicas >= LEAST_INT32 && replicas <= MOST_INT32 ? replicas : LEAST_INT32;
}

/** Pods with a metric that counts. */
interface Sum {
  readonly count: number;
  /** In thousandths, as all that follows. */
  readonly used: number;
  readonly requested: number;
}

/** How pods count by what was measured of them. */
export interface Tally {
  readonly readyCount: number;
  /** Of pods that are ready. */
  readonly counted: Sum;
  /** Metrics of pods that the cache does not show. */
  readonly others: { readonly count: number; readonly used: number };
  /** What each pod requests of which there is no metric. */
  readonly missing: readonly number[];
  /** And each of which the metric says nothing yet. */
  readonly unready: readonly number[];
  /** Some pod requests nothing. */
  readonly isRequestMissing: boolean;
}

function utilizationRatio({ count, used, requested }: Sum, targetPercent: number): Ratio {
  if (requested === 0) throw new RetryError('no metrics returned matched known pods');
  const utilization = quotient(used, 100, requested);
  return { ratio: utilization / targetPercent, utilization, usageMillis: quotient(used, 1, count) };
}

function usageRatio({ count, used }: Sum, targetMillis: number): Ratio {
  const usageMillis = quotient(used, 1, count);
  return { ratio: usageMillis / targetMillis, usageMillis };
}

/** What was measured of pods: by name, or as columns where the situation has columns of the pods as well. */
export type Measured = PodMetrics | UsageReading;

/** A target in percent of what pods, or one of their containers, request. @throws RetryError */
export function replicasForUtilization(
  situation: Situation,
  metrics: Measured,
  target: { readonly percent: number; readonly resource: string; readonly container: string | undefined },
): Proposal {
  const { percent, resource, container } = target;
  if (sizeOf(situation) === 0) throw new RetryError(NO_PODS);
  const requestIn = (pod: Pod): number | undefined =>
    hasRequest(pod, container, resource) ? requestOf(pod, container, resource) : undefined;
  const tally = tallyOf(situation, metrics, target, requestIn);
  return replicasForPods(situation, tally, {
    begin: () => {
      if (tally.isRequestMissing) requestsOf(situation.pods, container, resource);
    },
    ratioOf: (counted) => utilizationRatio(counted, percent),
    fallbackOf: (request) => Math.trunc((request * Math.max(100, percent)) / 100),
  });
}

/** A target in amounts for each pod. @param resource - absent for a metric that is none of a resource @throws RetryError */
export function replicasForUsage(
  situation: Situation,
  metrics: Measured,
  target: { readonly millis: number; readonly resource?: string; readonly container?: string | undefined },
): Proposal {
  if (sizeOf(situation) === 0) throw new RetryError(NO_PODS);
  const tally = tallyOf(situation, metrics, target, () => 0);
  return replicasForPods(situation, tally, {
    begin: () => undefined,
    ratioOf: (counted, all) => usageRatio(all, target.millis),
    fallbackOf: () => target.millis,
  });
}

function sizeOf(situation: Situation): number {
  // Where there are columns, a list of pods is made each time that it is asked for.
  return situation.columns?.size ?? situation.pods.length;
}

function tallyOf(
  situation: Situation,
  metrics: Measured,
  { resource, container }: { readonly resource?: string; readonly container?: string | undefined },
  requestIn: (pod: Pod) => number | undefined,
): Tally {
  const { periods, present } = situation;
  if (!(metrics instanceof Map)) {
    const { columns } = situation;
    assert(
      columns !== undefined && resource !== undefined,
      'a reading in columns needs pods in columns, and a resource',
    );
    return columns.tally(metrics, { resource, container }, periods, present);
  }
  const { pods } = situation;
  const { readyCount, unready, missing, ignored } = groupPods(pods, metrics, resource, periods, present);
  const [counted, others] = [
    { count: 0, used: 0, requested: 0 },
    { count: 0, used: 0 },
  ];
  const requests = new Map(pods.map((pod) => [pod.metadata.name, requestIn(pod)]));
  for (const [pod, { valueMillis }] of metrics) {
    if (ignored.has(pod) || unready.has(pod)) continue;
    const sum = requests.has(pod) ? counted : others;
    sum.count += 1;
    sum.used += valueMillis;
    counted.requested += requests.get(pod) ?? 0;
  }
  const requestsOfAll = (names: ReadonlySet<string>): number[] => [...names].map((name) => requests.get(name) ?? 0);
  return {
    readyCount,
    counted,
    others,
    missing: requestsOfAll(missing),
    unready: requestsOfAll(unready),
    isRequestMissing: [...requests.values()].includes(undefined),
  };
}

/** How a sort of target is measured. */
interface Measure {
  /** @throws RetryError if there is no measure for these pods */
  begin(): void;
  /** @param counted - pods that are known @param all - and others of which there are metrics */
  ratioOf(counted: Sum, all: Sum): Ratio;
  /** What a pod without a metric counts as when the others are below the target. @param request - what it requests */
  fallbackOf(request: number): number;
}

function replicasForPods({ currentReplicas, tolerances }: Situation, tally: Tally, measure: Measure): Proposal {
  const { readyCount, counted, others, missing, unready } = tally;
  if (counted.count + others.count === 0) throw new RetryError(NO_METRICS);
  measure.begin();
  const ratioWith = (extra: Sum): Ratio => {
    const sum = added(counted, extra);
    return measure.ratioOf(sum, added(sum, { ...others, requested: 0 }));
  };
  const { ratio, ...usage } = ratioWith(NOTHING);
  const keeps: Proposal = { replicas: currentReplicas, ...usage };
  const isUpWithUnready = unready.length > 0 && ratio > 1;
  if (!isUpWithUnready && missing.length === 0) {
    return isWithin(tolerances, ratio) ? keeps : { replicas: replicasOf(ratio * readyCount), ...usage };
  }
  let extra = NOTHING;
  if (ratio < 1) extra = standIns(missing, (request) => measure.fallbackOf(request));
  if (ratio > 1) extra = standIns(missing, () => 0);
  if (isUpWithUnready)
    extra = added(
      extra,
      standIns(unready, () => 0),
    );
  const { ratio: cautious } = ratioWith(extra);
  const isTurned = (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1);
  if (isTurned || isWithin(tolerances, cautious)) return keeps;
  const replicas = replicasOf(cautious * (counted.count + others.count + extra.count));
  const isContrary = (cautious < 1 && replicas > currentReplicas) || (cautious > 1 && replicas < currentReplicas);
  return isContrary ? keeps : { replicas, ...usage };
}

const NOTHING: Sum = { count: 0, used: 0, requested: 0 };

function added(a: Sum, b: Sum): Sum {
  return { count: a.count + b.count, used: a.used + b.used, requested: a.requested + b.requested };
}

/** What stands for metrics that are not there or not trusted. */
function standIns(requests: readonly number[], usedOf: (request: number) => number): Sum {
  let [used, requested] = [0, 0];
  for (const request of requests) {
    used += usedOf(request);
    requested += request;
  }
  return { count: requests.length, used, requested };
}

/** A target for a value that is none of pods, over all of them. From nothing it asks for what the value says alone. */
export function replicasForValue(
  { currentReplicas, tolerances, pods }: Situation,
  usageMillis: number,
  targetMillis: number,
): Proposal {
  const ratio = usageMillis / targetMillis;
  if (currentReplicas === 0) return { replicas: replicasOf(ratio), usageMillis };
  if (isWithin(tolerances, ratio)) return { replicas: currentReplicas, usageMillis };
  if (pods.length === 0) throw new RetryError(`unable to calculate ready pods: ${NO_PODS}`);
  const ready = pods.filter((pod) => pod.status.phase === 'Running' && isPodReady(pod)).length;
  return { replicas: replicasOf(ratio * ready), usageMillis };
}

/**
 * A target for a value that is none of pods, for each of them.
 *
 * @param statusReplicas - those that there are
 * @param isExternal - upstream bounds what an external metric asks for; of an object's the conversion overflows
 */
export function replicasForShare(
  tolerances: Tolerances,
  statusReplicas: number,
  { usageMillis, isExternal }: { readonly usageMillis: number; readonly isExternal: boolean },
  targetMillis: number,
): Proposal {
  const ratio = usageMillis / (targetMillis * statusReplicas);
  const wanted = usageMillis / targetMillis;
  const changed = isExternal && wanted > MOST_INT32 ? MOST_INT32 : replicasOf(wanted);
  const replicas = isWithin(tolerances, ratio) ? statusReplicas : changed;
  // Go makes the least int64 of what no int64 holds, here of a division by nothing.
  return { replicas, usageMillis: statusReplicas === 0 ? LEAST_INT64 : Math.ceil(usageMillis / statusReplicas) };
}
