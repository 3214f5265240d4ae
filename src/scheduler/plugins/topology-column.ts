import type { StringMap } from '../../api/objects/objects.js';

/** In place of the number of a value: the node lacks the key, or stands in no domain. */
export const NO_VALUE = -1;

/** The values of one topology key: numbers for them, and each node's number by slot. */
export class TopologyColumn {
  /** Number of the node's value; {@link NO_VALUE} if it lacks the key. */
  readonly bySlot: Int32Array;
  /** Rises when a node gets a value that another one has while all others had values of their own. */
  sharings = 0;
  readonly #ids = new Map<string, number>();
  readonly #values: string[] = [];
  /** Nodes by number of the value. */
  readonly #nodes: number[] = [];
  /** Nodes beyond the first of each value. */
  #sharers = 0;

  /** @param capacity - slots of the columns */
  constructor(
    readonly key: string,
    capacity: number,
  ) {
    this.bySlot = new Int32Array(capacity).fill(NO_VALUE);
  }

  /** Takes in what is in a slot now; `undefined` if no node is. */
  place(slot: number, labels: StringMap | undefined): void {
    const value = labels?.[this.key];
    const before = this.bySlot[slot] as number;
    const id = value === undefined ? NO_VALUE : this.idOf(value);
    if (id === before) return;
    this.bySlot[slot] = id;
    if (before !== NO_VALUE) this.#count(before, -1);
    if (id !== NO_VALUE) this.#count(id, 1);
  }

  /** The number of a value, which gets the next one if it is new. */
  idOf(value: string): number {
    let id = this.#ids.get(value);
    if (id === undefined) {
      id = this.#values.push(value) - 1;
      this.#nodes.push(0);
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

  /** Whether no two nodes have the same value. */
  get isUnique(): boolean {
    return this.#sharers === 0;
  }

  #count(id: number, difference: 1 | -1): void {
    const before = this.#nodes[id] as number;
    this.#nodes[id] = before + difference;
    if (difference === 1 ? before === 0 : before === 1) return;
    if (this.#sharers === 0) this.sharings += 1;
    this.#sharers += difference;
  }
}
