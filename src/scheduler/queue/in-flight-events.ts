import type { AnyObject } from '../../api/objects/objects.js';
import type { ClusterEvent } from '../framework/cluster-event.js';

/** An event with the objects that it is about. */
export interface RecordedEvent {
  readonly event: ClusterEvent;
  readonly oldObject: AnyObject | undefined;
  readonly newObject: AnyObject | undefined;
}

interface InFlightPod {
  readonly uid: string;
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
  /** Mostly the only one: a map that goes to and fro between none and one costs more than what it holds. */
  #first: InFlightPod | undefined;
  readonly #others = new Map<string, InFlightPod>();
  /** In order of pop, once a second one joins the first; those before `#firstPod` are done. */
  #order: InFlightPod[] = [];
  #firstPod = 0;
  /** The events from number `#dropped` on. */
  #events: RecordedEvent[] = [];
  #dropped = 0;

  /** Number of pods in flight. */
  get size(): number {
    return this.#others.size + (this.#first === undefined ? 0 : 1);
  }

  /** Number of events that are kept for them. */
  get eventCount(): number {
    return this.#events.length;
  }

  has(uid: string): boolean {
    return this.#find(uid) !== undefined;
  }

  /** A pod was popped. */
  start(uid: string): void {
    const pod: InFlightPod = { uid, firstEvent: this.#dropped + this.#events.length, isDone: false };
    if (this.#first !== undefined && this.#order.length === 0) this.#order.push(this.#first);
    if (this.size > 0) this.#order.push(pod);
    if (this.#first === undefined) this.#first = pod;
    else this.#others.set(uid, pod);
  }

  record(event: ClusterEvent, oldObject: AnyObject | undefined, newObject: AnyObject | undefined): void {
    if (this.size > 0) this.#events.push({ event, oldObject, newObject });
  }

  /** What happened since the pod was popped, oldest first; `undefined` when it is not in flight. */
  since(uid: string): readonly RecordedEvent[] | undefined {
    const pod = this.#find(uid);
    if (pod === undefined) return undefined;
    // Upstream drops events only up to the first pod that is still in flight; so none is missing.
    return this.#events.slice(pod.firstEvent - this.#dropped);
  }

  /** The pod left the scheduler, or is back in the queue; a pod that is not in flight is left alone. */
  done(uid: string): void {
    const pod = this.#find(uid);
    if (pod === undefined) return;
    pod.isDone = true;
    if (pod === this.#first) this.#first = undefined;
    else this.#others.delete(uid);
    while (this.#order[this.#firstPod]?.isDone === true) this.#firstPod += 1;
    this.#dropSpent();
  }

  clear(): void {
    this.#first = undefined;
    this.#others.clear();
    this.#forgetAll();
  }

  #find(uid: string): InFlightPod | undefined {
    if (this.#first?.uid === uid) return this.#first;
    return this.#others.size === 0 ? undefined : this.#others.get(uid);
  }

  /** No pod is in flight: the events concern none. */
  #forgetAll(): void {
    if (this.#order.length > 0) this.#order = [];
    this.#firstPod = 0;
    this.#dropped += this.#events.length;
    if (this.#events.length > 0) this.#events = [];
  }

  #dropSpent(): void {
    if (this.size === 0) {
      this.#forgetAll();
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
