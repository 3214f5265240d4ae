/** Brings one volume in order. Upstream: `syncVolume` of pkg/controller/volume/persistentvolume (v1.34). */
import { keyOf } from '../../api/objects.js';
import type { PersistentVolume } from '../../api/storage-objects.js';
import { BOUND_BY_CONTROLLER } from '../../api/volume-rules.js';
import { putVolume, putVolumePhase, type Binder } from './bind.js';
import { claimKeyOf } from './binder-memory.js';
import { PROVISIONER_DELAY_MS } from './provision.js';

const PROTECTION = 'kubernetes.io/pv-protection';
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

/** See the file header. */
export async function syncVolume(binder: Binder, name: string): Promise<void> {
  const volume = binder.memory.volumes.get(name);
  if (volume === undefined) return;
  if (volume.metadata.deletionTimestamp !== undefined && volume.status.phase !== 'Bound') {
    await letGo(binder, volume);
    return;
  }
  const { claimRef } = volume.spec;
  if (claimRef === undefined || (claimRef.uid ?? '') === '') {
    // Nobody has it yet; a claim that it is set aside for comes for it by itself.
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

async function letGo(binder: Binder, volume: PersistentVolume): Promise<void> {
  const { finalizers = [] } = volume.metadata;
  if (!finalizers.includes(PROTECTION)) return;
  const metadata = { ...volume.metadata, finalizers: finalizers.filter((finalizer) => finalizer !== PROTECTION) };
  await putVolume(binder, volume, { ...volume, metadata });
}

/** Its claim is gone: what becomes of the volume is its policy. */
async function reclaim(binder: Binder, volume: PersistentVolume): Promise<void> {
  const isReclaimed = volume.status.phase === 'Released' || volume.status.phase === 'Failed';
  const released = isReclaimed ? volume : await putVolumePhase(binder, volume, 'Released');
  if (isToBeDeleted(released)) binder.memory.addAfter('delete', volume.metadata.name, PROVISIONER_DELAY_MS);
  else if (released.spec.persistentVolumeReclaimPolicy === 'Recycle') await unbind(binder, released);
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
