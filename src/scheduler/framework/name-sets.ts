/** Names per word of a set. */
const WORD_BITS = 30;

/**
 * Sets of plugin names, of which an attempt tends to have the same as the one before: an equal set is the
 * same object again, so that nothing is built, and most often equality is identity.
 */
export class NameSets {
  readonly #names: readonly string[];
  /** Bits of the names in the set. */
  readonly #next: number[];
  readonly #last: number[];
  #set: ReadonlySet<string> = new Set();

  /** @param names - every name that a set may have */
  constructor(names: readonly string[]) {
    const words = Math.ceil(names.length / WORD_BITS);
    this.#names = names;
    this.#next = Array.from({ length: words }, () => 0);
    this.#last = [...this.#next];
  }

  /** Begins an empty set. */
  begin(): void {
    for (let word = 0; word < this.#next.length; word += 1) this.#next[word] = 0;
  }

  /** @param index - of the name */
  add(index: number): void {
    const word = Math.trunc(index / WORD_BITS);
    this.#next[word] = (this.#next[word] as number) | (1 << (index % WORD_BITS));
  }

  /** The set of what was added; it never changes. */
  end(): ReadonlySet<string> {
    for (let word = 0; word < this.#next.length; word += 1)
      if (this.#next[word] !== this.#last[word]) return this.#build();
    return this.#set;
  }

  #build(): ReadonlySet<string> {
    for (let word = 0; word < this.#next.length; word += 1) this.#last[word] = this.#next[word] as number;
    this.#set = new Set(this.#names.filter((_name, index) => this.#has(index)));
    return this.#set;
  }

  #has(index: number): boolean {
    return ((this.#last[Math.trunc(index / WORD_BITS)] as number) & (1 << (index % WORD_BITS))) !== 0;
  }
}
