import type { Clock, Timer } from '../kernel/engine/clock.js';

/** What a lane carries; the lane notes in it when it is due. */
export interface LaneItem {
  /** Milliseconds of simulated time at which it comes out. */
  dueMs: number;
}

/** Arrays that grew beyond this are dropped once they are empty, so that idle lanes stay small. */
const LARGEST_IDLE_CAPACITY = 64;

/**
 * One direction of a connection: first in, first out, whatever the latencies. However many items
 * wait, the lane owns one entry of the clock, and one entry hands out all that is due by then.
 */
export class Lane<Item extends LaneItem> {
  readonly #clock: Clock;
  readonly #deliver: (item: Item) => void;
  #items: (Item | undefined)[] = [];
  #head = 0;
  #lastDueMs = 0;
  #timer: Timer | undefined;
  #flush: (() => void) | undefined;

  /** @param deliver - takes one item; may push, and may drain the lane */
  constructor(clock: Clock, deliver: (item: Item) => void) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  /** Number of items that wait. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Adds an item that is due at `dueMs`, or later if one before it is. */
  push(item: Item, dueMs: number): void {
    if (dueMs > this.#lastDueMs) this.#lastDueMs = dueMs;
    item.dueMs = this.#lastDueMs;
    this.#items.push(item);
    if (this.#timer === undefined) this.#arm(item.dueMs);
  }

  /** Takes out everything that waits, in order. */
  drain(): Item[] {
    const waiting = this.#items.slice(this.#head).filter((item) => item !== undefined);
    this.#items = [];
    this.#head = 0;
    this.#lastDueMs = 0;
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer);
    this.#timer = undefined;
    return waiting;
  }

  #arm(dueMs: number): void {
    this.#flush ??= () => this.#handOut();
    this.#timer = this.#clock.schedule(dueMs - this.#clock.now(), this.#flush);
  }

  /** Items that are pushed meanwhile wait for an entry of their own, behind all that is due already. */
  #handOut(): void {
    const items = this.#items;
    const end = items.length;
    const nowMs = this.#clock.now();
    try {
      while (this.#items === items && this.#head < end) {
        const item = items[this.#head];
        if (item === undefined || item.dueMs > nowMs) break;
        items[this.#head] = undefined;
        this.#head += 1;
        this.#deliver(item);
      }
    } finally {
      if (this.#items === items) this.#rest();
    }
  }

  /** After a hand-out: shrinks what was emptied, arms for what waits. */
  #rest(): void {
    this.#timer = undefined;
    if (this.#head === this.#items.length) {
      if (this.#items.length > LARGEST_IDLE_CAPACITY) this.#items = [];
      else this.#items.length = 0;
      this.#head = 0;
      return;
    }
    if (this.#head > LARGEST_IDLE_CAPACITY && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    const next = this.#items[this.#head];
    if (next !== undefined) this.#arm(next.dueMs);
  }
}
