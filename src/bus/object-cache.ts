import { keyOf, nameKey, type Kind, type KindMap, type ObjectName } from '../api/objects/objects.js';
import { assert } from '../kernel/assert.js';
import type { Indexers, Lister } from './bus-types.js';
import { ObjectIndex } from './object-index.js';

/** Told of each difference, one after the other, while the cache shows exactly what was told so far. */
export interface DifferenceListener<K extends Kind> {
  onAdd(object: KindMap[K]): void;
  onUpdate(previous: KindMap[K], object: KindMap[K]): void;
  onDelete(object: KindMap[K]): void;
}

const NONE: readonly never[] = [];

/** Objects of one kind by key, in order of arrival, with indexes if any were asked for. */
export class ObjectCache<K extends Kind> implements Lister<K> {
  readonly #objects = new Map<string, KindMap[K]>();
  #indexes: Map<string, ObjectIndex<K>> | undefined;
  #all: Iterable<KindMap[K]> | undefined;

  get size(): number {
    return this.#objects.size;
  }

  get(name: ObjectName): KindMap[K] | undefined {
    return this.#objects.get(nameKey(name.namespace, name.name));
  }

  getByKey(key: string): KindMap[K] | undefined {
    return this.#objects.get(key);
  }

  list(namespace?: string): Iterable<KindMap[K]> {
    const objects = this.#objects;
    if (namespace === undefined) {
      this.#all ??= { [Symbol.iterator]: () => objects.values() };
      return this.#all;
    }
    return [...objects.values()].filter(({ metadata }) => metadata.namespace === namespace);
  }

  byIndex(name: string, value: string): Iterable<KindMap[K]> {
    const index = this.#indexes?.get(name);
    assert(index !== undefined, `index ${name} must be asked for when the informer is made`);
    const keys = index.keys(value);
    if (keys.size === 0) return NONE;
    const found: KindMap[K][] = [];
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Adds indexes, also over what is here already; one that exists by that name stays. */
  addIndexers(indexers: Indexers<K>): void {
    for (const [name, valuesOf] of Object.entries(indexers)) {
      this.#indexes ??= new Map();
      if (this.#indexes.has(name)) continue;
      const index = new ObjectIndex<K>(valuesOf);
      for (const [key, object] of this.#objects) index.move(key, undefined, object);
      this.#indexes.set(name, index);
    }
  }

  /** Stores an object; returns the one that it replaces. */
  put(object: KindMap[K]): KindMap[K] | undefined {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    this.#store(key, previous, object);
    return previous;
  }

  /** Removes an object; returns what was stored. */
  drop(key: string): KindMap[K] | undefined {
    const previous = this.#objects.get(key);
    if (previous === undefined) return undefined;
    this.#objects.delete(key);
    if (this.#indexes !== undefined) this.#reindex(key, previous, undefined);
    return previous;
  }

  /** Becomes `items`: what is new or changed is told in their order, then what has vanished. */
  replace(items: readonly KindMap[K][], listener: DifferenceListener<K>): void {
    const vanished = new Set(this.#objects.keys());
    for (const object of items) {
      const key = keyOf(object);
      vanished.delete(key);
      this.replaceOne(key, object, listener);
    }
    for (const key of vanished) {
      const object = this.drop(key);
      if (object !== undefined) listener.onDelete(object);
    }
  }

  /** Forgets every object; indexes stay, empty. */
  clear(): void {
    this.#objects.clear();
    for (const index of this.#indexes?.values() ?? []) index.clear();
  }

  /** Shows an object as it is now; one of the same name but another uid is another one, and has vanished. */
  replaceOne(key: string, object: KindMap[K], listener: DifferenceListener<K>): void {
    const previous = this.#objects.get(key);
    if (previous !== undefined && previous.metadata.uid !== object.metadata.uid) {
      this.drop(key);
      listener.onDelete(previous);
      this.#store(key, undefined, object);
      listener.onAdd(object);
    } else if (previous === undefined) {
      this.#store(key, undefined, object);
      listener.onAdd(object);
    } else if (previous.metadata.resourceVersion !== object.metadata.resourceVersion) {
      this.#store(key, previous, object);
      listener.onUpdate(previous, object);
    }
  }

  #store(key: string, previous: KindMap[K] | undefined, object: KindMap[K]): void {
    this.#objects.set(key, object);
    if (this.#indexes !== undefined) this.#reindex(key, previous, object);
  }

  #reindex(key: string, previous: KindMap[K] | undefined, object: KindMap[K] | undefined): void {
    for (const index of this.#indexes?.values() ?? []) index.move(key, previous, object);
  }
}
