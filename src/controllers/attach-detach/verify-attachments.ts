/** Makes sure of what is said to be attached. Upstream: `VerifyVolumesAreAttached` (v1.34). */
import { attachmentName, handleOf } from '../../api/attachable-volume.js';
import type { AttachDetachMemory } from './attach-detach-memory.js';
import { operationKey } from './attach-operation.js';

/** What is attached no longer is told so, and attached again where it is needed. */
export function verifyAttachments(memory: AttachDetachMemory): void {
  const { actual, attachments, pending, suspects } = memory;
  const keys = [...suspects];
  suspects.clear();
  for (const key of keys) {
    const pair = actual.get(key);
    const handle = pair === undefined ? undefined : handleOf(pair.uniqueName);
    if (pair === undefined || handle === undefined || pending.isPending(operationKey(pair))) continue;
    const attachment = attachments.getByKey(attachmentName(handle, pair.nodeName));
    if (attachment?.status?.attached === true) continue;
    actual.markDetached(pair);
    memory.touchVolume(pair.uniqueName);
  }
}
