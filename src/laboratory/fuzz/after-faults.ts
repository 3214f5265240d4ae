/** What is done to a cluster, once its faults are healed, about what upstream leaves as it is. */
import { getCondition, isPodTerminal } from '../../api/objects/conditions.js';
import { controllerOf } from '../../api/objects/owners.js';
import type { Cluster } from '../../cluster/cluster.js';

/** Owners whose failed pods may stay in the way. */
const STICKY_OWNERS = ['ReplicaSet', 'DaemonSet'];

/**
 * As whoever runs a cluster does: upstream's deployment controller looks again at a Recreate update only once no old
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
 * As the events of a cluster do sooner or later: a sync of a budget that fails as the one before it did writes nothing
 * new, and comes back no sooner than the budget or its pods change (sync and failSafe of pkg/controller/disruption,
 * v1.34).
 */
export function touchFailedBudgets(cluster: Cluster): void {
  for (const { metadata, status } of cluster.list('PodDisruptionBudget')) {
    if (getCondition(status.conditions, 'DisruptionAllowed')?.reason !== 'SyncFailed') continue;
    const annotations = { 'example.com/touched-at': String(cluster.nowMs) };
    cluster.patch('PodDisruptionBudget', metadata, { metadata: { annotations } });
  }
}
