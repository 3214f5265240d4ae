/**
 * The three pools of the scheduling queue and the moves between them: a pod stands in one of them,
 * or in none while it is in flight. Which event moves a pod is decided by the queue; whether it
 * may enter (PreEnqueue) and whether it must wait (back-off) is decided here.
 */
import type { Pod } from '../../api/objects/objects.js';
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import { isWildcardEvent } from '../framework/cluster-event.js';
import { PodInfo, type PreEnqueuePlugin, type QueuedPodInfo } from '../framework/interface.js';
import { Code, codeOf } from '../framework/status.js';
import { BackoffQueue } from './backoff-queue.js';
import type { Strategy } from './hint-index.js';
import { LazyHeap } from './lazy-heap.js';
import { LeftoverFlush } from './leftover-flush.js';
import type { ProfileHints } from './profile-hints.js';
import type { PendingPods, SchedulingQueueOptions } from './queue-types.js';
import type { QueuedPod } from './queued-pod.js';
import { UnschedulablePods } from './unschedulable-pods.js';

/** What the pools call back for. */
export interface PoolEvents {
  /** Time has passed, and pods can be popped that could not before. */
  onReady(): void;
  /** Pods have waited for an event for too long. */
  onLeftovers(infos: readonly QueuedPod[]): void;
}

/** Gated pods move only by an event that their gating plugin registered. */
const canMoveByWildcard = (info: QueuedPod): boolean => !info.isGated || info.gatingPluginEvents.some(isWildcardEvent);

const podOf = (info: QueuedPod): Pod => info.pod;

/** See the file header. */
export class QueuePools {
  readonly #clock: Clock;
  readonly #hints: ProfileHints;
  /** The pods of all pools. */
  readonly #pods = new Map<string, QueuedPod>();
  readonly #active: LazyHeap<QueuedPod>;
  readonly #backoff: BackoffQueue;
  readonly #unschedulable: UnschedulablePods;
  readonly #leftovers: LeftoverFlush;
  readonly #onReady: () => void;
  /** When a pod was last taken before its back-off had ended. */
  #earlyPopMs = -1;
  /** Armed while such a pod waits for the next millisecond. */
  #earlyTimer: Timer | undefined;

  constructor(options: SchedulingQueueOptions, hints: ProfileHints, events: PoolEvents) {
    const { clock, queueSort, podInitialBackoffSeconds = 1, podMaxBackoffSeconds = 10 } = options;
    const less = (a: QueuedPod, b: QueuedPod): boolean => queueSort.less(a, b);
    this.#clock = clock;
    this.#hints = hints;
    this.#active = new LazyHeap(less, (info) => info.orderCopy());
    const limits = { initialSeconds: podInitialBackoffSeconds, maxSeconds: podMaxBackoffSeconds };
    this.#backoff = new BackoffQueue(clock, limits, less, () => this.#activateCompleted());
    this.#unschedulable = new UnschedulablePods({
      isOpenFor: ({ pod, gatingPlugin }) => {
        const keeper = hints.preEnqueueOf(pod).find(({ name }) => name === gatingPlugin);
        return codeOf(keeper?.preEnqueue(pod)) === Code.Success;
      },
      openingsOf: (plugin) => hints.openingsOf(plugin),
    });
    this.#leftovers = new LeftoverFlush(clock, this.#unschedulable, (infos) => events.onLeftovers(infos));
    this.#onReady = () => events.onReady();
  }

  get(key: string): QueuedPod | undefined {
    return this.#pods.get(key);
  }

  /** Takes the first active pod; if there is none, the first rejected one that still backs off. */
  pop(): QueuedPod | undefined {
    const info = this.#active.pop() ?? this.#popEarly();
    if (info !== undefined) this.#leave(info);
    return info;
  }

  /** The active pods that leave next, in order. */
  peek(limit: number): readonly QueuedPodInfo[] {
    return this.#active.first(limit);
  }

  /** Takes a pod out of its pool, if it is in one. */
  take(info: QueuedPod): void {
    if (info.pool === 'none') return;
    if (info.pool === 'unschedulable') {
      this.#unschedulable.delete(info);
      this.#leftovers.noteDeparture();
    } else if (info.pool !== 'active') {
      this.#backoff.remove(info);
    } else if (info.entry !== undefined) {
      this.#active.remove(info.entry);
    }
    this.#leave(info);
  }

  /** Replaces the object of a pod, which keeps its history and its pool. */
  change(info: QueuedPod, pod: Pod): void {
    const change = (each: QueuedPod): void => {
      each.podInfo = new PodInfo(pod);
    };
    if (info.pool === 'unschedulable') change(info);
    else if (info.pool !== 'active') this.#backoff.change(info, change);
    else if (info.entry !== undefined) info.entry = this.#active.change(info.entry, change);
  }

  /** Puts a pod where it belongs after an event; `info.pool` tells where that is. */
  requeue(info: QueuedPod, strategy: Strategy): void {
    if (strategy === 'skip') this.#toUnschedulable(info);
    else if (strategy === 'afterBackoff' && this.#backoff.isBackingOff(info)) this.#toBackoff(info);
    else this.toActive(info);
  }

  /** Makes a pod active; if it is gated, it ends up among the unschedulable ones. */
  toActive(info: QueuedPod): void {
    // A pod in the back-off pool has passed PreEnqueue on its way in.
    const hasPassed = info.pool === 'backoff' || info.pool === 'errorBackoff';
    if (!hasPassed && !this.#passesPreEnqueue(info)) {
      this.#toUnschedulable(info);
      return;
    }
    this.take(info);
    info.initialAttemptTimestampMs ??= this.#clock.now();
    this.#enterActive(info);
  }

  /** The unschedulable pods that an event may move, by the plugins that registered for it. */
  candidatesFor(plugins: readonly string[]): readonly QueuedPod[] {
    return this.#unschedulable.rejectedBy(plugins);
  }

  /** The unschedulable pods that a wildcard event may move. */
  wildcardCandidates(): readonly QueuedPod[] {
    return [...this.#unschedulable.values()].filter(canMoveByWildcard);
  }

  pendingPods(): PendingPods {
    return {
      active: this.#active.items().map(podOf),
      backoff: this.#backoff.items().map(podOf),
      unschedulable: [...this.#unschedulable.values()].map(podOf),
    };
  }

  depths(): { active: number; backoff: number; unschedulable: number; gated: number } {
    const gated = this.#unschedulable.gatedSize;
    const unschedulable = this.#unschedulable.size - gated;
    return { active: this.#active.size, backoff: this.#backoff.size, unschedulable, gated };
  }

  clear(): void {
    this.#pods.clear();
    this.#active.clear();
    this.#backoff.clear();
    this.#unschedulable.clear();
    this.#leftovers.stop();
    this.#disarmEarlyPop();
  }

  /** One in a millisecond; after one that comes too early the queue says in the next millisecond that it is ready. */
  #popEarly(): QueuedPod | undefined {
    const nowMs = this.#clock.now();
    if (this.#earlyPopMs !== nowMs) {
      const info = this.#backoff.popEarly();
      if (info !== undefined) this.#earlyPopMs = nowMs;
      return info;
    }
    if (this.#earlyTimer === undefined && this.#backoff.rejectedSize > 0) {
      this.#earlyTimer = this.#clock.schedule(1, () => {
        this.#earlyTimer = undefined;
        this.#onReady();
      });
    }
    return undefined;
  }

  #toBackoff(info: QueuedPod): void {
    if (!this.#passesPreEnqueue(info)) {
      this.#toUnschedulable(info);
      return;
    }
    this.take(info);
    this.#backoff.add(info);
    this.#pods.set(info.key, info);
  }

  #toUnschedulable(info: QueuedPod): void {
    this.#unschedulable.addOrUpdate(info);
    this.#pods.set(info.key, info);
    this.#leftovers.noteArrival(info);
  }

  #activateCompleted(): void {
    const completed = this.#backoff.popCompleted();
    for (const info of completed) this.#enterActive(info);
    this.#disarmEarlyPop();
    if (completed.length > 0) this.#onReady();
  }

  #enterActive(info: QueuedPod): void {
    info.pool = 'active';
    info.entry = this.#active.push(info);
    this.#pods.set(info.key, info);
  }

  #leave(info: QueuedPod): void {
    this.#pods.delete(info.key);
    info.pool = 'none';
    info.entry = undefined;
    this.#disarmEarlyPop();
  }

  /** Without a pod to take early there is nothing to wait for in the next millisecond. */
  #disarmEarlyPop(): void {
    if (this.#earlyTimer === undefined || this.#backoff.rejectedSize > 0) return;
    this.#clock.cancel(this.#earlyTimer);
    this.#earlyTimer = undefined;
  }

  /** A plugin that gates the pod already is called first. */
  #passesPreEnqueue(info: QueuedPod): boolean {
    const { gatingPlugin } = info;
    const preEnqueue = this.#hints.preEnqueueOf(info.pod);
    const first = gatingPlugin === undefined ? undefined : preEnqueue.find(({ name }) => name === gatingPlugin);
    if (first !== undefined && this.#isGatedBy(first, info)) return false;
    for (const plugin of preEnqueue) {
      if (plugin !== first && this.#isGatedBy(plugin, info)) return false;
    }
    info.gatingPlugin = undefined;
    return true;
  }

  #isGatedBy(plugin: PreEnqueuePlugin, info: QueuedPod): boolean {
    if (codeOf(plugin.preEnqueue(info.pod)) === Code.Success) return false;
    info.unschedulablePlugins.add(plugin.name);
    info.gatingPlugin = plugin.name;
    info.gatingPluginEvents = this.#hints.of(info.pod).eventsOf(plugin.name);
    return true;
  }
}
