/**
 * How a pod, or what is left of it, is brought to its end, and the end is reported. Mirrors
 * SyncTerminatingPod and SyncTerminatedPod of the kubelet with killPod of its runtime manager (v1.34).
 */
import { isApiError } from '../../api/errors/api-error.js';
import { advanceKills, beginKill, hasKills, shortenKills, type KillFailure } from './container-kill.js';
import type { ContainerRecord } from '../containers/container-record.js';
import { releasePod } from './pod-admission.js';
import { containerGraceSeconds, effectiveGraceSeconds, SMALLEST_WINDOW_SECONDS } from './pod-grace.js';
import { closeSandbox } from './pod-sandbox.js';
import { generateStatus } from './pod-status.js';
import type { PodWorker } from './pod-worker.js';
import { writeRejection, writeStatus } from './status-writer.js';

/** How a request ended that the pod machine waits for. */
export type RequestOutcome = 'done' | 'failed';

/** What a sync has to kill before it starts anything: the whole pod, or single containers one by one. */
export function beginKills(worker: PodWorker): void {
  const { plan, pod } = worker;
  worker.tearsDown = plan.killsPod;
  worker.kills = plan.killsPod ? [] : plan.kill;
  if (plan.killsPod) killAll(worker, containerGraceSeconds(pod));
}

/** Goes on with what a sync has to kill. */
export function advanceSyncKills(worker: PodWorker): void {
  worker.hasFailedKill = advanceKills(worker).length > 0;
  while (!worker.hasFailedKill && !hasKills(worker.records)) {
    const [order, ...rest] = worker.kills;
    if (order === undefined) return;
    worker.kills = rest;
    const { record, message, graceSeconds } = order;
    if (!record.slot.isRunning) continue;
    beginKill(worker, record, message, containerGraceSeconds(worker.pod, graceSeconds), 'at once');
    worker.hasFailedKill = advanceKills(worker).length > 0;
  }
}

/** The kills of a sync are done. */
export function endSyncKills(worker: PodWorker): void {
  if (worker.tearsDown) closeSandbox(worker);
  worker.tearsDown = false;
}

/** The pod's end begins: its status is written as it is; kills of a sync that is under way go on within its grace. */
export function beginStopping(worker: PodWorker): void {
  const { pod, graceSeconds, graceOverrideSeconds } = worker;
  worker.graceSeconds = effectiveGraceSeconds(pod, graceSeconds, graceOverrideSeconds);
  worker.pull?.cancel();
  worker.pull = undefined;
  worker.report();
  worker.holdProbes();
  shortenKills(worker.records, Math.max(worker.graceSeconds, SMALLEST_WINDOW_SECONDS), worker.nowMs);
}

/** Stops whatever may be stopped by now. */
export function advanceStop(worker: PodWorker): void {
  const grace = Math.max(worker.graceSeconds, SMALLEST_WINDOW_SECONDS);
  killAll(worker, grace);
  const failures = advanceKills(worker);
  worker.hasFailedKill = failures.length > 0;
  if (worker.hasFailedKill) {
    worker.node.events.pod(worker.pod, 'Warning', 'FailedKillPod', `error killing pod: ${failureText(failures)}`);
  }
}

/** The grace that is granted now; it never grows. */
export function shortenGrace(worker: PodWorker): void {
  const { pod, graceSeconds, graceOverrideSeconds, records, nowMs } = worker;
  const grace = effectiveGraceSeconds(pod, graceSeconds, graceOverrideSeconds);
  if (grace === graceSeconds) return;
  worker.graceSeconds = grace;
  shortenKills(records, Math.max(grace, SMALLEST_WINDOW_SECONDS), nowMs);
}

/** Begins to kill every container that runs and is not being killed yet; sidecars wait for their turn. */
function killAll(worker: PodWorker, graceSeconds: number): void {
  const { app, init, ephemeral } = worker.records;
  const kill = (record: ContainerRecord): void => {
    if (record.kill !== undefined || !record.slot.isRunning) return;
    beginKill(worker, record, `Stopping container ${record.spec.name}`, graceSeconds, 'in order');
  };
  for (const record of app) kill(record);
  for (const record of init) kill(record);
  for (const record of ephemeral) kill(record);
}

/** As Go prints the errors of a pod's containers. */
function failureText(failures: readonly KillFailure[]): string {
  const texts = failures.map(
    ({ record, error }) =>
      `failed to "KillContainer" for ${JSON.stringify(record.spec.name)} with KillContainerError: ${JSON.stringify(error)}`,
  );
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/**
 * Writes the terminal status, and tells when the API server has it. What the pod had is freed first: once the
 * status is seen, the scheduler may send another pod in its place.
 */
export function reportEnd(worker: PodWorker, onOutcome: (outcome: RequestOutcome) => void): void {
  releasePod(worker);
  const { node, pod, records, sandbox, verdict, last } = worker;
  const status = generateStatus({ pod, records, sandbox, verdict, last, hasEnded: true }, node);
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

/** An object that is gone needs nothing more; that it is another one by now, the watch will tell. */
function outcomeOf(error: Error | undefined): RequestOutcome {
  return error === undefined || isApiError(error, 'NotFound') ? 'done' : 'failed';
}
