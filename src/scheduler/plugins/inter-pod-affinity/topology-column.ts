import type { StringMap } from '../../../api/objects.js';

/** Stands for "the node does not have the key", and for a value that no node has had. */
export const ABSENT = -1;

/** The values of one topology key as numbers: by slot, for the nodes that have the key. */
export class TopologyColumn {
  /** Number of the node's value by slot; {@link ABSENT} without one. */
  readonly ids: Int32Array;
  readonly #byValue = new Map<string, number>();

  /** @param capacity - slots of the columns */
  constructor(
    readonly key: string,
    capacity: number,
  ) {
    this.ids = new Int32Array(capacity).fill(ABSENT);
  }

  /** Number of values seen so far; ids are below it. */
  get size(): number {
    return this.#byValue.size;
  }

  /** Notes the labels of the node in a slot; `undefined` = no node. */
  set(slot: number, labels: StringMap | undefined): void {
    const value = labels?.[this.key];
    this.ids[slot] = value === undefined ? ABSENT : this.#idOf(value);
  }

  /** The number of a value, if a node has had it. */
  find(value: string): number {
    return this.#byValue.get(value) ?? ABSENT;
  }

  #idOf(value: string): number {
    let id = this.#byValue.get(value);
    if (id === undefined) {
      id = this.#byValue.size;
      this.#byValue.set(value, id);
    }
    return id;
  }
}
