import type { Deployment, ReplicaSet } from '../../api/objects/objects.js';
import { POD_TEMPLATE_HASH, areTemplatesEqual } from '../../api/go/template-hash.js';
import { byRevision, ROLLBACK_TO, revisionOf, rollbackAnnotations } from './annotations.js';
import type { DeploymentSync } from './deployment-sync.js';
import type { EventType } from '../../bus/bus-types.js';

/** Goes back to the template of the revision that the annotation names (0 = the one before), and drops it. */
export async function rollBack(sync: DeploymentSync, owned: readonly ReplicaSet[]): Promise<void> {
  const { deployment } = sync;
  const [wished] = /^[+-]?\d+/.exec(deployment.metadata.annotations?.[ROLLBACK_TO]?.trim() ?? '') ?? [];
  if (wished === undefined) return;
  const named = BigInt(wished.replace('+', ''));
  const revision = named === 0n ? lastRevision(owned) : named;
  if (revision === 0n) {
    tell(sync, 'Warning', 'DeploymentRollbackRevisionNotFound', 'Unable to find last revision.');
    return dropAnnotation(sync, (current) => current);
  }
  const target = owned.find((replicaSet) => revisionOf(replicaSet) === revision);
  if (target === undefined) {
    tell(sync, 'Warning', 'DeploymentRollbackRevisionNotFound', 'Unable to find the revision to rollback to.');
    return dropAnnotation(sync, (current) => current);
  }
  if (areTemplatesEqual(deployment.spec.template, target.spec.template)) {
    const message = `The rollback revision contains the same template as current deployment "${deployment.metadata.name}"`;
    tell(sync, 'Warning', 'DeploymentRollbackTemplateUnchanged', message);
    return dropAnnotation(sync, (current) => current);
  }
  await dropAnnotation(sync, (current) => withTemplateOf(current, target));
  tell(
    sync,
    'Normal',
    'DeploymentRollback',
    `Rolled back deployment "${deployment.metadata.name}" to revision ${revision}`,
  );
}

/** The second highest revision; 0 when there is none. */
function lastRevision(owned: readonly ReplicaSet[]): bigint {
  const [, second] = owned.toSorted((left, right) => byRevision(right, left));
  return second === undefined ? 0n : revisionOf(second);
}

function withTemplateOf(deployment: Deployment, replicaSet: ReplicaSet): Deployment {
  const { template } = replicaSet.spec;
  const { [POD_TEMPLATE_HASH]: _hash, ...labels } = template.metadata?.labels ?? {};
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: rollbackAnnotations(deployment, replicaSet) },
    spec: { ...deployment.spec, template: { ...template, metadata: { ...template.metadata, labels } } },
  };
}

async function dropAnnotation(sync: DeploymentSync, change: (current: Deployment) => Deployment): Promise<void> {
  const { uid, resourceVersion } = sync.deployment.metadata;
  const drop = (current: Deployment): Deployment => {
    const changed = change(current);
    const { [ROLLBACK_TO]: _wish, ...annotations } = changed.metadata.annotations ?? {};
    return { ...changed, metadata: { ...changed.metadata, annotations } };
  };
  await sync.context.api.change('Deployment', sync.deployment.metadata, drop, {
    preconditions: { uid, resourceVersion },
  });
}

function tell(sync: DeploymentSync, type: EventType, reason: string, message: string): void {
  sync.context.recorder.record(sync.deployment, type, reason, message);
}
