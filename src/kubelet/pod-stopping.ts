/**
 * How the containers of a pod are brought to their end, and the end is reported: app containers all at
 * once, then sidecars one by one against the order of the spec, all within one grace. Mirrors killPod
 * and the termination ordering of the kubelet's runtime manager (v1.34).
 */
import { releasePod } from './pod-admission.js';
import { isApiError } from '../api/api-error.js';
import { effectiveGraceSeconds, SMALLEST_WINDOW_MS } from './pod-grace.js';
import type { ContainerRecord } from './pod-plan.js';
import { generateStatus } from './pod-status.js';
import type { PodWorker } from './pod-worker.js';
import { writeRejection, writeStatus } from './status-writer.js';

const SECOND_MS = 1000;

/** How a request ended that the pod machine waits for. */
export type RequestOutcome = 'done' | 'failed';

/** Begins the grace, says of each running container that it is being stopped, and stops what may be. */
export function beginStopping(worker: PodWorker): void {
  const { node, pod, records } = worker;
  for (const container of [...records.app, ...records.init]) {
    if (container.slot.isRunning) node.events.killing(pod, container);
  }
  stopNext(worker);
}

/** Stops whatever may be stopped by now, within what is left of the grace. */
export function stopNext(worker: PodWorker): void {
  shortenGrace(worker);
  const { records, graceEndMs, nowMs } = worker;
  const { app, init } = records;
  for (const container of [...app, ...init]) if (container.role !== 'sidecar') stop(worker, container);
  let isWaiting = [...app, ...init].some(({ role, slot }) => role !== 'sidecar' && slot.isRunning);
  for (const container of init.toReversed()) {
    if (container.role !== 'sidecar' || !container.slot.isRunning) continue;
    if (!isWaiting || nowMs >= graceEndMs) stop(worker, container);
    isWaiting = true;
  }
}

/** The grace that the API grants now; the end never moves later. */
function shortenGrace(worker: PodWorker): void {
  const { pod, graceSeconds, graceEndMs, nowMs } = worker;
  const grace = effectiveGraceSeconds(pod, graceSeconds);
  if (grace === graceSeconds && graceEndMs !== Infinity) return;
  worker.graceSeconds = grace;
  worker.graceEndMs = Math.min(graceEndMs, nowMs + grace * SECOND_MS);
}

function stop({ node, sandbox, graceEndMs, nowMs }: PodWorker, { slot, script }: ContainerRecord): void {
  if (!slot.isRunning) return;
  const windowMs = Math.max(graceEndMs - nowMs, SMALLEST_WINDOW_MS);
  node.runtime.stop(sandbox, slot, windowMs, script.shutdownDelay ?? node.profile.shutdown);
}

/**
 * Writes the terminal status, and tells when the API server has it. What the pod had is free by then:
 * whoever sees the status may send another pod in its place.
 */
export function reportEnd(worker: PodWorker, onOutcome: (outcome: RequestOutcome) => void): void {
  releasePod(worker);
  const { node, pod, records, verdict, last } = worker;
  const status = generateStatus({ pod, records, address: undefined, verdict, last, hasEnded: true }, node);
  worker.last = status;
  writeStatus(node, worker, status, (error) => onOutcome(outcomeOf(error)));
}

/** Writes that the pod was refused, and tells when the API server has it. */
export function reportRejection(worker: PodWorker, onOutcome: (outcome: RequestOutcome) => void): void {
  const { node, rejection } = worker;
  if (rejection !== undefined) writeRejection(node, worker, rejection, (error) => onOutcome(outcomeOf(error)));
}

/** Removes the object: its grace is over because nothing runs any more. */
export function deleteObject(
  { node, name, uid }: Pick<PodWorker, 'node' | 'name' | 'uid'>,
  onOutcome: (outcome: RequestOutcome) => void,
): void {
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  node.client.delete('Pod', name, options, (error) => onOutcome(outcomeOf(error)));
}

/** An object that is gone, or is another one by now, needs nothing more. */
function outcomeOf(error: Error | undefined): RequestOutcome {
  const isSettled = error === undefined || isApiError(error, 'NotFound') || isApiError(error, 'Conflict');
  return isSettled ? 'done' : 'failed';
}
