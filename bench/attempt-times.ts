/** Real time of attempts, and the number of pods that were done, while something is measured. */
export class AttemptTimes {
  readonly #durationsMs: number[] = [];
  #startedMs: number | undefined;
  #measuredMs = 0;
  #cpuBefore = process.cpuUsage();
  #cpuMs = 0;
  #attemptMs = 0;
  #pods = 0;

  /** Whether it is being measured now. */
  get isMeasuring(): boolean {
    return this.#startedMs !== undefined;
  }

  /** Pods done while it was measured. */
  get pods(): number {
    return this.#pods;
  }

  /** Real time that was measured, without what lies between a stop and the next start. */
  get seconds(): number {
    return this.#measuredMs / 1000;
  }

  /** Processor time of all threads while it was measured: what is left where others take turns on the machine. */
  get cpuSeconds(): number {
    return this.#cpuMs / 1000;
  }

  begin(): void {
    if (this.#startedMs !== undefined) return;
    this.#cpuBefore = process.cpuUsage();
    this.#startedMs = performance.now();
  }

  end(): void {
    if (this.#startedMs === undefined) return;
    this.#measuredMs += performance.now() - this.#startedMs;
    this.#startedMs = undefined;
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    this.#cpuMs += (user + system) / 1000;
  }

  /** An attempt begins. */
  start(): void {
    this.#attemptMs = performance.now();
  }

  /** The attempt is over. */
  stop(): void {
    if (this.#startedMs !== undefined) this.#durationsMs.push(performance.now() - this.#attemptMs);
  }

  /** A pod is done. */
  count(): void {
    if (this.#startedMs !== undefined) this.#pods += 1;
  }

  /** Pods per second of measured time; 0 when nothing was measured. */
  get podsPerSecond(): number {
    return this.seconds === 0 ? 0 : this.pods / this.seconds;
  }

  /** Microseconds; `null` when nothing was attempted. */
  quantileUs(quantile: number): number | null {
    const sorted = Float64Array.from(this.#durationsMs).sort();
    const time = sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))];
    return time === undefined ? null : time * 1000;
  }
}
