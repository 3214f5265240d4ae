/**
 * Puts a machine into the state in which others have seen it: containers that run since the times in their statuses,
 * images that are there, volumes that are mounted. Nothing is told to anything: it has all happened before.
 */
import type { Container, ContainerStatus, Pod } from '../../api/objects/objects.js';
import type { ContainerExit, ContainerInstance, PodSandbox, ContainerSlot } from '../containers/container-runtime.js';
import { initRole, type ContainerRole } from '../containers/restart-policy.js';
import { hexDigest } from '../images/image-store.js';
import { PeerNeed } from '../network/peer-need.js';
import type { NodeContext } from '../node/node-context.js';
import { followNeed } from '../pods/container-start.js';
import { drawEnd } from '../pods/run-script.js';
import { drawAnswers } from '../probes/probe-answers.js';
import { scriptStream } from '../scripts/script-stream.js';
import type { ContainerScript } from '../scripts/script-types.js';
import { isTerminalPhase } from '../status/pod-phase.js';
import type { ContainerMemory, ResumedMachine, ResumedPod } from '../resumed/resumed-machine.js';

/** Before anything that happens from now on. */
const LONG_AGO_MS = -1;
const NOTHING_MORE: ContainerMemory = {};

/** See the file header. */
export function resumeMachine(node: NodeContext, { node: shown, pods }: ResumedMachine): void {
  for (const resumed of pods) {
    const { pod, mounts } = resumed;
    if (isTerminalPhase(pod.status.phase)) continue;
    resumeSandbox(node, resumed);
    const { uid } = pod.metadata;
    for (const [podVolume, volume] of mounts) node.volumes.mounts.mount({ uid, pod, podVolume, volume });
  }
  node.volumes.resume(shown.status.volumesInUse ?? []);
}

function resumeSandbox(node: NodeContext, { pod, memory }: ResumedPod): void {
  const { status, spec } = pod;
  const sandbox = node.runtime.sandboxOf(pod);
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const statuses = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  if (status.podIP === undefined && !statuses.some(hasRun)) return;
  sandbox.attempts = 1;
  sandbox.isReady = true;
  sandbox.address = status.podIP;
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  for (const [index, container] of [...initContainers, ...containers, ...ephemeralContainers].entries()) {
    const slot = sandbox.slots[index];
    const shown = statuses.find(({ name }) => name === container.name);
    if (slot === undefined || shown === undefined) continue;
    const isEphemeral = index >= initContainers.length + containers.length;
    const ofSpec = index < initContainers.length ? initRole(container) : 'app';
    const role = isEphemeral ? 'ephemeral' : ofSpec;
    resumeContainer(node, { pod, sandbox, slot, container, role }, shown, memory?.containers[container.name]);
  }
}

interface Place {
  readonly pod: Pod;
  readonly sandbox: PodSandbox;
  readonly slot: ContainerSlot;
  readonly container: Container;
  readonly role: ContainerRole;
}

function resumeContainer(
  node: NodeContext,
  place: Place,
  shown: ContainerStatus,
  memory: ContainerMemory = NOTHING_MORE,
): void {
  const { pod, sandbox, slot, container, role } = place;
  const { state = {}, lastState = {}, restartCount } = shown;
  const script = node.scripts.scriptOf(pod, container, () => undefined);
  const isWaiting = state.running === undefined && state.terminated === undefined;
  const current = runOf(node, place, script, isWaiting ? lastState : state, restartCount, shown.containerID);
  const previous = isWaiting ? undefined : runOf(node, place, script, lastState, restartCount - 1, undefined);
  slot.attempts = current === undefined ? restartCount : restartCount + 1;
  slot.failedCreations = memory.failedCreations ?? 0;
  slot.spentCpuSeconds = memory.spentCpuSeconds ?? 0;
  if (current === undefined) return;
  node.images.keep(container.image ?? '', LONG_AGO_MS);
  const need = script.needs === undefined ? undefined : new PeerNeed(script.needs);
  const instance =
    need === undefined ? current : { ...current, answers: need.among(current.answers, current.runningMs) };
  const record = { role, script, spec: container };
  const own = current.exit === undefined ? (memory.end ?? endAhead(node, pod, record, instance)) : undefined;
  node.runtime.restore(sandbox, slot, { current: instance, previous }, own);
  if (need !== undefined && current.exit === undefined)
    followNeed(node, sandbox, { slot, spec: container }, instance, need);
}

/** A run that has gone on for longer than its script says begins its length anew. */
function endAhead(
  node: NodeContext,
  pod: Pod,
  record: Parameters<typeof drawEnd>[2],
  instance: ContainerInstance,
): ContainerExit | undefined {
  const end = drawEnd(node, pod, record, instance);
  const nowMs = node.kernel.clock.now();
  if (end === undefined || end.atMs > nowMs) return end;
  return { ...end, atMs: nowMs + (end.atMs - instance.runningMs) };
}

type State = NonNullable<ContainerStatus['state']>;

/** One run of a container, as its status shows it. */
function runOf(
  { kernel }: NodeContext,
  { pod, container }: Place,
  script: ContainerScript,
  { running, terminated }: State,
  attempt: number,
  shownId: string | undefined,
): ContainerInstance | undefined {
  if (running === undefined && terminated === undefined) return undefined;
  const nowMs = kernel.clock.now();
  const msOf = (text: string | undefined): number =>
    text === undefined ? nowMs : Math.min(kernel.timestamps.toMs(text), nowMs);
  const runningMs = msOf(running?.startedAt ?? terminated?.startedAt ?? terminated?.finishedAt);
  const answers = drawAnswers(script, runningMs, scriptStream(kernel, pod, container, `run/${attempt}`), (kind) =>
    scriptStream(kernel, pod, container, `${kind}/${attempt}`),
  );
  const id = terminated?.containerID ?? shownId ?? '';
  return {
    id: id === '' ? `containerd://${hexDigest(`${pod.metadata.uid}/${container.name}/${attempt}`)}` : id,
    attempt: Math.max(attempt, 0),
    image: container.image ?? '',
    sandboxAttempt: 1,
    runningMs,
    answers,
    memory: script.memoryBytes,
    exit: terminated === undefined ? undefined : exitOf(terminated, msOf(terminated.finishedAt)),
    isUnknown: false,
  };
}

const REASONS: readonly ContainerExit['reason'][] = ['Completed', 'Error', 'OOMKilled', 'StartError', 'Unknown'];

function exitOf({ exitCode, reason, message }: NonNullable<State['terminated']>, atMs: number): ContainerExit {
  const known = REASONS.find((each) => each === reason) ?? (exitCode === 0 ? 'Completed' : 'Error');
  return { atMs, code: exitCode, reason: known, ...(message === undefined ? {} : { message }) };
}

function hasRun({ state, lastState }: ContainerStatus): boolean {
  return state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;
}
