/**
 * The other way to merge what repeats, of components that say what they did (`action`), such as the
 * scheduler: events that differ in their text only belong to one series. The first is written, the
 * second marks the Event object as a series, later ones count up in memory and are written every
 * 30 minutes and when the series has been silent for 6 minutes. Mirrors client-go's tools/events (v1.34).
 */
import type { Clock, Timer } from '../kernel/engine/clock.js';

/** Milliseconds of silence that end a series, and between two looks for ended ones. */
const FINISH_AFTER_MS = 360_000;
/** Milliseconds between two writes of a series that goes on: a multiple of the above. */
const REFRESH_EVERY_MS = 1_800_000;

/** One Event object that may be, or become, a series. */
export interface EventSeries {
  readonly name: string;
  readonly namespace: string;
  /** How often it happened. */
  count: number;
  lastMs: number;
  writtenCount: number;
}

/** See the file header. Owns a timer only while there are counts to be written. */
export class EventSeriesBook {
  readonly #clock: Clock;
  readonly #write: (series: EventSeries) => void;
  readonly #startMs: number;
  readonly #series = new Map<string, EventSeries>();
  #sweepAtMs: number;
  #timer: Timer | undefined;

  /** @param write - writes the count and time of a series onto its Event object */
  constructor(clock: Clock, write: (series: EventSeries) => void) {
    this.#clock = clock;
    this.#write = write;
    this.#startMs = clock.now();
    this.#sweepAtMs = this.#startMs + FINISH_AFTER_MS;
  }

  /** Events that are remembered. */
  get size(): number {
    return this.#series.size;
  }

  /** Counts an event; `false` when it is the first of its key and must be added. */
  count(key: string): boolean {
    const nowMs = this.#clock.now();
    if (nowMs >= this.#sweepAtMs) this.#sweep();
    const series = this.#series.get(key);
    if (series === undefined) return false;
    series.count += 1;
    series.lastMs = nowMs;
    if (series.writtenCount === 1) this.#writeOut(series);
    else this.#timer ??= this.#clock.schedule(this.#sweepAtMs - nowMs, () => this.#sweep());
    return true;
  }

  /** Takes in an event with an object that is being created. */
  add(key: string, namespace: string, name: string): void {
    this.#series.set(key, { name, namespace, count: 1, lastMs: this.#clock.now(), writtenCount: 1 });
  }

  dispose(): void {
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer);
    this.#timer = undefined;
    this.#series.clear();
  }

  #sweep(): void {
    const nowMs = this.#clock.now();
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer);
    this.#timer = undefined;
    const sinceStartMs = nowMs - this.#startMs;
    const mustRefresh = sinceStartMs % REFRESH_EVERY_MS === 0;
    this.#sweepAtMs = nowMs - (sinceStartMs % FINISH_AFTER_MS) + FINISH_AFTER_MS;
    let hasUnwritten = false;
    for (const [key, series] of this.#series) {
      const isOver = nowMs - series.lastMs > FINISH_AFTER_MS;
      if (isOver) this.#series.delete(key);
      if (series.count === series.writtenCount) continue;
      if (isOver || mustRefresh) this.#writeOut(series);
      else hasUnwritten = true;
    }
    if (hasUnwritten) this.#timer = this.#clock.schedule(this.#sweepAtMs - nowMs, () => this.#sweep());
  }

  #writeOut(series: EventSeries): void {
    series.writtenCount = series.count;
    this.#write(series);
  }
}
