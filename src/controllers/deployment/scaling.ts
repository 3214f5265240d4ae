import type { Deployment, ReplicaSet } from '../../api/objects/objects.js';
import { desiredReplicasOf } from './annotations.js';
import { allOf, type ReplicaSets } from './deployment-status.js';
import type { DeploymentSync } from './deployment-sync.js';
import {
  activeOf,
  byCreation,
  isRollingUpdate,
  isSaturated,
  proportionalShares,
  replicasOf,
} from './rolling-arithmetic.js';

/** Whether the scale was changed since an active replica set was last scaled. */
export function isScalingEvent(deployment: Deployment, owned: readonly ReplicaSet[]): boolean {
  const replicas = replicasOf(deployment);
  return activeOf(owned).some((replicaSet) => {
    const desired = desiredReplicasOf(replicaSet);
    return desired !== undefined && desired !== replicas;
  });
}

/** Follows a change of scale without rolling anything out. */
export async function scale(sync: DeploymentSync, sets: ReplicaSets): Promise<void> {
  const { deployment } = sync;
  const only = activeOrLatest(sets);
  if (only !== undefined) {
    await sync.resizeReplicaSet(only, replicasOf(deployment));
    return;
  }
  if (isSaturated(deployment, sets.newest)) {
    for (const replicaSet of activeOf(sets.old)) {
      await sync.resizeReplicaSet(replicaSet, 0);
    }
    return;
  }
  if (!isRollingUpdate(deployment)) return;
  for (const { replicaSet, replicas } of proportionalShares(deployment, activeOf(allOf(sets)))) {
    await sync.scaleReplicaSet(replicaSet, replicas);
  }
}

/** The one active replica set; when none is, the new one, else the latest; `undefined` when several are. */
function activeOrLatest(sets: ReplicaSets): ReplicaSet | undefined {
  const active = activeOf(allOf(sets));
  if (active.length > 1) return undefined;
  return active[0] ?? sets.newest ?? [...sets.old].sort((left, right) => byCreation(right, left))[0];
}
