import { isApiError } from '../../api/errors/api-error.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { AnyObject, Kind, KindMap, ObjectMeta, OwnerReference } from '../../api/objects/objects.js';
import type { PropagationPolicy } from '../../apiserver/store/server-types.js';
import { withOwners } from '../shared/adoption.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import type { Item } from './owner-graph.js';

/** The policy for an object's dependents where no request names one: its own finalizers decide. */
export function policyOf({ finalizers = [] }: ObjectMeta): PropagationPolicy {
  if (finalizers.includes('orphan')) return 'Orphan';
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background';
}

/** The object as it is now; `undefined` = it is gone, or another one bears its name. */
export async function latestOf(
  { api }: ControllerContext,
  { kind, object: { metadata } }: Item,
): Promise<AnyObject | undefined> {
  try {
    const latest = await api.get(kind, metadata);
    return latest.metadata.uid === metadata.uid ? latest : undefined;
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
    return undefined;
  }
}

/**
 * Deletes an object if it is still as it was read. One that has changed meanwhile, but not its owners, goes all the
 * same (deleteObject, v1.34).
 */
export async function remove(
  context: ControllerContext,
  item: Item,
  propagationPolicy: PropagationPolicy,
): Promise<void> {
  const { api } = context;
  const { kind, object } = item;
  const { uid, resourceVersion, ownerReferences } = object.metadata;
  try {
    await ignoreAbsence(
      api.delete(kind, object.metadata, { propagationPolicy, preconditions: { uid, resourceVersion } }),
    );
  } catch (error) {
    if (!isApiError(error, 'Conflict')) throw error;
    const latest = await latestOf(context, item);
    if (latest === undefined) return;
    if (!isSameJson(latest.metadata.ownerReferences, ownerReferences)) throw error;
    await ignoreAbsence(api.delete(kind, object.metadata, { propagationPolicy, preconditions: { uid } }));
  }
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

/** Looks at an object and takes a finalizer away, which may be the end of it. */
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
  await ignoreAbsence(api.get(kind, name));
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
