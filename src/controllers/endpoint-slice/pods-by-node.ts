const NONE: ReadonlySet<string> = new Set();

/** Keys of pods by the node that they are on. */
export class PodsByNode {
  readonly #nodeOf = new Map<string, string>();
  readonly #keysOn = new Map<string, Set<string>>();

  constructor(keys: Iterable<string>, nodeOf: (key: string) => string | undefined) {
    for (const key of keys) this.set(key, nodeOf(key));
  }

  on(node: string): ReadonlySet<string> {
    return this.#keysOn.get(node) ?? NONE;
  }

  /** @param node - `undefined` = on none, or gone */
  set(key: string, node: string | undefined): void {
    const before = this.#nodeOf.get(key);
    if (before === node) return;
    if (before !== undefined) {
      const former = this.#keysOn.get(before);
      former?.delete(key);
      if (former?.size === 0) this.#keysOn.delete(before);
      this.#nodeOf.delete(key);
    }
    if (node === undefined) return;
    this.#nodeOf.set(key, node);
    const keys = this.#keysOn.get(node);
    if (keys === undefined) this.#keysOn.set(node, new Set([key]));
    else keys.add(key);
  }
}
