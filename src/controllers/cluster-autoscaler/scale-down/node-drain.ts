/** Moves pods off a node by evictions. Mirrors cluster-autoscaler v1.34 `core/scaledown/actuation/drain.go`. */
import { isApiError } from '../../../api/errors/api-error.js';
import type { Node, Pod } from '../../../api/objects/objects.js';
import type { PromisedClient } from '../../../bus/bus-types.js';
import type { AutoscalerEvents } from '../autoscaler-events.js';
import type { AutoscalerMetrics } from '../autoscaler-metrics.js';
import type { AutoscalerSettings } from '../autoscaler-settings.js';
import { isDaemonSetPod, isMirrorPod } from '../pod-traits.js';

const RETRY_MS = 10_000;
const LOOK_AGAIN_MS = 5000;
/** Beyond the grace of pods. */
const HEADROOM_MS = 30_000;
const DEFAULT_GRACE_SECONDS = 30;
const EVICTS_DAEMONS = 'cluster-autoscaler.kubernetes.io/enable-ds-eviction';

/** What a drain is done with. */
export interface DrainMeans {
  readonly api: PromisedClient;
  readonly settings: AutoscalerSettings;
  readonly events: AutoscalerEvents;
  readonly metrics: AutoscalerMetrics;
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** @throws Error that says which pods would not go */
export async function drainNode(means: DrainMeans, node: Node, pods: readonly Pod[]): Promise<void> {
  const { settings, metrics } = means;
  const moved = pods.filter((pod) => !isMirrorPod(pod) && !isDaemonSetPod(pod));
  const untilMs = means.nowMs() + settings.maxPodEvictionTime;
  const daemons = evictDaemons(means, pods, settings.daemonsetEvictionForOccupiedNodes);
  const failures = (await Promise.all(moved.map((pod) => evict(means, pod, untilMs, true)))).filter(
    (failure) => failure !== undefined,
  );
  await daemons;
  moved.forEach((_pod, index) => metrics.evicted(index >= failures.length));
  const { name } = node.metadata;
  if (failures.length > 0) {
    throw new Error(`Failed to drain node /${name}, due to following errors: [${failures.join(' ')}]`);
  }
  await waitUntilGone(means, name, moved);
}

/** Daemons get the chance to end in good order; nothing waits for that. */
export async function evictDaemons(means: DrainMeans, pods: readonly Pod[], byDefault: boolean): Promise<void> {
  const untilMs = means.nowMs() + means.settings.maxPodEvictionTime;
  const evicted = pods.filter((pod) => {
    if (isMirrorPod(pod) || !isDaemonSetPod(pod)) return false;
    const wish = pod.metadata.annotations?.[EVICTS_DAEMONS];
    return wish === undefined ? byDefault : wish === 'true';
  });
  await Promise.all(evicted.map((pod) => evict(means, pod, untilMs, false)));
}

/** @returns why it would not go */
async function evict(means: DrainMeans, pod: Pod, untilMs: number, matters: boolean): Promise<string | undefined> {
  const { api, settings, events, nowMs, pause } = means;
  const { name, namespace } = pod.metadata;
  events.of(pod, 'Normal', 'ScaleDown', 'deleting pod for node scale down');
  const own = pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  const most = settings.maxGracefulTerminationSec;
  const gracePeriodSeconds = most > 0 ? Math.min(own, most) : own;
  let last = '';
  for (let isFirst = true; isFirst || nowMs() < untilMs; isFirst = false) {
    try {
      await api.evict({
        metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
        deleteOptions: { gracePeriodSeconds },
      });
      return undefined;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      last = error instanceof Error ? error.message : String(error);
    }
    await pause(RETRY_MS);
  }
  if (matters) events.of(pod, 'Warning', 'ScaleDownFailed', 'failed to delete pod for ScaleDown');
  return `failed to evict pod ${namespace ?? ''}/${name} within allowed timeout (last error: ${last})`;
}

async function waitUntilGone(means: DrainMeans, node: string, pods: readonly Pod[]): Promise<void> {
  const { settings, nowMs, pause } = means;
  const untilMs = nowMs() + settings.maxGracefulTerminationSec * 1000 + HEADROOM_MS;
  while (nowMs() < untilMs) {
    if (await areGone(means, node, pods)) return;
    await pause(LOOK_AGAIN_MS);
  }
  throw new Error(`Failed to drain node /${node}: pods remaining after timeout`);
}

async function areGone({ api }: DrainMeans, node: string, pods: readonly Pod[]): Promise<boolean> {
  for (const { metadata } of pods) {
    try {
      const { spec } = await api.get('Pod', metadata);
      if (spec.nodeName === node) return false;
    } catch (error) {
      if (!isApiError(error, 'NotFound')) return false;
    }
  }
  return true;
}
