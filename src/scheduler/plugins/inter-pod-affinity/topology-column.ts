import type { StringMap } from '../../../api/objects/objects.js';

/** Stands for "the node does not have the key", and for a value that no node has had. */
export const ABSENT = -1;

/** The values of one topology key as numbers: by slot, for the nodes that have the key. */
export class TopologyColumn {
  /** Number of the node's value by slot; {@link ABSENT} without one. */
  readonly ids: Int32Array;
  /** Rises when a node gets a value that another one has while all others had values of their own. */
  sharings = 0;
  readonly #byValue = new Map<string, number>();
  /** Nodes by number of the value. */
  readonly #nodes: number[] = [];
  /** Nodes beyond the first of each value. */
  #sharers = 0;

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

  /** Whether no two nodes have the same value. */
  get isUnique(): boolean {
    return this.#sharers === 0;
  }

  /** Notes the labels of the node in a slot; `undefined` = no node. */
  set(slot: number, labels: StringMap | undefined): void {
    const value = labels?.[this.key];
    const before = this.ids[slot] as number;
    const id = value === undefined ? ABSENT : this.#idOf(value);
    if (id === before) return;
    this.ids[slot] = id;
    if (before !== ABSENT) this.#count(before, -1);
    if (id !== ABSENT) this.#count(id, 1);
  }

  /** The number of a value, if a node has had it. */
  find(value: string): number {
    return this.#byValue.get(value) ?? ABSENT;
  }

  #count(id: number, difference: 1 | -1): void {
    const before = this.#nodes[id] as number;
    this.#nodes[id] = before + difference;
    if (difference === 1 ? before === 0 : before === 1) return;
    if (this.#sharers === 0) this.sharings += 1;
    this.#sharers += difference;
  }

  #idOf(value: string): number {
    let id = this.#byValue.get(value);
    if (id === undefined) {
      id = this.#byValue.size;
      this.#byValue.set(value, id);
      this.#nodes.push(0);
    }
    return id;
  }
}
