/**
 * What was found out about objects that were met lately. Holds as many as were last noted, in two
 * generations; the older one goes as a whole. For findings that can be had again: noting one costs a tenth
 * of what a WeakMap takes, the entries of which burden each garbage collection too, and most objects never come
 * again.
 */
export class RecentMap<K extends object, V> {
  readonly #size: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /**
   * @param size - entries of a generation; at least so many objects are remembered, at most twice as many. A few
   * hundred do for parts that pods share, as there are far fewer templates of which pods come by turns
   */
  constructor(size: number) {
    this.#size = size;
  }

  /** What was noted; `undefined` when nothing was, or when that is too long ago. */
  get(object: K): V | undefined {
    const known = this.#young.get(object);
    if (known !== undefined) return known;
    const older = this.#old.get(object);
    if (older !== undefined) this.set(object, older);
    return older;
  }

  /** @param finding - anything but `undefined` */
  set(object: K, finding: V): void {
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(object, finding);
  }
}
