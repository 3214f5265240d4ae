/**
 * Maps and sets that are made with their first entry. V8 gives an empty Map 184 bytes and an empty Set 152, and a node
 * has dozens of each in which, most of the time, there is nothing.
 */

const NOTHING: readonly never[] = [];

/** A Map that weighs next to nothing while it is empty. */
export class LateMap<K, V> {
  #map: Map<K, V> | undefined;

  get size(): number {
    return this.#map === undefined ? 0 : this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map?.get(key);
  }

  has(key: K): boolean {
    return this.#map?.has(key) === true;
  }

  set(key: K, value: V): this {
    this.#map ??= new Map();
    this.#map.set(key, value);
    return this;
  }

  /** Whether there was such an entry. */
  delete(key: K): boolean {
    return this.#map?.delete(key) === true;
  }

  clear(): void {
    this.#map = undefined;
  }

  keys(): Iterable<K> {
    return this.#map?.keys() ?? NOTHING;
  }

  values(): Iterable<V> {
    return this.#map?.values() ?? NOTHING;
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    return (this.#map ?? NOTHING)[Symbol.iterator]();
  }
}

/** A Set that weighs next to nothing while it is empty. */
export class LateSet<T> {
  #set: Set<T> | undefined;

  get size(): number {
    return this.#set === undefined ? 0 : this.#set.size;
  }

  has(value: T): boolean {
    return this.#set?.has(value) === true;
  }

  add(value: T): this {
    this.#set ??= new Set();
    this.#set.add(value);
    return this;
  }

  /** Whether it was in it. */
  delete(value: T): boolean {
    return this.#set?.delete(value) === true;
  }

  clear(): void {
    this.#set = undefined;
  }

  [Symbol.iterator](): Iterator<T> {
    return (this.#set ?? NOTHING)[Symbol.iterator]();
  }
}
