/**
 * How a kubelet starts containers one after the other: image, creation, start, postStart hook; and what
 * it says of a start that failed. Mirrors startContainer of the kubelet's runtime manager (v1.34).
 */
import { assert } from '../kernel/assert.js';
import { sample } from '../kernel/distribution.js';
import { beginKill } from './container-kill.js';
import type { ContainerRecord } from './container-record.js';
import type { ContainerInstance } from './container-runtime.js';
import type { Waiting } from './container-status.js';
import { judgeImage, rememberFailedPull } from './image-policy.js';
import { hexDigest } from './image-store.js';
import { runHook } from './lifecycle-hook.js';
import { restartBackOffText } from './pod-events.js';
import { containerGraceSeconds } from './pod-grace.js';
import { stepStream } from './pod-records.js';
import type { PodWorker, StartStep } from './pod-worker.js';
import { drawAnswers } from './probes/probe-answers.js';
import { cpuSeconds } from './resource-use.js';
import { backOffEndMs, nextBackOff } from './restart-back-off.js';
import { creationFailure, drawEnd, type CreationFailure } from './run-script.js';
import { scriptStream } from './scripts/script-stream.js';

/** A sync that failed is tried again. */
const SYNC_RETRY_MS = 10_000;

/** Containers that have just begun to wait for their back-off say so. */
export function announceBackOffs(worker: PodWorker): void {
  for (const { record, of } of worker.plan.backingOff) {
    if (of === 'restart') announceRestartBackOff(worker, record);
    else refuseImage(worker, record);
  }
}

/** Decides about the next container; what cannot be started now says why. */
export function chooseStep(worker: PodWorker): StartStep {
  const [order] = worker.starts;
  if (order === undefined) return 'none';
  const { record, exitMs } = order;
  if (exitMs !== undefined) {
    if (worker.nowMs < backOffEndMs(record.backOff, exitMs)) {
      announceRestartBackOff(worker, record);
      return 'skip';
    }
    record.backOff = nextBackOff(record.backOff, worker.nowMs);
  }
  const verdict = judgeImage(worker, record);
  if (verdict === 'pull') return 'pull';
  if (verdict === 'present') return 'create';
  refuseImage(worker, record);
  return 'skip';
}

/** Goes on to the next container; a regular init container that did not start ends the sync. */
export function dropNext(worker: PodWorker, hasStarted: boolean): void {
  const record = worker.next;
  if (record === undefined) return;
  worker.starts = hasStarted || record.role !== 'init' ? worker.starts.slice(1) : [];
}

/** Begins the pull of the next container's image. */
export function beginPull(worker: PodWorker): void {
  const { node, nowMs, pod } = worker;
  const record = nextOf(worker);
  const { images, profile, random, events } = node;
  const { image = '' } = record.spec;
  const script = record.script.imagePull ?? {};
  events.pulling(pod, record);
  worker.stepBeginMs = nowMs;
  if (images.has(image)) {
    worker.stepEndMs = nowMs + sample(profile.imageCheck, random);
    worker.stepError = undefined;
    return;
  }
  const pull = images.pull(image, nowMs, script, () =>
    script.duration === undefined
      ? sample(profile.imagePull, random)
      : sample(script.duration, stepStream(node, pod, record)),
  );
  const { pullDelayMs, pullError } = node.runtime;
  if (pullDelayMs > 0 || pullError !== undefined) node.runtime.meet('pullImage');
  worker.stepEndMs = pull.endMs + pullDelayMs;
  worker.stepError = pullError ?? pull.error;
}

/** The pull is over, one way or the other. */
export function endPull(worker: PodWorker): void {
  const { node, nowMs, pod, stepError, stepBeginMs } = worker;
  const record = nextOf(worker);
  const { image = '' } = record.spec;
  if (stepError === undefined) {
    if (node.images.keep(image, node.kernel.clock.now())) node.onImageKept();
    node.events.pulled(pod, record, nowMs - stepBeginMs, node.images.sizeOf(image));
    return;
  }
  node.events.pullFailed(pod, record, stepError);
  rememberFailedPull(worker, image, `ErrImagePull: ${stepError}`);
  fail(worker, record, { reason: 'ErrImagePull', message: stepError }, 'ErrImagePull');
}

/** Begins the creation of the next container. */
export function beginCreation(worker: PodWorker): void {
  const { profile, random } = worker.node;
  worker.stepBeginMs = worker.nowMs;
  worker.stepEndMs = worker.nowMs + sample(profile.containerStart, random);
  worker.stepError = undefined;
}

/** The image was there before. */
export function noteImagePresent(worker: PodWorker): void {
  worker.node.events.present(worker.pod, nextOf(worker));
}

/** Whether the attempt to create the next container is one that fails. */
export function failsCreation(worker: PodWorker): boolean {
  return failureOf(worker, nextOf(worker)) !== undefined;
}

/** The next container runs. */
export function startContainer(worker: PodWorker): void {
  const { node, pod, sandbox } = worker;
  const record = nextOf(worker);
  const instance = newInstance(worker, record);
  node.runtime.run(sandbox, record.slot, instance, drawEnd(node, pod, record, instance));
  record.waiting = undefined;
  node.events.created(pod, record);
  node.events.started(pod, record);
}

/** The next container could not be created, or not be started. */
export function failCreation(worker: PodWorker): void {
  const { node, pod, sandbox, nowMs } = worker;
  const record = nextOf(worker);
  const failure = failureOf(worker, record);
  if (failure === undefined) return;
  const { reason, message } = failure;
  record.slot.failedCreations += 1;
  if (reason === 'RunContainerError') {
    const exit = { atMs: nowMs, code: 128, reason: 'StartError', message } as const;
    node.events.created(pod, record);
    node.runtime.run(sandbox, record.slot, { ...newInstance(worker, record), exit });
  } else record.retryMs = nowMs + SYNC_RETRY_MS;
  fail(worker, record, failure, message);
}

function failureOf({ pod }: PodWorker, { script, slot, spec }: ContainerRecord): CreationFailure | undefined {
  return creationFailure(script.creation, slot.failedCreations, pod, spec);
}

/** Whether the next container has a hook to be run right after its start. */
export function hasPostStart(worker: PodWorker): boolean {
  return worker.next?.spec.lifecycle?.postStart !== undefined;
}

/** Runs the hook; whatever comes after this container waits for it. */
export function beginPostStart(worker: PodWorker): void {
  const { node, pod, sandbox, nowMs } = worker;
  const record = nextOf(worker);
  const handler = record.spec.lifecycle?.postStart ?? {};
  const target = { pod, container: record.spec, address: sandbox.address ?? '' };
  worker.hook = runHook(handler, target, record.script.postStart ?? {}, () => stepStream(node, pod, record), nowMs);
  worker.stepEndMs = worker.hook.endMs;
}

/** Whether the hook has failed: by itself, or with its container. */
export function hasPostStartFailed(worker: PodWorker): boolean {
  return postStartFailure(worker) !== undefined;
}

/** The container goes again. What its handler said is shown, but not told as an event: it may be a secret. */
export function failPostStart(worker: PodWorker): void {
  const { node, pod } = worker;
  const record = nextOf(worker);
  const message = postStartFailure(worker) ?? '';
  worker.hook = undefined;
  record.waiting = { reason: 'PostStartHookError', message };
  node.events.container(pod, record, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
  beginKill(worker, record, 'FailedPostStartHook', containerGraceSeconds(pod), false);
}

function postStartFailure({ hook, next, stepEndMs, nowMs }: PodWorker): string | undefined {
  if (hook === undefined) return undefined;
  if (nowMs >= stepEndMs) return hook.failure;
  return next?.slot.isRunning === true ? undefined : hook.interruption;
}

function announceRestartBackOff({ node, pod }: PodWorker, record: ContainerRecord): void {
  const message = restartBackOffText(pod, record, record.backOff?.delayMs ?? 0);
  record.waiting = { reason: 'CrashLoopBackOff', message };
  node.events.restartBackOff(pod, record);
}

/** A container whose image is not to be had now. */
function refuseImage(worker: PodWorker, record: ContainerRecord): void {
  const { node, pod } = worker;
  const verdict = judgeImage(worker, record);
  assert(typeof verdict === 'object', `the image of container ${record.spec.name} must be refused`);
  const { reason, message = '' } = verdict;
  if (reason === 'ImagePullBackOff') node.events.pullBackOff(pod, record);
  else {
    const eventReason = reason === 'InvalidImageName' ? 'InspectFailed' : reason;
    node.events.container(pod, record, 'Warning', eventReason, message);
    record.retryMs = worker.nowMs + SYNC_RETRY_MS;
  }
  fail(worker, record, verdict, reason);
}

function fail({ node, pod }: PodWorker, record: ContainerRecord, waiting: Waiting, error: string): void {
  record.waiting = waiting;
  node.events.failed(pod, record, error);
}

function newInstance({ node, pod, sandbox, uid, nowMs }: PodWorker, record: ContainerRecord): ContainerInstance {
  const { spec, slot, script } = record;
  const attempt = slot.attempts;
  const { kernel } = node;
  slot.spentCpuSeconds += cpuSeconds(record, nowMs);
  const answers = drawAnswers(script, nowMs, scriptStream(kernel, pod, spec, `run/${attempt}`), (kind) =>
    scriptStream(kernel, pod, spec, `${kind}/${attempt}`),
  );
  return {
    id: `containerd://${hexDigest(`${uid}/${spec.name}/${attempt}`)}`,
    attempt,
    image: spec.image ?? '',
    sandboxAttempt: sandbox.attempts,
    runningMs: nowMs,
    answers,
    exit: undefined,
    isUnknown: false,
  };
}

function nextOf(worker: PodWorker): ContainerRecord {
  const { next } = worker;
  assert(next !== undefined, `pod ${worker.name.name} must have a container to start`);
  return next;
}
