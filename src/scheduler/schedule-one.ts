/**
 * One attempt, in call order: ScheduleOne → schedulingCycle → bindingCycle. It decides by
 * cycle/schedule-pod.ts, assumes the pod on its node, asks Reserve and Permit, and binds; whatever
 * fails ends in the failure handler. It never waits: what takes simulated time calls back in a later
 * tick. Mirrors kube-scheduler v1.34 `schedule_one.go`.
 */
import type { Pod } from '../api/objects/objects.js';
import type { EventRecorder } from '../bus/bus-types.js';
import type { Clock } from '../kernel/engine/clock.js';
import type { SchedulerCache } from './cache/scheduler-cache.js';
import type { CacheSnapshot } from './cache/snapshot.js';
import { blame, createDiagnosis, fitErrorText, type Diagnosis } from './cycle/attempt/node-statuses.js';
import type { PodScheduler } from './cycle/schedule-pod.js';
import type { AttemptLog } from './explain/attempt-log.js';
import type { AttemptFailure, FailureHandler } from './failure-handler.js';
import { Events } from './framework/cluster-event.js';
import { CycleState } from './framework/cycle-state.js';
import type { Framework } from './framework/framework.js';
import type { PodInfo, QueuedPodInfo } from './framework/interface.js';
import { Code, isRejected, messageOf, type Status } from './framework/status.js';
import type { SchedulingQueue } from './queue/queue-types.js';

/** What an attempt works with. */
export interface ScheduleOneOptions {
  readonly clock: Clock;
  readonly cache: SchedulerCache;
  readonly snapshot: CacheSnapshot;
  readonly queue: SchedulingQueue;
  readonly framework: Framework;
  readonly podScheduler: PodScheduler;
  readonly failures: FailureHandler;
  readonly recorder: EventRecorder;
  readonly attempts: AttemptLog;
  readonly namesTaints: boolean;
}

/** Counts of attempts by outcome. */
export interface AttemptCounts {
  attempts: number;
  /** Pods with a confirmed binding. */
  scheduled: number;
  unschedulable: number;
  errors: number;
}

/** A pod that was decided, and what its plugins know. */
interface Placement {
  readonly info: QueuedPodInfo;
  readonly assumed: PodInfo;
  readonly state: CycleState;
  readonly nodeName: string;
}

const NO_PLUGINS: ReadonlySet<string> = new Set();

/** See the file header. */
export class ScheduleOne {
  readonly counts: AttemptCounts = { attempts: 0, scheduled: 0, unschedulable: 0, errors: 0 };
  readonly #options: ScheduleOneOptions;

  constructor(options: ScheduleOneOptions) {
    this.#options = options;
  }

  /** Tries to place a pod that was popped from the queue. */
  run(info: QueuedPodInfo): void {
    const { pod } = info.podInfo;
    if (this.#isToBeSkipped(pod)) {
      this.#options.queue.done(pod.metadata.uid);
      return;
    }
    this.counts.attempts += 1;
    const placement = this.#schedulingCycle(info);
    if (placement !== undefined) this.#bindingCycle(placement);
  }

  #isToBeSkipped(pod: Pod): boolean {
    const { cache, recorder } = this.#options;
    if (pod.metadata.deletionTimestamp !== undefined) {
      const text = `skip schedule deleting pod: ${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
      recorder.record(pod, 'Warning', 'FailedScheduling', text, { action: 'Scheduling' });
      return true;
    }
    return cache.isAssumedPod(pod);
  }

  /** Decides and assumes; `undefined` when the attempt has failed. */
  #schedulingCycle(info: QueuedPodInfo): Placement | undefined {
    const { cache, snapshot, podScheduler, attempts, queue, clock } = this.#options;
    const { podInfo } = info;
    cache.updateSnapshot(snapshot);
    const state = new CycleState();
    const decision = podScheduler.decide(state, podInfo);
    attempts.note(info, clock.now(), decision, podScheduler, snapshot.columns, queue.depths().active);
    switch (decision.kind) {
      case 'error':
        this.#fail(info, errorFailure(decision.status));
        return undefined;
      case 'unfit':
        this.#fail(info, this.#afterPostFilter(state, podInfo, decision.diagnosis));
        return undefined;
      case 'placed':
        return this.#assume(info, state, decision.nodeName);
    }
  }

  /** Gives PostFilter the chance to make room for a later attempt, and words the failure. */
  #afterPostFilter(state: CycleState, pod: PodInfo, diagnosis: Diagnosis): AttemptFailure {
    const { framework, snapshot, attempts, namesTaints } = this.#options;
    let nominatedNodeName: string | undefined;
    if (framework.postFilters.length > 0) {
      const result = framework.runPostFilter(state, pod, diagnosis.nodeToStatus);
      diagnosis.postFilterMessage = result.status === undefined ? '' : messageOf(result.status);
      nominatedNodeName = result.nominatedNodeName;
      if (result.explanation !== undefined) attempts.notePreemption(pod.key, result.explanation);
    }
    return {
      code: Code.Unschedulable,
      message: fitErrorText(diagnosis, snapshot.size, namesTaints),
      unschedulablePlugins: diagnosis.unschedulablePlugins,
      pendingPlugins: diagnosis.pendingPlugins,
      nominatedNodeName,
    };
  }

  /** Puts the pod on its node in the cache, then asks Reserve and Permit. */
  #assume(info: QueuedPodInfo, state: CycleState, nodeName: string): Placement | undefined {
    const { cache, framework, queue } = this.#options;
    const { pod } = info.podInfo;
    const assumed = info.podInfo.boundTo(nodeName);
    cache.assumePod(assumed);
    queue.deleteNominatedPodIfExists(pod);
    const placement = { info, assumed, state, nodeName };
    const status = framework.runReserve(state, assumed, nodeName) ?? framework.runPermit(state, assumed, nodeName);
    if (status === undefined || status.code === Code.Wait) return placement;
    framework.runUnreserve(state, assumed, nodeName);
    cache.forgetPod(assumed.pod);
    this.#fail(info, oneNodeFailure(status, nodeName), status);
    return undefined;
  }

  /** Waits for Permit, then PreBind, Bind and PostBind; other pods are decided meanwhile. */
  #bindingCycle(placement: Placement): void {
    const { framework, queue } = this.#options;
    const { assumed, state, nodeName } = placement;
    framework.waitingPods.whenAllowed(assumed.pod, (refusal) => {
      if (refusal !== undefined) {
        this.#bindingFailed(placement, refusal, oneNodeFailure(refusal, nodeName));
        return;
      }
      queue.done(assumed.pod.metadata.uid);
      framework.runPreBind(state, assumed, nodeName, (preBindError) => {
        if (preBindError === undefined) this.#bind(placement);
        else this.#bindingFailed(placement, preBindError, errorFailure(preBindError));
      });
    });
  }

  /** Apart, so that a binding under way keeps nothing else alive. */
  #bind(placement: Placement): void {
    const { state, assumed, nodeName } = placement;
    this.#options.framework.runBind(state, assumed, nodeName, (bindError) => {
      if (bindError === undefined) this.#bound(placement);
      else this.#bindingFailed(placement, bindError, errorFailure(bindError));
    });
  }

  #bound({ assumed, state, nodeName }: Placement): void {
    const { framework, recorder } = this.#options;
    this.counts.scheduled += 1;
    const text = `Successfully assigned ${assumed.key} to ${nodeName}`;
    recorder.record(assumed.pod, 'Normal', 'Scheduled', text, { action: 'Binding' });
    framework.runPostBind(state, assumed, nodeName);
  }

  /** Gives the node back: for the other pods that is as if a pod had left it. */
  #bindingFailed({ info, assumed, state, nodeName }: Placement, status: Status, failure: AttemptFailure): void {
    const { framework, cache, queue } = this.#options;
    framework.runUnreserve(state, assumed, nodeName);
    cache.forgetPod(assumed.pod);
    const { uid } = assumed.pod.metadata;
    const announce = (isOwnSkipped: boolean): void => {
      const preCheck = isOwnSkipped ? (pod: Pod): boolean => pod.metadata.uid !== uid : undefined;
      queue.moveAllToActiveOrBackoffQueue(Events.assignedPodDelete, assumed.pod, undefined, preCheck);
    };
    // After a rejection the pod must wait for another event than its own departure.
    if (isRejected(status)) {
      this.#fail(info, failure, status);
      announce(true);
    } else {
      announce(false);
      this.#fail(info, failure, status);
    }
  }

  /** @param refusal - the verdict that took the chosen node from the pod */
  #fail(info: QueuedPodInfo, failure: AttemptFailure, refusal?: Status): void {
    const { attempts, failures } = this.#options;
    if (failure.code === Code.Error) this.counts.errors += 1;
    else this.counts.unschedulable += 1;
    attempts.noteFailure(info.podInfo.key, failure.code, failure.message, refusal);
    failures.handle(info, failure);
  }
}

/** A failure that no plugin answers for: the pod is tried again after its back-off. */
function errorFailure({ code, reasons }: Status): AttemptFailure {
  return {
    code,
    message: reasons.join(', '),
    unschedulablePlugins: NO_PLUGINS,
    pendingPlugins: NO_PLUGINS,
    nominatedNodeName: '',
  };
}

/** Reserve or Permit refused the chosen node; a rejection is worded like a cluster of that one node. */
function oneNodeFailure(status: Status, nodeName: string): AttemptFailure {
  if (!isRejected(status)) return errorFailure(status);
  const diagnosis = createDiagnosis();
  diagnosis.nodeToStatus.set(nodeName, status);
  blame(diagnosis, status);
  return {
    code: status.code,
    message: fitErrorText(diagnosis, 1),
    unschedulablePlugins: diagnosis.unschedulablePlugins,
    pendingPlugins: diagnosis.pendingPlugins,
    nominatedNodeName: '',
  };
}
