/**
 * Which volumes are being attached or detached, and how long each must wait after a failed attempt: a volume
 * that one node alone may have is in one operation at a time, whatever the node. Upstream:
 * nestedpendingoperations with exponentialbackoff.
 */
import type { Clock } from '../../kernel/engine/clock.js';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 122_000;

/** What is done to a volume. */
export type OperationName = 'attach' | 'detach';

interface Entry {
  name: OperationName;
  isPending: boolean;
  delayMs: number;
  /** Until when the same is not tried again. */
  untilMs: number;
}

/** See the file header. */
export class PendingOperations {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isPending(key: string): boolean {
    return this.#entries.get(key)?.isPending === true;
  }

  /** Milliseconds until an operation may be tried; 0 = now. Another one than the last need not wait. */
  waitMs(key: string, name: OperationName): number {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.name !== name ? 0 : Math.max(0, entry.untilMs - this.#clock.now());
  }

  begin(key: string, name: OperationName): void {
    const before = this.#entries.get(key);
    const delayMs = before?.name === name ? before.delayMs : 0;
    this.#entries.set(key, { name, isPending: true, delayMs, untilMs: 0 });
  }

  succeeded(key: string): void {
    this.#entries.delete(key);
  }

  failed(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.isPending = false;
    entry.delayMs = entry.delayMs === 0 ? FIRST_DELAY_MS : Math.min(entry.delayMs * 2, LONGEST_DELAY_MS);
    entry.untilMs = this.#clock.now() + entry.delayMs;
  }
}
