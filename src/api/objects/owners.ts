/** Owner references: the objects with which an object is deleted, and the controller among them that manages it. */
import type { KubeObject, ObjectMeta, OwnerReference } from './objects.js';

/** The owner that manages an object, if it has one. */
export function controllerOf({
  metadata,
}: {
  readonly metadata: Pick<ObjectMeta, 'ownerReferences'>;
}): OwnerReference | undefined {
  const references = metadata.ownerReferences;
  if (references === undefined) return undefined;
  for (const reference of references) if (reference.controller === true) return reference;
  return undefined;
}

/** Whether any owner reference of an object names that uid. */
export function isOwnedBy(
  { metadata }: { readonly metadata: Pick<ObjectMeta, 'ownerReferences'> },
  uid: string,
): boolean {
  const references = metadata.ownerReferences;
  if (references === undefined) return false;
  for (const reference of references) if (reference.uid === uid) return true;
  return false;
}

/** A reference to `owner` as the controller; the object with it also holds up its owner's foreground deletion. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
