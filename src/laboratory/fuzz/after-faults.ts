/** What is done to a cluster, once its faults are healed, about what upstream leaves as it is. */
import { getCondition, isPodTerminal } from '../../api/objects/conditions.js';
import type { Kind, Pod } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import type { Cluster } from '../../cluster/cluster.js';

/** Owners whose failed pods may stay in the way. */
const STICKY_OWNERS = ['ReplicaSet', 'DaemonSet'];
/** Owners that make their pods anew wherever there is room. */
const MOVABLE_OWNERS = ['ReplicaSet', 'ReplicationController'];
/** Owners whose controllers look at them no sooner than they or their pods are seen to change. */
const EXPECTING_OWNERS = [
  'ReplicaSet',
  'ReplicationController',
  'DaemonSet',
  'StatefulSet',
  'Job',
] as const satisfies readonly Kind[];
const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';

/**
 * Changes everything that may wait for a pod of which its controller was told neither that it came nor that it went:
 * upstream's controllers look again once such an expectation has expired and something changes, at the latest at a
 * resync of their informers after 12 to 24 hours (ControllerExpectations, v1.34). Says whether anything may wait so.
 */
export function touchExpectingOwners(cluster: Cluster): boolean {
  const merged = cluster.faults.tally.counts.get('coalesceWatch');
  if (merged === undefined || merged.tookEffect === 0) return false;
  for (const kind of EXPECTING_OWNERS) for (const { metadata } of cluster.list(kind)) touch(cluster, kind, metadata);
  return true;
}

/**
 * Has deployments go on with their update: one that is scaled to as many pods as its only replica set with pods has
 * already takes each sync for one of scaling, for that replica set tells of the old scale for good (scale and
 * isScalingEvent of pkg/controller/deployment, v1.34). Says whether there were any.
 */
export function endScaling(cluster: Cluster): boolean {
  let isAny = false;
  for (const { metadata, spec } of cluster.list('Deployment')) {
    const { replicas = 1 } = spec;
    const sets = cluster.list('ReplicaSet').filter((set) => controllerOf(set)?.uid === metadata.uid);
    const [active, ...others] = sets.filter((set) => (set.spec.replicas ?? 1) > 0);
    if (active === undefined || others.length > 0 || active.spec.replicas !== replicas) continue;
    if (active.metadata.annotations?.[DESIRED_REPLICAS] === String(replicas)) continue;
    cluster.patch('ReplicaSet', active.metadata, {
      metadata: { annotations: { [DESIRED_REPLICAS]: String(replicas) } },
    });
    isAny = true;
  }
  return isAny;
}

/**
 * Stands for what operators do by hand: upstream's deployment controller looks again at a Recreate update only once no old
 * pod is left, and one that has failed stays (deletePod of pkg/controller/deployment, v1.34). A daemon set that surges
 * makes one pod after another on a node that refuses them, and gives up one of those that have failed every 15 minutes,
 * of which the oldest counts (podsShouldBeOnNode of pkg/controller/daemon). Says whether there were any.
 */
export function removeFailedPods(cluster: Cluster): boolean {
  const failed = cluster
    .list('Pod')
    .filter((pod) => isPodTerminal(pod) && STICKY_OWNERS.includes(controllerOf(pod)?.kind ?? ''));
  for (const { metadata } of failed) cluster.delete('Pod', metadata);
  return failed.length > 0;
}

/**
 * Stands for what operators do by hand: a pod that may run on one node alone waits for good where that node is full of pods
 * that could run elsewhere, such as those that came while the other nodes were gone. They are moved, and what has a
 * higher priority, and would come back, is given up. Says whether there were any.
 */
export function makeRoomForPinnedPods(cluster: Cluster): boolean {
  const waitingOn = new Map<string, number>();
  for (const { spec, status } of cluster.list('Pod')) {
    const node = onlyNodeOf(spec);
    if (node === undefined || getCondition(status.conditions, 'PodScheduled')?.reason !== 'Unschedulable') continue;
    waitingOn.set(node, Math.max(waitingOn.get(node) ?? -Infinity, spec.priority ?? 0));
  }
  const inTheWay = cluster
    .list('Pod')
    .filter((pod) => waitingOn.has(pod.spec.nodeName ?? '') && !isPodTerminal(pod) && isMovable(pod));
  for (const pod of inTheWay) {
    const { spec, metadata } = pod;
    cluster.delete('Pod', metadata);
    const set = controllerOf(pod);
    const isHigher = (spec.priority ?? 0) > (waitingOn.get(spec.nodeName ?? '') ?? 0);
    if (isHigher && set?.kind === 'ReplicaSet')
      cluster.scale('ReplicaSet', { namespace: metadata.namespace, name: set.name }, 0);
  }
  return inTheWay.length > 0;
}

/** The node that a pod names as the only one for it; absent = it may run on others as well. */
function onlyNodeOf({ affinity, nodeSelector }: Pod['spec']): string | undefined {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const named = terms?.[0]?.matchFields?.find(({ key }) => key === 'metadata.name')?.values?.[0];
  return named ?? nodeSelector?.['kubernetes.io/hostname'];
}

function isMovable(pod: Pod): boolean {
  return MOVABLE_OWNERS.includes(controllerOf(pod)?.kind ?? '') && onlyNodeOf(pod.spec) === undefined;
}

/**
 * As the events of a cluster do sooner or later: a sync of a budget that fails as the one before it did writes nothing
 * new, and comes back no sooner than the budget or its pods change (sync and failSafe of pkg/controller/disruption,
 * v1.34).
 */
export function touchFailedBudgets(cluster: Cluster): void {
  for (const { metadata, status } of cluster.list('PodDisruptionBudget')) {
    if (getCondition(status.conditions, 'DisruptionAllowed')?.reason !== 'SyncFailed') continue;
    touch(cluster, 'PodDisruptionBudget', metadata);
  }
}

/**
 * As the events of a cluster do sooner or later: the deployment controller gives a key up after 15 syncs in a row that
 * failed, and looks again when the deployment or its replica sets change (maxRetries of pkg/controller/deployment,
 * v1.34). Says whether there may be any.
 */
export function touchUnfinishedDeployments(cluster: Cluster): boolean {
  const unfinished = cluster
    .list('Deployment')
    .filter(({ spec, status }) => (status.availableReplicas ?? 0) < (spec.replicas ?? 1));
  for (const { metadata } of unfinished) touch(cluster, 'Deployment', metadata);
  return unfinished.length > 0;
}

function touch(cluster: Cluster, kind: Kind, name: { readonly namespace?: string; readonly name: string }): void {
  cluster.patch(kind, name, { metadata: { annotations: { 'example.com/touched-at': String(cluster.nowMs) } } });
}
