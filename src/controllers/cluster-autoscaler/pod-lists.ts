/** Which pods are to be helped by more nodes. Mirrors cluster-autoscaler v1.34 `core/podlistprocessor`. */
import { parseDurationMs } from '../../kernel/distribution.js';
import type { Pod } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { AutoscalerMemory } from './autoscaler-memory.js';
import type { AutoscalerSettings } from './autoscaler-settings.js';
import type { DeletionTracker } from './scale-down/deletion-tracker.js';
import type { HintedPlacement } from './hinted-placement.js';
import { asksForGpu, isDaemonSetPod, isExpendable, isRecreatable } from './pod-traits.js';

const SCALE_UP_DELAY = 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay';
/** More pods may be about to come. */
const BUFFER_MS = 2000;
const GPU_BUFFER_MS = 30_000;

/** What the list is made of. */
export interface PodListMeans {
  readonly memory: AutoscalerMemory;
  readonly settings: AutoscalerSettings;
  readonly deletions: DeletionTracker;
  readonly hints: HintedPlacement;
  readonly timestamps: Timestamps;
}

/** Pods without a place, but for those that have one in the picture; these are put there, and stay. */
export function podsToHelp({ memory, settings, deletions, hints, timestamps }: PodListMeans): readonly Pod[] {
  const { placement, nowMs } = memory;
  const waiting = memory.pending.filter((pod) => {
    if (isExpendable(pod, settings.expendablePodsPriorityCutoff)) return false;
    const { nominatedNodeName = '' } = pod.status;
    if (nominatedNodeName === '' || !placement.has(nominatedNodeName)) return true;
    // It gets its place once others have made room.
    placement.put(pod, nominatedNodeName);
    return false;
  });
  // Pods of nodes that are on their way out need a place as well.
  const moved = [...deletions.drained].flatMap((node) =>
    (placement.find(node)?.pods ?? [])
      .filter((pod) => isRecreatable(pod) && pod.metadata.deletionTimestamp === undefined)
      .map(asNew),
  );
  const byPriority = [...waiting, ...moved].sort((one, other) => (other.spec.priority ?? 0) - (one.spec.priority ?? 0));
  const placed = new Set(hints.place(placement, byPriority, () => true, false).map(({ pod }) => pod));
  hints.forgetOld();
  return byPriority.filter((pod) => {
    if (placed.has(pod) || isDaemonSetPod(pod)) return false;
    const wish = parseDurationMs(pod.metadata.annotations?.[SCALE_UP_DELAY] ?? '') ?? 0;
    const delayMs = Math.max(settings.newPodScaleUpDelay, wish);
    return nowMs - timestamps.toMs(pod.metadata.creationTimestamp) > delayMs;
  });
}

/** Whether more pods may be about to come, so that it is worth to wait. */
export function areAllNew(pods: readonly Pod[], nowMs: number, timestamps: Timestamps): boolean {
  const oldestOf = (some: readonly Pod[]): number =>
    some.reduce((oldest, { metadata }) => Math.min(oldest, timestamps.toMs(metadata.creationTimestamp)), nowMs);
  if (oldestOf(pods) + BUFFER_MS > nowMs) return true;
  const onGpus = pods.filter(asksForGpu);
  return onGpus.length > 0 && oldestOf(onGpus) + GPU_BUFFER_MS > nowMs;
}

/** The pod that a controller would make in the place of one. */
function asNew(pod: Pod): Pod {
  const { name, uid } = pod.metadata;
  return {
    ...pod,
    metadata: { ...pod.metadata, name, uid: `${uid}/again` },
    spec: { ...pod.spec, nodeName: '' },
  };
}
