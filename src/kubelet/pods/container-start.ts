/**
 * How a kubelet starts containers one after the other: image, creation, start, postStart hook; and what
 * it says of a start that failed. Mirrors startContainer of the kubelet's runtime manager (v1.34).
 */
import { assert } from '../../kernel/assert.js';
import { sample } from '../../kernel/distribution.js';
import { environmentProblem } from '../config/environment.js';
import { beginKill } from './container-kill.js';
import type { ContainerRecord } from '../containers/container-record.js';
import type { ContainerInstance, PodSandbox } from '../containers/container-runtime.js';
import type { Waiting } from '../containers/container-status.js';
import { judgeImage, rememberFailedPull } from './image-policy.js';
import { hexDigest } from '../images/image-store.js';
import type { NodeContext } from '../node/node-context.js';
import { runHook } from '../containers/lifecycle-hook.js';
import { restartBackOffText } from '../events/pod-events.js';
import { containerGraceSeconds } from './pod-grace.js';
import { playedHook } from './played-hooks.js';
import { startPlayed, subPathFault } from './played-start.js';
import { stepStream } from './pod-records.js';
import type { PodWorker, StartStep } from './pod-worker.js';
import { PeerNeed } from '../network/peer-need.js';
import { drawAnswers } from '../probes/probe-answers.js';
import { cpuSeconds, workOf } from './resource-use.js';
import { backOffEndMs, nextBackOff } from '../containers/restart-back-off.js';
import { creationFailure, drawEnd, type CreationFailure } from './run-script.js';
import { scriptStream } from '../scripts/script-stream.js';

/** Decides about the next container; what cannot be started now says why, at each sync anew. */
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

/** Goes on to the next container. */
export function dropStarted(worker: PodWorker): void {
  worker.starts = worker.starts.slice(1);
}

/** Goes on to the next container; after a regular init container that did not start there is none in this sync. */
export function dropFailed(worker: PodWorker): void {
  worker.starts = worker.next?.role === 'init' ? [] : worker.starts.slice(1);
}

/** Asks for the next container's image; other pulls of the node may come first. */
export function beginPull(worker: PodWorker): void {
  const { node, nowMs, pod } = worker;
  const record = nextOf(worker);
  const { profile, random } = node;
  const failures = record.script.imagePull ?? {};
  const { duration } = failures;
  node.events.pulling(pod, record);
  worker.stepBeginMs = nowMs;
  worker.pull = node.puller.pull({
    image: record.spec.image ?? '',
    failures,
    drawMs: (isPresent) => {
      if (isPresent) return sample(profile.imageCheck, random);
      if (duration === undefined) return sample(profile.imagePull, random);
      return sample(duration, stepStream(node, pod, record));
    },
    onEnd: () => worker.notify('image.pulled'),
  });
}

/** Whether the pull that has just ended was in vain. */
export function hasPullFailed({ pull }: PodWorker): boolean {
  return pull?.error !== undefined;
}

/** The pull is over, one way or the other. */
export function endPull(worker: PodWorker): void {
  const { node, nowMs, pod, pull, stepBeginMs } = worker;
  const record = nextOf(worker);
  const { image = '' } = record.spec;
  const { error, durationMs = 0 } = pull ?? {};
  worker.pull = undefined;
  if (error === undefined) {
    node.events.pulled(pod, record, durationMs, nowMs - stepBeginMs, node.images.sizeOf(image));
    return;
  }
  node.events.pullFailed(pod, record, error);
  rememberFailedPull(worker, image, `ErrImagePull: ${error}`);
  fail(worker, record, { reason: 'ErrImagePull', message: error }, 'ErrImagePull');
}

/** Begins the creation of the next container. */
export function beginCreation(worker: PodWorker): void {
  const { profile, random } = worker.node;
  worker.stepBeginMs = worker.nowMs;
  // Without an environment the runtime is not even asked.
  const createMs = configProblem(worker) === undefined ? sample(profile.containerStart, random) : 0;
  worker.stepEndMs = worker.nowMs + createMs;
}

/** The image was there before. */
export function noteImagePresent(worker: PodWorker): void {
  worker.node.events.present(worker.pod, nextOf(worker));
}

/** Whether the attempt to create the next container is one that fails. */
export function failsCreation(worker: PodWorker): boolean {
  return configProblem(worker) !== undefined || failureOf(worker, nextOf(worker)) !== undefined;
}

/** The next container runs. */
export function startContainer(worker: PodWorker): void {
  const { node, pod, sandbox } = worker;
  const record = nextOf(worker);
  const need = record.script.needs === undefined ? undefined : new PeerNeed(record.script.needs);
  const instance = newInstance(worker, record, need);
  if (!startPlayed(worker, record, instance)) {
    node.runtime.run(sandbox, record.slot, instance, drawEnd(node, pod, record, instance));
  }
  if (need !== undefined) followNeed(node, sandbox, record, instance, need);
  record.waiting = undefined;
  node.events.created(pod, record);
  node.events.started(pod, record);
}

/** The next container could not be created, or not be started. */
export function failCreation(worker: PodWorker): void {
  const { node, pod, sandbox, nowMs } = worker;
  const record = nextOf(worker);
  const problem = configProblem(worker);
  if (problem !== undefined) {
    return fail(worker, record, { reason: 'CreateContainerConfigError', message: problem }, problem);
  }
  const failure = failureOf(worker, record);
  if (failure === undefined) return;
  const { reason, message } = failure;
  record.slot.failedCreations += 1;
  if (reason === 'RunContainerError') {
    const exit = { atMs: nowMs, code: 128, reason: 'StartError', message } as const;
    node.events.created(pod, record);
    node.runtime.run(sandbox, record.slot, { ...newInstance(worker, record), exit });
    // A run that ended is news, even if it ended before it began.
    worker.wake();
  }
  fail(worker, record, failure, message);
}

/** What its environment lacks. */
function configProblem(worker: PodWorker): string | undefined {
  const { next, pod, volumes } = worker;
  if (next === undefined) return undefined;
  const { namespace = '' } = pod.metadata;
  const lacking =
    volumes === undefined
      ? undefined
      : environmentProblem(next.spec, namespace, (kind, name) => volumes.read(kind, name));
  return lacking ?? subPathFault(worker, next);
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
  worker.hook =
    playedHook(node, sandbox, record, handler) ??
    runHook(handler, target, record.script.postStart ?? {}, () => stepStream(node, pod, record), nowMs);
  worker.stepEndMs = worker.hook.endMs;
}

/** Whether its handler, of which nothing said when it would come back, has come back. */
export function hasPostStartEnded({ hook, stepEndMs, nowMs }: PodWorker): boolean {
  return stepEndMs === Infinity && hook !== undefined && nowMs >= hook.endMs;
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
  worker.hasFailedStart = true;
  node.events.container(pod, record, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
  beginKill(worker, record, 'FailedPostStartHook', containerGraceSeconds(pod), 'at once');
}

function postStartFailure({ hook, next, stepEndMs, nowMs }: PodWorker): string | undefined {
  if (hook === undefined) return undefined;
  if (nowMs >= stepEndMs || nowMs >= hook.endMs) return hook.failure;
  return next?.slot.isRunning === true ? undefined : hook.interruption;
}

function announceRestartBackOff(worker: PodWorker, record: ContainerRecord): void {
  const { node, pod } = worker;
  const message = restartBackOffText(pod, record, record.backOff?.delayMs ?? 0);
  wait(worker, record, { reason: 'CrashLoopBackOff', message });
  node.events.restartBackOff(pod, record);
}

/** Leaves a container waiting for an image that is not to be had now. */
function refuseImage(worker: PodWorker, record: ContainerRecord): void {
  const { node, pod } = worker;
  const verdict = judgeImage(worker, record);
  assert(typeof verdict === 'object', `the image of container ${record.spec.name} must be refused`);
  const { reason, message = '' } = verdict;
  if (reason === 'ImagePullBackOff') node.events.pullBackOff(pod, record);
  else {
    const eventReason = reason === 'InvalidImageName' ? 'InspectFailed' : reason;
    node.events.container(pod, record, 'Warning', eventReason, message);
  }
  fail(worker, record, verdict, reason);
}

function fail(worker: PodWorker, record: ContainerRecord, waiting: Waiting, error: string): void {
  wait(worker, record, waiting);
  worker.node.events.failed(worker.pod, record, error);
}

/** What is said of a container at each attempt in vain is the same, and shown once. */
function wait(worker: PodWorker, record: ContainerRecord, waiting: Waiting): void {
  const { reason, message } = record.waiting ?? {};
  if (reason !== waiting.reason || message !== waiting.message) record.waiting = waiting;
  worker.hasFailedStart = true;
}

/** The run fails its probes while it misses the peers that its script names. */
export function followNeed(
  node: NodeContext,
  sandbox: PodSandbox,
  { slot, spec }: Pick<ContainerRecord, 'slot' | 'spec'>,
  instance: ContainerInstance,
  need: PeerNeed,
): void {
  const random = scriptStream(node.kernel, sandbox.pod, spec, `needs/${instance.attempt}`);
  node.network.follow({ node: node.nodeName, sandbox, slot, instance, need, random });
}

function newInstance(
  { node, pod, sandbox, uid, nowMs }: PodWorker,
  record: ContainerRecord,
  need?: PeerNeed,
): ContainerInstance {
  const { spec, slot, script } = record;
  const attempt = slot.attempts;
  const { kernel } = node;
  slot.spentCpuSeconds += cpuSeconds(record, nowMs, workOf(uid, node.requestWork));
  const answers = drawAnswers(script, nowMs, scriptStream(kernel, pod, spec, `run/${attempt}`), (kind) =>
    scriptStream(kernel, pod, spec, `${kind}/${attempt}`),
  );
  return {
    id: `containerd://${hexDigest(`${uid}/${spec.name}/${attempt}`)}`,
    attempt,
    image: spec.image ?? '',
    sandboxAttempt: sandbox.attempts,
    runningMs: nowMs,
    answers: need === undefined ? answers : need.among(answers, nowMs),
    memory: script.memoryBytes,
    exit: undefined,
    isUnknown: false,
  };
}

function nextOf(worker: PodWorker): ContainerRecord {
  const { next } = worker;
  assert(next !== undefined, `pod ${worker.name.name} must have a container to start`);
  return next;
}
