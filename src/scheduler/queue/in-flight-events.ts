import type { AnyObject } from '../../api/objects.js';
import type { ClusterEvent } from '../framework/cluster-event.js';

/** An event with the objects that it is about. */
export interface RecordedEvent {
  readonly event: ClusterEvent;
  readonly oldObject: AnyObject | undefined;
  readonly newObject: AnyObject | undefined;
}

interface InFlightPod {
  /** Events recorded before the pod was popped, since the start of the queue. */
  readonly firstEvent: number;
  isDone: boolean;
}

/** Spent entries that are not worth a clean-up. */
const SPENT_ENTRIES_ALLOWED = 1024;

/**
 * Which pods are between pop and done, and what has happened since the first of them was popped.
 * Mirrors the in-flight list of kube-scheduler v1.34 `backend/queue/active_queue.go`.
 */
export class InFlightEvents {
  readonly #pods = new Map<string, InFlightPod>();
  /** In order of pop; those before `#firstPod` are done. */
  #order: InFlightPod[] = [];
  #firstPod = 0;
  /** The events from number `#dropped` on. */
  #events: RecordedEvent[] = [];
  #dropped = 0;

  /** Number of pods in flight. */
  get size(): number {
    return this.#pods.size;
  }

  /** Number of events that are kept for them. */
  get eventCount(): number {
    return this.#events.length;
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  /** A pod was popped. */
  start(uid: string): void {
    const pod: InFlightPod = { firstEvent: this.#dropped + this.#events.length, isDone: false };
    this.#pods.set(uid, pod);
    this.#order.push(pod);
  }

  record(event: ClusterEvent, oldObject: AnyObject | undefined, newObject: AnyObject | undefined): void {
    if (this.#pods.size > 0) this.#events.push({ event, oldObject, newObject });
  }

  /** What happened since the pod was popped, oldest first; `undefined` when it is not in flight. */
  since(uid: string): readonly RecordedEvent[] | undefined {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return undefined;
    // Upstream drops events only up to the first pod that is still in flight; so none is missing.
    return this.#events.slice(pod.firstEvent - this.#dropped);
  }

  /** The pod left the scheduler, or is back in the queue; a pod that is not in flight is left alone. */
  done(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    pod.isDone = true;
    this.#pods.delete(uid);
    while (this.#order[this.#firstPod]?.isDone === true) this.#firstPod += 1;
    this.#dropSpent();
  }

  clear(): void {
    this.#pods.clear();
    this.#order = [];
    this.#firstPod = 0;
    this.#dropped += this.#events.length;
    this.#events = [];
  }

  #dropSpent(): void {
    if (this.#pods.size === 0) {
      this.clear();
      return;
    }
    if (this.#firstPod > SPENT_ENTRIES_ALLOWED && this.#firstPod * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#firstPod);
      this.#firstPod = 0;
    }
    const spent = (this.#order[this.#firstPod]?.firstEvent ?? this.#dropped) - this.#dropped;
    if (spent > SPENT_ENTRIES_ALLOWED && spent * 2 > this.#events.length) {
      this.#events = this.#events.slice(spent);
      this.#dropped += spent;
    }
  }
}
