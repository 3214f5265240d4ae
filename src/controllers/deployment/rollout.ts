import type { ReplicaSet } from '../../api/objects/objects.js';
import { isApiError } from '../../api/errors/api-error.js';
import { byRevision } from './annotations.js';
import { allOf, isComplete, type ReplicaSets } from './deployment-status.js';
import type { DeploymentSync } from './deployment-sync.js';
import {
  activeOf,
  byCreation,
  maxScaledDownOf,
  maxUnavailableOf,
  newReplicasOf,
  replicasOf,
  sumOfAvailable,
  sumOfPods,
  sumOfWishes,
} from './rolling-arithmetic.js';

/** One step of a rolling update: up if there is room, else down if enough pods are available. */
export async function rollOver(
  sync: DeploymentSync,
  sets: ReplicaSets & { readonly newest: ReplicaSet },
): Promise<void> {
  const isScaled = (await scaleUpNew(sync, sets)) || (await scaleDownOld(sync, sets));
  if (!isScaled && isComplete(sync.deployment, sync.deployment.status)) await trimHistory(sync, sets.old);
  await sync.syncRolloutStatus(sets);
}

async function scaleUpNew(sync: DeploymentSync, sets: ReplicaSets & { readonly newest: ReplicaSet }): Promise<boolean> {
  const { deployment } = sync;
  const { newest } = sets;
  const [desired, present] = [replicasOf(deployment), replicasOf(newest)];
  if (present === desired) return false;
  const replicas = present > desired ? desired : newReplicasOf(deployment, sumOfWishes(allOf(sets)), present);
  return (await sync.resizeReplicaSet(newest, replicas)) !== undefined;
}

async function scaleDownOld(
  sync: DeploymentSync,
  sets: ReplicaSets & { readonly newest: ReplicaSet },
): Promise<boolean> {
  const old = activeOf(sets.old).sort(byCreation);
  if (old.length === 0) return false;
  const limit = maxScaledDownOf(sync.deployment, sumOfWishes(allOf(sets)), sets.newest);
  if (limit <= 0) return false;
  const { replicaSets, cleaned } = await cleanUpUnhealthy(sync, old, limit);
  return (await scaleDownHealthy(sync, sets.newest, replicaSets)) + cleaned > 0;
}

/** Pods that are not available go first: removing them costs no capacity. */
async function cleanUpUnhealthy(
  sync: DeploymentSync,
  old: readonly ReplicaSet[],
  limit: number,
): Promise<{ readonly replicaSets: readonly ReplicaSet[]; readonly cleaned: number }> {
  const replicaSets: ReplicaSet[] = [];
  let cleaned = 0;
  for (const replicaSet of old) {
    const size = replicasOf(replicaSet);
    const unhealthy = size - (replicaSet.status.availableReplicas ?? 0);
    const count = Math.min(limit - cleaned, unhealthy);
    if (count <= 0) {
      replicaSets.push(replicaSet);
      continue;
    }
    replicaSets.push((await sync.resizeReplicaSet(replicaSet, size - count)) ?? replicaSet);
    cleaned += count;
  }
  return { replicaSets, cleaned };
}

async function scaleDownHealthy(sync: DeploymentSync, newest: ReplicaSet, old: readonly ReplicaSet[]): Promise<number> {
  const { deployment } = sync;
  const minAvailable = replicasOf(deployment) - maxUnavailableOf(deployment);
  const limit = sumOfAvailable([...old, newest]) - minAvailable;
  let removed = 0;
  for (const replicaSet of old) {
    const count = Math.min(replicasOf(replicaSet), limit - removed);
    if (count <= 0) continue;
    await sync.resizeReplicaSet(replicaSet, replicasOf(replicaSet) - count);
    removed += count;
  }
  return removed;
}

/** Scales all old replica sets to nothing; `true` when one was not there yet. */
export async function scaleDownAll(sync: DeploymentSync, old: readonly ReplicaSet[]): Promise<boolean> {
  let isScaled = false;
  for (const replicaSet of activeOf(old)) {
    if ((await sync.resizeReplicaSet(replicaSet, 0)) !== undefined) isScaled = true;
  }
  return isScaled;
}

/** Whether old replica sets still report pods. */
export function hasOldPods(old: readonly ReplicaSet[]): boolean {
  return sumOfPods(old) > 0;
}

/** Deletes old replica sets beyond the limit, lowest revision first; those that are still in use are skipped. */
export async function trimHistory(sync: DeploymentSync, old: readonly ReplicaSet[]): Promise<void> {
  const { revisionHistoryLimit } = sync.deployment.spec;
  if (revisionHistoryLimit === undefined) return;
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const excess = alive.length - revisionHistoryLimit;
  if (excess <= 0) return;
  alive.sort((left, right) => byRevision(left, right) || byCreation(left, right));
  for (const replicaSet of alive.slice(0, excess)) {
    if (isInUse(replicaSet)) continue;
    await sync.context.api.delete('ReplicaSet', replicaSet.metadata).catch((error: unknown) => {
      if (!isApiError(error, 'NotFound')) throw error;
    });
  }
}

function isInUse(replicaSet: ReplicaSet): boolean {
  const { metadata, status } = replicaSet;
  return (
    status.replicas !== 0 ||
    replicasOf(replicaSet) !== 0 ||
    (metadata.generation ?? 0) > (status.observedGeneration ?? 0)
  );
}
