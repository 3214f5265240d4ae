/**
 * What happens to a pod after a failed attempt: back to the queue, an Event, and the PodScheduled
 * condition if it says something new. Mirrors kube-scheduler v1.34 `handleSchedulingFailure`.
 */
import { setCondition, setPodCondition } from '../api/objects/conditions.js';
import type { Pod, PodCondition } from '../api/objects/objects.js';
import type { EventRecorder, Lister, SendingClient } from '../bus/bus-types.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import { PodInfo, type QueuedPodInfo } from './framework/interface.js';
import { Code } from './framework/status.js';
import type { SchedulingQueue } from './queue/queue-types.js';

/** Longest text of an Event, bytes; the condition keeps the whole text. */
const MAX_NOTE_BYTES = 1024;
const CUT_MARK = ' ...';

/** Why an attempt failed. */
export interface AttemptFailure {
  /** A rejection waits for events, an error for its back-off. */
  readonly code: Code;
  readonly message: string;
  readonly unschedulablePlugins: ReadonlySet<string>;
  readonly pendingPlugins: ReadonlySet<string>;
  /** Node to nominate, `''` to clear the nomination, absent to leave it. */
  readonly nominatedNodeName: string | undefined;
}

/** What the handler works with. */
export interface FailureHandlerOptions {
  readonly kernel: Kernel;
  readonly client: SendingClient;
  readonly recorder: EventRecorder;
  readonly queue: SchedulingQueue;
  readonly pods: Lister<'Pod'>;
  /** A condition that is to be written waits for its token, and is told of when it has gone out. */
  readonly holdUp: HoldUp;
}

/** Upstream writes the condition between two attempts (`SchedulerAsyncAPICalls` is off in v1.34.2). */
export interface HoldUp {
  begin(): void;
  end(): void;
}

/** See the file header. */
export class FailureHandler {
  readonly #options: FailureHandlerOptions;

  constructor(options: FailureHandlerOptions) {
    this.#options = options;
  }

  handle(info: QueuedPodInfo, failure: AttemptFailure): void {
    const { queue, recorder } = this.#options;
    const { pod } = info.podInfo;
    this.#requeue(info, failure);
    queue.addNominatedPod(info.podInfo, failure.nominatedNodeName);
    recorder.record(pod, 'Warning', 'FailedScheduling', truncatedNote(failure.message), { action: 'Scheduling' });
    this.#updateCondition(pod, failure);
  }

  /** The pod comes back with its newest state, unless it is gone or was bound after all. */
  #requeue(info: QueuedPodInfo, { unschedulablePlugins, pendingPlugins }: AttemptFailure): void {
    const { queue, pods } = this.#options;
    const { uid } = info.podInfo.pod.metadata;
    info.unschedulablePlugins = new Set(unschedulablePlugins);
    info.pendingPlugins = new Set(pendingPlugins);
    const newest = pods.getByKey(info.podInfo.key);
    if (newest === undefined || (newest.spec.nodeName ?? '') !== '') {
      queue.done(uid);
      return;
    }
    if (newest !== info.podInfo.pod) info.podInfo = new PodInfo(newest);
    queue.addUnschedulableIfNotPresent(info);
  }

  #updateCondition(pod: Pod, failure: AttemptFailure): void {
    const { client, kernel } = this.#options;
    const condition = conditionOf(pod, failure, kernel.timestamps.toTime(kernel.clock.now()));
    const { nominatedNodeName } = failure;
    const isRenominated = nominatedNodeName !== undefined && nominatedNodeName !== (pod.status.nominatedNodeName ?? '');
    if (!isRenominated && setPodCondition(pod.status.conditions, condition) === pod.status.conditions) return;
    const { name, namespace } = pod.metadata;
    client.change(
      'Pod',
      { name, namespace },
      (current) => {
        const { nominatedNodeName: nominated, ...status } = current.status;
        const kept = isRenominated ? nominatedNodeName : (nominated ?? '');
        return {
          ...current,
          status: {
            ...status,
            conditions: setCondition(current.status.conditions, condition),
            ...(kept === '' ? {} : { nominatedNodeName: kept }),
          },
        };
      },
      // Upstream's patch names no uid: a pod that has come back under the name of one that failed is told of it.
      { subresource: 'status' },
    );
    this.#awaitToken();
  }

  #awaitToken(): void {
    const { client, holdUp } = this.#options;
    let isOut = false;
    let isHeldUp = false;
    client.whenOut(() => {
      isOut = true;
      if (isHeldUp) holdUp.end();
    });
    if (isOut) return;
    isHeldUp = true;
    holdUp.begin();
  }
}

function conditionOf({ metadata }: Pod, { code, message }: AttemptFailure, now: string): PodCondition {
  const isRejected = code === Code.Unschedulable || code === Code.UnschedulableAndUnresolvable || code === Code.Pending;
  return {
    type: 'PodScheduled',
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: isRejected ? 'Unschedulable' : 'SchedulerError',
    message,
  };
}

/** A text that fits into an Event. */
export function truncatedNote(message: string): string {
  if (message.length * 3 <= MAX_NOTE_BYTES) return message;
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= MAX_NOTE_BYTES) return message;
  return new TextDecoder().decode(bytes.subarray(0, MAX_NOTE_BYTES - CUT_MARK.length)) + CUT_MARK;
}
