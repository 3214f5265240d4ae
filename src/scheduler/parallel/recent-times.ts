/** The last so many durations, and the one in their middle, which a pause of the host does not move. */
export class RecentTimes {
  readonly #times: number[] = [];
  #next = 0;

  constructor(private readonly size: number) {}

  note(time: number): void {
    this.#times[this.#next] = time;
    this.#next = (this.#next + 1) % this.size;
  }

  clear(): void {
    this.#times.length = 0;
    this.#next = 0;
  }

  get count(): number {
    return this.#times.length;
  }

  /** 0 when there are none. */
  get median(): number {
    const sorted = this.#times.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }
}
