import type { Stopwatch } from '../src/index.js';

/** Real time of each attempt of the scheduler, from the pod's pop to its assumption or failure. */
export class DecisionTimes implements Stopwatch {
  readonly #timesMs: number[] = [];
  #startedMs = 0;

  start(): void {
    this.#startedMs = performance.now();
  }

  stop(): void {
    this.#timesMs.push(performance.now() - this.#startedMs);
  }

  /** Microseconds; `null` when nothing was decided. */
  quantileUs(quantile: number): number | null {
    const sorted = Float64Array.from(this.#timesMs).sort();
    const time = sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))];
    return time === undefined ? null : time * 1000;
  }
}
