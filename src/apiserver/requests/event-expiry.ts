/**
 * Event records leave an hour after their last write, as upstream's --event-ttl says. As upstream, writes
 * of one minute share a lease (at most 1,000 of them) and expire with it, so that one timer at a time,
 * that of the oldest lease, serves them all.
 */
import type { Clock } from '../../kernel/engine/clock.js';

const TIME_TO_LIVE_MS = 3_600_000;
/** Upstream's defaults of etcd3/lease_manager.go. */
const LEASE_REUSE_MS = 60_000;
const LEASE_SIZE_MAX = 1000;

/** One write of a record. */
export interface RecordWrite {
  readonly namespace: string | undefined;
  readonly name: string;
  /** resourceVersion of the write: a later one has a lease of its own. */
  readonly version: string;
}

interface RecordLease {
  readonly grantedMs: number;
  readonly writes: RecordWrite[];
}

/** See the file header. */
export class EventExpiry {
  readonly #clock: Clock;
  readonly #expire: (write: RecordWrite) => void;
  #leases: RecordLease[] = [];

  /** @param expire - removes the record unless it was written again */
  constructor(clock: Clock, expire: (write: RecordWrite) => void) {
    this.#clock = clock;
    this.#expire = expire;
  }

  /** Notes a write. */
  note(write: RecordWrite): void {
    const nowMs = this.#clock.now();
    const newest = this.#leases.at(-1);
    if (newest !== undefined && nowMs - newest.grantedMs < LEASE_REUSE_MS && newest.writes.length < LEASE_SIZE_MAX) {
      newest.writes.push(write);
      return;
    }
    this.#leases.push({ grantedMs: nowMs, writes: [write] });
    if (this.#leases.length === 1) this.#awaitOldest();
  }

  #awaitOldest(): void {
    const [oldest] = this.#leases;
    if (oldest === undefined) return;
    const dueMs = oldest.grantedMs + TIME_TO_LIVE_MS + LEASE_REUSE_MS;
    this.#clock.schedule(dueMs - this.#clock.now(), () => {
      this.#leases.shift();
      for (const write of oldest.writes) this.#expire(write);
      this.#awaitOldest();
    });
  }
}
