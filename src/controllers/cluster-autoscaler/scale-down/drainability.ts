/**
 * Which pods leave a node when it goes, and which keep it. The rules stand in upstream's order: one that says nothing
 * leaves it to the next. Mirrors cluster-autoscaler v1.34 `simulator/drainability`.
 */
import type { Pod } from '../../../api/objects/objects.js';
import type { Timestamps } from '../../../kernel/timestamps.js';
import type { AutoscalerSettings } from '../autoscaler-settings.js';
import {
  controllerRefOf,
  hasBlockingLocalStorage,
  isDaemonSetPod,
  isLongTerminating,
  isMirrorPod,
  isNotSafeToEvict,
  isSafeToEvict,
  isTerminal,
} from '../pod-traits.js';
import type { RemainingBudgets } from './remaining-budgets.js';

/** Why a pod keeps its node, in upstream's words. */
export type BlockingReason =
  | 'ControllerNotFound'
  | 'MinReplicasReached'
  | 'NotReplicated'
  | 'LocalStorageRequested'
  | 'NotSafeToEvictAnnotation'
  | 'UnmovableKubeSystemPod'
  | 'NotEnoughPdb';

/** What is to be done with the pods of a node. */
export type PodsToMove =
  | { readonly pods: readonly Pod[]; readonly daemonPods: readonly Pod[] }
  | { readonly blocking: Pod; readonly reason: BlockingReason; readonly message: string };

/** What the rules look at. */
export interface DrainContext {
  readonly settings: AutoscalerSettings;
  readonly timestamps: Timestamps;
  readonly nowMs: number;
  readonly budgets: RemainingBudgets;
  /** Owners by kind, namespace and name; absent = they are taken to be there. */
  readonly owner?: (
    kind: string,
    namespace: string | undefined,
    name: string,
  ) => { readonly spec?: object } | undefined;
}

type Verdict = 'drain' | 'skip' | readonly [BlockingReason, string] | undefined;

const KNOWN_OWNERS = ['ReplicationController', 'ReplicaSet', 'StatefulSet', 'Job'];
const OWNER_WORDS: Readonly<Record<string, string>> = {
  ReplicationController: 'replication controller',
  ReplicaSet: 'replication controller',
  StatefulSet: 'statefulset',
  Job: 'job',
  DaemonSet: 'daemonset',
};

/** See the file header. */
export function podsToMove(pods: readonly Pod[], context: DrainContext): PodsToMove {
  const moved: Pod[] = [];
  const daemonPods: Pod[] = [];
  for (const pod of pods) {
    const verdict = verdictOn(pod, context);
    if (verdict === 'skip') continue;
    if (verdict !== 'drain' && verdict !== undefined) {
      return { blocking: pod, reason: verdict[0], message: verdict[1] };
    }
    (isDaemonSetPod(pod) ? daemonPods : moved).push(pod);
  }
  return { pods: moved, daemonPods };
}

function verdictOn(pod: Pod, context: DrainContext): Verdict {
  const { settings, timestamps, nowMs, budgets } = context;
  if (isMirrorPod(pod) || isLongTerminating(pod, nowMs, timestamps)) return 'skip';
  if (settings.skipNodesWithCustomControllerPods) {
    const owner = ownerVerdict(pod, context);
    if (owner !== undefined) return owner;
  }
  if (isDaemonSetPod(pod) || isSafeToEvict(pod) || isTerminal(pod)) return 'drain';
  const { name, namespace = '' } = pod.metadata;
  const kind = controllerRefOf(pod)?.kind;
  const isReplicated =
    kind !== undefined && (!settings.skipNodesWithCustomControllerPods || KNOWN_OWNERS.includes(kind));
  if (!isReplicated) return ['NotReplicated', `${namespace}/${name} is not replicated`];
  const allowed = budgets.allowedFor(pod);
  if (settings.skipNodesWithSystemPods && namespace === 'kube-system' && allowed.length === 0) {
    const createdMs = timestamps.toMs(pod.metadata.creationTimestamp);
    if (nowMs > createdMs + settings.blockingSystemPodDistruptionTimeout) return 'drain';
    const text = `non-daemonset, non-mirrored, non-pdb-assigned kube-system pod present: ${name}`;
    return ['UnmovableKubeSystemPod', text];
  }
  if (isNotSafeToEvict(pod)) {
    return ['NotSafeToEvictAnnotation', `pod annotated as not safe to evict present: ${name}`];
  }
  if (settings.skipNodesWithLocalStorage && hasBlockingLocalStorage(pod)) {
    return ['LocalStorageRequested', `pod with local storage present: ${name}`];
  }
  if (allowed.some((each) => each < 1)) {
    return ['NotEnoughPdb', `not enough pod disruption budget to move ${namespace}/${name}`];
  }
  return undefined;
}

/** Whether the owner is there, and is large enough. */
function ownerVerdict(pod: Pod, { owner, settings }: DrainContext): Verdict {
  const ref = controllerRefOf(pod);
  if (owner === undefined || ref === undefined) return undefined;
  const { kind } = ref;
  if (kind !== 'DaemonSet' && !KNOWN_OWNERS.includes(kind)) return undefined;
  const { name, namespace = '' } = pod.metadata;
  const found = owner(kind, pod.metadata.namespace, ref.name);
  const who = `${OWNER_WORDS[kind] ?? ''} for ${namespace}/${name}`;
  if (found === undefined) return ['ControllerNotFound', `${who} is not available`];
  if (kind !== 'ReplicaSet' && kind !== 'ReplicationController') return undefined;
  const { replicas } = (found.spec ?? {}) as { readonly replicas?: number };
  if (replicas === undefined || replicas >= settings.minReplicaCount) return undefined;
  return ['MinReplicasReached', `${who} has too few replicas spec: ${replicas} min: ${settings.minReplicaCount}`];
}
