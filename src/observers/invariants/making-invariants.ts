/** What controllers promise of the pods that they make: in what order, how many, and beside which others. */
import { isPodReady, isPodTerminal } from '../../api/objects/conditions.js';
import {
  keyOf,
  type Deployment,
  type Job,
  type Pod,
  type ReplicaSet,
  type StatefulSet,
} from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { areCalm, isOfManager } from './calm.js';
import type { Finding, Invariant, World, Write } from './invariant.js';
import { isMeantForFormer } from './released-node.js';
import { serves, type KnownPod } from '../registers/pod-register.js';

/** Caches show within that time what is stored, where nothing is in the way. */
const SHOWN_MS = 5000;
const CALM_MS = 30_000;
/** A controller waits no longer than that for pods that it has made. */
const EXPECTED_MS = 5 * 60_000;
/** A manager that runs a controller once more, by mistake. */
const SECOND_INSTANCE = /^kube-controller-manager\/\d+$/;
const REVISION_LABEL = 'controller-revision-hash';
const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';

/** One after the other: when a pod is made, or replaced for an update, all those before it are ready. */
const setsInOrder: Invariant = {
  name: 'sets-in-order',
  promise:
    'a stateful set in order makes a pod when those before it are ready, and updates one when those after it are',
  onWrite: {
    Pod: (write, world) => {
      const { object, by } = write;
      const isNew = write.type === 'ADDED';
      if (!isOfManager(by) || !(isNew || isTakenForUpdate(write, world))) return undefined;
      const set = stateOf(object, world);
      if (set === undefined || !areCalm(world, ['statefulset-controller'], CALM_MS)) return undefined;
      if (isNew && set.spec.podManagementPolicy === 'Parallel') return undefined;
      // What is of the revision that the set goes to already is taken for another reason.
      if (!isNew && object.metadata.labels?.[REVISION_LABEL] === set.status.updateRevision) return undefined;
      if (isNew && world.nowMs - (world.servingGoneMs(set.metadata.uid) ?? 0) < SHOWN_MS) return undefined;
      const own = ordinalOf(object.metadata.name);
      const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
      if (!isNew && own < partition) {
        return found(set, `replaces ${object.metadata.name}, which is below its partition of ${partition}`);
      }
      const text = unreadyBeside(object, set, { world, isNew });
      return text === undefined
        ? undefined
        : found(set, `${isNew ? 'makes' : 'replaces'} ${object.metadata.name}, and ${text}`);
    },
  },
};

/** First all old pods go. */
const recreateWaits: Invariant = {
  name: 'recreate-waits',
  promise: 'a deployment that recreates makes no new pod while an old one is there',
  onWrite: {
    Pod: ({ type, object, by }, world) => {
      const set = type === 'ADDED' && isOfManager(by) ? replicaSetOf(object, world) : undefined;
      const deployment = set && deploymentOf(set, world);
      if (set === undefined || deployment?.spec.strategy?.type !== 'Recreate') return undefined;
      if (!areCalm(world, ['deployment-controller', 'replicaset-controller'], CALM_MS)) return undefined;
      for (const sibling of replicaSetsOf(deployment, world)) {
        if (sibling.metadata.uid === set.metadata.uid) continue;
        for (const { pod, createdMs } of world.podsOf(sibling.metadata.uid)) {
          if (isPodTerminal(pod) || world.nowMs - createdMs < SHOWN_MS) continue;
          const text = `makes ${object.metadata.name} while ${pod.metadata.name} is there`;
          return { object: `Deployment ${keyOf(deployment)}`, text };
        }
      }
      return undefined;
    },
  },
};

/** Judged by the sum of the replica sets' sizes, while the Deployment is not being scaled. */
const surgeKept: Invariant = {
  name: 'surge-kept',
  promise: 'an update wants no more pods than maxSurge allows beside the replicas',
  onWrite: {
    ReplicaSet: ({ object, previous, by }, world) => {
      const wanted = object.spec.replicas ?? 1;
      if (!isOfManager(by) || wanted <= (previous?.spec.replicas ?? 0)) return undefined;
      const deployment = deploymentOf(object, world);
      if (deployment === undefined || deployment.spec.strategy?.type === 'Recreate') return undefined;
      if (!areCalm(world, ['deployment-controller'], CALM_MS)) return undefined;
      const { generation } = deployment.metadata;
      const { replicas = 1, strategy } = deployment.spec;
      const sets = replicaSetsOf(deployment, world).filter(({ spec }) => (spec.replicas ?? 1) > 0);
      const isScaled = sets.some(({ metadata }) => metadata.annotations?.[DESIRED_REPLICAS] !== String(replicas));
      if (isScaled || deployment.status.observedGeneration !== generation) return undefined;
      const { maxSurge = '25%' } = strategy?.rollingUpdate ?? {};
      const surge =
        typeof maxSurge === 'number' ? maxSurge : Math.ceil((Number.parseInt(maxSurge, 10) * replicas) / 100);
      const total = sets.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
      // Where neither is allowed one may be missing, and none may be too many.
      if (total <= replicas + surge) return undefined;
      return {
        object: `Deployment ${keyOf(deployment)}`,
        text: `wants ${total} pods, and may have ${replicas} and ${surge}`,
      };
    },
  },
};

/** Expectations, as `replicas-expected` has them: judged is what one run of a controller has made itself. */
const oneDaemonANode: Invariant = {
  name: 'one-daemon-a-node',
  promise: 'a daemon set makes no pod for a node beside one of the same template that it has made before',
  onWrite: {
    Pod: ({ type, object, by }, world) => {
      const owner = type === 'ADDED' && isOfManager(by) ? controllerOf(object) : undefined;
      const node = targetOf(object);
      if (owner?.kind !== 'DaemonSet' || node === undefined) return undefined;
      const hash = object.metadata.labels?.[REVISION_LABEL];
      for (const known of madeBySameRun(owner.uid, { by, keeper: 'daemonset-controller', world })) {
        const { pod } = known;
        const isOther = pod.metadata.uid !== object.metadata.uid && targetOf(pod) === node;
        if (!isOther || pod.metadata.labels?.[REVISION_LABEL] !== hash || !isThere(pod)) continue;
        const text = `makes ${object.metadata.name} for ${node} beside ${pod.metadata.name}`;
        return { object: `DaemonSet ${object.metadata.namespace}/${owner.name}`, text };
      }
      return undefined;
    },
  },
};

/** The same of jobs. */
const parallelismKept: Invariant = {
  name: 'parallelism-kept',
  promise: 'a job makes no more pods than it may have at a time, nor than it still needs',
  onWrite: {
    Pod: ({ type, object, by }, world) => {
      const owner = type === 'ADDED' && isOfManager(by) ? controllerOf(object) : undefined;
      if (owner?.kind !== 'Job') return undefined;
      const job = world.find('Job', { namespace: object.metadata.namespace, name: owner.name });
      if (job?.metadata.uid !== owner.uid || !isSeen(job, world, by)) return undefined;
      let made = 0;
      for (const { pod } of madeBySameRun(owner.uid, { by, keeper: 'job-controller', world }))
        if (isThere(pod)) made += 1;
      const { parallelism = 1, completions } = job.spec;
      const needed = completions === undefined ? parallelism : completions - (job.status.succeeded ?? 0);
      const most = Math.min(parallelism, needed);
      if (made <= most) return undefined;
      return { object: `Job ${keyOf(job)}`, text: `has made ${made} pods that run, and may have ${most}` };
    },
  },
};

/** Every invariant of pods that are made. */
export const MAKING_INVARIANTS: readonly Invariant[] = [
  setsInOrder,
  recreateWaits,
  surgeKept,
  oneDaemonANode,
  parallelismKept,
];

function found(set: StatefulSet, text: string): Finding {
  return { object: `StatefulSet ${keyOf(set)}`, text };
}

/** A pod that has not ended, is not evicted, and is to make room for one of another revision. */
function isTakenForUpdate({ type, object, previous }: Write<'Pod'>, world: World): boolean {
  if (type !== 'MODIFIED' || object.metadata.deletionTimestamp === undefined || isPodTerminal(object)) return false;
  if (previous === undefined || previous.metadata.deletionTimestamp !== undefined) return false;
  if (isMeantForFormer(object, world)) return false;
  return object.status.conditions?.some((condition) => condition.type === 'DisruptionTarget') !== true;
}

/** The stateful set of a pod, as long as it wants a pod of that ordinal. */
function stateOf({ metadata }: Pod, world: World): StatefulSet | undefined {
  const owner = metadata.ownerReferences?.find(({ kind, controller }) => controller === true && kind === 'StatefulSet');
  const set = owner && world.find('StatefulSet', { namespace: metadata.namespace, name: owner.name });
  if (set === undefined || set.metadata.uid !== owner?.uid || set.metadata.deletionTimestamp !== undefined)
    return undefined;
  if (set.status.observedGeneration !== set.metadata.generation) return undefined;
  return ordinalOf(metadata.name) < endOf(set) ? set : undefined;
}

/** The first ordinal that it has no pod of. */
function endOf({ spec }: StatefulSet): number {
  return (spec.ordinals?.start ?? 0) + (spec.replicas ?? 1);
}

/** One that should have been waited for, and has been as it is for long enough to be seen. */
function unreadyBeside(
  { metadata }: Pod,
  set: StatefulSet,
  { world, isNew }: { readonly world: World; readonly isNew: boolean },
): string | undefined {
  const own = ordinalOf(metadata.name);
  const isParallel = set.spec.podManagementPolicy === 'Parallel';
  for (const { pod, changedMs } of world.podsOf(set.metadata.uid)) {
    const ordinal = ordinalOf(pod.metadata.name);
    // Where pods go in parallel an update waits for those alone that the set is to keep (updateStatefulSet, v1.34).
    if (isParallel && ordinal >= endOf(set)) continue;
    if (pod.metadata.uid === metadata.uid || (isNew ? ordinal >= own : ordinal <= own)) continue;
    if (serves(pod) || isPodReady(pod) || world.nowMs - changedMs < SHOWN_MS) continue;
    return `${pod.metadata.name} is not ready`;
  }
  return undefined;
}

function ordinalOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}

function replicaSetOf(pod: Pod, world: World): ReplicaSet | undefined {
  const owner = controllerOf(pod);
  if (owner?.kind !== 'ReplicaSet') return undefined;
  const set = world.find('ReplicaSet', { namespace: pod.metadata.namespace, name: owner.name });
  return set?.metadata.uid === owner.uid ? set : undefined;
}

function deploymentOf(set: ReplicaSet, world: World): Deployment | undefined {
  const owner = controllerOf(set);
  if (owner?.kind !== 'Deployment') return undefined;
  const deployment = world.find('Deployment', { namespace: set.metadata.namespace, name: owner.name });
  return deployment?.metadata.uid === owner.uid ? deployment : undefined;
}

function replicaSetsOf({ metadata: { namespace, uid } }: Deployment, world: World): readonly ReplicaSet[] {
  return world.list('ReplicaSet', { namespace }).filter((set) => controllerOf(set)?.uid === uid);
}

/** The node that a pod is made for. */
function targetOf({ spec }: Pod): string | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms?.[0]?.matchFields?.[0]?.values?.[0];
}

function isThere(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Whether the controller sees a job as it is. */
function isSeen(job: Job, world: World, by: string): boolean {
  const cache = world.caches(by).find(({ kind }) => kind === 'Job')?.objects;
  return cache?.get(job.metadata)?.metadata.resourceVersion === job.metadata.resourceVersion;
}

/** Pods of an owner that the maker of another one must know of: it has made them in this run. */
function* madeBySameRun(
  owner: string,
  { by, keeper, world }: { readonly by: string; readonly keeper: string; readonly world: World },
): Iterable<KnownPod> {
  const [steadyMs, workingMs] = [world.steadySinceMs(by), world.workingSinceMs(keeper)];
  if (steadyMs === undefined || workingMs === undefined) return;
  // Two that work at once know nothing of each other's pods.
  if (world.caches().some(({ party }) => SECOND_INSTANCE.test(party))) return;
  const sinceMs = Math.max(steadyMs, workingMs, world.nowMs - EXPECTED_MS);
  for (const known of world.podsOf(owner)) if (known.createdBy === by && known.createdMs > sinceMs) yield known;
}
