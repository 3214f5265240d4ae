/**
 * Volumes that must be attached to a node before they can be mounted there, and the names by which nodes,
 * attachments and events know them. Pure. Mirrors pkg/volume/csi and pkg/volume/util (v1.34).
 */
import { createHash } from 'node:crypto';
import type { PersistentVolume } from '../objects/storage-objects.js';

/** Kubelets put it on nodes for which the attach/detach controller attaches volumes. */
export const CONTROLLER_MANAGED_ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';

const PLUGIN_PREFIX = 'kubernetes.io/csi/';
const HANDLE_SEPARATOR = '^';
const RECORD_PREFIX = 'kubeloom.dev/recorded/';
const SHARED_MODES: readonly string[] = ['ReadWriteMany', 'ReadOnlyMany'];

/** A volume as its CSI driver knows it. */
export interface VolumeHandle {
  readonly driver: string;
  readonly handle: string;
}

/** A volume that must be attached to a node before it can be mounted there. */
export interface AttachableVolume {
  /** As `status.volumesInUse` and `status.volumesAttached` of nodes name it. */
  readonly uniqueName: string;
  /** Name of the PersistentVolume. */
  readonly name: string;
  /** At most one node may have it. */
  readonly isExclusive: boolean;
  /** Its handle with the driver that attaches it; `undefined` = no driver: its attach record is all that there is. */
  readonly handle: VolumeHandle | undefined;
}

/** A volume of a CSI driver. */
export interface CsiVolume extends AttachableVolume {
  readonly handle: VolumeHandle;
}

/** The volume of a CSI driver that a PersistentVolume stands for; `undefined` for other kinds of volumes. */
export function csiVolumeOf(volume: PersistentVolume): CsiVolume | undefined {
  const { csi } = volume.spec;
  if (csi === undefined) return undefined;
  const { driver, volumeHandle: handle } = csi;
  const uniqueName = `${PLUGIN_PREFIX}${driver}${HANDLE_SEPARATOR}${handle}`;
  return { uniqueName, name: volume.metadata.name, isExclusive: isExclusive(volume), handle: { driver, handle } };
}

/**
 * A volume that no driver attaches, and that one node alone may have: where attach records are kept, the record
 * is its attachment. `undefined` = many nodes may have it, or it is of one node by its nature.
 */
export function recordedVolumeOf(volume: PersistentVolume): AttachableVolume | undefined {
  const { metadata, spec } = volume;
  if (!isExclusive(volume) || spec.hostPath !== undefined || spec.local !== undefined) return undefined;
  const uniqueName = csiVolumeOf(volume)?.uniqueName ?? `${RECORD_PREFIX}${metadata.name}`;
  return { uniqueName, name: metadata.name, isExclusive: true, handle: undefined };
}

function isExclusive({ spec: { accessModes = [] } }: PersistentVolume): boolean {
  return accessModes.length > 0 && !accessModes.some((mode) => SHARED_MODES.includes(mode));
}

/** What a unique name stands for; `undefined` if it is not that of a CSI driver's volume. */
export function handleOf(uniqueName: string): VolumeHandle | undefined {
  const split = uniqueName.indexOf(HANDLE_SEPARATOR);
  if (split < 0 || !uniqueName.startsWith(PLUGIN_PREFIX)) return undefined;
  return { driver: uniqueName.slice(PLUGIN_PREFIX.length, split), handle: uniqueName.slice(split + 1) };
}

/** What storage is asked to do by which a PersistentVolume comes to a node. */
export function attachingOf(nodeName: string, volume: string): string {
  return `attach ${nodeName} ${volume}`;
}

/** Name of the VolumeAttachment of a volume and a node. */
export function attachmentName({ driver, handle }: VolumeHandle, nodeName: string): string {
  return `csi-${createHash('sha256').update(`${handle}${driver}${nodeName}`).digest('hex')}`;
}
