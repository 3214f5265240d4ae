/**
 * A token bucket: `burst` tokens to begin with, `qps` more in each second, never more than `burst`. What is asked
 * for beyond that is reserved, in order of arrival. It keeps no time of its own and never waits. Mirrors
 * golang.org/x/time/rate as client-go's flowcontrol uses it (v1.34 util/flowcontrol/throttle.go); tokens are counted
 * from the last moment at which it was full, so that no sum of fractions drifts and every machine has the same times.
 */
import { SECOND_MS } from './time-units.js';

/** How fast tokens come. */
export interface RateLimit {
  /** Tokens a second, more than 0. */
  readonly qps: number;
  /** Most tokens that there are at a time, 1 or more. */
  readonly burst: number;
}

/** See the file header. */
export class TokenBucket {
  readonly #limit: RateLimit;
  /** When it was full last. */
  #fullMs = -Infinity;
  /** Tokens that were taken or reserved since then. */
  #taken = 0;

  /** A full one. */
  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Takes the next token, or so many. @returns when the last one is there, whole ms: now, or later */
  reserve(nowMs: number, tokens = 1): number {
    this.#refill(nowMs);
    this.#taken += tokens;
    const dueMs = this.#dueMs(this.#taken);
    return dueMs > nowMs ? Math.ceil(dueMs) : nowMs;
  }

  /** Takes a token if there is one now. */
  tryTake(nowMs: number): boolean {
    this.#refill(nowMs);
    if (this.#dueMs(this.#taken + 1) > nowMs) return false;
    this.#taken += 1;
    return true;
  }

  #refill(nowMs: number): void {
    const { qps } = this.#limit;
    if (this.#taken > 0 && this.#fullMs + (this.#taken * SECOND_MS) / qps > nowMs) return;
    this.#fullMs = nowMs;
    this.#taken = 0;
  }

  /** When that many tokens have come since it was full. */
  #dueMs(taken: number): number {
    const { qps, burst } = this.#limit;
    return this.#fullMs + ((taken - burst) * SECOND_MS) / qps;
  }
}
