import { isApiError } from '../../api/errors/api-error.js';
import type { Kind, KindMap, ObjectMeta, OwnerReference } from '../../api/objects/objects.js';
import type { PropagationPolicy } from '../../apiserver/store/server-types.js';
import { withOwners } from '../shared/adoption.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import type { Item } from './owner-graph.js';

/** The policy for an object's dependents where no request names one: its own finalizers decide. */
export function policyOf({ finalizers = [] }: ObjectMeta): PropagationPolicy {
  if (finalizers.includes('orphan')) return 'Orphan';
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background';
}

/** Deletes an object if it is still as the cache shows it. */
export async function remove(
  { api }: ControllerContext,
  { kind, object }: Item,
  propagationPolicy: PropagationPolicy,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  await ignoreAbsence(
    api.delete(kind, object.metadata, { propagationPolicy, preconditions: { uid, resourceVersion } }),
  );
}

/** Takes owner references away. */
export function stripOwners(
  context: ControllerContext,
  item: Item,
  isKept: (owner: OwnerReference) => boolean,
): Promise<void> {
  return changeOwners(context, item, (owners) => owners.filter(isKept));
}

/** Rewrites the owner references of an object. */
export async function changeOwners(
  { api }: ControllerContext,
  { kind, object }: Item,
  change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
): Promise<void> {
  const { uid } = object.metadata;
  const changed = api.change(
    kind,
    object.metadata,
    (current) => withOwners(current, change(current.metadata.ownerReferences ?? [])),
    {
      preconditions: { uid },
    },
  );
  await ignoreAbsence(changed);
}

/** Takes a finalizer away, which may be the end of the object. */
export async function dropFinalizer(
  { api }: ControllerContext,
  kind: Kind,
  name: ObjectMeta,
  finalizer: string,
): Promise<void> {
  const drop = <T extends KindMap[Kind]>(current: T): T => {
    const finalizers = current.metadata.finalizers?.filter((other) => other !== finalizer) ?? [];
    const { finalizers: _former, ...metadata } = current.metadata;
    return { ...current, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
  };
  await ignoreAbsence(api.change(kind, name, drop, { preconditions: { uid: name.uid } }));
}

/** What has vanished meanwhile needs nothing more. */
async function ignoreAbsence(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}
