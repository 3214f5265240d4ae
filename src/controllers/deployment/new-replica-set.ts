import { isApiError } from '../../api/errors/api-error.js';
import type { Deployment, DraftOf, ReplicaSet } from '../../api/objects/objects.js';
import { templateHash, areTemplatesEqual } from '../../api/go/template-hash.js';
import type { Lister } from '../../bus/bus-types.js';
import { controllerOf, controllerReference } from '../../api/objects/owners.js';
import { isNamespaceTerminating } from '../runtime/session.js';
import { maxRevisionOf, REVISION, withRevision, withScale } from './annotations.js';
import { conditionOf } from './conditions.js';
import { hasDeadline, type ReplicaSets } from './deployment-status.js';
import type { DeploymentSync } from './deployment-sync.js';
import { maxSurgeOf, newReplicasOf, replicasOf, sumOfWishes } from './rolling-arithmetic.js';
import { findNewReplicaSet, replicaSetName, selectorWithHash, templateWithHash } from './template.js';

/**
 * Tells the new replica set from the old ones and brings its revision, and the Deployment's, up to date;
 * creates it if it is missing and `replicaSets` is there, in which a taken name is looked up.
 */
export async function syncRevision(
  sync: DeploymentSync,
  owned: readonly ReplicaSet[],
  replicaSets: Lister<'ReplicaSet'> | undefined,
): Promise<ReplicaSets> {
  const found = findNewReplicaSet(sync.deployment, owned);
  const old = found === undefined ? owned : owned.filter(({ metadata }) => metadata.uid !== found.metadata.uid);
  const revision = maxRevisionOf(old) + 1n;
  if (found !== undefined) return { newest: await refresh(sync, found, revision), old };
  if (replicaSets === undefined) return { newest: undefined, old };
  return { newest: await create(sync, old, revision, replicaSets), old };
}

async function refresh(sync: DeploymentSync, replicaSet: ReplicaSet, revision: bigint): Promise<ReplicaSet> {
  const { deployment } = sync;
  const annotations = withRevision(replicaSet.metadata.annotations, deployment, revision);
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  const isDelayChanged = (replicaSet.spec.minReadySeconds ?? 0) !== minReadySeconds;
  if (annotations !== replicaSet.metadata.annotations || isDelayChanged) {
    return sync.updateReplicaSet(replicaSet, (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations },
      ...(isDelayChanged ? { spec: withDelay(current.spec, minReadySeconds) } : {}),
    }));
  }
  let mustWrite = sync.setRevision(annotations[REVISION] ?? '');
  if (hasDeadline(deployment) && conditionOf(deployment.status, 'Progressing') === undefined) {
    sync.setProgress('True', 'FoundNewReplicaSet', `Found new replica set "${replicaSet.metadata.name}"`);
    mustWrite = true;
  }
  if (mustWrite) await sync.putStatus();
  return replicaSet;
}

/** Zero is left out, as Go leaves it out (`omitempty` of ReplicaSetSpec). */
function withDelay(
  { minReadySeconds: _former, ...spec }: ReplicaSet['spec'],
  minReadySeconds: number,
): ReplicaSet['spec'] {
  return minReadySeconds === 0 ? spec : { ...spec, minReadySeconds };
}

async function create(
  sync: DeploymentSync,
  old: readonly ReplicaSet[],
  revision: bigint,
  replicaSets: Lister<'ReplicaSet'>,
): Promise<ReplicaSet> {
  const { deployment } = sync;
  const draft = draftOf(deployment, old, revision);
  const { name } = draft.metadata;
  let created: ReplicaSet;
  let isTaken = false;
  try {
    created = await sync.context.api.create('ReplicaSet', draft);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) return refuse(sync, name, error);
    isTaken = true;
    created = await ownOfThatName(sync, name, replicaSets, error);
  }
  if (!isTaken && draft.spec.replicas > 0)
    sync.record(`Scaled up replica set ${name} from 0 to ${draft.spec.replicas}`);
  let mustWrite = sync.setRevision(String(revision));
  if (!isTaken && hasDeadline(deployment)) {
    sync.setProgress('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
    mustWrite = true;
  }
  if (mustWrite) await sync.putStatus();
  return created;
}

type NewReplicaSet = DraftOf<'ReplicaSet'> & {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly replicas: number };
};

function draftOf(deployment: Deployment, old: readonly ReplicaSet[], revision: bigint): NewReplicaSet {
  const { metadata, spec, status } = deployment;
  const hash = templateHash(spec.template, status.collisionCount);
  const template = templateWithHash(spec.template, hash);
  const desired = replicasOf(deployment);
  const annotations = withScale(
    withRevision(undefined, deployment, revision),
    desired,
    desired + maxSurgeOf(deployment),
  );
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: replicaSetName(metadata.name, hash),
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(template.metadata?.labels === undefined ? {} : { labels: template.metadata.labels }),
      annotations,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: newReplicasOf(deployment, sumOfWishes(old), 0),
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: selectorWithHash(spec.selector, hash),
      template,
    },
  };
}

/** A name that is taken may be this Deployment's set, if the cache was late; else the next sync tries another hash. */
async function ownOfThatName(
  sync: DeploymentSync,
  name: string,
  replicaSets: Lister<'ReplicaSet'>,
  taken: Error,
): Promise<ReplicaSet> {
  const { metadata, spec, status } = sync.deployment;
  const other = replicaSets.get({ namespace: metadata.namespace, name });
  if (other === undefined) throw taken;
  const isOurs = controllerOf(other)?.uid === metadata.uid;
  if (isOurs && areTemplatesEqual(spec.template, other.spec.template)) return other;
  sync.deployment = { ...sync.deployment, status: { ...status, collisionCount: (status.collisionCount ?? 0) + 1 } };
  await sync.putStatus();
  throw taken;
}

async function refuse(sync: DeploymentSync, name: string, error: unknown): Promise<never> {
  if (isNamespaceTerminating(error)) throw error;
  const message = `Failed to create new replica set "${name}": ${error instanceof Error ? error.message : String(error)}`;
  if (hasDeadline(sync.deployment)) {
    sync.setProgress('False', 'ReplicaSetCreateError', message);
    await sync.putStatus().catch(() => undefined);
  }
  sync.context.recorder.record(sync.deployment, 'Warning', 'ReplicaSetCreateError', message);
  throw error;
}
