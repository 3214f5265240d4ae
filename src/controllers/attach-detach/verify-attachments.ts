/** Makes sure of what is said to be attached. Upstream: `VerifyVolumesAreAttached` (v1.34). */
import { attachmentName, handleOf } from '../../api/volumes/attachable-volume.js';
import type { AttachDetachMemory } from './attach-detach-memory.js';
import { operationKey } from './attach-operation.js';

/**
 * Marks suspects without an attachment as detached, so that they are attached again where they are needed. Where a
 * record gives the volume to the node the pair stays: the next pass attaches it anew, or gives the record up.
 */
export function verifyAttachments(memory: AttachDetachMemory): void {
  const { actual, attachments, pending, records, suspects } = memory;
  const keys = [...suspects];
  suspects.clear();
  for (const key of keys) {
    const pair = actual.get(key);
    const handle = pair === undefined ? undefined : handleOf(pair.uniqueName);
    if (pair?.isConfirmed !== true || handle === undefined) continue;
    if (pending.isPending(operationKey(pair))) {
      memory.suspect(key);
      continue;
    }
    const attachment = attachments.getByKey(attachmentName(handle, pair.nodeName));
    if (attachment?.status?.attached === true) continue;
    if (records.guard(pair.volume)) {
      actual.markLost(pair);
      memory.touch(key);
    } else {
      actual.markDetached(pair);
    }
    memory.touchVolume(pair.uniqueName);
  }
}
