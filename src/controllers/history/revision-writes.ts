import { isApiError } from '../../api/errors/api-error.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { ControllerRevision, KubeObject, StringMap } from '../../api/objects/objects.js';
import { controllerReference } from '../../api/objects/owners.js';
import type { PromisedClient } from '../../bus/bus-types.js';
import { revisionHash, revisionName, REVISION_HASH_LABEL } from './controller-revisions.js';

/** A revision that is to be written down. */
export interface RevisionPlan {
  readonly owner: KubeObject;
  readonly data: ControllerRevision['data'];
  readonly revision: number;
  readonly labels: StringMap | undefined;
  readonly annotations: StringMap | undefined;
}

/** A revision that is there now, and how many names were found taken on the way. */
export interface WrittenRevision {
  readonly revision: ControllerRevision;
  readonly collisionCount: number;
}

/**
 * Creates a revision under a name made of its hash. A name that a revision of other data has makes the
 * collision count grow, and with it the name change; one of the same data is the revision.
 *
 * @throws the API's refusal
 */
export async function createRevision(
  api: PromisedClient,
  plan: RevisionPlan,
  collisionCount: number,
): Promise<WrittenRevision> {
  const { owner, data, revision, annotations } = plan;
  const { namespace } = owner.metadata;
  const labels = { ...plan.labels, [REVISION_HASH_LABEL]: revisionHash(data, collisionCount) };
  for (let count = collisionCount; ; count += 1) {
    const name = revisionName(owner.metadata.name, revisionHash(data, count));
    const metadata = {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)],
    };
    try {
      return { revision: await api.create('ControllerRevision', { metadata, data, revision }), collisionCount: count };
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      const taken = await api.get('ControllerRevision', { namespace, name });
      if (isSameJson(taken.data, data)) return { revision: taken, collisionCount: count };
    }
  }
}

/** Gives a revision another number, even if it was written meanwhile. */
export function renumberRevision(
  api: PromisedClient,
  { metadata }: ControllerRevision,
  revision: number,
): Promise<ControllerRevision> {
  const { uid } = metadata;
  return api.change('ControllerRevision', metadata, (current) => ({ ...current, revision }), {
    preconditions: { uid },
  });
}

/** Deletes a revision; one that is gone already is no matter. */
export async function deleteRevision(api: PromisedClient, { metadata }: ControllerRevision): Promise<void> {
  await api.delete('ControllerRevision', metadata).catch((error: unknown) => {
    if (!isApiError(error, 'NotFound')) throw error;
  });
}
