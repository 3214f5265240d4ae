import { NO_VALUE, type TopologyColumn } from '../topology-column.js';

/** Values of a key up to which an array is smaller than a map, whatever it holds. */
const FEW_VALUES = 64;
/** Entries from which an array is faster to read and not much larger. */
const MANY_ENTRIES = 32;

/**
 * A sum per value of a topology key, over existing pods: how many match, or what their terms weigh.
 * Follows single pods as they come and go. With few entries among many values it is kept as a map.
 */
export class DomainSum {
  /** Pods counted, once per term, on nodes that have the key; a pod that weighs nothing counts too. */
  records = 0;
  #dense: Int32Array | undefined;
  readonly #sparse = new Map<number, number>();

  constructor(readonly column: TopologyColumn) {}

  /** The sum of a value by its number. */
  at(id: number): number {
    const dense = this.#dense;
    if (dense === undefined) return this.#sparse.get(id) ?? 0;
    return id >= 0 && id < dense.length ? (dense[id] as number) : 0;
  }

  /** The sum of a value. */
  of(value: string): number {
    return this.at(this.column.find(value) ?? NO_VALUE);
  }

  /** Adds so many pods of that weight each on the node in a slot; a node without the key adds nothing. */
  add(slot: number, pods: number, weight: number): void {
    const id = this.column.bySlot[slot] as number;
    if (id === NO_VALUE) return;
    this.records += pods;
    if (this.#dense === undefined && this.#isDense) this.#makeDense();
    if (this.#dense === undefined) {
      const sum = (this.#sparse.get(id) ?? 0) + pods * weight;
      if (sum === 0) this.#sparse.delete(id);
      else this.#sparse.set(id, sum);
      return;
    }
    if (id >= this.#dense.length) this.#dense = enlarged(this.#dense, id + 1);
    this.#dense[id] = (this.#dense[id] as number) + pods * weight;
  }

  get #isDense(): boolean {
    return this.column.size <= FEW_VALUES || this.#sparse.size >= MANY_ENTRIES;
  }

  #makeDense(): void {
    const dense = new Int32Array(this.column.size);
    for (const [id, sum] of this.#sparse) dense[id] = sum;
    this.#sparse.clear();
    this.#dense = dense;
  }
}

function enlarged(array: Int32Array, needed: number): Int32Array {
  const larger = new Int32Array(Math.max(needed, array.length * 2));
  larger.set(array);
  return larger;
}
