/** What was used last, by key: with more than the limit the one that was not used for longest makes room. */
export class RecentlyUsed<K, V> {
  readonly #limit: () => number;
  /** The least recently used first. */
  readonly #entries = new Map<K, V>();

  /** @param limit - asked whenever something comes in */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** What is there, without a use of it. */
  peek(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** What is there; that is a use of it. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Puts something in, as used last; returns what has made room for it. @param value - anything but `undefined` */
  set(key: K, value: V): readonly [key: K, value: V] | undefined {
    const entries = this.#entries;
    entries.delete(key);
    entries.set(key, value);
    if (entries.size <= this.#limit()) return undefined;
    for (const oldest of entries) {
      entries.delete(oldest[0]);
      return oldest;
    }
    return undefined;
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** Numbers that came up; all of them are forgotten when they are too many. */
export class SeenNumbers {
  readonly #limit: number;
  readonly #seen = new Set<number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(number: number): boolean {
    return this.#seen.has(number);
  }

  add(number: number): void {
    if (this.#seen.size >= this.#limit) this.#seen.clear();
    this.#seen.add(number);
  }

  /** Whether it was there. */
  delete(number: number): boolean {
    return this.#seen.delete(number);
  }
}
