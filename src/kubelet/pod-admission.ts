/**
 * Whether a node takes a pod that is bound to it: today, whether its resources suffice for what is
 * active on it (terminating pods included, while their containers may run). Mirrors the general
 * predicates of the kubelet's admission (pkg/kubelet/lifecycle/predicate.go, v1.34).
 */
import { podRequests } from '../api/pod-resources.js';
import type { PodWorker } from './pod-worker.js';

/** Counts the pod in, or notes why it is refused for good. A pod that is to end anyway is not refused. */
export function admitPod(worker: PodWorker): void {
  const { node, pod, mustEnd } = worker;
  const requests = podRequests(pod.spec);
  const rejection = mustEnd ? undefined : node.resources.refusal(requests);
  if (rejection === undefined) {
    node.resources.take(requests);
    worker.isAdmitted = true;
    return;
  }
  worker.rejection = rejection;
  node.events.pod(pod, 'Warning', rejection.reason, rejection.message);
}

/** Counts the pod out: nothing of it runs any more. */
export function releasePod(worker: PodWorker): void {
  if (worker.isAdmitted) worker.node.resources.giveBack(podRequests(worker.pod.spec));
  worker.isAdmitted = false;
}
