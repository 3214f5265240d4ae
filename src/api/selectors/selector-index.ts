/** Finds among many selectors those that may take certain labels, without asking each of them. */
import type { Selector } from './labels.js';
import type { StringMap } from '../objects/objects.js';

/** A term `key=value` in the canonical text of a selector. */
const EQUALITY = /(?:^|,)([^\s,!=<>()]+)=([^\s,()]*)(?=,|$)/;

/** Things with a selector each. */
export class SelectorIndex<T extends { readonly selector: Selector }> {
  /** By key and value of one label that the selector asks for. */
  readonly #byLabel = new Map<string, Map<string, Set<T>>>();
  /** Of selectors that ask for no such label. */
  readonly #others = new Set<T>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): void {
    const found = EQUALITY.exec(item.selector.text);
    this.#size += 1;
    if (found === null) {
      this.#others.add(item);
      return;
    }
    const [, key = '', value = ''] = found;
    const byValue = this.#byLabel.get(key) ?? new Map<string, Set<T>>();
    this.#byLabel.set(key, byValue);
    const items = byValue.get(value) ?? new Set<T>();
    byValue.set(value, items);
    items.add(item);
  }

  delete(item: T): void {
    const [, key = '', value = ''] = EQUALITY.exec(item.selector.text) ?? [];
    const byValue = this.#byLabel.get(key);
    const items = byValue?.get(value) ?? this.#others;
    if (!items.delete(item)) return;
    this.#size -= 1;
    if (items.size === 0) byValue?.delete(value);
    if (byValue?.size === 0) this.#byLabel.delete(key);
  }

  /** Those whose selectors take these labels. */
  matching(labels: StringMap | undefined): readonly T[] {
    const found: T[] = [];
    for (const item of this.#others) if (item.selector.matches(labels)) found.push(item);
    for (const [key, byValue] of this.#byLabel) {
      const value = labels?.[key];
      if (value === undefined) continue;
      for (const item of byValue.get(value) ?? []) if (item.selector.matches(labels)) found.push(item);
    }
    return found;
  }
}
