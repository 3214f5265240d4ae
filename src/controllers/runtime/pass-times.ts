/** Times at which passes fall: the first one, and every period after it. */
export class PassTimes {
  readonly #periodMs: number;
  #firstMs: number | undefined;

  /** @param periodMs - more than 0 */
  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** The first pass is now, unless there was one before. */
  begin(nowMs: number): void {
    this.#firstMs ??= nowMs;
  }

  /** The first pass that is not before `ms`; `undefined` before the first of all. */
  from(ms: number): number | undefined {
    if (this.#firstMs === undefined) return undefined;
    const periods = Math.max(0, Math.ceil((ms - this.#firstMs) / this.#periodMs));
    return this.#firstMs + periods * this.#periodMs;
  }

  /** The first pass after `ms`. */
  after(ms: number): number | undefined {
    return this.from(Math.floor(ms) + 1);
  }
}
