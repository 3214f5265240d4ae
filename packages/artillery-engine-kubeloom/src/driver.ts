/**
 * The time of the cluster that virtual users share. Without a speed it is virtual: it stands still while users ask,
 * and runs as fast as the machine can while one of them waits, up to what it waits for. With a speed it goes on all
 * the time, that many times as fast as real time.
 */
import { setTimeout as rest } from 'node:timers/promises';
import type { Cluster } from 'kubeloom';

/** Real time for which nothing is asked before virtual time goes on: what follows from an answer is to come first. */
const QUIET_MS = 2;

/** How a wait ended: what was waited for came, or time was up. */
export type WaitEnd = 'met' | 'late';

/** Tells whenever something has changed, until what it returns is called. */
export type Changes = (changed: () => void, failed: (error: unknown) => void) => () => void;

interface Wait {
  readonly isMet: () => boolean;
  readonly deadlineMs: number;
  readonly end: (end: WaitEnd) => void;
  isChanged: boolean;
  leave: () => void;
}

/** See the file header. */
export class Driver {
  readonly #cluster: Cluster;
  readonly #isRealTime: boolean;
  readonly #waits = new Set<Wait>();
  #isNew = false;
  #isDriving = false;
  #askedAt = 0;

  constructor(cluster: Cluster, isRealTime: boolean) {
    this.#cluster = cluster;
    this.#isRealTime = isRealTime;
    if (isRealTime) void this.#drive();
  }

  /** A user asks something: virtual time waits for what may follow. */
  asked(): void {
    this.#askedAt = performance.now();
  }

  /** Waits so long at most. @param changes - tells when `isMet` may have changed */
  until(isMet: () => boolean, changes: Changes, withinMs: number): Promise<WaitEnd> {
    return new Promise((resolve, reject) => {
      const wait: Wait = {
        isMet,
        deadlineMs: this.#cluster.nowMs + withinMs,
        end: resolve,
        isChanged: true,
        leave: () => undefined,
      };
      const changed = (): void => {
        wait.isChanged = true;
      };
      const failed = (error: unknown): void => {
        this.#remove(wait);
        reject(error instanceof Error ? error : new Error(String(error)));
      };
      this.#waits.add(wait);
      wait.leave = changes(changed, failed);
      this.#isNew = true;
      if (!this.#isDriving) void this.#drive();
    });
  }

  /** Waits so long. */
  async sleep(ms: number): Promise<void> {
    await this.until(
      () => false,
      () => () => undefined,
      ms,
    );
  }

  async #drive(): Promise<void> {
    this.#isDriving = true;
    while (this.#isRealTime || this.#waits.size > 0) {
      if (!this.#isRealTime) await this.#quiet();
      this.#isNew = false;
      const nextMs = Math.min(...[...this.#waits].map(({ deadlineMs }) => deadlineMs));
      const limit = nextMs === Infinity ? {} : { limit: Math.max(0, nextMs - this.#cluster.nowMs) };
      const { end } = await this.#cluster.run({ until: () => this.#isNew || this.#isAnyMet(), ...limit });
      this.#settle();
      // A cluster at rest that nothing waits for has nothing to do, in real time as well.
      if (end === 'idle') await rest(QUIET_MS);
    }
    this.#isDriving = false;
  }

  /** Until nothing was asked for a while. */
  async #quiet(): Promise<void> {
    for (;;) {
      const leftMs = this.#askedAt + QUIET_MS - performance.now();
      if (leftMs <= 0) return;
      await rest(leftMs);
    }
  }

  #isAnyMet(): boolean {
    for (const wait of this.#waits) {
      if (!wait.isChanged) continue;
      if (wait.isMet()) return true;
      wait.isChanged = false;
    }
    return false;
  }

  #remove(wait: Wait): void {
    this.#waits.delete(wait);
    this.#isNew = true;
    wait.leave();
  }

  #settle(): void {
    const { nowMs } = this.#cluster;
    for (const wait of [...this.#waits]) {
      const end = wait.isChanged && wait.isMet() ? 'met' : nowMs >= wait.deadlineMs ? 'late' : undefined;
      if (end === undefined) continue;
      this.#remove(wait);
      // What the user does next comes before time goes on.
      this.asked();
      wait.end(end);
    }
  }
}
