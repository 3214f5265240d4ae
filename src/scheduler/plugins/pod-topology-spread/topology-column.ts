import type { StringMap } from '../../../api/objects.js';

/** Stands for "no value" and "in no domain". */
export const NONE = -1;

/** The values of one topology key: numbers for them, and each node's number by slot. */
export class TopologyColumn {
  /** Number of the node's value; {@link NONE} if it lacks the key. */
  readonly bySlot: Int32Array;
  readonly #ids = new Map<string, number>();
  readonly #values: string[] = [];

  /** @param capacity - slots of the columns */
  constructor(
    readonly key: string,
    capacity: number,
  ) {
    this.bySlot = new Int32Array(capacity).fill(NONE);
  }

  /** Takes in what is in a slot now; `undefined` if no node is. */
  place(slot: number, labels: StringMap | undefined): void {
    const value = labels?.[this.key];
    this.bySlot[slot] = value === undefined ? NONE : this.idOf(value);
  }

  /** The number of a value, which gets the next one if it is new. */
  idOf(value: string): number {
    let id = this.#ids.get(value);
    if (id === undefined) {
      id = this.#values.push(value) - 1;
      this.#ids.set(value, id);
    }
    return id;
  }

  /** The number of a value that some node has had. */
  find(value: string): number | undefined {
    return this.#ids.get(value);
  }

  valueOf(id: number): string {
    return this.#values[id] ?? '';
  }

  /** Number of values that there have been. */
  get size(): number {
    return this.#values.length;
  }
}
