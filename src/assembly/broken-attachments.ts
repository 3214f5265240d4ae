/**
 * Volumes that are taken away from nodes, as by an operator's firewall between storage and a machine and a deletion
 * of the attachment in the API: mounts are lost, the VolumeAttachment is deleted, the attach record given up, and the
 * node is not given the volume again before the last of these faults has been healed.
 */
import { isApiError } from '../api/errors/api-error.js';
import { attachRecordOf, withAttachRecord } from '../api/volumes/attach-record.js';
import { attachingOf, attachmentName, csiVolumeOf } from '../api/volumes/attachable-volume.js';
import { keyOf } from '../api/objects/objects.js';
import type { PersistentVolume } from '../api/objects/storage-objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { VolumeChoice } from '../faults/fault.js';
import type { Troubles } from '../kernel/troubles.js';
import type { NodeFleet } from './node-fleet.js';

/** What it acts on. */
export interface AttachmentParts {
  readonly server: Pick<ApiServer, 'find' | 'list' | 'delete' | 'change'>;
  readonly fleet: NodeFleet;
  /** Behind CSI drivers. */
  readonly storage: Troubles<string>;
}

/** See the file header. */
export class BrokenAttachments {
  readonly #parts: AttachmentParts;
  /** How many faults hold each volume and node. */
  readonly #holds = new Map<string, number>();

  constructor(parts: AttachmentParts) {
    this.#parts = parts;
  }

  get volumes(): readonly string[] {
    return this.#parts.server.list('PersistentVolume').items.map(({ metadata }) => metadata.name);
  }

  /** Those that are bound, as `namespace/name`. */
  get claims(): readonly string[] {
    const { items } = this.#parts.server.list('PersistentVolumeClaim');
    return items.filter(({ spec }) => (spec.volumeName ?? '') !== '').map(keyOf);
  }

  /** @param onMet - told each time that the node misses it. @returns what ends it */
  keepFrom(node: string, choice: VolumeChoice, onMet: () => void): () => void {
    const { fleet, storage } = this.#parts;
    const name = 'volume' in choice ? choice.volume : this.#volumeOf(choice.claim);
    const key = attachingOf(node, name);
    this.#holds.set(key, (this.#holds.get(key) ?? 0) + 1);
    const mounts = fleet.kubelet(node)?.mounts;
    storage.set(
      key,
      { error: `rpc error: code = Unavailable desc = the storage keeps volume ${name} from node ${node}` },
      onMet,
    );
    mounts?.withhold(name, onMet);
    this.#breakInApi(node, name, onMet);
    return () => {
      const left = (this.#holds.get(key) ?? 0) - 1;
      this.#holds.set(key, left);
      if (left > 0) return;
      storage.set(key, undefined, onMet);
      mounts?.grant(name);
    };
  }

  #volumeOf(claim: string): string {
    const [namespace, name = ''] = claim.includes('/') ? claim.split('/') : ['default', claim];
    return this.#parts.server.find('PersistentVolumeClaim', { namespace, name })?.spec.volumeName ?? '';
  }

  #breakInApi(node: string, name: string, onMet: () => void): void {
    const { server } = this.#parts;
    const volume = server.find('PersistentVolume', { name });
    if (volume === undefined) return;
    const hadRecord = attachRecordOf(volume)?.nodeName === node;
    if (hadRecord) server.change('PersistentVolume', { name }, (stored) => withoutRecord(stored, node));
    const handle = csiVolumeOf(volume)?.handle;
    const hadAttachment = handle !== undefined && this.#deleteAttachment(attachmentName(handle, node));
    if (hadRecord || hadAttachment) onMet();
  }

  #deleteAttachment(name: string): boolean {
    try {
      this.#parts.server.delete('VolumeAttachment', { name });
      return true;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return false;
      throw error;
    }
  }
}

function withoutRecord(volume: PersistentVolume, node: string): PersistentVolume {
  return attachRecordOf(volume)?.nodeName === node ? withAttachRecord(volume, undefined) : volume;
}
