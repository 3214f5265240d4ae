/**
 * The names of a growing set in order: what came and went since they were read last is merged in when they are read
 * again, and arrays that were handed out stay as they are.
 */

/** With more changes than this share of the names, sorting anew costs less than keeping them. */
const MOST_CHANGED = 0.5;
const FEW = 64;

/** See the file header. */
export class OrderedNames {
  /** As they were read last; undefined before that, and after too many changes. */
  #names: readonly string[] | undefined;
  readonly #added = new Set<string>();
  readonly #removed = new Set<string>();

  /** A name that was not there. */
  add(name: string): void {
    if (this.#names === undefined) return;
    if (!this.#removed.delete(name)) this.#added.add(name);
    this.#forgetMany(this.#names.length);
  }

  /** A name that was there. */
  remove(name: string): void {
    if (this.#names === undefined) return;
    if (!this.#added.delete(name)) this.#removed.add(name);
    this.#forgetMany(this.#names.length);
  }

  /** All names by code unit. @param present - the same names in any order */
  read(present: Iterable<string>): readonly string[] {
    if (this.#names === undefined) this.#names = [...present].sort();
    else if (this.#added.size + this.#removed.size > 0) this.#names = this.#merged(this.#names);
    this.#added.clear();
    this.#removed.clear();
    return this.#names;
  }

  #forgetMany(length: number): void {
    if (this.#added.size + this.#removed.size <= Math.max(FEW, length * MOST_CHANGED)) return;
    this.#names = undefined;
    this.#added.clear();
    this.#removed.clear();
  }

  #merged(names: readonly string[]): readonly string[] {
    const merged: string[] = [];
    const added = [...this.#added].sort();
    let next = 0;
    for (const name of names) {
      for (; next < added.length && (added[next] as string) < name; next += 1) merged.push(added[next] as string);
      if (!this.#removed.has(name)) merged.push(name);
    }
    for (; next < added.length; next += 1) merged.push(added[next] as string);
    return merged;
  }
}
