/** Makes sure of what is said to be attached. Upstream: `VerifyVolumesAreAttached` (v1.34). */
import { attachmentName, handleOf } from '../../api/volumes/attachable-volume.js';
import type { AttachDetachMemory } from './attach-detach-memory.js';
import { operationKey } from './attach-operation.js';

/**
 * What is attached no longer is told so, and attached again where it is needed. Where a record says that the node
 * has the volume the pair is kept: nobody needs it there, and the record is given up; or it is attached anew.
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
