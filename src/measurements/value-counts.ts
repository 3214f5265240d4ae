/**
 * Values of which each is counted exactly: times in a run are whole milliseconds and repeat, so that 150,000 startups
 * are some thousand different values, and quantiles need no sketch.
 */
export class ValueCounts {
  readonly #counts = new Map<number, number>();
  #sorted: Float64Array | undefined;
  #total = 0;
  #sum = 0;

  add(value: number, times = 1): void {
    const before = this.#counts.get(value);
    if (before === undefined) this.#sorted = undefined;
    this.#counts.set(value, (before ?? 0) + times);
    this.#total += times;
    this.#sum += value * times;
  }

  addAll(other: ValueCounts): void {
    for (const [value, times] of other.#counts) this.add(value, times);
  }

  /** How often there was each value; goes on with what is added. */
  get times(): ReadonlyMap<number, number> {
    return this.#counts;
  }

  get total(): number {
    return this.#total;
  }

  get sum(): number {
    return this.#sum;
  }

  /** `undefined` while there is no value; so are the others. */
  get mean(): number | undefined {
    return this.#total === 0 ? undefined : this.#sum / this.#total;
  }

  get min(): number | undefined {
    return this.#values()[0];
  }

  get max(): number | undefined {
    return this.#values().at(-1);
  }

  /**
   * The least value that at least that share of all is not above: the element `ceil(share × n)` of the sorted list, as
   * clusterloader2 reads its percentiles.
   *
   * @param share - 0..1
   */
  quantile(share: number): number | undefined {
    // 0.99 × 100 is 99.00000000000001 in the computer's arithmetic, and means the 99th.
    let before = Math.max(1, Math.ceil(share * this.#total - 1e-9));
    for (const value of this.#values()) {
      before -= this.#counts.get(value) ?? 0;
      if (before <= 0) return value;
    }
    return undefined;
  }

  /** How many are at most as large as each bound. @param bounds - ascending */
  upTo(bounds: readonly number[]): number[] {
    const values = this.#values();
    let index = 0;
    let count = 0;
    return bounds.map((bound) => {
      for (; index < values.length && (values[index] ?? 0) <= bound; index += 1) {
        count += this.#counts.get(values[index] ?? 0) ?? 0;
      }
      return count;
    });
  }

  #values(): Float64Array {
    this.#sorted ??= Float64Array.from(this.#counts.keys()).sort();
    return this.#sorted;
  }
}
