/**
 * Whether a node takes a pod that is bound to it: one handler after the other, and the first that refuses
 * decides. Mirrors the kubelet's admission handlers (pkg/kubelet/kubelet.go, lifecycle/predicate.go, v1.34).
 */
import type { Pod } from '../../api/objects/objects.js';
import { podRequests } from '../../api/pods/pod-resources.js';
import { isOnlyAffinity, predicateFailures, type AdmissionFailures } from '../admission/node-predicates.js';
import { chooseVictims } from '../admission/preemption.js';
import { pressureRejection } from '../admission/pressure-admission.js';
import { sysctlRejection } from '../admission/sysctl-admission.js';
import { isCritical } from '../configuration/critical-pod.js';
import type { Shortage } from '../node/node-resources.js';
import { factsOf } from '../node/node-situation.js';
import { allocatedSpec } from './pod-resize.js';
import type { PodWorker } from './pod-worker.js';
import type { Rejection } from '../admission/rejection.js';
import { SECOND_MS } from '../../kernel/time-units.js';

const OS_LABEL = 'kubernetes.io/os';
const NODE_OS = 'linux';
const SHUTTING_DOWN: Rejection = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};
const PREEMPTED = 'Preempted in order to admit critical pod';
const MAKING_ROOM = {
  phase: 'Failed',
  reason: 'Preempting',
  message: PREEMPTED,
  condition: {
    reason: 'TerminationByKubelet',
    message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
  },
} as const;
/** A victim is waited for that long at least, and for one and a half of its grace. */
const SHORTEST_WAIT_SECONDS = 10;

/**
 * Counts the pod in, or notes why it is refused for good, or what it must wait for first: a look at the
 * node's object, or the end of other pods. A pod that is to end anyway is not refused.
 */
export function admitPod(worker: PodWorker): void {
  const { node, pod, mustEnd } = worker;
  worker.awaits = undefined;
  const rejection = mustEnd || worker.isResumed ? undefined : judge(worker);
  if (worker.awaits === 'node') return;
  worker.freshNode = undefined;
  if (rejection === undefined) {
    node.resources.take(podRequests(allocatedSpec(worker)));
    worker.isAdmitted = true;
    node.situation.enter(worker);
    return;
  }
  worker.awaits = undefined;
  worker.rejection = rejection;
  node.events.pod(pod, 'Warning', rejection.reason, rejection.message);
}

/** Counts the pod out: nothing of it runs any more. */
export function releasePod(worker: PodWorker): void {
  if (!worker.isAdmitted) return;
  worker.isAdmitted = false;
  worker.node.resources.giveBack(podRequests(allocatedSpec(worker)));
  worker.node.situation.leave(worker);
}

/** The node may have changed in ways that were not heard of yet: asks for it. */
export function askForNode(worker: PodWorker, onAnswer: () => void): void {
  const { client, nodeName } = worker.node;
  client.get('Node', { name: nodeName }, (_error, node) => {
    worker.freshNode = node === undefined ? worker.node.situation.facts : factsOf(node);
    onAnswer();
  });
}

/** Ends the next pod that must make room, once the one before it has ended. */
export function preemptNext(worker: PodWorker): void {
  const { node, victims, nowMs } = worker;
  const [victim] = victims;
  if (victim !== undefined && victim.isAdmitted && nowMs >= worker.stepEndMs) {
    const message = 'Container runtime did not kill the pod within specified grace period.';
    node.events.pod(victim.pod, 'Warning', 'ExceededGracePeriod', message);
    worker.victims = victims.slice(1);
    worker.stepEndMs = Infinity;
  }
  while (worker.victims[0]?.isAdmitted === false) {
    worker.victims = worker.victims.slice(1);
    worker.stepEndMs = Infinity;
  }
  const [next] = worker.victims;
  if (next === undefined) {
    worker.awaits = undefined;
    node.situation.awaitingRoom.delete(worker);
  } else if (worker.stepEndMs === Infinity) {
    node.situation.awaitingRoom.add(worker);
    const graceSeconds = next.pod.spec.terminationGracePeriodSeconds ?? 0;
    const waitSeconds = Math.max(graceSeconds + Math.floor(graceSeconds / 2), SHORTEST_WAIT_SECONDS);
    worker.stepEndMs = nowMs + waitSeconds * SECOND_MS;
    node.events.pod(next.pod, 'Warning', 'Preempting', PREEMPTED);
    next.condemn({ ...MAKING_ROOM, graceSeconds: undefined });
  }
}

/** The handlers in upstream's order. */
function judge(worker: PodWorker): Rejection | undefined {
  const { node, pod } = worker;
  const { situation, settings } = node;
  return (
    pressureRejection(pod, situation.pressures) ??
    sysctlRejection(pod, settings.allowedSysctls) ??
    osRejection(pod) ??
    nodeRejection(worker) ??
    (situation.isShuttingDown ? SHUTTING_DOWN : undefined)
  );
}

/** What no preemption could change. */
function osRejection({ metadata, spec }: Pod): Rejection | undefined {
  const label = metadata.labels?.[OS_LABEL];
  if (label !== undefined && label !== NODE_OS) {
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  }
  if (spec.os === undefined || spec.os.name === NODE_OS) return undefined;
  return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
}

function nodeRejection(worker: PodWorker): Rejection | undefined {
  const { node, pod } = worker;
  const { situation, resources } = node;
  const failures: AdmissionFailures = {
    shortages: resources.shortages(podRequests(pod.spec)),
    predicates: predicateFailures(pod, worker.freshNode ?? situation.facts, situation.active),
  };
  if (worker.freshNode === undefined && isOnlyAffinity(failures)) {
    worker.awaits = 'node';
    return undefined;
  }
  if (failures.shortages.length > 0 && isCritical(pod)) {
    if (failures.predicates.length === 0) return preemptionRejection(worker, failures.shortages);
  } else if (failures.shortages[0] !== undefined) return shortageRejection(failures.shortages[0]);
  const [predicate] = failures.predicates;
  if (predicate === undefined) return undefined;
  return { reason: predicate.name, message: `Predicate ${predicate.name} failed: ${predicate.text}` };
}

function shortageRejection({ resource, requested, used, capacity }: Shortage): Rejection {
  const amounts = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return { reason: `OutOf${resource}`, message: `Node didn't have enough resource: ${resource}, ${amounts}` };
}

/** A critical pod is not refused for want of resources: others make room, if they can. */
function preemptionRejection(worker: PodWorker, shortages: readonly Shortage[]): Rejection | undefined {
  const choice = chooseVictims(worker.pod, worker.node.situation.active, shortages);
  if ('error' in choice) {
    const error = `preemption: error finding a set of pods to preempt: ${choice.error}`;
    const message = `Unexpected error while attempting to recover from admission failure: ${error}`;
    return { reason: 'UnexpectedAdmissionError', message };
  }
  worker.victims = choice.victims;
  worker.awaits = 'room';
  return undefined;
}
