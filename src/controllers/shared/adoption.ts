/**
 * Which objects a controller may call its own: those that it owns and selects, orphans that it selects
 * and adopts, and none of those that it owns but no longer selects, which it releases. Mirrors
 * kube-controller-manager v1.34 pkg/controller/controller_ref_manager.go.
 */
import { isApiError } from '../../api/errors/api-error.js';
import type { Selector } from '../../api/selectors/labels.js';
import type { Kind, KindMap, KubeObject, OwnerReference } from '../../api/objects/objects.js';
import type { PromisedClient } from '../../bus/bus-types.js';
import { controllerOf, controllerReference } from '../../api/objects/owners.js';

/** What one owner takes in of one kind. */
export interface Adoption<K extends Kind> {
  readonly api: PromisedClient;
  readonly owner: KubeObject;
  readonly ownerKind: Kind;
  readonly kind: K;
  readonly selector: Selector;
  /** Given with the owner reference, and taken with it. @defaultValue none */
  readonly finalizer?: string;
}

/**
 * Goes through `objects` and answers with those that are the owner's afterwards.
 * @throws the first refusal of the API, after every object was tried
 */
export async function adoptAndRelease<K extends Kind>(
  adoption: Adoption<K>,
  objects: Iterable<KindMap[K]>,
): Promise<KindMap[K][]> {
  const { owner, selector } = adoption;
  const kept: KindMap[K][] = [];
  const isOwnerDeleted = owner.metadata.deletionTimestamp !== undefined;
  let canAdopt: Promise<boolean> | undefined;
  let failure: unknown;
  for (const object of objects) {
    const { metadata } = object;
    const controller = controllerOf({ metadata });
    try {
      if (controller !== undefined) {
        if (controller.uid !== owner.metadata.uid) continue;
        if (selector.matches(metadata.labels)) kept.push(object);
        else if (!isOwnerDeleted) await release(adoption, object);
        continue;
      }
      if (isOwnerDeleted || metadata.deletionTimestamp !== undefined || !selector.matches(metadata.labels)) continue;
      canAdopt ??= isOwnerAlive(adoption);
      if (!(await canAdopt)) continue;
      const adopted = await adopt(adoption, object);
      if (adopted !== undefined) kept.push(adopted);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure as Error;
  return kept;
}

/** Asks the API and not the cache: an owner that is being deleted must not take in anything new. */
async function isOwnerAlive<K extends Kind>({ api, owner, ownerKind }: Adoption<K>): Promise<boolean> {
  const fresh = await api.get(ownerKind, owner.metadata);
  return fresh.metadata.uid === owner.metadata.uid && fresh.metadata.deletionTimestamp === undefined;
}

function adopt<K extends Kind>(adoption: Adoption<K>, object: KindMap[K]): Promise<KindMap[K] | undefined> {
  const reference = controllerReference(adoption.owner);
  return rewriteOwners(adoption, object, (owners) => [...owners, reference], withFinalizer);
}

async function release<K extends Kind>(adoption: Adoption<K>, object: KindMap[K]): Promise<void> {
  const { uid } = adoption.owner.metadata;
  await rewriteOwners(adoption, object, (owners) => owners.filter((owner) => owner.uid !== uid), withoutFinalizer);
}

/** An object that has vanished needs no owner. */
async function rewriteOwners<K extends Kind>(
  { api, kind, finalizer }: Adoption<K>,
  object: KindMap[K],
  rewrite: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
  mark: <T extends KubeObject>(object: T, finalizer: string | undefined) => T,
): Promise<KindMap[K] | undefined> {
  try {
    return await api.change(
      kind,
      object.metadata,
      (current) => mark(withOwners(current, rewrite(current.metadata.ownerReferences ?? [])), finalizer),
      {
        preconditions: { uid: object.metadata.uid },
      },
    );
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** `object` with these owner references; the field goes when there are none. */
export function withOwners<T extends KubeObject>(object: T, owners: readonly OwnerReference[]): T {
  const { ownerReferences: _dropped, ...metadata } = object.metadata;
  return { ...object, metadata: owners.length === 0 ? metadata : { ...metadata, ownerReferences: owners } };
}

function withFinalizer<T extends KubeObject>(object: T, finalizer: string | undefined): T {
  const { finalizers = [] } = object.metadata;
  if (finalizer === undefined || finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

function withoutFinalizer<T extends KubeObject>(object: T, finalizer: string | undefined): T {
  const { finalizers = [], ...metadata } = object.metadata;
  if (finalizer === undefined || !finalizers.includes(finalizer)) return object;
  const others = finalizers.filter((name) => name !== finalizer);
  return { ...object, metadata: others.length === 0 ? metadata : { ...metadata, finalizers: others } };
}
