/** Brings one volume in order. Upstream: `syncVolume` of pkg/controller/volume/persistentvolume (v1.34). */
import { isApiError } from '../../api/errors/api-error.js';
import { keyOf } from '../../api/objects/objects.js';
import type { PersistentVolume } from '../../api/objects/storage-objects.js';
import { BOUND_BY_CONTROLLER, PROVISIONED_BY } from '../../api/volumes/volume-rules.js';
import { putVolume, putVolumePhase, type Binder } from './bind.js';
import { claimKeyOf } from './binder-memory.js';

/** Under which the deleter of host paths works. */
const TEMPORARY = '/tmp/';
const NO_DELETER = 'no volume plugin matched';
const NO_RECYCLER = 'No recycler plugin found for the volume!';

/** See the file header. */
export async function syncVolume(binder: Binder, name: string): Promise<void> {
  const volume = binder.memory.volumes.get(name);
  if (volume === undefined) return;
  const { claimRef } = volume.spec;
  if (claimRef === undefined || (claimRef.uid ?? '') === '') {
    // It is free; a claim for which it is set aside binds it in a sync of its own.
    await putVolumePhase(binder, volume, 'Available');
    return;
  }
  const claim = binder.memory.claims.get(claimKeyOf(volume) ?? '');
  if (claim === undefined || claim.metadata.uid !== claimRef.uid) {
    await reclaim(binder, volume);
    return;
  }
  const { volumeName = '' } = claim.spec;
  if (volumeName === '') binder.memory.add('claim', keyOf(claim));
  else if (volumeName === name) await putVolumePhase(binder, volume, 'Bound');
  else if (volume.metadata.annotations?.[PROVISIONED_BY] !== undefined && isToBeDeleted(volume)) {
    await reclaim(binder, volume);
  } else await unbind(binder, volume);
}

/** Its claim is gone: what becomes of the volume is its policy. */
async function reclaim(binder: Binder, volume: PersistentVolume): Promise<void> {
  const isReclaimed = volume.status.phase === 'Released' || volume.status.phase === 'Failed';
  const released = isReclaimed ? volume : await putVolumePhase(binder, volume, 'Released');
  // A provisioned volume is removed by its provisioner.
  if (isToBeDeleted(released)) {
    if (released.metadata.annotations?.[PROVISIONED_BY] === undefined) await deleteVolume(binder, released);
  } else if (released.spec.persistentVolumeReclaimPolicy === 'Recycle') await recycle(binder, released);
}

/** A volume made by hand goes with its data, if there is a plugin that can delete them. */
async function deleteVolume(binder: Binder, volume: PersistentVolume): Promise<void> {
  const { metadata, spec } = volume;
  const { name } = metadata;
  const { path } = spec.hostPath ?? {};
  if (path === undefined) {
    const text = `error getting deleter volume plugin for volume "${name}": ${NO_DELETER}`;
    return fail(binder, volume, 'VolumeFailedDelete', text);
  }
  if (!path.startsWith(TEMPORARY) || path.length === TEMPORARY.length) {
    const text = `host_path deleter only supports /tmp/.+ but received provided ${path}`;
    return fail(binder, volume, 'VolumeFailedDelete', text);
  }
  if (metadata.deletionTimestamp !== undefined) return;
  try {
    await binder.context.api.delete('PersistentVolume', { name });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

/** Scrubs a volume, and it is free again. */
async function recycle(binder: Binder, volume: PersistentVolume): Promise<void> {
  const { hostPath, nfs } = volume.spec;
  if (hostPath === undefined && nfs === undefined) return fail(binder, volume, 'VolumeFailedRecycle', NO_RECYCLER);
  binder.context.recorder.record(volume, 'Normal', 'VolumeRecycled', 'Volume recycled');
  return unbind(binder, volume);
}

async function fail(binder: Binder, volume: PersistentVolume, reason: string, text: string): Promise<void> {
  if (volume.status.phase === 'Failed') return;
  await putVolumePhase(binder, volume, 'Failed', text);
  binder.context.recorder.record(volume, 'Warning', reason, text);
}

function isToBeDeleted({ spec }: PersistentVolume): boolean {
  return spec.persistentVolumeReclaimPolicy === 'Delete';
}

/** Frees a volume; one that the user set aside for a claim stays so, by name. */
async function unbind(binder: Binder, volume: PersistentVolume): Promise<void> {
  const freed = await putVolume(binder, volume, unboundVolume(volume));
  await putVolumePhase(binder, freed, 'Available');
}

function unboundVolume(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec;
  const { [BOUND_BY_CONTROLLER]: mark, ...annotations } = volume.metadata.annotations ?? {};
  if (mark !== undefined) return { ...volume, metadata: { ...volume.metadata, annotations }, spec };
  const { uid: _uid, ...kept } = claimRef ?? {};
  return { ...volume, spec: { ...spec, claimRef: kept } };
}
