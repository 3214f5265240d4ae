/**
 * Finding what may match without asking everything: most selectors require some label to have one value, so
 * that pods and selectors can be kept by such pairs. What is found still has to be asked.
 */
import type { LabelSelector, StringMap } from '../../../api/objects/objects.js';

/** Labels, as `key=value`, that a pod must have for the selector to match it. */
export function requiredPairs(selector: LabelSelector | undefined | null): readonly string[] {
  const pairs = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => pairOf(key, value));
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const [only] = values;
    if (operator === 'In' && values.length === 1 && only !== undefined) pairs.push(pairOf(key, only));
  }
  return pairs;
}

/** Items with selectors, found by the labels of a pod. */
export class SelectorBuckets<T> {
  readonly #byPair = new Map<string, T[]>();
  /** Items that require no pair. */
  readonly #others: T[] = [];

  add(pairs: readonly string[], item: T): void {
    let bucket = this.#others;
    if (pairs.length > 0) {
      const buckets = pairs.map((pair) => this.#bucketOf(pair));
      bucket = buckets.reduce((smallest, each) => (each.length < smallest.length ? each : smallest));
    }
    bucket.push(item);
  }

  /** Visits every item that may match a pod with these labels, once, and some that do not. */
  visit(labels: StringMap, visitor: (item: T) => void): void {
    for (const item of this.#others) visitor(item);
    for (const key in labels) for (const item of this.#byPair.get(pairOf(key, labels[key] ?? '')) ?? []) visitor(item);
  }

  #bucketOf(pair: string): T[] {
    let bucket = this.#byPair.get(pair);
    if (bucket === undefined) {
      bucket = [];
      this.#byPair.set(pair, bucket);
    }
    return bucket;
  }
}

/** Items with labels, found by what a selector requires. */
export class LabelBuckets<T> {
  readonly #all = new Set<T>();
  readonly #byPair = new Map<string, Set<T>>();

  add(labels: StringMap, item: T): void {
    this.#all.add(item);
    for (const key in labels) {
      const pair = pairOf(key, labels[key] ?? '');
      const bucket = this.#byPair.get(pair);
      if (bucket === undefined) this.#byPair.set(pair, new Set([item]));
      else bucket.add(item);
    }
  }

  delete(labels: StringMap, item: T): void {
    this.#all.delete(item);
    for (const key in labels) {
      const pair = pairOf(key, labels[key] ?? '');
      const bucket = this.#byPair.get(pair);
      if (bucket === undefined) continue;
      bucket.delete(item);
      if (bucket.size === 0) this.#byPair.delete(pair);
    }
  }

  /** Every item that has all pairs, and some that do not. */
  having(pairs: readonly string[]): Iterable<T> {
    let smallest: ReadonlySet<T> = this.#all;
    for (const pair of pairs) {
      const bucket = this.#byPair.get(pair);
      if (bucket === undefined) return [];
      if (bucket.size < smallest.size) smallest = bucket;
    }
    return smallest;
  }
}

function pairOf(key: string, value: string): string {
  return `${key}=${value}`;
}
