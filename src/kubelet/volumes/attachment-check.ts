/**
 * Whether a driver has attached a volume to the node, by its VolumeAttachment as it is now: what the node's status
 * shows may have been written by a controller that knows less. Mirrors WaitForAttach of pkg/volume/csi (v1.34).
 */
import { attachmentName, type VolumeHandle } from '../../api/volumes/attachable-volume.js';
import type { VolumeAttachment } from '../../api/objects/storage-objects.js';
import type { Client } from '../../bus/bus-types.js';

/** Told once why the volume cannot be mounted; `undefined` = it can. */
type Answer = (problem: string | undefined) => void;

/** See the file header. */
export function checkAttachment(client: Client, handle: VolumeHandle, nodeName: string, answer: Answer): void {
  const name = attachmentName(handle, nodeName);
  client.get('VolumeAttachment', { name }, (error, attachment) => {
    if (attachment !== undefined) return answer(problemOf(attachment, handle));
    answer(`volume ${handle.handle} has GET error for volume attachment ${name}: ${error?.message}`);
  });
}

function problemOf({ metadata, status }: VolumeAttachment, { handle }: VolumeHandle): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'volume attachment is being deleted';
  if (status?.attached === true) return undefined;
  return status?.attachError?.message ?? `volume ${handle} is not attached for volume attachment ${metadata.name}`;
}
