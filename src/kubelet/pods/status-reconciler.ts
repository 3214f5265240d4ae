/**
 * Writes statuses anew that others have overwritten, such as a condition Ready that the node lifecycle controller
 * has set to False while the node could not be heard. Mirrors `needsReconcile` of the kubelet's status manager
 * (v1.34), which looks every ten seconds from its start; here nothing is due while nothing is overwritten.
 */
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import type { PodWorker } from './pod-worker.js';
import { LateSet } from '../../kernel/late-collections.js';

const SYNC_PERIOD_MS = 10_000;

/** See the file header. One per process of a kubelet. */
export class StatusReconciler {
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #overwritten = new LateSet<PodWorker>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.now();
  }

  /** The API shows a new state of a pod that is not to end. */
  shown(worker: PodWorker): void {
    if (!worker.isOverwritten) return;
    this.#overwritten.add(worker);
    if (this.#timer !== undefined) return;
    const sinceMs = (this.#clock.now() - this.#startMs) % SYNC_PERIOD_MS;
    this.#timer = this.#clock.schedule(SYNC_PERIOD_MS - sinceMs, () => this.#sync());
  }

  stop(): void {
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer);
    this.#timer = undefined;
    this.#overwritten.clear();
  }

  /** What has come right by itself is left alone. */
  #sync(): void {
    this.#timer = undefined;
    const workers = [...this.#overwritten];
    this.#overwritten.clear();
    for (const worker of workers) if (worker.isOverwritten && !worker.mustEnd) worker.reportAgain();
  }
}
