/**
 * Objects of one kind in the order of their keys (`namespace/name`, by code unit, as etcd's), of which only those are
 * looked up that somebody reads: a page of a long list costs what the page has.
 */
import { keyOf, nameKey, type Kind, type KindMap } from '../../api/objects/objects.js';

/** See the file header. */
export interface ObjectOrder<K extends Kind> {
  readonly length: number;
  /** `undefined` beyond the end. */
  keyAt(index: number): string | undefined;
  at(index: number): KindMap[K] | undefined;
}

/** Index of the first object whose key is not before that one. */
export function indexFrom(order: ObjectOrder<Kind>, key: string): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((order.keyAt(middle) ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The order of objects that are at hand. @param objects - in the order of their keys */
export function orderOf<K extends Kind>(objects: readonly KindMap[K][]): ObjectOrder<K> {
  return {
    length: objects.length,
    keyAt(index) {
      const object = objects[index];
      return object === undefined ? undefined : keyOf(object);
    },
    at: (index) => objects[index],
  };
}

/** A namespace's part of an order. */
export interface OrderedNamespace<K extends Kind> {
  readonly namespace: string;
  /** In order; it does not change. */
  readonly names: readonly string[];
  /** The present object of a name. */
  find(name: string): KindMap[K] | undefined;
}

/** The order of what stands in a table, with the names as they were when it was made, and the objects as they are. */
export class TableOrder<K extends Kind> implements ObjectOrder<K> {
  readonly length: number;
  readonly #parts: readonly OrderedNamespace<K>[];
  /** Index at which each part begins. */
  readonly #starts: readonly number[];
  /** Part that was read last: most reads go on from there. */
  #last = 0;

  /** @param parts - in the order of their keys; none is empty */
  constructor(parts: readonly OrderedNamespace<K>[]) {
    const starts: number[] = [];
    let length = 0;
    for (const { names } of parts) {
      starts.push(length);
      length += names.length;
    }
    this.#parts = parts;
    this.#starts = starts;
    this.length = length;
  }

  keyAt(index: number): string | undefined {
    const part = this.#partAt(index);
    return part && nameKey(part.namespace, part.names[index - this.#startOf()] ?? '');
  }

  at(index: number): KindMap[K] | undefined {
    const part = this.#partAt(index);
    return part?.find(part.names[index - this.#startOf()] ?? '');
  }

  #startOf(): number {
    return this.#starts[this.#last] ?? 0;
  }

  /** Makes the part with that index the last one read. */
  #partAt(index: number): OrderedNamespace<K> | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const part = this.#parts[this.#last];
    const start = this.#startOf();
    if (part !== undefined && index >= start && index < start + part.names.length) return part;
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    this.#last = low - 1;
    return this.#parts[this.#last];
  }
}
