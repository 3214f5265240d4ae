/**
 * What each node has attached, and how much more its drivers can attach, kept from attempt to attempt: a
 * node is looked at again when its pods have changed, or an object that was looked at for it. It never
 * decides anything: NodeVolumeLimits does. Upstream counts anew for each pod and node.
 */
import { keyOf, type KubeObject } from '../../../api/objects/objects.js';
import type { CSINode, VolumeAttachment } from '../../../api/objects/storage-objects.js';
import { LogPlace } from '../../framework/follower.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { WrittenSlots } from '../../framework/written-slots.js';
import { AttachmentsByNode } from './attachments-by-node.js';
import { attachedVolumes, collectVolumes, countByDriver, limitsOf, type VolumeSet } from './attached-volumes.js';
import { ObjectUses } from './object-uses.js';
import { SpareColumn } from './spare-column.js';
import { VolumeListers, type VolumeHandle } from './volume-listers.js';

/** What is attached to a node with drivers that tell limits. */
export interface NodeAttachments {
  readonly csiNode: CSINode | undefined;
  readonly limits: ReadonlyMap<string, number>;
  /** Volumes that its pods use. */
  readonly used: VolumeSet;
  /** Those, and others that are attached, by driver. */
  readonly counts: ReadonlyMap<string, number>;
  /** A volume of one of its pods is a fault. */
  readonly isFaulty: boolean;
}

/** Kinds by which it is told what a pod's volumes are, and what a node can attach. */
const FOLLOWED_KINDS = ['CSINode', 'PersistentVolume', 'PersistentVolumeClaim', 'StorageClass'];

/** See the file header. */
export class AttachIndex {
  readonly #listers: VolumeListers;
  readonly #uses = new ObjectUses();
  #attachments = new AttachmentsByNode();
  /** By slot; absent where no driver tells a limit. */
  readonly #nodes: (NodeAttachments | undefined)[] = [];
  readonly #spare = new Map<string, SpareColumn>();
  /** By volume: on how many of these nodes pods use it. */
  readonly #users = new Map<string, number>();
  readonly #dirty = new Set<number>();
  #faults = 0;
  #columns: NodeColumns | undefined;
  readonly #written = new LogPlace();
  readonly #touched = new LogPlace();
  /** Slot of the node that is being looked at. */
  #slot = 0;

  /** `undefined` where the handle does not tell of changes. */
  static of(handle: VolumeHandle): AttachIndex | undefined {
    return handle.onChange === undefined || handle.object === undefined ? undefined : new AttachIndex(handle);
  }

  private constructor(handle: VolumeHandle) {
    const object = (kind: string, key: string): KubeObject | undefined => {
      this.#uses.note(kind, key, this.#slot);
      return handle.object?.(kind, key);
    };
    this.#listers = new VolumeListers({ ...handle, object });
    for (const kind of FOLLOWED_KINDS) {
      handle.onChange?.(kind, (before, after) => this.#forget(kind, keyOf((after ?? before) as KubeObject)));
    }
    handle.onChange?.('VolumeAttachment', (before, after) => {
      if (this.#columns === undefined) return;
      if (before !== undefined) this.#attachments.remove(before as VolumeAttachment);
      if (after !== undefined) this.#attachments.add(after as VolumeAttachment);
      for (const attachment of [before, after])
        if (attachment !== undefined) this.#forget('VolumeAttachment', (attachment as VolumeAttachment).spec.nodeName);
    });
  }

  /** Whether some node has a pod with a faulty volume. */
  get hasFaults(): boolean {
    return this.#faults > 0;
  }

  /** Takes notice of everything that has changed. */
  catchUp(columns: NodeColumns): void {
    const { written, touched } = columns;
    if (this.#columns === undefined) this.#attachments = new AttachmentsByNode(this.#listers.list('VolumeAttachment'));
    const fromWritten = this.#written.advance(written);
    const fromTouched = this.#touched.advance(touched);
    if (this.#columns !== columns || fromWritten === undefined || fromTouched === undefined) {
      for (let slot = 0; slot < columns.capacity; slot += 1) this.#dirty.add(slot);
    } else {
      this.#mark(written, fromWritten);
      this.#mark(touched, fromTouched);
    }
    this.#columns = columns;
    if (this.#dirty.size === 0) return;
    for (const slot of this.#dirty) this.#set(slot, this.#look(slot, columns.nodes?.[slot]));
    this.#dirty.clear();
  }

  /** Whether it was brought up to date with these columns. */
  follows(columns: NodeColumns): boolean {
    return this.#columns === columns;
  }

  /** All attachments that there are now. */
  get attachments(): AttachmentsByNode {
    return this.#attachments;
  }

  /** What a node has; `undefined` where no driver tells a limit. */
  nodeAt(slot: number): NodeAttachments | undefined {
    return this.#nodes[slot];
  }

  /** What nodes can attach of a driver's volumes; `undefined` where none tells a limit. */
  spareOf(driver: string): SpareColumn | undefined {
    return this.#spare.get(driver);
  }

  /** Whether a pod on some node uses a volume, as far as limits are told there. */
  isUsed(volume: string): boolean {
    return this.#users.has(volume);
  }

  #mark(log: WrittenSlots, since: number): void {
    for (let position = since; position < log.end; position += 1) this.#dirty.add(log.slotAt(position));
  }

  #forget(kind: string, key: string): void {
    for (const slot of this.#uses.slotsOf(kind, key)) this.#dirty.add(slot);
  }

  #look(slot: number, node: NodeInfo | undefined): NodeAttachments | undefined {
    this.#uses.clear(slot);
    if (node === undefined) return undefined;
    this.#slot = slot;
    const listers = this.#listers;
    const csiNode = listers.csiNode(node.name);
    const limits = limitsOf(csiNode);
    if (limits.size === 0) return undefined;
    this.#uses.note('VolumeAttachment', node.name, slot);
    const used: VolumeSet = new Map();
    let isFaulty = false;
    for (const { pod } of node.pods) {
      if (pod.spec.volumes === undefined) continue;
      if (collectVolumes(listers, pod, csiNode, false, used) !== undefined) isFaulty = true;
    }
    const attached = attachedVolumes(listers, this.#attachments.on(node.name).values());
    const counts = countByDriver(attached.size === 0 ? used : new Map([...used, ...attached]));
    return { csiNode, limits, used, counts, isFaulty };
  }

  #set(slot: number, node: NodeAttachments | undefined): void {
    const previous = this.#nodes[slot];
    if (previous === undefined && node === undefined) return;
    this.#nodes[slot] = node;
    for (const volume of node?.used.keys() ?? []) this.#users.set(volume, (this.#users.get(volume) ?? 0) + 1);
    for (const volume of previous?.used.keys() ?? []) this.#leave(volume);
    this.#faults += (node?.isFaulty === true ? 1 : 0) - (previous?.isFaulty === true ? 1 : 0);
    if (previous !== undefined && previous.limits !== node?.limits)
      for (const driver of previous.limits.keys()) this.#spare.get(driver)?.set(slot);
    if (node === undefined) return;
    for (const [driver, limit] of node.limits) {
      let column = this.#spare.get(driver);
      if (column === undefined) {
        column = new SpareColumn();
        this.#spare.set(driver, column);
      }
      column.set(slot, limit - (node.counts.get(driver) ?? 0));
    }
  }

  #leave(volume: string): void {
    const users = (this.#users.get(volume) ?? 0) - 1;
    if (users > 0) this.#users.set(volume, users);
    else this.#users.delete(volume);
  }
}
