/**
 * The event heap: entries ordered by (dueMs, seq), cancellable, first in first out among equals.
 *
 * The heap orders distinct milliseconds only; each millisecond owns a queue of its entries, which
 * keeps them in order of arrival without comparing sequence numbers. A cluster that starts 50,000
 * pods has many entries per millisecond, so most pushes are an append.
 */
import FlatQueue from 'flatqueue';
import { assert } from '../assert.js';

/** A scheduled entry. Opaque to its owner: all it is good for is to be handed back and cancelled. */
export interface Timer {
  /** Milliseconds of simulated time at which the entry runs. */
  readonly dueMs: number;
  /** The work; `undefined` once it ran or was cancelled. */
  task: (() => void) | undefined;
}

interface Bucket {
  readonly dueMs: number;
  readonly timers: Timer[];
  next: number;
  /** How many rounds it has had: the entries of one were scheduled by those of the one before. */
  round: number;
  /** Where the round that is under way ends. */
  roundEnd: number;
}

/** See the file header. */
export class EventHeap {
  readonly #order = new FlatQueue<Bucket>();
  readonly #buckets = new Map<number, Bucket>();
  #live = 0;

  /** Entries that are neither run nor cancelled. */
  get size(): number {
    return this.#live;
  }

  /** Adds an entry behind those of the same millisecond. */
  push(dueMs: number, task: () => void): Timer {
    assert(Number.isSafeInteger(dueMs), `dueMs must be an integer, got ${dueMs}`);
    let bucket = this.#buckets.get(dueMs);
    if (bucket === undefined) {
      bucket = { dueMs, timers: [], next: 0, round: 0, roundEnd: 0 };
      this.#buckets.set(dueMs, bucket);
      this.#order.push(bucket, dueMs);
    }
    const timer: Timer = { dueMs, task };
    bucket.timers.push(timer);
    this.#live += 1;
    return timer;
  }

  /** Forgets an entry; `false` when it already ran or was cancelled. */
  cancel(timer: Timer): boolean {
    if (timer.task === undefined) return false;
    timer.task = undefined;
    this.#live -= 1;
    return true;
  }

  /** When the next live entry is due, or `undefined` when there is none. */
  peekDueMs(): number | undefined {
    return this.#front()?.dueMs;
  }

  /**
   * How deep the entries of the millisecond that is being worked on follow from each other: those that were there
   * when it began are the first round, those that they scheduled for the same millisecond the second, and so on.
   */
  get round(): number {
    return this.#order.peek()?.round ?? 0;
  }

  /** What is due at the present millisecond counts as its first round from now on. */
  restartRounds(): void {
    const bucket = this.#order.peek();
    if (bucket === undefined) return;
    bucket.round = 0;
    bucket.roundEnd = bucket.next;
  }

  /** Takes the work of the next live entry out of the heap. */
  pop(): (() => void) | undefined {
    const bucket = this.#front();
    if (bucket === undefined) return undefined;
    const timer = bucket.timers[bucket.next];
    if (bucket.next >= bucket.roundEnd) {
      bucket.round += 1;
      bucket.roundEnd = bucket.timers.length;
    }
    bucket.next += 1;
    const task = timer?.task;
    assert(timer !== undefined && task !== undefined, 'the front bucket must hold a live entry');
    timer.task = undefined;
    this.#live -= 1;
    return task;
  }

  /** Forgets everything. */
  clear(): void {
    this.#order.clear();
    this.#buckets.clear();
    this.#live = 0;
  }

  /** The first bucket with a live entry at its `next`; drops cancelled entries and spent buckets. */
  #front(): Bucket | undefined {
    for (;;) {
      const bucket = this.#order.peek();
      if (bucket === undefined) return undefined;
      const { timers } = bucket;
      while (bucket.next < timers.length && timers[bucket.next]?.task === undefined) bucket.next += 1;
      if (bucket.next < timers.length) return bucket;
      this.#order.pop();
      this.#buckets.delete(bucket.dueMs);
    }
  }
}
