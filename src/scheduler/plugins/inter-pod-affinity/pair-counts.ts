import type { StringMap } from '../../../api/objects/objects.js';
import type { DomainSum } from './domain-sum.js';

/**
 * Counts by (topology key, value): sums of the index, and what a dry run has changed since. Upstream:
 * `topologyToMatchedTermCount` of kube-scheduler v1.34.
 */
export class PairCounts {
  /** Whether nothing was added or removed. */
  isUnchanged = true;
  readonly #keys: Set<string>;
  /** Differences by topology key and value. */
  readonly #changes = new Map<string, Map<string, number>>();
  #balance = 0;

  constructor(readonly sums: readonly DomainSum[]) {
    this.#keys = new Set();
    for (const { column } of sums) this.#keys.add(column.key);
  }

  /** Distinct topology keys. */
  get keys(): Iterable<string> {
    return this.#keys;
  }

  /** Whether no pair has a count; counts are never negative as long as only pods leave that were there. */
  get isEmpty(): boolean {
    let records = this.#balance;
    for (const sum of this.sums) records += sum.records;
    return records === 0;
  }

  /** The count of a pair. */
  of(key: string, value: string): number {
    let count = this.#changes.get(key)?.get(value) ?? 0;
    for (const sum of this.sums) if (sum.column.key === key) count += sum.of(value);
    return count;
  }

  /** Whether a label of the node has a count. */
  hasAny(labels: StringMap | undefined): boolean {
    if (labels === undefined) return false;
    for (const key of this.#keys) {
      const value = labels[key];
      if (value !== undefined && this.of(key, value) > 0) return true;
    }
    return false;
  }

  /** Changes the count of a node's value of a key; without the key there is nothing to change. */
  change(key: string, labels: StringMap | undefined, difference: 1 | -1): void {
    const value = labels?.[key];
    if (value === undefined) return;
    this.isUnchanged = false;
    this.#keys.add(key);
    let byValue = this.#changes.get(key);
    if (byValue === undefined) {
      byValue = new Map();
      this.#changes.set(key, byValue);
    }
    byValue.set(value, (byValue.get(value) ?? 0) + difference);
    this.#balance += difference;
  }

  /** A copy that may be changed on its own. */
  clone(): PairCounts {
    const copy = new PairCounts(this.sums);
    if (this.isUnchanged) return copy;
    copy.isUnchanged = false;
    copy.#balance = this.#balance;
    for (const [key, byValue] of this.#changes) {
      copy.#keys.add(key);
      copy.#changes.set(key, new Map(byValue));
    }
    return copy;
  }
}
