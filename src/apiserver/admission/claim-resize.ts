/** PersistentVolumeClaimResize (plugin/pkg/admission/storage/persistentvolume/resize, v1.34): which claims may grow. */
import { compareSizes, requestedSize } from '../../api/volumes/claim-resize.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import { claimClass } from '../../api/volumes/volume-rules.js';
import { forbidden, type ResourceNames } from '../store/api-errors.js';
import type { Shelf } from '../store/store.js';

const UNBOUND = 'Only bound persistent volume claims can be expanded';
const UNSUPPORTED =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

/** @throws ApiError 403 for a claim that is not bound, or with a class that does not allow it */
export function guardResize(
  next: PersistentVolumeClaim,
  previous: PersistentVolumeClaim,
  names: ResourceNames,
  classes: Shelf<'StorageClass'>,
): void {
  if (compareSizes(requestedSize(next), requestedSize(previous)) <= 0) return;
  const { name } = next.metadata;
  if (previous.status.phase !== 'Bound') throw forbidden(names, name, UNBOUND);
  const className = claimClass(next);
  const isSame = className !== '' && className === claimClass(previous);
  const isAllowed = isSame && classes.table.get(undefined, className)?.allowVolumeExpansion === true;
  if (!isAllowed) throw forbidden(names, name, UNSUPPORTED);
}
