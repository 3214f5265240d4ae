/** DefaultStorageClass (plugin/pkg/admission/storage/storageclass/setdefault, v1.34). */
import { defaultStorageClass } from '../../api/volumes/default-storage-class.js';
import type { PersistentVolumeClaim, StorageClass } from '../../api/objects/storage-objects.js';
import { LEGACY_CLASS } from '../../api/volumes/volume-rules.js';

/** A new claim that says nothing of a class gets the default one, if there is one; an empty name is a class, too. */
export function withDefaultClass(claim: PersistentVolumeClaim, classes: Iterable<StorageClass>): PersistentVolumeClaim {
  if (claim.spec.storageClassName !== undefined || claim.metadata.annotations?.[LEGACY_CLASS] !== undefined)
    return claim;
  const found = defaultStorageClass(classes);
  if (found === undefined) return claim;
  return { ...claim, spec: { ...claim.spec, storageClassName: found.metadata.name } };
}
