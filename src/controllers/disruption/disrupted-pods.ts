import { isPodReady } from '../../api/objects/conditions.js';
import type { Pod, StringMap } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';

/** Milliseconds that an evicted pod may take until its deletion begins. */
const DELETION_TIMEOUT_MS = 2 * 60_000;

/** Evictions that the API server has granted and that are not done yet. */
export interface DisruptedPods {
  /** Pod name to the time of its eviction. */
  readonly times: StringMap;
  /** Pods that should have been deleted long ago. */
  readonly overdue: readonly Pod[];
  /** When the first of the others will be overdue. */
  readonly nextMs: number | undefined;
}

/**
 * Which entries of a budget's disruptedPods still hold: those of pods that are there, not terminating,
 * and were evicted within the last two minutes. Upstream: `buildDisruptedPodMap` of kube-controller-manager v1.34.
 */
export function pendingDisruptions(
  pods: readonly Pod[],
  disrupted: StringMap | undefined,
  nowMs: number,
  timestamps: Pick<Timestamps, 'toMs'>,
): DisruptedPods {
  const times: Record<string, string> = {};
  const overdue: Pod[] = [];
  let nextMs: number | undefined;
  if (disrupted === undefined) return { times, overdue, nextMs };
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const time = Object.hasOwn(disrupted, name) ? disrupted[name] : undefined;
    if (time === undefined || deletionTimestamp !== undefined) continue;
    const dueMs = timestamps.toMs(time) + DELETION_TIMEOUT_MS;
    if (dueMs < nowMs) {
      overdue.push(pod);
      continue;
    }
    times[name] = time;
    if (nextMs === undefined || dueMs < nextMs) nextMs = dueMs;
  }
  return { times, overdue, nextMs };
}

/** Pods that are ready and expected to stay; their phase is not looked at. */
export function countHealthy(
  pods: readonly Pod[],
  times: StringMap,
  nowMs: number,
  timestamps: Pick<Timestamps, 'toMs'>,
): number {
  let healthy = 0;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined || !isPodReady(pod)) continue;
    const time = Object.hasOwn(times, name) ? times[name] : undefined;
    if (time === undefined || timestamps.toMs(time) + DELETION_TIMEOUT_MS <= nowMs) healthy += 1;
  }
  return healthy;
}
