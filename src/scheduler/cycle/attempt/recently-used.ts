/** What was used last, by key: with more than the limit the one that was not used for longest makes room. */
export class RecentlyUsed<K, V> {
  readonly #limit: () => number;
  readonly #entries = new Map<K, { value: V; usedAt: number }>();
  #uses = 0;

  /** @param limit - asked whenever something comes in */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** What is there, without a use of it. */
  peek(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** What is there; that is a use of it. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.usedAt = this.#uses += 1;
    return entry.value;
  }

  /** Puts something in, as used last; returns what has made room for it. */
  set(key: K, value: V): readonly [key: K, value: V] | undefined {
    const entries = this.#entries;
    entries.set(key, { value, usedAt: (this.#uses += 1) });
    return entries.size > this.#limit() ? this.#dropOldest() : undefined;
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  #dropOldest(): readonly [key: K, value: V] | undefined {
    let oldest: readonly [key: K, value: V] | undefined;
    let usedAt = Number.POSITIVE_INFINITY;
    for (const [key, entry] of this.#entries) {
      if (entry.usedAt >= usedAt) continue;
      oldest = [key, entry.value];
      ({ usedAt } = entry);
    }
    if (oldest !== undefined) this.#entries.delete(oldest[0]);
    return oldest;
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
