/**
 * The requests to one service: how many each of its endpoints has got so far, if all get the same share. Entries are
 * made for each second and where something changes, once they are asked for; what they say does not depend on when that is.
 */
import { SECOND_MS } from '../kernel/time-units.js';
import type { RateCurve } from './rate-curve.js';

/** A rate since a moment of simulated time. */
export interface RunningRate {
  readonly curve: RateCurve;
  readonly sinceMs: number;
}

/** What has to do with entries that are forgotten. */
export interface EntryReader {
  /** @param oldest - entries before that one are going to be dropped */
  forget(oldest: number): void;
}

/** Entries that are kept at most, and how far back they must go for means over a window. */
const MOST_ENTRIES = 4096;
export const KEPT_MS = 60_000;

/** An entry that was looked for. */
interface Found {
  readonly atMs: number;
  readonly entry: number;
}
const NOT_FOUND: Found = { atMs: -1, entry: 0 };

/** See the file header. */
export class ServiceTraffic {
  readonly #rates = new Map<string, RunningRate>();
  readonly #readers = new Set<EntryReader>();
  readonly #times: number[];
  /** To each endpoint, until each of these times. */
  readonly #arrived: number[] = [0];
  #forgotten = 0;
  /** The last two that were looked for: many ask for the same. */
  #found: readonly [Found, Found] = [NOT_FOUND, NOT_FOUND];
  #endpoints = 0;
  #offered = 0;
  #unheard = 0;

  /** @param nowMs - simulated time at which it begins */
  constructor(nowMs: number) {
    this.#times = [nowMs];
  }

  get isSilent(): boolean {
    return this.#rates.size === 0;
  }

  /** Requests a second. */
  rateAt(nowMs: number): number {
    let sum = 0;
    for (const { curve, sinceMs } of this.#rates.values()) sum += curve.at(nowMs - sinceMs);
    return sum;
  }

  get endpoints(): number {
    return this.#endpoints;
  }

  /** Requests until the last entry. */
  get offered(): number {
    return this.#offered;
  }

  /** Those among them that found no endpoint. */
  get unheard(): number {
    return this.#unheard;
  }

  /** From now on that is a rate of it; `undefined` = no longer. */
  setRate(name: string, rate: RunningRate | undefined, nowMs: number): void {
    this.note(nowMs);
    if (rate === undefined) this.#rates.delete(name);
    else this.#rates.set(name, rate);
  }

  setEndpoints(endpoints: number, nowMs: number): void {
    this.note(nowMs);
    this.#endpoints = endpoints;
  }

  addReader(reader: EntryReader): void {
    this.#readers.add(reader);
  }

  removeReader(reader: EntryReader): void {
    this.#readers.delete(reader);
  }

  /** Entries so far; those that are forgotten count. */
  get entries(): number {
    return this.#forgotten + this.#times.length;
  }

  timeOf(entry: number): number {
    return this.#times[entry - this.#forgotten] ?? 0;
  }

  arrivedUntil(entry: number): number {
    return this.#arrived[entry - this.#forgotten] ?? 0;
  }

  /** The last entry that is not after a moment, or the oldest that is kept. */
  entryAt(atMs: number): number {
    const [first, second] = this.#found;
    if (first.atMs === atMs) return first.entry;
    if (second.atMs === atMs) return second.entry;
    const entry = this.#search(atMs);
    this.#found = [{ atMs, entry }, first];
    return entry;
  }

  #search(atMs: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#times[middle] ?? Infinity) <= atMs) low = middle + 1;
      else high = middle;
    }
    return this.#forgotten + Math.max(0, low - 1);
  }

  /** Notes whole seconds until now. */
  advance(nowMs: number): void {
    const lastMs = this.#times.at(-1) ?? nowMs;
    for (let atMs = Math.floor(lastMs / SECOND_MS) * SECOND_MS + SECOND_MS; atMs <= nowMs; atMs += SECOND_MS) {
      this.#enter(atMs);
    }
  }

  /** Notes the present: before something changes. */
  note(nowMs: number): void {
    this.advance(nowMs);
    if (this.#times.at(-1) !== nowMs) this.#enter(nowMs);
  }

  #enter(atMs: number): void {
    const since = this.#since(atMs);
    this.#offered += since;
    if (this.#endpoints === 0) this.#unheard += since;
    this.#arrived.push((this.#arrived.at(-1) ?? 0) + this.#share(since));
    this.#times.push(atMs);
    this.#found = [NOT_FOUND, NOT_FOUND];
    if (this.#times.length > MOST_ENTRIES) this.#forget(atMs - KEPT_MS);
  }

  #forget(untilMs: number): void {
    const oldest = this.entryAt(untilMs);
    for (const reader of this.#readers) reader.forget(oldest);
    this.#times.splice(0, oldest - this.#forgotten);
    this.#arrived.splice(0, oldest - this.#forgotten);
    this.#forgotten = oldest;
    this.#found = [NOT_FOUND, NOT_FOUND];
  }

  /** Requests since the last entry. */
  #since(atMs: number): number {
    const lastMs = this.#times.at(-1) ?? atMs;
    let sum = 0;
    for (const { curve, sinceMs } of this.#rates.values()) {
      sum += curve.until(atMs - sinceMs) - curve.until(lastMs - sinceMs);
    }
    return sum;
  }

  #share(requests: number): number {
    return this.#endpoints === 0 ? 0 : requests / this.#endpoints;
  }
}
