/**
 * What the status of a claim says while its volume grows: how far that is, to which size, and the conditions that
 * tell users. Pure. Mirrors pkg/volume/util/resize_util.go (v1.34) with RecoverVolumeExpansionFailure, which is on.
 */
import { compareQuantities, knownQuantity, ZERO_QUANTITY, type Quantity } from '../values/quantity.js';
import type { ClaimCondition, PersistentVolume, PersistentVolumeClaim } from '../objects/storage-objects.js';

/** How large a volume was before it grew, until its file system has grown as well. */
export const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity';

const WAITING = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.';
const RESIZE_CONDITIONS: readonly string[] = [
  'FileSystemResizePending',
  'Resizing',
  'ControllerResizeError',
  'NodeResizeError',
];

/** How far the growth of a volume is. */
export type ResizeStatus = 'ControllerResizeInProgress' | 'NodeResizePending' | 'NodeResizeInProgress';

type Status = PersistentVolumeClaim['status'];

/** How far it is; `undefined` = nothing is under way. */
export function resizeStatusOf({ status }: PersistentVolumeClaim): string | undefined {
  return status.allocatedResourceStatuses?.['storage'];
}

/** Whether the machine that uses the volume still has to do its part. */
export function isNodeResizeDue(claim: PersistentVolumeClaim): boolean {
  const status = resizeStatusOf(claim);
  return status === 'NodeResizePending' || status === 'NodeResizeInProgress';
}

/** What its user asks for. */
export function requestedSize({ spec }: PersistentVolumeClaim): string | undefined {
  return spec.resources?.requests?.['storage'];
}

/** To which size it is growing, or has grown last. */
export function allocatedSize({ status }: PersistentVolumeClaim): string | undefined {
  return status.allocatedResources?.['storage'];
}

/** What its pods have. */
export function grantedSize({ status }: PersistentVolumeClaim): string | undefined {
  return status.capacity?.['storage'];
}

/** What the storage has set aside. */
export function volumeSize({ spec }: PersistentVolume): string | undefined {
  return spec.capacity?.['storage'];
}

/** Less than 0, 0 or more than 0 as the first size is less than the second, the same or more; absent = 0. */
export function compareSizes(one: string | undefined, other: string | undefined): number {
  return compareQuantities(sizeOf(one), sizeOf(other));
}

function sizeOf(text: string | undefined): Quantity {
  return text === undefined ? ZERO_QUANTITY : knownQuantity(text);
}

/** Storage begins to grow the volume. */
export function controllerResizeBegun(claim: PersistentVolumeClaim, size: string, time: string): PersistentVolumeClaim {
  const status = withProgress(claim.status, 'ControllerResizeInProgress');
  const allocatedResources = { ...status.allocatedResources, storage: size };
  const conditions = merged(status.conditions, { type: 'Resizing', status: 'True', ...since(time) }, false);
  return { ...claim, status: { ...status, allocatedResources, conditions } };
}

/** Storage has grown the volume; its file system has still to grow. */
export function nodeResizePending(claim: PersistentVolumeClaim, time: string): PersistentVolumeClaim {
  const status = withProgress(claim.status, 'NodeResizePending');
  const pending = { type: 'FileSystemResizePending', status: 'True', ...since(time), message: WAITING };
  return { ...claim, status: { ...status, conditions: merged(status.conditions, pending, true) } };
}

/** The file system begins to grow. */
export function nodeResizeBegun(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  return { ...claim, status: withProgress(claim.status, 'NodeResizeInProgress') };
}

/** All is done: its pods have that size. */
export function resizeFinished(claim: PersistentVolumeClaim, size: string): PersistentVolumeClaim {
  const { allocatedResourceStatuses = {}, conditions, ...status } = claim.status;
  const { storage: _finished, ...statuses } = allocatedResourceStatuses;
  const left = merged(conditions, undefined, false);
  return {
    ...claim,
    status: {
      ...status,
      capacity: { ...status.capacity, storage: size },
      ...(Object.keys(statuses).length === 0 ? {} : { allocatedResourceStatuses: statuses }),
      ...(left.length === 0 ? {} : { conditions: left }),
    },
  };
}

function withProgress(status: Status, progress: ResizeStatus): Status {
  return { ...status, allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: progress } };
}

function since(time: string): Pick<ClaimCondition, 'lastProbeTime' | 'lastTransitionTime'> {
  return { lastProbeTime: null, lastTransitionTime: time };
}

/** Conditions of other kinds stay, and one that says the same already. @param keepsOld - whether others of resizing do */
function merged(
  before: readonly ClaimCondition[] = [],
  next: ClaimCondition | undefined,
  keepsOld: boolean,
): ClaimCondition[] {
  const conditions = before.flatMap((each) => {
    if (each.type === next?.type) return [each.status === next.status ? each : next];
    return RESIZE_CONDITIONS.includes(each.type) && !keepsOld ? [] : [each];
  });
  if (next !== undefined && !conditions.some(({ type }) => type === next.type)) conditions.push(next);
  return conditions;
}
