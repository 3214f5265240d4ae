import type { Pod } from '../../api/objects/objects.js';
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import type { StatusCallback, WaitingPod } from './interface.js';
import { Code, createStatus, type Status } from './status.js';

/** Upstream's limit on the patience of Permit, milliseconds. */
const MAX_WAIT_MS = 15 * 60 * 1000;

class Waiting implements WaitingPod {
  readonly #timers = new Map<string, Timer>();
  readonly #clock: Clock;
  #outcome: { readonly status: Status | undefined } | undefined;
  #listener: StatusCallback | undefined;

  constructor(
    readonly pod: Pod,
    timeouts: ReadonlyMap<string, number>,
    clock: Clock,
  ) {
    this.#clock = clock;
    for (const [plugin, timeoutMs] of timeouts) {
      const patienceMs = Math.min(timeoutMs, MAX_WAIT_MS);
      const timer = clock.schedule(patienceMs, () => {
        this.reject(plugin, `rejected due to timeout after waiting ${durationText(patienceMs)} at plugin ${plugin}`);
      });
      this.#timers.set(plugin, timer);
    }
  }

  get pendingPlugins(): readonly string[] {
    return [...this.#timers.keys()];
  }

  allow(plugin: string): void {
    const timer = this.#timers.get(plugin);
    if (timer !== undefined) this.#clock.cancel(timer);
    this.#timers.delete(plugin);
    if (this.#timers.size === 0) this.#settle(undefined);
  }

  reject(plugin: string, message: string): void {
    this.#settle(createStatus(Code.Unschedulable, plugin, message));
  }

  whenDone(listener: StatusCallback): void {
    if (this.#outcome === undefined) this.#listener = listener;
    else listener(this.#outcome.status);
  }

  /** Drops the pod without calling its listener. */
  drop(): void {
    this.#listener = undefined;
    this.#settle(undefined);
  }

  #settle(status: Status | undefined): void {
    if (this.#outcome !== undefined) return;
    for (const timer of this.#timers.values()) this.#clock.cancel(timer);
    this.#timers.clear();
    this.#outcome = { status };
    this.#listener?.(status);
  }
}

/** Pods that Permit keeps waiting, by uid. Mirrors kube-scheduler v1.34 `runtime/waiting_pods_map.go`. */
export class WaitingPods {
  readonly #clock: Clock;
  readonly #pods = new Map<string, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(pod: Pod, timeouts: ReadonlyMap<string, number>): void {
    this.#pods.set(pod.metadata.uid, new Waiting(pod, timeouts, this.#clock));
  }

  get(uid: string): WaitingPod | undefined {
    return this.#pods.get(uid);
  }

  /** Rejects a pod that waits; `false` when it does not. */
  reject(uid: string, message: string): boolean {
    const waiting = this.#pods.get(uid);
    waiting?.reject('', message);
    return waiting !== undefined;
  }

  /** Calls the listener once no plugin keeps the pod waiting any more; at once when none does. */
  whenAllowed(pod: Pod, listener: StatusCallback): void {
    const waiting = this.#pods.get(pod.metadata.uid);
    if (waiting === undefined) {
      listener(undefined);
      return;
    }
    waiting.whenDone((status) => {
      this.#pods.delete(pod.metadata.uid);
      listener(status);
    });
  }

  /** Forgets every pod and its timers. */
  clear(): void {
    for (const waiting of this.#pods.values()) waiting.drop();
    this.#pods.clear();
  }
}

/** Go's text of a duration, such as `1m30s` or `500ms`. */
function durationText(ms: number): string {
  if (ms < 1000) return ms === 0 ? '0s' : `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}
