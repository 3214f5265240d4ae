import { assert } from '../../kernel/assert.js';
import type { Snapshot } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { NodeInfo } from '../framework/node-info.js';
import { ColumnStore } from './column-store.js';

/**
 * The scheduler's view of the nodes, brought up to date at the start of each attempt. It copies what
 * changed into columns; the node infos themselves are the cache's, which does not change them while an
 * attempt is under way. Mirrors kube-scheduler v1.34 `backend/cache.Snapshot`.
 */
export class CacheSnapshot implements Snapshot {
  readonly #store = new ColumnStore();
  readonly #slots = new Map<string, number>();
  #nodes: NodeInfo[] | undefined;

  get size(): number {
    return this.columns.nodeCount;
  }

  get order(): Int32Array {
    return this.columns.arrays.order;
  }

  get columns(): NodeColumns {
    return this.#store.columns;
  }

  get nodes(): readonly NodeInfo[] {
    if (this.#nodes === undefined) {
      this.#nodes = [];
      for (let index = 0; index < this.size; index += 1) this.#nodes.push(this.nodeAt(this.order[index] as number));
    }
    return this.#nodes;
  }

  get(nodeName: string): NodeInfo | undefined {
    const slot = this.#slots.get(nodeName);
    return slot === undefined ? undefined : this.#store.nodeAt(slot);
  }

  nodeAt(slot: number): NodeInfo {
    const info = this.#store.nodeAt(slot);
    if (info === undefined) assert(false, `slot ${slot} must hold a node of the snapshot, got none`);
    return info;
  }

  /** @internal makes room for so many nodes at once. */
  reserve(nodeCount: number): void {
    this.#store.reserve(nodeCount);
  }

  /** @internal brings one changed node up to date; `true` if it is new to the snapshot. */
  write(info: NodeInfo): boolean {
    if (info.slot !== -1 && this.#store.nodeAt(info.slot) === info) {
      this.#store.write(info.slot, info);
      return false;
    }
    let slot = this.#slots.get(info.name);
    const isNew = slot === undefined;
    if (slot === undefined) {
      slot = this.#store.allocate(info);
      this.#slots.set(info.name, slot);
    } else if (info.slot !== slot) {
      this.#store.replace(slot, info);
      this.#nodes = undefined;
    }
    this.#store.write(slot, info);
    return isNew;
  }

  /** @internal number of nodes written and not released, whether or not they stand in the scan order. */
  get known(): number {
    return this.#slots.size;
  }

  /** @internal drops the nodes that are not among `names`, and takes `names` as the scan order. */
  reorder(names: readonly string[]): void {
    if (this.#slots.size > names.length) {
      const kept = new Set(names);
      for (const [name, slot] of this.#slots) {
        if (kept.has(name)) continue;
        this.#slots.delete(name);
        this.#store.release(slot);
      }
    }
    this.#store.writeOrder(names.map((name) => this.#slotOf(name)));
    this.#store.compact();
    this.#nodes = undefined;
  }

  #slotOf(name: string): number {
    const slot = this.#slots.get(name);
    if (slot === undefined) assert(false, `node ${name} of the node tree must be in the snapshot`);
    return slot;
  }
}
