import { assert } from '../../kernel/assert.js';

/** What has become of a shape under a ticket, in the low bits of the claim's word; the ticket is above. */
const OPEN = 0;
/** A worker is judging. */
const TAKEN = 1;
/** A worker has judged. */
const DONE = 2;
/** The engine judges: it came first, or the worker could not. */
const LEFT = 3;
const PHASE_BITS = 2;
/** Tickets stay below 2^29, so that words stay small integers. */
const MAX_TICKET = 0x1fff_ffff;

/**
 * Settles which thread judges a shape into one block of memory. The word lies in memory that threads
 * share; the thread that changes it from open has the block to itself. Each use of the block has a ticket of its
 * own, so that a thread that comes late with an old one finds the claim closed.
 */
export class Claim {
  readonly memory: SharedArrayBuffer;
  readonly #word: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#word = new Int32Array(memory);
  }

  /** Engine: makes the block free for the taking; returns the ticket. */
  open(): number {
    const previous = Atomics.load(this.#word, 0);
    assert((previous & LEFT) !== TAKEN, 'a block that a worker writes to must not be used for another shape');
    const ticket = ((previous >>> PHASE_BITS) + 1) & MAX_TICKET;
    Atomics.store(this.#word, 0, ticket << PHASE_BITS);
    return ticket;
  }

  /** Worker: `true` when the block is the caller's. */
  take(ticket: number): boolean {
    const open = (ticket << PHASE_BITS) | OPEN;
    return Atomics.compareExchange(this.#word, 0, open, open | TAKEN) === open;
  }

  /** Worker: gives the block back, judged or not. */
  close(ticket: number, isDone: boolean): void {
    Atomics.store(this.#word, 0, (ticket << PHASE_BITS) | (isDone ? DONE : LEFT));
    Atomics.notify(this.#word, 0);
  }

  /**
   * Engine: `done` when a worker has judged, `left` when none has or will. Waits up to `waitMs` real
   * milliseconds for a worker that is at it; `late` means that it still is, and that the block is lost.
   */
  settle(ticket: number, waitMs: number): 'done' | 'left' | 'late' {
    const open = (ticket << PHASE_BITS) | OPEN;
    if (Atomics.compareExchange(this.#word, 0, open, open | LEFT) === open) return 'left';
    Atomics.wait(this.#word, 0, open | TAKEN, waitMs);
    switch (Atomics.load(this.#word, 0)) {
      case open | DONE:
        return 'done';
      case open | LEFT:
        return 'left';
      default:
        return 'late';
    }
  }
}
