import { keyOf, type KubeObject } from '../../../../api/objects/objects.js';

/**
 * Objects as they will be once what the scheduler has decided is written: an assumed object stands
 * before the informer's until that one is newer, or gone, or the assumption is taken back. Mirrors
 * kube-scheduler v1.34 `util/assumecache`.
 */
export class AssumeCache<T extends KubeObject> {
  readonly #find: (key: string) => T | undefined;
  readonly #assumed = new Map<string, T>();

  /** @param find - an object as the informer knows it */
  constructor(find: (key: string) => T | undefined) {
    this.#find = find;
  }

  /** The object, as assumed if it is. */
  get(key: string): T | undefined {
    return this.#latest(key, this.#find(key));
  }

  /** The object as the informer knows it. */
  getStored(key: string): T | undefined {
    return this.#find(key);
  }

  /** Objects that the informer knows, as assumed where they are. */
  *latestOf(objects: Iterable<T>): Generator<T, undefined> {
    for (const object of objects) {
      const latest = this.#assumed.size === 0 ? object : this.#latest(keyOf(object), object);
      if (latest !== undefined) yield latest;
    }
  }

  /** Puts an object before the informer's. */
  assume(object: T): void {
    this.#assumed.set(keyOf(object), object);
  }

  /** Takes an assumption back. */
  restore(key: string): void {
    this.#assumed.delete(key);
  }

  #latest(key: string, stored: T | undefined): T | undefined {
    const assumed = this.#assumed.get(key);
    if (assumed === undefined) return stored;
    if (stored !== undefined && !isNewer(stored, assumed)) return assumed;
    this.#assumed.delete(key);
    return stored;
  }
}

/** Whether an object was written after another of the same name. */
export function isNewer(object: KubeObject, other: KubeObject): boolean {
  return Number(object.metadata.resourceVersion) > Number(other.metadata.resourceVersion);
}
