import type { Pod } from '../../api/objects/objects.js';
import type { ClusterEvent } from '../framework/cluster-event.js';
import type { PodInfo, QueuedPodInfo } from '../framework/interface.js';
import type { HeapEntry } from './lazy-heap.js';

/** Where a pod of the queue stands; `none` while it is in flight. */
export type Pool = 'none' | 'active' | 'backoff' | 'errorBackoff' | 'unschedulable';

const NO_EVENTS: readonly ClusterEvent[] = [];

/** A pod with its history of attempts, and where the queue keeps it. */
export class QueuedPod implements QueuedPodInfo {
  podInfo: PodInfo;
  timestampMs: number;
  attempts = 0;
  unschedulableCount = 0;
  consecutiveErrorsCount = 0;
  backoffExpirationMs = 0;
  initialAttemptTimestampMs: number | undefined = undefined;
  gatingPlugin: string | undefined = undefined;
  gatingPluginEvents: readonly ClusterEvent[] = NO_EVENTS;
  /** Its place in the heap of its pool. */
  entry: HeapEntry<QueuedPod> | undefined = undefined;
  pool: Pool = 'none';
  /** Order of arrival among the unschedulable pods. */
  arrival = 0;
  /** Plugins under which the unschedulable pods list it. */
  indexedUnder: readonly string[] | undefined = undefined;
  /** The plugin under which they list it as gated. */
  gatedUnder: string | undefined = undefined;
  /** Number of the last search among the unschedulable pods that found it. */
  search = 0;
  // Most pods are never rejected: their sets are made at the first use.
  #unschedulablePlugins: Set<string> | undefined = undefined;
  #pendingPlugins: Set<string> | undefined = undefined;

  constructor(podInfo: PodInfo, timestampMs: number) {
    this.podInfo = podInfo;
    this.timestampMs = timestampMs;
  }

  get unschedulablePlugins(): Set<string> {
    this.#unschedulablePlugins ??= new Set();
    return this.#unschedulablePlugins;
  }

  set unschedulablePlugins(plugins: Set<string>) {
    this.#unschedulablePlugins = plugins;
  }

  get pendingPlugins(): Set<string> {
    this.#pendingPlugins ??= new Set();
    return this.#pendingPlugins;
  }

  set pendingPlugins(plugins: Set<string>) {
    this.#pendingPlugins = plugins;
  }

  /** `namespace/name`. */
  get key(): string {
    return this.podInfo.key;
  }

  get pod(): Pod {
    return this.podInfo.pod;
  }

  get isGated(): boolean {
    return this.gatingPlugin !== undefined;
  }

  /** Whether any plugin rejected the pod; otherwise its last attempt ended in an error, or there was none. */
  get isRejected(): boolean {
    return (this.#unschedulablePlugins?.size ?? 0) > 0 || this.hasPendingPlugins;
  }

  get hasPendingPlugins(): boolean {
    return (this.#pendingPlugins?.size ?? 0) > 0;
  }

  isRejectedBy(plugin: string): boolean {
    return this.#unschedulablePlugins?.has(plugin) === true || this.isPendingOn(plugin);
  }

  isPendingOn(plugin: string): boolean {
    return this.#pendingPlugins?.has(plugin) === true;
  }

  /** Every plugin that rejected the pod. */
  rejectors(): string[] {
    const { unschedulablePlugins, pendingPlugins } = this;
    return [...unschedulablePlugins, ...[...pendingPlugins].filter((plugin) => !unschedulablePlugins.has(plugin))];
  }

  get isPoppable(): boolean {
    return this.pool === 'active' || this.pool === 'backoff';
  }

  /** The attempt failed: counts it, and starts the back-off anew. */
  noteFailure(nowMs: number): void {
    if (this.isRejected) {
      this.unschedulableCount += 1;
      this.consecutiveErrorsCount = 0;
    } else {
      this.consecutiveErrorsCount += 1;
    }
    this.timestampMs = nowMs;
    this.backoffExpirationMs = 0;
  }

  /** A new attempt begins: what the last one said is void. */
  startAttempt(): void {
    this.attempts += 1;
    this.#unschedulablePlugins = undefined;
    this.#pendingPlugins = undefined;
    this.gatingPlugin = undefined;
    this.gatingPluginEvents = NO_EVENTS;
  }

  /** A pod of the same order that later changes do not touch. */
  orderCopy(): QueuedPod {
    const copy = new QueuedPod(this.podInfo, this.timestampMs);
    copy.attempts = this.attempts;
    copy.unschedulableCount = this.unschedulableCount;
    copy.consecutiveErrorsCount = this.consecutiveErrorsCount;
    copy.backoffExpirationMs = this.backoffExpirationMs;
    copy.initialAttemptTimestampMs = this.initialAttemptTimestampMs;
    return copy;
  }
}
