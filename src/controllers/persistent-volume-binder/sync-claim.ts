/** Brings one claim in order. Upstream: `syncClaim` of pkg/controller/volume/persistentvolume (v1.34). */
import { compareQuantities } from '../../api/values/quantity.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import { defaultStorageClass } from '../../api/volumes/default-storage-class.js';
import { keyOf } from '../../api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  claimClass,
  hasAccessModes,
  isBoundToClaim,
  requestedStorage,
  SELECTED_NODE,
  volumeCandidates,
  volumeCapacity,
  volumeClass,
} from '../../api/volumes/volume-rules.js';
import { RetryError } from '../runtime/retry-error.js';
import { bind, putClaim, putClaimStatus, type Binder } from './bind.js';
import { requestVolume } from './request-volume.js';

const FILESYSTEM = 'Filesystem';
const LOST_VOLUME = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!';
const LOST_REFERENCE = 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!';
const MISBOUND = 'Two claims are bound to the same volume, this one is bound incorrectly';

/** See the file header. */
export async function syncClaim(binder: Binder, key: string): Promise<void> {
  const claim = binder.memory.claims.get(key);
  if (claim === undefined) return;
  if (claim.metadata.annotations?.[BIND_COMPLETED] === undefined) await syncUnbound(binder, claim);
  else await syncBound(binder, claim);
}

async function syncBound(binder: Binder, claim: PersistentVolumeClaim): Promise<void> {
  const { volumeName = '' } = claim.spec;
  if (volumeName === '') return lose(binder, claim, 'ClaimLost', LOST_REFERENCE);
  const volume = binder.memory.volumes.get(volumeName);
  if (volume === undefined) return lose(binder, claim, 'ClaimLost', LOST_VOLUME);
  const { claimRef } = volume.spec;
  if (claimRef !== undefined && claimRef.uid !== claim.metadata.uid)
    return lose(binder, claim, 'ClaimMisbound', MISBOUND);
  return bind(binder, volume, claim);
}

async function lose(binder: Binder, claim: PersistentVolumeClaim, reason: string, text: string): Promise<void> {
  if (claim.status.phase === 'Lost') return;
  await putClaimStatus(binder, claim, { phase: 'Lost' });
  binder.context.recorder.record(claim, 'Warning', reason, text);
}

async function syncUnbound(binder: Binder, claim: PersistentVolumeClaim): Promise<void> {
  const { volumeName = '' } = claim.spec;
  const isDone = volumeName === '' ? await bindAny(binder, claim) : await bindNamed(binder, claim, volumeName);
  if (!isDone) binder.memory.addAtResync('claim', keyOf(claim));
}

/** Takes the best volume, or sees to it that one is made. */
async function bindAny(binder: Binder, claim: PersistentVolumeClaim): Promise<boolean> {
  const { memory } = binder;
  const className = claimClass(claim);
  const storageClass = className === '' ? undefined : memory.classes.get(className);
  const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  const volume = findVolume(binder, claim, isDelayed);
  if (volume !== undefined) {
    await bind(binder, volume, claim);
    return true;
  }
  const isClassless = claim.spec.storageClassName === undefined && className === '';
  const defaultClass = isClassless ? defaultStorageClass(memory.classes.list()) : undefined;
  if (defaultClass !== undefined) {
    const storageClassName = defaultClass.metadata.name;
    await putClaim(binder, claim, { ...claim, spec: { ...claim.spec, storageClassName } });
    return true;
  }
  if (isDelayed && claim.metadata.annotations?.[SELECTED_NODE] === undefined) tellToWait(binder, claim);
  else if (className !== '') {
    await requestVolume(binder, claim, storageClass, className);
    return false;
  } else {
    const text = 'no persistent volumes available for this claim and no storage class is set';
    binder.context.recorder.record(claim, 'Normal', 'FailedBinding', text);
  }
  await putClaimStatus(binder, claim, { phase: 'Pending' });
  return false;
}

/** One that is set aside for the claim; else one with as few access modes as will do, then the smallest. */
function findVolume(
  { memory }: Binder,
  claim: PersistentVolumeClaim,
  isDelayed: boolean,
): PersistentVolume | undefined {
  const [first, ...rest] = volumeCandidates(claim, memory.volumesFor(claim), {
    isPreBoundOnly: isDelayed,
  }).filter(({ volume }) => hasAccessModes(volume, claim));
  if (first === undefined || first.isPreBound) return first?.volume;
  let best = first.volume;
  for (const { volume } of rest) if (modeCount(volume) < modeCount(best)) best = volume;
  return best;
}

function modeCount({ spec }: PersistentVolume): number {
  return new Set(spec.accessModes).size;
}

function tellToWait({ context, memory }: Binder, claim: PersistentVolumeClaim): void {
  const waiting: string[] = [];
  for (const { metadata, spec, status } of memory.podsOf(keyOf(claim))) {
    const isFinished = status.phase === 'Succeeded' || status.phase === 'Failed';
    if (!isFinished && (spec.nodeName ?? '') === '') waiting.push(metadata.name);
  }
  if (waiting.length === 0) {
    const text = 'waiting for first consumer to be created before binding';
    context.recorder.record(claim, 'Normal', 'WaitForFirstConsumer', text);
    return;
  }
  const names = `pod${waiting.length > 1 ? 's' : ''} ${waiting.join(',')}`;
  context.recorder.record(claim, 'Normal', 'WaitForPodScheduled', `waiting for ${names} to be scheduled`);
}

/** Takes the volume that the user named, once it is there, free and fit. */
async function bindNamed(binder: Binder, claim: PersistentVolumeClaim, volumeName: string): Promise<boolean> {
  const { context, memory } = binder;
  const volume = memory.volumes.get(volumeName);
  if (volume !== undefined) {
    if (isBoundToClaim(volume, claim)) {
      await bind(binder, volume, claim);
      return true;
    }
    if (volume.spec.claimRef === undefined) {
      const mismatch = findMismatch(volume, claim);
      if (mismatch === undefined) {
        await bind(binder, volume, claim);
        return true;
      }
      const text = `Cannot bind to requested volume "${volumeName}": ${mismatch}`;
      context.recorder.record(claim, 'Warning', 'VolumeMismatch', text);
    } else if (claim.metadata.annotations?.[BOUND_BY_CONTROLLER] === undefined) {
      const text = `volume "${volumeName}" already bound to a different claim.`;
      context.recorder.record(claim, 'Warning', 'FailedBinding', text);
    } else {
      throw new RetryError(`invalid binding of claim ${keyOf(claim)} to volume ${volumeName}: it has another claim`);
    }
  }
  await putClaimStatus(binder, claim, { phase: 'Pending' });
  return false;
}

function findMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (compareQuantities(volumeCapacity(volume), requestedStorage(claim)) < 0) return 'requested PV is too small';
  if (volumeClass(volume) !== claimClass(claim)) return 'storageClassName does not match';
  if (!isSameJson(volume.spec.volumeMode ?? FILESYSTEM, claim.spec.volumeMode ?? FILESYSTEM)) {
    return 'incompatible volumeMode';
  }
  return hasAccessModes(volume, claim) ? undefined : 'incompatible accessMode';
}
