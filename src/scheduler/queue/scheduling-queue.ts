/**
 * The scheduling queue: pods that wait for a decision, in three pools. `active`: to be decided, in
 * the order of the QueueSort plugin. `backoff`: to become active when their back-off ends.
 * `unschedulable`: tried and rejected, or gated; they wait for an event. Mirrors kube-scheduler
 * v1.34 `backend/queue/scheduling_queue.go`, with its defaults: queueing hints, and an idle
 * scheduler takes pods that still back off.
 *
 * Decisions may take no simulated time at all, so such an idle scheduler would retry every waiting
 * pod after every event. A real one needs about a millisecond for an attempt: one pod in a millisecond
 * is taken before its back-off has ended. Active pods are never held back.
 *
 * It never decides about a pod, and never reads a cluster: events and pods are brought to it. It
 * owns a timer only while a pod waits for time to pass.
 */
import { keyOf, type AnyObject, type Pod } from '../../api/objects/objects.js';
import { assert } from '../../kernel/assert.js';
import type { Clock } from '../../kernel/engine/clock.js';
import { ActionType, Events, isWildcardEvent, type ClusterEvent } from '../framework/cluster-event.js';
import { PodInfo, type QueuedPodInfo } from '../framework/interface.js';
import type { ChangeLog } from '../framework/change-log.js';
import type { Strategy } from './hint-index.js';
import { InFlightEvents } from './in-flight-events.js';
import { Nominator } from './nominator.js';
import { ProfileHints } from './profile-hints.js';
import { podUpdateEvents, UNSCHEDULED_POD_ADD, UNSCHEDULED_POD_UPDATE } from './pod-update-events.js';
import { QueuePools } from './queue-pools.js';
import type { PendingPods, QueueDepths, SchedulingQueue, SchedulingQueueOptions } from './queue-types.js';
import { QueuedPod } from './queued-pod.js';

/** Builds an empty queue. */
export function createSchedulingQueue(options: SchedulingQueueOptions): SchedulingQueue {
  return new PriorityQueue(options);
}

class PriorityQueue implements SchedulingQueue {
  readonly #clock: Clock;
  readonly #hints: ProfileHints;
  readonly #pools: QueuePools;
  readonly #inFlight = new InFlightEvents();
  readonly #nominator: Nominator;
  #onReady: () => void = () => undefined;

  constructor(options: SchedulingQueueOptions) {
    this.#clock = options.clock;
    this.#hints = new ProfileHints(options.profiles);
    this.#pools = new QueuePools(options, this.#hints, {
      onReady: () => this.#onReady(),
      onLeftovers: (infos) => this.#move(infos, Events.unschedulableTimeout, undefined, undefined),
    });
    this.#nominator = new Nominator(options.findPod);
  }

  add(pod: Pod): void {
    this.#addNew(pod, UNSCHEDULED_POD_ADD);
  }

  pop(): QueuedPodInfo | undefined {
    for (;;) {
      const info = this.#pools.pop();
      if (info === undefined) return undefined;
      const { uid } = info.pod.metadata;
      // The same pod came twice: it has one attempt at a time.
      if (this.#inFlight.has(uid)) continue;
      this.#inFlight.start(uid);
      info.startAttempt();
      return info;
    }
  }

  peek(limit: number): readonly QueuedPodInfo[] {
    return this.#pools.peek(limit);
  }

  done(uid: string): void {
    this.#inFlight.done(uid);
  }

  addUnschedulableIfNotPresent(info: QueuedPodInfo): boolean {
    assert(info instanceof QueuedPod, `only a popped pod can come back, got ${info.podInfo.key}`);
    const { uid } = info.pod.metadata;
    const isPresent = this.#pools.get(info.key) !== undefined;
    if (!isPresent) {
      info.noteFailure(this.#clock.now());
      this.#pools.requeue(info, this.#strategyAfterFlight(info));
    }
    this.#inFlight.done(uid);
    if (info.isPoppable) this.#onReady();
    return !isPresent;
  }

  update(oldPod: Pod | undefined, newPod: Pod): void {
    const info = this.#pools.get(keyOf(newPod));
    const isInFlight = this.#inFlight.has(newPod.metadata.uid);
    if (info === undefined && !isInFlight) {
      this.#addNew(newPod, UNSCHEDULED_POD_UPDATE);
      return;
    }
    const events = oldPod === undefined ? [UNSCHEDULED_POD_UPDATE] : podUpdateEvents(oldPod, newPod);
    if (info === undefined || isInFlight) {
      for (const event of events) this.#inFlight.record(event, oldPod, newPod);
      return;
    }
    this.#pools.change(info, newPod);
    this.#nominator.update(oldPod, info.podInfo);
    for (const event of events) {
      // Once an event has moved the pod, the others have nothing to say.
      if (info.pool !== 'unschedulable') return;
      this.#pools.requeue(info, this.#hints.of(info.pod).judge(info, event, oldPod, newPod));
      this.#noteMove(info, event);
      if (info.isPoppable) this.#onReady();
    }
  }

  delete(pod: Pod): void {
    this.#nominator.delete(pod.metadata.uid);
    const info = this.#pools.get(keyOf(pod));
    if (info !== undefined) this.#pools.take(info);
  }

  activate(pods: Iterable<Pod>): void {
    let isReady = false;
    for (const pod of pods) {
      const info = this.#pools.get(keyOf(pod));
      if (info !== undefined && info.pool !== 'active') {
        this.#pools.toActive(info);
        isReady ||= info.isPoppable;
      } else if (this.#inFlight.has(pod.metadata.uid)) {
        this.#inFlight.record(Events.forceActivate, undefined, pod);
      }
    }
    if (isReady) this.#onReady();
  }

  moveAllToActiveOrBackoffQueue(
    event: ClusterEvent,
    oldObject: AnyObject | undefined,
    newObject: AnyObject | undefined,
    preCheck?: (pod: Pod) => boolean,
  ): void {
    const candidates = this.#candidatesFor(event);
    if (candidates === undefined) return;
    const infos = preCheck === undefined ? candidates : candidates.filter((info) => preCheck(info.pod));
    this.#move(infos, event, oldObject, newObject);
  }

  assignedPodAdded(pod: Pod): void {
    const candidates = this.#candidatesFor(Events.assignedPodAdd);
    if (candidates === undefined) return;
    const infos = candidates.filter((info) => hasCrossTopologyTerm(info, pod));
    this.#move(infos, Events.assignedPodAdd, undefined, pod);
  }

  assignedPodUpdated(oldPod: Pod, newPod: Pod, event: ClusterEvent): void {
    const candidates = this.#candidatesFor(event);
    if (candidates === undefined) return;
    // Freed resources matter to any pod, other changes only to those that look at their neighbours.
    const isScaleDown = event.actionType === ActionType.UpdatePodScaleDown;
    const infos = isScaleDown ? candidates : candidates.filter((info) => hasCrossTopologyTerm(info, newPod));
    this.#move(infos, event, oldPod, newPod);
  }

  pendingPods(): PendingPods {
    return this.#pools.pendingPods();
  }

  depths(): QueueDepths {
    return { ...this.#pools.depths(), inFlight: this.#inFlight.size };
  }

  get(key: string): QueuedPodInfo | undefined {
    return this.#pools.get(key);
  }

  setOnReady(onReady: () => void): void {
    this.#onReady = onReady;
  }

  addNominatedPod(podInfo: PodInfo, nodeName?: string): void {
    this.#nominator.add(podInfo, nodeName);
  }

  updateNominatedPod(oldPod: Pod | undefined, podInfo: PodInfo): void {
    this.#nominator.update(oldPod, podInfo);
  }

  deleteNominatedPodIfExists(pod: Pod): void {
    this.#nominator.delete(pod.metadata.uid);
  }

  nominatedPodsForNode(nodeName: string): readonly PodInfo[] {
    return this.#nominator.nominatedPodsForNode(nodeName);
  }

  nominatedNodes(): Iterable<string> {
    return this.#nominator.nominatedNodes();
  }

  nominatedNodeOf(uid: string): string | undefined {
    return this.#nominator.nominatedNodeOf(uid);
  }

  get nominatedCount(): number {
    return this.#nominator.nominatedCount;
  }

  get nominations(): ChangeLog {
    return this.#nominator.nominations;
  }

  close(): void {
    this.#pools.clear();
    this.#inFlight.clear();
    this.#nominator.clear();
    this.#onReady = () => undefined;
  }

  #addNew(pod: Pod, event: ClusterEvent): void {
    const info = new QueuedPod(new PodInfo(pod), this.#clock.now());
    this.#pools.toActive(info);
    this.#noteMove(info, event);
    if (info.isPoppable) this.#onReady();
  }

  /** Moves the pods that the event may help, and keeps it for the pods in flight. */
  #move(
    infos: readonly QueuedPod[],
    event: ClusterEvent,
    oldObject: AnyObject | undefined,
    newObject: AnyObject | undefined,
  ): void {
    let isReady = false;
    for (const info of infos) {
      const strategy = this.#hints.of(info.pod).judge(info, event, oldObject, newObject);
      if (strategy === 'skip') continue;
      this.#pools.requeue(info, strategy);
      isReady ||= info.isPoppable;
    }
    this.#inFlight.record(event, oldObject, newObject);
    if (isReady) this.#onReady();
  }

  /** The unschedulable pods that an event may move; `undefined` when no plugin registered for it. */
  #candidatesFor(event: ClusterEvent): readonly QueuedPod[] | undefined {
    if (isWildcardEvent(event)) return this.#pools.wildcardCandidates();
    const plugins = this.#hints.pluginsFor(event);
    return plugins.length === 0 ? undefined : this.#pools.candidatesFor(plugins);
  }

  /** What the events during the attempt mean for a pod that comes back. */
  #strategyAfterFlight(info: QueuedPod): Strategy {
    const events = info.isRejected ? this.#inFlight.since(info.pod.metadata.uid) : undefined;
    if (events === undefined) return 'afterBackoff';
    let strategy: Strategy = 'skip';
    for (const { event, oldObject, newObject } of events) {
      const each = this.#hints.of(info.pod).judge(info, event, oldObject, newObject);
      if (each === 'skip') continue;
      if (each === 'immediately' || !info.hasPendingPlugins) return each;
      strategy = each;
    }
    return strategy;
  }

  /** A pod that becomes active by its creation or a plain update brings the nomination of its status. */
  #noteMove(info: QueuedPod, { label }: ClusterEvent): void {
    if (info.pool !== 'active') return;
    if (label === UNSCHEDULED_POD_ADD.label || label === UNSCHEDULED_POD_UPDATE.label)
      this.#nominator.add(info.podInfo);
  }
}

/** Whether a pod that was bound could matter to this one: only through spreading or required affinity. */
function hasCrossTopologyTerm(info: QueuedPod, assigned: Pod): boolean {
  const { metadata, spec } = info.pod;
  if (metadata.namespace === assigned.metadata.namespace && info.unschedulablePlugins.has('PodTopologySpread')) {
    return true;
  }
  return (spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;
}
