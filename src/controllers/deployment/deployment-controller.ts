/**
 * The deployment controller: for each template of a Deployment a replica set, and a rollout from the
 * old ones to the new one that keeps enough pods available. It creates replica sets and never pods.
 * Mirrors kube-controller-manager v1.34 pkg/controller/deployment.
 */
import { compileLabelSelector } from '../../api/selectors/labels.js';
import type { Deployment, ReplicaSet } from '../../api/objects/objects.js';
import { adoptAndRelease } from '../shared/adoption.js';
import { controllerOf } from '../../api/objects/owners.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { ROLLBACK_TO } from './annotations.js';
import { conditionOf } from './conditions.js';
import { DeploymentMemory } from './deployment-memory.js';
import { hasDeadline, isComplete, type ReplicaSets } from './deployment-status.js';
import { DeploymentSync } from './deployment-sync.js';
import { syncRevision } from './new-replica-set.js';
import { rollBack } from './rollback.js';
import { isRollingUpdate, replicasOf } from './rolling-arithmetic.js';
import { hasOldPods, rollOver, scaleDownAll, trimHistory } from './rollout.js';
import { isScalingEvent, scale } from './scaling.js';

/** See the file header. */
export const deploymentController = defineController({
  name: 'deployment-controller',
  maxRetries: 15,
  setup: (context) => new DeploymentMemory(context),
  reconcile(context, key, memory) {
    const deployment = memory.deployments.getByKey(key);
    if (deployment === undefined) return context.queue.drop(key);
    return syncDeployment(new DeploymentSync(context, key, deployment), memory);
  },
});

async function syncDeployment(sync: DeploymentSync, memory: DeploymentMemory): Promise<void> {
  const { deployment } = sync;
  if (compileLabelSelector(deployment.spec.selector).isEmpty) return refuseToSelectAll(sync);
  const owned = await replicaSetsOf(sync.context, deployment, memory);
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return sync.syncStatus(await syncRevision(sync, owned, undefined));
  }
  await notePause(sync);
  if (deployment.spec.paused === true) return followScale(sync, owned);
  if (deployment.metadata.annotations?.[ROLLBACK_TO] !== undefined) return rollBack(sync, owned);
  if (isScalingEvent(deployment, owned)) return followScale(sync, owned);
  if (!isRollingUpdate(deployment)) return recreate(sync, owned, memory);
  return rollOver(sync, await withNewest(sync, owned, memory));
}

async function refuseToSelectAll(sync: DeploymentSync): Promise<void> {
  const { deployment } = sync;
  const message = 'This deployment is selecting all pods. A non-empty selector is required.';
  sync.context.recorder.record(deployment, 'Warning', 'SelectingAll', message);
  const { generation = 0 } = deployment.metadata;
  if ((deployment.status.observedGeneration ?? 0) >= generation) return;
  sync.deployment = { ...deployment, status: { ...deployment.status, observedGeneration: generation } };
  await sync.putStatus();
}

/** Replica sets that are the Deployment's, after adoption of orphans and release of strangers. */
async function replicaSetsOf(
  context: ControllerContext,
  owner: Deployment,
  memory: DeploymentMemory,
): Promise<ReplicaSet[]> {
  const candidates = [...memory.replicaSetsOf(owner), ...memory.orphansIn(owner.metadata.namespace)];
  const selector = compileLabelSelector(owner.spec.selector);
  if (candidates.every(({ metadata }) => controllerOf({ metadata }) !== undefined && selector.matches(metadata.labels)))
    return candidates;
  return adoptAndRelease(
    { api: context.api, owner, ownerKind: 'Deployment', kind: 'ReplicaSet', selector },
    candidates,
  );
}

/** A pause and its end are told in the Progressing condition, unless the rollout has timed out. */
async function notePause(sync: DeploymentSync): Promise<void> {
  const { deployment } = sync;
  const reason = conditionOf(deployment.status, 'Progressing')?.reason;
  if (!hasDeadline(deployment) || reason === 'ProgressDeadlineExceeded') return;
  const isPaused = deployment.spec.paused === true;
  if (isPaused === (reason === 'DeploymentPaused')) return;
  if (isPaused) sync.setProgress('Unknown', 'DeploymentPaused', 'Deployment is paused');
  else sync.setProgress('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  await sync.putStatus();
}

async function followScale(sync: DeploymentSync, owned: readonly ReplicaSet[]): Promise<void> {
  const sets = await syncRevision(sync, owned, undefined);
  await scale(sync, sets);
  const { metadata, spec } = sync.deployment;
  if (spec.paused === true && metadata.annotations?.[ROLLBACK_TO] === undefined) await trimHistory(sync, sets.old);
  await sync.syncStatus(sets);
}

async function recreate(sync: DeploymentSync, owned: readonly ReplicaSet[], memory: DeploymentMemory): Promise<void> {
  const before = await syncRevision(sync, owned, undefined);
  const isWaiting =
    (await scaleDownAll(sync, before.old)) || hasOldPods(before.old) || memory.hasRunningPods(owned, before.newest);
  if (isWaiting) return sync.syncRolloutStatus(before);
  const { newest } = before;
  const sets = newest === undefined ? await withNewest(sync, owned, memory) : { ...before, newest };
  await sync.resizeReplicaSet(sets.newest, replicasOf(sync.deployment));
  if (isComplete(sync.deployment, sync.deployment.status)) await trimHistory(sync, sets.old);
  return sync.syncRolloutStatus(sets);
}

async function withNewest(
  sync: DeploymentSync,
  owned: readonly ReplicaSet[],
  memory: DeploymentMemory,
): Promise<ReplicaSets & { readonly newest: ReplicaSet }> {
  const { newest, old } = await syncRevision(sync, owned, memory.replicaSets);
  return { newest: newest as ReplicaSet, old };
}
