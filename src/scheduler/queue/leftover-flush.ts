import type { Clock, Timer } from '../../kernel/engine/clock.js';
import type { QueuedPod } from './queued-pod.js';
import type { UnschedulablePods } from './unschedulable-pods.js';

const PERIOD_MS = 30_000;
const PATIENCE_MS = 300_000;

/**
 * Retries pods for which no event came within five minutes of their last attempt. Upstream (kube-scheduler
 * v1.34 `flushUnschedulablePodsLeftover`) looks every 30 s from its start; only those of these moments
 * are timers here at which a pod is due. Gated pods wait for ever.
 */
export class LeftoverFlush {
  readonly #startMs: number;
  #timer: Timer | undefined;

  /** @param retry - called with the pods that waited too long, in order of arrival */
  constructor(
    private readonly clock: Clock,
    private readonly pods: UnschedulablePods,
    private readonly retry: (infos: readonly QueuedPod[]) => void,
  ) {
    this.#startMs = clock.now();
  }

  /** A pod joined the unschedulable ones. */
  noteArrival(info: QueuedPod): void {
    if (!info.isGated) this.#arm(info.timestampMs);
  }

  /** A pod left them. */
  noteDeparture(): void {
    if (this.pods.size === this.pods.gatedSize) this.stop();
  }

  stop(): void {
    if (this.#timer !== undefined) this.clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  #arm(timestampMs: number): void {
    const lastMs = timestampMs + PATIENCE_MS;
    const dueMs = this.#startMs + (Math.floor((lastMs - this.#startMs) / PERIOD_MS) + 1) * PERIOD_MS;
    if (this.#timer !== undefined && this.#timer.dueMs <= dueMs) return;
    this.stop();
    this.#timer = this.clock.schedule(dueMs - this.clock.now(), () => {
      this.#timer = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    const nowMs = this.clock.now();
    const waiting = [...this.pods.values()].filter((info) => !info.isGated);
    this.retry(waiting.filter((info) => nowMs - info.timestampMs > PATIENCE_MS));
    for (const info of waiting) {
      if (info.pool === 'unschedulable' && !info.isGated) this.#arm(info.timestampMs);
    }
  }
}
