/**
 * Pods that wait for the end of their back-off, in two heaps: those that a plugin rejected, from
 * which an idle scheduler may take the head early, and those with an attempt that ended in an error,
 * which wait in any case. Mirrors kube-scheduler v1.34 `backend/queue/backoff_queue.go`.
 *
 * It owns the arithmetic of back-off and the timer that tells when the first pod is due; where the
 * pods go then is left to the scheduling queue.
 */
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import { LazyHeap } from './lazy-heap.js';
import type { QueuedPod } from './queued-pod.js';

/** The back-off of pods. Seconds; a maximum of 0 turns back-off off. */
export interface BackoffLimits {
  readonly initialSeconds: number;
  readonly maxSeconds: number;
}

/** Expiries are grouped by whole seconds, and so are the flushes. */
const WINDOW_MS = 1000;

const copyOf = (info: QueuedPod): QueuedPod => info.orderCopy();

function wholeSecond(ms: number): number {
  return ms - (ms % WINDOW_MS);
}

/** See the file header. */
export class BackoffQueue {
  readonly #clock: Clock;
  readonly #initialMs: number;
  readonly #maxMs: number;
  readonly #onDue: () => void;
  readonly #rejected: LazyHeap<QueuedPod>;
  readonly #failed: LazyHeap<QueuedPod>;
  #timer: Timer | undefined;

  /**
   * @param less - the order of the active queue, which decides among pods of one second
   * @param onDue - called at the whole second at which the first pods have ended their back-off
   */
  constructor(clock: Clock, limits: BackoffLimits, less: (a: QueuedPod, b: QueuedPod) => boolean, onDue: () => void) {
    this.#clock = clock;
    this.#initialMs = limits.initialSeconds * 1000;
    this.#maxMs = limits.maxSeconds * 1000;
    this.#onDue = onDue;
    this.#rejected = new LazyHeap((a, b) => {
      const difference = this.expirationMs(a) - this.expirationMs(b);
      return difference === 0 ? less(a, b) : difference < 0;
    }, copyOf);
    this.#failed = new LazyHeap((a, b) => this.expirationMs(a) < this.expirationMs(b), copyOf);
  }

  get size(): number {
    return this.#rejected.size + this.#failed.size;
  }

  /** Pods that an idle scheduler may take early. */
  get rejectedSize(): number {
    return this.#rejected.size;
  }

  /** The whole second in which the pod's back-off ends, milliseconds; 0 when it has none. */
  expirationMs(info: QueuedPod): number {
    const count = info.consecutiveErrorsCount > 0 ? info.consecutiveErrorsCount : info.unschedulableCount;
    if (count === 0) return 0;
    if (info.backoffExpirationMs === 0) {
      info.backoffExpirationMs = wholeSecond(info.timestampMs + this.#durationMs(count));
    }
    return info.backoffExpirationMs;
  }

  /** Whether the pod must still wait; the whole second of its expiry counts as waiting. */
  isBackingOff(info: QueuedPod): boolean {
    if (this.#maxMs === 0) return false;
    const expirationMs = this.expirationMs(info);
    return expirationMs > 0 && expirationMs >= wholeSecond(this.#clock.now());
  }

  add(info: QueuedPod): void {
    info.pool = info.isRejected ? 'backoff' : 'errorBackoff';
    info.entry = this.#heapOf(info).push(info);
    this.#arm();
  }

  /** Takes a pod out; it must stand in one of the heaps. */
  remove(info: QueuedPod): void {
    if (info.entry !== undefined) this.#heapOf(info).remove(info.entry);
    this.#forget(info);
    this.#disarmIfEmpty();
  }

  change(info: QueuedPod, change: (info: QueuedPod) => void): void {
    if (info.entry !== undefined) info.entry = this.#heapOf(info).change(info.entry, change);
  }

  /** Takes the first rejected pod out, whether or not its back-off has ended. */
  popEarly(): QueuedPod | undefined {
    const info = this.#rejected.pop();
    if (info === undefined) return undefined;
    this.#forget(info);
    this.#disarmIfEmpty();
    return info;
  }

  /** Takes out every pod that is past its back-off: first the rejected ones, then the failed ones. */
  popCompleted(): QueuedPod[] {
    const completed: QueuedPod[] = [];
    for (const heap of [this.#rejected, this.#failed]) {
      for (let info = heap.peek(); info !== undefined && !this.isBackingOff(info); info = heap.peek()) {
        heap.pop();
        this.#forget(info);
        completed.push(info);
      }
    }
    return completed;
  }

  /** All pods, rejected ones first, each kind in order of arrival. */
  items(): QueuedPod[] {
    return [...this.#rejected.items(), ...this.#failed.items()];
  }

  clear(): void {
    this.#rejected.clear();
    this.#failed.clear();
    this.#disarmIfEmpty();
  }

  #durationMs(count: number): number {
    const doublings = 2 ** (count - 1);
    return this.#initialMs > this.#maxMs / doublings ? this.#maxMs : this.#initialMs * doublings;
  }

  #heapOf(info: QueuedPod): LazyHeap<QueuedPod> {
    return info.pool === 'backoff' ? this.#rejected : this.#failed;
  }

  #forget(info: QueuedPod): void {
    info.pool = 'none';
    info.entry = undefined;
  }

  /** Upstream looks every whole second; only those seconds are kept at which a pod leaves. */
  #arm(): void {
    const heads = [this.#rejected.peek(), this.#failed.peek()].filter((head) => head !== undefined);
    if (heads.length === 0) return;
    const dueMs = Math.min(...heads.map((head) => this.expirationMs(head))) + WINDOW_MS;
    if (this.#timer !== undefined) {
      if (this.#timer.dueMs <= dueMs) return;
      this.#clock.cancel(this.#timer);
    }
    this.#timer = this.#clock.schedule(dueMs - this.#clock.now(), () => {
      this.#timer = undefined;
      this.#onDue();
      this.#arm();
    });
  }

  #disarmIfEmpty(): void {
    if (this.size > 0 || this.#timer === undefined) return;
    this.#clock.cancel(this.#timer);
    this.#timer = undefined;
  }
}
