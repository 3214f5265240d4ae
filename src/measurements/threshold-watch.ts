/**
 * Thresholds that end a run as soon as they do not hold (k6's `abortOnFail`). They are looked at every 2 s of simulated
 * time, as k6 does in real time, and always between two ticks: the same run ends at the same place each time.
 */
import type { Threshold, ThresholdResult } from './thresholds.js';

/** Simulated time between two looks, ms. */
const INTERVAL_MS = 2000;

/** Compares a threshold with what was measured until a moment. */
export type Judge = (threshold: Threshold, atMs: number) => ThresholdResult;

/** See the file header. */
export class ThresholdWatch {
  readonly #aborting: readonly Threshold[];
  readonly #startMs: number;
  readonly #judge: Judge;
  #nextMs: number;
  #failure: { readonly threshold: Threshold; readonly atMs: number } | undefined;

  constructor(thresholds: readonly Threshold[], startMs: number, judge: Judge) {
    this.#aborting = thresholds.filter(({ abortOnFail }) => abortOnFail);
    this.#startMs = startMs;
    this.#judge = judge;
    this.#nextMs = this.#aborting.length === 0 ? Infinity : startMs + INTERVAL_MS;
  }

  /** The first one that did not hold. */
  get failure(): { readonly threshold: Threshold; readonly atMs: number } | undefined {
    return this.#failure;
  }

  /** Time goes on to a moment. @returns whether a threshold has ended the run just now */
  passTo(nextMs: number): boolean {
    if (nextMs < this.#nextMs) return false;
    const lookMs = this.#nextMs;
    this.#nextMs = this.#gridFrom(nextMs + 1);
    for (const threshold of this.#aborting) {
      // Nothing happens on the way there: of the looks that fall into it the first one counts.
      const atMs = Math.max(lookMs, this.#gridFrom(this.#startMs + threshold.delayAbortEvalMs));
      if (atMs > nextMs) continue;
      const { ok, value } = this.#judge(threshold, atMs);
      // What has not been measured yet may still come.
      if (ok || value === null) continue;
      this.#nextMs = Infinity;
      this.#failure = { threshold, atMs };
      return true;
    }
    return false;
  }

  /** The first look from a moment on. */
  #gridFrom(atMs: number): number {
    return this.#startMs + Math.ceil((atMs - this.#startMs) / INTERVAL_MS) * INTERVAL_MS;
  }
}
