/**
 * Which objects a controller may call its own: those that it owns and selects, orphans that it selects
 * and adopts, and none of those that it owns but no longer selects, which it releases. Mirrors
 * kube-controller-manager v1.34 pkg/controller/controller_ref_manager.go.
 */
import { isApiError } from '../../api/errors/api-error.js';
import type { Selector } from '../../api/selectors/labels.js';
import type { Kind, KindMap, KubeObject, OwnerReference } from '../../api/objects/objects.js';
import type { PromisedClient } from '../../bus/bus-types.js';
import { controllerOf, ownerReference } from '../../api/objects/owners.js';

/** The claims of one owner over objects of one kind. */
export interface Claims<K extends Kind> {
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
export async function claim<K extends Kind>(claims: Claims<K>, objects: Iterable<KindMap[K]>): Promise<KindMap[K][]> {
  const { owner, selector } = claims;
  const claimed: KindMap[K][] = [];
  const isOwnerDeleted = owner.metadata.deletionTimestamp !== undefined;
  let canAdopt: Promise<boolean> | undefined;
  let failure: unknown;
  for (const object of objects) {
    const { metadata } = object;
    const controller = controllerOf({ metadata });
    try {
      if (controller !== undefined) {
        if (controller.uid !== owner.metadata.uid) continue;
        if (selector.matches(metadata.labels)) claimed.push(object);
        else if (!isOwnerDeleted) await release(claims, object);
        continue;
      }
      if (isOwnerDeleted || metadata.deletionTimestamp !== undefined || !selector.matches(metadata.labels)) continue;
      canAdopt ??= isOwnerAlive(claims);
      if (!(await canAdopt)) continue;
      const adopted = await adopt(claims, object);
      if (adopted !== undefined) claimed.push(adopted);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure as Error;
  return claimed;
}

/** Asks the API and not the cache: an owner that is being deleted must not take in anything new. */
async function isOwnerAlive<K extends Kind>({ api, owner, ownerKind }: Claims<K>): Promise<boolean> {
  const fresh = await api.get(ownerKind, owner.metadata);
  return fresh.metadata.uid === owner.metadata.uid && fresh.metadata.deletionTimestamp === undefined;
}

function adopt<K extends Kind>(claims: Claims<K>, object: KindMap[K]): Promise<KindMap[K] | undefined> {
  const reference = ownerReference(claims.owner, true);
  return rewriteOwners(claims, object, (owners) => [...owners, reference], withFinalizer);
}

async function release<K extends Kind>(claims: Claims<K>, object: KindMap[K]): Promise<void> {
  const { uid } = claims.owner.metadata;
  await rewriteOwners(claims, object, (owners) => owners.filter((owner) => owner.uid !== uid), withoutFinalizer);
}

/** An object that has vanished needs no owner. */
async function rewriteOwners<K extends Kind>(
  { api, kind, finalizer }: Claims<K>,
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
