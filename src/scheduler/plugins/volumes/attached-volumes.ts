/** Which CSI volumes pods bring to a node, as NodeVolumeLimits counts them. */
import type { Pod } from '../../../api/objects/objects.js';
import type { CSINode, PersistentVolumeClaim, VolumeAttachment } from '../../../api/objects/storage-objects.js';
import { claimClass } from '../../../api/volumes/volume-rules.js';
import { migratedProvisioner, migratedVolume, type CsiVolume, type MigratingNode } from './in-tree-volumes.js';
import { claimNotFound, claimUseOf, ownershipProblem, volumesOf } from './pod-claims.js';
import type { VolumeListers } from './volume-listers.js';

/** Drivers by volume; a volume is there once, however many pods use it. */
export type VolumeSet = Map<string, string>;

/** Why a pod's volumes cannot be told. */
export interface VolumeProblem {
  readonly text: string;
  /** A claim is missing: the pod waits for it. Otherwise something is wrong. */
  readonly isMissing: boolean;
}

/** Handles of volumes that are not there yet cannot be those of volumes that are. */
const UNBOUND_PREFIX = 'unbound\u0000';

/** Adds the CSI volumes of a pod. Claims of pods that are there already may be missing. */
export function collectVolumes(
  listers: VolumeListers,
  pod: Pod,
  csiNode: MigratingNode | undefined,
  isNew: boolean,
  found: VolumeSet,
): VolumeProblem | undefined {
  const { namespace = '' } = pod.metadata;
  for (const volume of volumesOf(pod)) {
    const use = claimUseOf(pod, volume);
    if (use === undefined) {
      add(found, migratedVolume(volume, csiNode));
      continue;
    }
    const { claimName, isEphemeral } = use;
    if (claimName === '') return { text: 'PersistentVolumeClaim had no name', isMissing: false };
    const claim = listers.claim(namespace, claimName);
    if (claim === undefined) {
      if (isNew)
        return { text: `looking up PVC ${namespace}/${claimName}: ${claimNotFound(claimName)}`, isMissing: true };
      continue;
    }
    const problem = isEphemeral ? ownershipProblem(pod, claim) : undefined;
    if (problem !== undefined) return { text: problem, isMissing: false };
    add(found, claimedVolume(listers, claim, csiNode));
  }
  return undefined;
}

/** The volumes that are attached to a node beyond those that its pods use. */
export function attachedVolumes(listers: VolumeListers, attachments: Iterable<VolumeAttachment>): VolumeSet {
  const found: VolumeSet = new Map();
  for (const { spec } of attachments) {
    const { attacher, source } = spec;
    if (attacher === '' || source.persistentVolumeName === undefined) continue;
    const csi = listers.volume(source.persistentVolumeName)?.spec.csi;
    if (csi !== undefined) add(found, { driver: attacher, handle: csi.volumeHandle });
  }
  return found;
}

/** How many volumes there are of each driver. */
export function countByDriver(volumes: VolumeSet): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const driver of volumes.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  return counts;
}

const NO_LIMITS: ReadonlyMap<string, number> = new Map();
const knownLimits = new WeakMap<CSINode, ReadonlyMap<string, number>>();

/** How many volumes the drivers of a node can attach, as far as they tell. */
export function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  if (csiNode === undefined) return NO_LIMITS;
  const known = knownLimits.get(csiNode);
  if (known !== undefined) return known;
  const limits = new Map<string, number>();
  for (const { name, allocatable } of csiNode.spec.drivers) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  }
  knownLimits.set(csiNode, limits);
  return limits;
}

/** Whether volumes that come to a node are too many for one of its drivers; each count is by driver. */
export function isBeyondLimits(
  added: ReadonlyMap<string, number>,
  present: ReadonlyMap<string, number>,
  limits: ReadonlyMap<string, number>,
): boolean {
  for (const [driver, count] of added) {
    const limit = limits.get(driver);
    if (limit !== undefined && (present.get(driver) ?? 0) + count > limit) return true;
  }
  return false;
}

function add(found: VolumeSet, volume: CsiVolume | undefined): void {
  if (volume === undefined || volume.driver === '' || volume.handle === '') return;
  found.set(`${volume.driver}/${volume.handle}`, volume.driver);
}

/** A claim's volume, or what its class will provision. */
function claimedVolume(
  listers: VolumeListers,
  claim: PersistentVolumeClaim,
  csiNode: MigratingNode | undefined,
): CsiVolume | undefined {
  const { volumeName = '' } = claim.spec;
  const volume = volumeName === '' ? undefined : listers.volume(volumeName);
  if (volume === undefined) return futureVolume(listers, claim, csiNode);
  const { csi } = volume.spec;
  if (csi !== undefined) return { driver: csi.driver, handle: csi.volumeHandle };
  return migratedVolume(volume.spec, csiNode, volume.metadata.labels);
}

function futureVolume(
  listers: VolumeListers,
  claim: PersistentVolumeClaim,
  csiNode: MigratingNode | undefined,
): CsiVolume | undefined {
  const storageClass = listers.storageClass(claimClass(claim));
  if (storageClass === undefined) return undefined;
  const driver = migratedProvisioner(storageClass.provisioner, csiNode);
  if (driver === undefined) return undefined;
  const { namespace = '', name } = claim.metadata;
  return { driver, handle: `${UNBOUND_PREFIX}${namespace}/${name}` };
}
