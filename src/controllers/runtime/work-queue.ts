/**
 * The work queue of one controller: keys, not events. A key that is added while it waits is the same
 * work; one that is added while it is being worked on comes back when that is done, so that no key is
 * ever worked on twice at once. Keys are taken in order of arrival.
 *
 * It never runs anything: the controller takes keys from it. Mirrors client-go v1.34
 * util/workqueue (queue, delaying queue, per-item exponential rate limiter).
 */
import type { Clock, Timer } from '../../kernel/engine/clock.js';

/** The back-off of failing keys. */
export interface RetryDelays {
  /** Milliseconds before the first retry; doubles with each further one. @defaultValue 5 */
  readonly baseDelayMs: number;
  /** Milliseconds. @defaultValue 1,000,000 */
  readonly maxDelayMs: number;
}

/** client-go's DefaultControllerRateLimiter, per item. */
const DEFAULT_RETRY_DELAYS: RetryDelays = { baseDelayMs: 5, maxDelayMs: 1_000_000 };

/** 2^40 ms are 35 years: further failures cannot matter, and 2^n stays exact. */
const MAX_DOUBLINGS = 40;

/** Longest time that may be asked for between two times that a key is worked on. */
const LONGEST_GAP_MS = 60_000;

/** Taken keys are cut off the list once this many of them lie at its front. */
const COMPACT_AT = 1024;

/** See the file header. */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #retryDelays: RetryDelays;
  #ready: string[] = [];
  #head = 0;
  readonly #dirty = new Set<string>();
  readonly #processing = new Set<string>();
  readonly #waiting = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  /** When keys were last worked on, in that order, as far back as it may matter. */
  readonly #lastDoneMs = new Map<string, number>();
  /** Of keys that were added, spaced, while they were being worked on. */
  readonly #gapsMs = new Map<string, number>();
  #isShutDown = false;

  /** @param onReady - told whenever a key may be taken */
  constructor(clock: Clock, onReady: () => void, retryDelays: RetryDelays = DEFAULT_RETRY_DELAYS) {
    this.#clock = clock;
    this.#onReady = onReady;
    this.#retryDelays = retryDelays;
  }

  /** Keys that can be taken now. */
  get length(): number {
    return this.#ready.length - this.#head;
  }

  /** Keys that wait for their time. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Adds a key, unless it is there already. */
  add(key: string): void {
    if (this.#isShutDown || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (this.#processing.has(key)) return;
    this.#ready.push(key);
    this.#onReady();
  }

  /** Adds a key after a while; of several such wishes the earliest holds. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isShutDown) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const current = this.#waiting.get(key);
    if (current !== undefined) {
      if (current.dueMs <= this.#clock.now() + delayMs) return;
      this.#clock.cancel(current);
    }
    const timer = this.#clock.schedule(delayMs, () => {
      this.#waiting.delete(key);
      this.add(key);
    });
    this.#waiting.set(key, timer);
  }

  /**
   * Adds a key, but not before `gapMs` have passed since it was last worked on, which may be now: for work
   * that only reports what many small changes add up to.
   *
   * @param gapMs - 0..60,000; more counts as that
   */
  addSpaced(key: string, gapMs: number): void {
    if (this.#isShutDown || this.#dirty.has(key)) return;
    const ms = Math.min(gapMs, LONGEST_GAP_MS);
    if (this.#processing.has(key)) {
      this.#gapsMs.set(key, Math.min(ms, this.#gapsMs.get(key) ?? ms));
      return;
    }
    const lastDoneMs = this.#lastDoneMs.get(key);
    this.addAfter(key, lastDoneMs === undefined ? 0 : Math.floor(lastDoneMs + ms - this.#clock.now()));
  }

  /** Adds a key after the back-off of its next failure. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const { baseDelayMs, maxDelayMs } = this.#retryDelays;
    this.addAfter(key, Math.min(baseDelayMs * 2 ** Math.min(failures, MAX_DOUBLINGS), maxDelayMs));
  }

  /** Ends the back-off of a key: its work succeeded, or was given up. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Whether some key has failed and was not worked on well since. */
  get hasFailures(): boolean {
    return this.#failures.size > 0;
  }

  /** Failures of a key in a row. */
  retries(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key to work on; the taker must hand it back with {@link done}. */
  take(): string | undefined {
    const key = this.#ready[this.#head];
    if (key === undefined) return undefined;
    this.#head += 1;
    if (this.#head === this.#ready.length) {
      this.#ready = [];
      this.#head = 0;
    } else if (this.#head === COMPACT_AT) {
      this.#ready = this.#ready.slice(this.#head);
      this.#head = 0;
    }
    this.#processing.add(key);
    this.#dirty.delete(key);
    return key;
  }

  /** Says that the work on a key has ended; if it was added meanwhile, it can be taken again. */
  done(key: string): void {
    this.#processing.delete(key);
    if (this.#isShutDown) return;
    this.#noteDone(key);
    const gapMs = this.#gapsMs.get(key);
    this.#gapsMs.delete(key);
    if (this.#dirty.has(key)) {
      this.#ready.push(key);
      this.#onReady();
    } else if (gapMs !== undefined) this.addAfter(key, Math.floor(gapMs));
  }

  #noteDone(key: string): void {
    const done = this.#lastDoneMs;
    const nowMs = this.#clock.now();
    done.delete(key);
    done.set(key, nowMs);
    for (const [oldest, atMs] of done) {
      if (atMs + LONGEST_GAP_MS >= nowMs) return;
      done.delete(oldest);
    }
  }

  /** Whether a key waits for its time. */
  isWaiting(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** A key that waits for its time waits no more; one that can be taken already stays. */
  cancel(key: string): void {
    const timer = this.#waiting.get(key);
    if (timer === undefined) return;
    this.#clock.cancel(timer);
    this.#waiting.delete(key);
  }

  /** Drops what is kept of a key once its object is gone. */
  drop(key: string): void {
    this.#failures.delete(key);
    this.#gapsMs.delete(key);
    this.#lastDoneMs.delete(key);
  }

  /** Forgets every key and timer; later calls do nothing. */
  shutDown(): void {
    this.#isShutDown = true;
    for (const timer of this.#waiting.values()) this.#clock.cancel(timer);
    this.#waiting.clear();
    this.#ready = [];
    this.#head = 0;
    this.#dirty.clear();
    this.#failures.clear();
    this.#gapsMs.clear();
    this.#lastDoneMs.clear();
  }
}
