/** Which storage class claims get that name none (pkg/volume/util/storageclass.go, v1.34). Pure. */
import type { StorageClass } from '../objects/storage-objects.js';

/** On a class: claims that name none get it. */
export const IS_DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const BETA_IS_DEFAULT_CLASS = 'storageclass.beta.kubernetes.io/is-default-class';

/** Of the classes that are marked as default the newest, and of equals the first by name; `undefined` = none is. */
export function defaultStorageClass(classes: Iterable<StorageClass>): StorageClass | undefined {
  let best: StorageClass | undefined;
  for (const each of classes) if (isDefault(each) && (best === undefined || isPreferred(each, best))) best = each;
  return best;
}

function isDefault({ metadata: { annotations } }: StorageClass): boolean {
  return annotations?.[IS_DEFAULT_CLASS] === 'true' || annotations?.[BETA_IS_DEFAULT_CLASS] === 'true';
}

function isPreferred({ metadata: a }: StorageClass, { metadata: b }: StorageClass): boolean {
  return a.creationTimestamp === b.creationTimestamp ? a.name < b.name : a.creationTimestamp > b.creationTimestamp;
}
