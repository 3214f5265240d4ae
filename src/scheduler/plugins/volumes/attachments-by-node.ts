import { keyOf } from '../../../api/objects/objects.js';
import type { VolumeAttachment } from '../../../api/objects/storage-objects.js';

const NONE: ReadonlyMap<string, VolumeAttachment> = new Map();

/** Attachments by node, and by key on each. */
export class AttachmentsByNode {
  readonly #byNode = new Map<string, Map<string, VolumeAttachment>>();

  constructor(attachments: Iterable<VolumeAttachment> = []) {
    for (const attachment of attachments) this.add(attachment);
  }

  on(nodeName: string): ReadonlyMap<string, VolumeAttachment> {
    return this.#byNode.get(nodeName) ?? NONE;
  }

  add(attachment: VolumeAttachment): void {
    const { nodeName } = attachment.spec;
    let onNode = this.#byNode.get(nodeName);
    if (onNode === undefined) {
      onNode = new Map();
      this.#byNode.set(nodeName, onNode);
    }
    onNode.set(keyOf(attachment), attachment);
  }

  remove(attachment: VolumeAttachment): void {
    const { nodeName } = attachment.spec;
    const onNode = this.#byNode.get(nodeName);
    onNode?.delete(keyOf(attachment));
    if (onNode?.size === 0) this.#byNode.delete(nodeName);
  }
}
