/** What a domain without pods would have to be below; upstream's MaxInt32. */
export const NO_MINIMUM = 2_147_483_647;

/**
 * The emptiest domain and one more that is no emptier, kept right while pods come and go in one domain.
 * Changes in several domains can leave the minimum stale, exactly as upstream. Mirrors `criticalPaths`
 * of kube-scheduler v1.34 `podtopologyspread/filtering.go`.
 */
export class CriticalPaths {
  /** Topology values; empty until there is a domain. */
  #lowest = '';
  #second = '';
  #lowestCount = NO_MINIMUM;
  #secondCount = NO_MINIMUM;

  /** Pods in the emptiest domain. */
  get minimum(): number {
    return this.#lowestCount;
  }

  /** A domain now has `count` pods. */
  update(value: string, count: number): void {
    if (value === this.#lowest) {
      this.#lowestCount = count;
      if (count > this.#secondCount) this.#swap();
    } else if (value === this.#second) {
      this.#secondCount = count;
      if (this.#lowestCount > count) this.#swap();
    } else if (count < this.#lowestCount) {
      this.#second = this.#lowest;
      this.#secondCount = this.#lowestCount;
      this.#lowest = value;
      this.#lowestCount = count;
    } else if (count < this.#secondCount) {
      this.#second = value;
      this.#secondCount = count;
    }
  }

  copy(): CriticalPaths {
    const copy = new CriticalPaths();
    copy.#lowest = this.#lowest;
    copy.#second = this.#second;
    copy.#lowestCount = this.#lowestCount;
    copy.#secondCount = this.#secondCount;
    return copy;
  }

  #swap(): void {
    [this.#lowest, this.#second] = [this.#second, this.#lowest];
    [this.#lowestCount, this.#secondCount] = [this.#secondCount, this.#lowestCount];
  }
}
