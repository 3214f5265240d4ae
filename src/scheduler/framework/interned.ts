/** Numbers for values by content: columns hold the number, and what depends on the value alone is computed once. */

/** See the file header. Number 0 is the value that the table was made with. */
export class Interned<T> {
  readonly #ids = new Map<string, number>();
  readonly values: T[] = [];

  constructor(
    empty: T,
    /** Text that is equal for equal values. */
    readonly contentOf: (value: T) => string,
  ) {
    this.idOf(empty);
  }

  idOf(value: T): number {
    // Most nodes have neither taints nor images.
    if (value === this.values[0]) return 0;
    const content = this.contentOf(value);
    let id = this.#ids.get(content);
    if (id === undefined) {
      id = this.values.length;
      this.#ids.set(content, id);
      this.values.push(value);
    }
    return id;
  }
}
