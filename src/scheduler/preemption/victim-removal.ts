/**
 * Removes the victims of a preemption: nominations that have lost their ground are cleared, each victim
 * is marked and deleted, all but the last one at once. Until only the last is left the preemptor is
 * kept out of the queue, so that it does not preempt again; the departure of the last brings it back.
 * Whatever goes wrong, the pod is tried again. Mirrors `prepareCandidateAsync` of kube-scheduler v1.34.
 */
import { isApiError } from '../../api/errors/api-error.js';
import { getCondition, setPodCondition } from '../../api/objects/conditions.js';
import type { Pod, PodCondition } from '../../api/objects/objects.js';
import type { Client, EventRecorder } from '../../bus/bus-types.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { ChangeLog } from '../framework/change-log.js';
import type { Nominator } from '../cycle/attempt/nominated-filter.js';
import type { WaitingPod } from '../framework/interface.js';
import { podPriority } from '../framework/pod-info.js';
import type { Candidate } from './candidate.js';
import type { VictimRemover } from './evaluator.js';

/** What victims are removed with. */
export interface VictimRemovalOptions {
  readonly kernel: Pick<Kernel, 'clock' | 'timestamps'>;
  readonly client: Pick<Client, 'change' | 'delete'>;
  readonly recorder: EventRecorder;
  readonly nominator: Nominator;
  /** A pod that waits on Permit: it is rejected instead of deleted. */
  readonly waitingPod: (uid: string) => WaitingPod | undefined;
  /** Moves pods to the active queue, whatever they wait for. */
  readonly activate: (pods: Iterable<Pod>) => void;
  /** Gets each preemptor that is no longer barred. */
  readonly openings: ChangeLog;
  /** Named in the rejection of waiting pods. */
  readonly plugin: string;
}

/** How the removal of one victim went; `gone` = it was gone already. */
type Removal = 'removed' | 'gone' | 'failed';

/** One preemption under way. */
interface Task {
  readonly preemptor: Pod;
  readonly nodeName: string;
  /** After a failure no further request is sent. */
  hasFailed: boolean;
  /** Whether any victim was removed by this preemption. */
  hasRemoved: boolean;
}

/** See the file header. */
export class VictimRemoval implements VictimRemover {
  readonly #options: VictimRemovalOptions;
  /** Uids of pods with victims that are being removed. */
  readonly #preempting = new Set<string>();

  constructor(options: VictimRemovalOptions) {
    this.#options = options;
  }

  isPreempting(uid: string): boolean {
    return this.#preempting.has(uid);
  }

  remove({ nodeName, victims }: Candidate, preemptor: Pod): void {
    // Those that are on their way out already are deleted once more, and said to be preempted.
    const others = [...victims];
    const last = others.pop();
    if (last !== undefined) this.#preempting.add(preemptor.metadata.uid);
    const task: Task = { preemptor, nodeName, hasFailed: false, hasRemoved: false };
    // The attempt is to be over, and the nomination on its way, before the first victim hears of it.
    this.#options.kernel.clock.schedule(0, () => {
      this.#clearLowerNominations(task);
      if (last !== undefined) this.#removeAll(task, others, () => this.#removeLast(task, last));
    });
  }

  /** They may not fit any more, and are better off looking for another node at once. */
  #clearLowerNominations({ preemptor, nodeName }: Task): void {
    const { nominator, client } = this.#options;
    for (const { metadata } of lowerNominations(nominator, preemptor, nodeName)) {
      const { name, namespace, uid } = metadata;
      client.change('Pod', { name, namespace }, withoutNomination, { subresource: 'status', preconditions: { uid } });
    }
  }

  #removeAll(task: Task, victims: readonly Pod[], done: () => void): void {
    let missing = victims.length;
    if (missing === 0) done();
    for (const victim of victims) {
      this.#removeVictim(task, victim, (outcome) => {
        noteOutcome(task, outcome);
        missing -= 1;
        if (missing === 0) done();
      });
    }
  }

  #removeLast(task: Task, victim: Pod): void {
    const { activate } = this.#options;
    const { preemptor } = task;
    // Before its deletion: otherwise the event of that would find the preemptor still barred.
    this.#preempting.delete(preemptor.metadata.uid);
    this.#options.openings.note(preemptor.metadata.uid);
    if (task.hasFailed) {
      activate([preemptor]);
      return;
    }
    this.#removeVictim(task, victim, (outcome) => {
      noteOutcome(task, outcome);
      // No event of this removal will come to wake the preemptor.
      if (task.hasFailed || !task.hasRemoved) activate([preemptor]);
    });
  }

  #removeVictim(task: Task, victim: Pod, done: (outcome: Removal) => void): void {
    const { client, recorder, waitingPod, plugin } = this.#options;
    const finish = (outcome: Removal): void => {
      if (outcome === 'removed') {
        const { preemptor, nodeName } = task;
        const note = `Preempted by pod ${preemptor.metadata.uid} on node ${nodeName}`;
        recorder.record(victim, 'Normal', 'Preempted', note, { action: 'Preempting', related: preemptor });
      }
      done(outcome);
    };
    const waiting = waitingPod(victim.metadata.uid);
    if (waiting !== undefined) {
      waiting.reject(plugin, 'preempted');
      finish('removed');
      return;
    }
    const { name, namespace } = victim.metadata;
    this.#mark(task, victim, (outcome) => {
      if (outcome !== 'removed') finish(outcome);
      else if (task.hasFailed) finish('failed');
      else client.delete('Pod', { name, namespace }, undefined, (error) => finish(outcomeOf(error)));
    });
  }

  /** Tells in the victim's conditions why it goes, before it goes. */
  #mark({ preemptor }: Task, victim: Pod, done: (outcome: Removal) => void): void {
    const { client, kernel } = this.#options;
    const condition = disruptionTarget(victim, preemptor, kernel.timestamps.toTime(kernel.clock.now()));
    if (setPodCondition(victim.status.conditions, condition) === victim.status.conditions) {
      done('removed');
      return;
    }
    const { name, namespace, uid } = victim.metadata;
    client.change(
      'Pod',
      { name, namespace },
      ({ status, ...rest }) => ({
        ...rest,
        status: { ...status, conditions: setPodCondition(status.conditions, condition) },
      }),
      { subresource: 'status', preconditions: { uid } },
      (error) => done(outcomeOf(error)),
    );
  }
}

/** Pods that are nominated to a node and less important than one that is about to be. */
export function lowerNominations(nominator: Nominator, preemptor: Pod, nodeName: string): readonly Pod[] {
  const priority = podPriority(preemptor);
  return nominator
    .nominatedPodsForNode(nodeName)
    .map(({ pod }) => pod)
    .filter((pod) => podPriority(pod) < priority);
}

function noteOutcome(task: Task, outcome: Removal): void {
  if (outcome === 'failed') task.hasFailed = true;
  if (outcome === 'removed') task.hasRemoved = true;
}

function outcomeOf(error: Error | undefined): Removal {
  if (error === undefined) return 'removed';
  return isApiError(error, 'NotFound') ? 'gone' : 'failed';
}

function withoutNomination(pod: Pod): Pod {
  if ((pod.status.nominatedNodeName ?? '') === '') return pod;
  const { nominatedNodeName: _dropped, ...status } = pod.status;
  return { ...pod, status };
}

function disruptionTarget({ metadata, status }: Pod, preemptor: Pod, now: string): PodCondition {
  const schedulerName = preemptor.spec.schedulerName ?? 'default-scheduler';
  const previous = getCondition(status.conditions, 'DisruptionTarget');
  return {
    type: 'DisruptionTarget',
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    status: 'True',
    lastProbeTime: previous?.lastProbeTime ?? null,
    lastTransitionTime: now,
    reason: 'PreemptionByScheduler',
    message: `${schedulerName}: preempting to accommodate a higher priority pod`,
  };
}
