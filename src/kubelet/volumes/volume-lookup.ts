/**
 * Which volume stands behind a pod's claim: the claim, the volume and its driver are asked for, one after the
 * other. Mirrors getPVCExtractPV and getPVSpec of the kubelet's desired state of the world (v1.34).
 */
import { csiVolumeOf, recordedVolumeOf } from '../../api/volumes/attachable-volume.js';
import { isApiError } from '../../api/errors/api-error.js';
import { ownershipProblem, type ClaimedVolume } from '../../api/volumes/claimed-volumes.js';
import type { Pod } from '../../api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import type { Client } from '../../bus/bus-types.js';
import type { NodeVolume } from './mount-table.js';

const ONE_POD: readonly string[] = ['ReadWriteOncePod'];

/** How look-ups are made on this node. */
export interface LookupMeans {
  readonly client: Client;
  /** Whether a volume that one node alone may have is mounted only where its record says that this node has it. */
  readonly attachRecords: boolean;
}

/** One look-up. */
interface Question {
  readonly pod: Pod;
  readonly claimed: ClaimedVolume;
  /** Whether the answer is not needed any more: no further request is sent. */
  isOver(): boolean;
}

/** Called once with what stands behind a claim, or why that cannot be said. */
type Answer = (error: string | undefined, volume: NodeVolume | undefined) => void;

/** See the file header. */
export function lookUpVolume(means: LookupMeans, question: Question, answer: Answer): void {
  const { pod, claimed } = question;
  const { namespace } = pod.metadata;
  const fail = (error: string): void =>
    answer(`error processing PVC ${namespace ?? ''}/${claimed.claimName}: ${error}`, undefined);
  means.client.get('PersistentVolumeClaim', { namespace, name: claimed.claimName }, (error, claim) => {
    if (question.isOver()) return;
    if (claim === undefined) return fail(`failed to fetch PVC from API server: ${error?.message}`);
    const problem = claimProblem(pod, claimed, claim);
    if (problem !== undefined) return fail(problem);
    const name = claim.spec.volumeName ?? '';
    means.client.get('PersistentVolume', { name }, (volumeError, volume) => {
      if (question.isOver()) return;
      const wrong = volumeProblem(name, claim, volume, volumeError);
      if (wrong !== undefined || volume === undefined) return fail(wrong ?? '');
      askForDriver(means, volume, fail, answer);
    });
  });
}

/** Whether the volume's driver attaches volumes at all. */
function askForDriver(
  means: LookupMeans,
  volume: PersistentVolume,
  fail: (error: string) => void,
  answer: Answer,
): void {
  const csi = csiVolumeOf(volume);
  if (csi === undefined) return answer(undefined, nodeVolume(means, volume, false));
  means.client.get('CSIDriver', { name: csi.handle.driver }, (error, driver) => {
    if (driver === undefined && !isApiError(error, 'NotFound')) return fail(error?.message ?? '');
    answer(undefined, nodeVolume(means, volume, driver?.spec.attachRequired !== false));
  });
}

/** A volume as a machine knows it. @param isDriven - its driver attaches it */
export function nodeVolume(
  { attachRecords }: Pick<LookupMeans, 'attachRecords'>,
  volume: PersistentVolume,
  isDriven: boolean,
): NodeVolume {
  const recorded = attachRecords ? recordedVolumeOf(volume) : undefined;
  const { name } = volume.metadata;
  const { accessModes = [] } = volume.spec;
  const csi = csiVolumeOf(volume);
  return {
    uniqueName: csi?.uniqueName ?? recorded?.uniqueName ?? `pv/${name}`,
    name,
    isAttachable: isDriven || recorded !== undefined,
    handle: isDriven ? csi?.handle : undefined,
    isRecorded: recorded !== undefined,
    isForOnePod: accessModes.length === 1 && accessModes.every((mode) => ONE_POD.includes(mode)),
  };
}

function claimProblem(pod: Pod, { isEphemeral }: ClaimedVolume, claim: PersistentVolumeClaim): string | undefined {
  const { metadata, spec, status } = claim;
  const stranger = isEphemeral ? ownershipProblem(pod, claim) : undefined;
  if (stranger !== undefined) return stranger;
  if (metadata.deletionTimestamp !== undefined) return 'PVC is being deleted';
  if (status.phase !== 'Bound') return 'PVC is not bound';
  return (spec.volumeName ?? '') === '' ? 'PVC has empty pvc.Spec.VolumeName' : undefined;
}

function volumeProblem(
  name: string,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
  error: Error | undefined,
): string | undefined {
  if (volume === undefined) return `failed to fetch PV ${name} from API server: ${error?.message}`;
  const { claimRef } = volume.spec;
  if (claimRef === undefined) {
    return `found PV object "${name}" but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`;
  }
  const { uid } = claim.metadata;
  if (claimRef.uid === uid) return undefined;
  return `found PV object "${name}" but its pv.Spec.ClaimRef.UID "${claimRef.uid ?? ''}" does not point to claim.UID "${uid}"`;
}
