/** What of pods matters to the autoscaler. Mirrors cluster-autoscaler v1.34 `utils/pod` and `utils/drain`. */
import { getCondition } from '../../api/objects/conditions.js';
import type { core, OwnerReference, Pod } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';

const MIRROR = 'kubernetes.io/config.mirror';
const SOURCE = 'kubernetes.io/config.source';
const DAEMON_SET_POD = 'cluster-autoscaler.kubernetes.io/daemonset-pod';
const SAFE_TO_EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
const SAFE_LOCAL_VOLUMES = 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes';
const GPUS: readonly string[] = ['nvidia.com/gpu', 'amd.com/gpu', 'microsoft.com/directx'];
const DEFAULT_GRACE_SECONDS = 30;
/** How long a pod may end beyond its grace before it counts as gone. */
const LONG_TERMINATING_MS = 30_000;

export function controllerRefOf({ metadata: { ownerReferences } }: Pod): OwnerReference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true);
}

export function isMirrorPod({ metadata: { annotations } }: Pod): boolean {
  return annotations?.[MIRROR] !== undefined;
}

function isStaticPod({ metadata: { annotations } }: Pod): boolean {
  const source = annotations?.[SOURCE];
  return source !== undefined && source !== 'api';
}

export function isDaemonSetPod(pod: Pod): boolean {
  return controllerRefOf(pod)?.kind === 'DaemonSet' || pod.metadata.annotations?.[DAEMON_SET_POD] === 'true';
}

/** Its controller makes it anew elsewhere. */
export function isRecreatable(pod: Pod): boolean {
  return !isStaticPod(pod) && !isMirrorPod(pod) && !isDaemonSetPod(pod);
}

export function isSafeToEvict(pod: Pod): boolean {
  return pod.metadata.annotations?.[SAFE_TO_EVICT] === 'true';
}

export function isNotSafeToEvict(pod: Pod): boolean {
  return pod.metadata.annotations?.[SAFE_TO_EVICT] === 'false';
}

export function asksForGpu({ spec: { containers } }: Pod): boolean {
  return containers.some(({ resources }) => GPUS.some((name) => resources?.requests?.[name] !== undefined));
}

/** Whether it will never run again. */
export function isTerminal({ spec: { restartPolicy }, status: { phase } }: Pod): boolean {
  if (restartPolicy === 'Never' && phase === 'Succeeded') return true;
  if (restartPolicy === 'OnFailure' && phase === 'Succeeded') return true;
  return phase === 'Failed';
}

export function hasBlockingLocalStorage({ metadata: { annotations }, spec: { volumes = [] } }: Pod): boolean {
  const harmless = (annotations?.[SAFE_LOCAL_VOLUMES] ?? '').split(',');
  return volumes.some((volume) => isLocal(volume) && !harmless.includes(volume.name));
}

function isLocal({ hostPath, emptyDir }: core.Volume): boolean {
  return hostPath !== undefined || (emptyDir !== undefined && emptyDir.medium !== 'Memory');
}

/** Whether it has been ending for so long that it counts as gone. */
export function isLongTerminating({ metadata, spec }: Pod, nowMs: number, timestamps: Timestamps): boolean {
  const { deletionTimestamp } = metadata;
  if (deletionTimestamp === undefined) return false;
  const graceMs = (spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * 1000;
  return timestamps.toMs(deletionTimestamp) + graceMs + LONG_TERMINATING_MS < nowMs;
}

/** Whether the scheduler has found no place for it. */
export function isUnschedulable({ metadata, spec, status }: Pod): boolean {
  if ((spec.nodeName ?? '') !== '' || metadata.deletionTimestamp !== undefined) return false;
  const condition = getCondition(status.conditions, 'PodScheduled');
  return condition?.status === 'False' && condition.reason === 'Unschedulable';
}

export function isExpendable({ spec: { priority } }: Pod, cutoff: number): boolean {
  return priority !== undefined && priority < cutoff;
}
