/**
 * Volumes that must be attached to a node before they can be mounted there, and the names by which nodes,
 * attachments and events know them. Pure. Mirrors pkg/volume/csi and pkg/volume/util (v1.34).
 */
import { createHash } from 'node:crypto';
import type { PersistentVolume } from './storage-objects.js';

/** Kubelets put it on nodes whose volumes the attach/detach controller attaches. */
export const CONTROLLER_MANAGED_ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';

const PLUGIN_PREFIX = 'kubernetes.io/csi/';
const HANDLE_SEPARATOR = '^';
const SHARED_MODES: readonly string[] = ['ReadWriteMany', 'ReadOnlyMany'];

/** A volume as its CSI driver knows it. */
export interface VolumeHandle {
  readonly driver: string;
  readonly handle: string;
}

/** A volume of a CSI driver. */
export interface CsiVolume extends VolumeHandle {
  /** As `status.volumesInUse` and `status.volumesAttached` of nodes name it. */
  readonly uniqueName: string;
  /** Name of the PersistentVolume. */
  readonly name: string;
  /** At most one node may have it. */
  readonly isExclusive: boolean;
}

/** The volume of a CSI driver that a PersistentVolume stands for; `undefined` for other kinds of volumes. */
export function csiVolumeOf({ metadata, spec }: PersistentVolume): CsiVolume | undefined {
  const { csi, accessModes = [] } = spec;
  if (csi === undefined) return undefined;
  const { driver, volumeHandle: handle } = csi;
  const isExclusive = accessModes.length > 0 && !accessModes.some((mode) => SHARED_MODES.includes(mode));
  const uniqueName = `${PLUGIN_PREFIX}${driver}${HANDLE_SEPARATOR}${handle}`;
  return { uniqueName, name: metadata.name, driver, handle, isExclusive };
}

/** What a unique name stands for; `undefined` if it is not that of a CSI driver's volume. */
export function handleOf(uniqueName: string): VolumeHandle | undefined {
  const split = uniqueName.indexOf(HANDLE_SEPARATOR);
  if (split < 0 || !uniqueName.startsWith(PLUGIN_PREFIX)) return undefined;
  return { driver: uniqueName.slice(PLUGIN_PREFIX.length, split), handle: uniqueName.slice(split + 1) };
}

/** Name of the VolumeAttachment of a volume and a node. */
export function attachmentName({ driver, handle }: VolumeHandle, nodeName: string): string {
  return `csi-${createHash('sha256').update(`${handle}${driver}${nodeName}`).digest('hex')}`;
}
