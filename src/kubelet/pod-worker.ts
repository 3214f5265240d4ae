/**
 * One pod as its node's kubelet works on it: the steps that the pod machine walks. Owns what the
 * kubelet remembers of the pod (back-offs, what it reported last), never what runs: that is the
 * runtime's. Mirrors one pod worker with its runtime manager (v1.34).
 */
import type { Container, ObjectName, Pod } from '../api/objects.js';
import { assert } from '../kernel/assert.js';
import { sample } from '../kernel/distribution.js';
import { DEFAULT_SCRIPT, hasScript, parseScript, type ScriptProblem } from './container-script.js';
import type { ContainerSlot, PodSandbox } from './container-runtime.js';
import type { NodeContext } from './node-context.js';
import type { Rejection } from './node-resources.js';
import { hexDigest } from './image-store.js';
import { backOffMessage } from './pod-events.js';
import { isTerminalPhase } from './pod-phase.js';
import { planPod, type ContainerRecord, type PodPlan, type PodRecords } from './pod-plan.js';
import { generateStatus, isSameStatus, type PodVerdict, type WantedStatus } from './pod-status.js';
import { startUp } from './probe-schedule.js';
import { nextBackOff } from './restart-back-off.js';
import { initRole, type ContainerRole } from './restart-policy.js';
import { writeStatus } from './status-writer.js';

const SECOND_MS = 1000;
const NOTHING_AHEAD: PodPlan = { start: [], backingOff: [], isOver: false, dueMs: Infinity };

/** See the file header. */
export class PodWorker {
  readonly node: NodeContext;
  readonly name: ObjectName;
  readonly uid: string;
  readonly sandbox: PodSandbox;
  readonly records: PodRecords;
  /** The object is gone from the API: nothing more is to be written. */
  isGone = false;
  /** Its requests are counted among what the node's pods use. */
  isAdmitted = false;
  /** Grace of the termination that is under way, seconds; 0 = none is. */
  graceSeconds = 0;
  /** When that grace ends. */
  graceEndMs = Infinity;
  verdict: PodVerdict | undefined;
  rejection: Rejection | undefined;
  last: WantedStatus | undefined;
  plan: PodPlan = NOTHING_AHEAD;
  /** Containers that this sync still has to start. */
  queue: readonly ContainerRecord[] = NOTHING_AHEAD.start;
  #pullMs = 0;

  constructor(node: NodeContext, pod: Pod) {
    this.node = node;
    this.uid = pod.metadata.uid;
    this.name = { namespace: pod.metadata.namespace, name: pod.metadata.name };
    this.sandbox = node.runtime.sandboxOf(pod);
    this.sandbox.pod = pod;
    this.records = recordsOf(node, pod, this.sandbox.slots);
  }

  /** The pod as the API showed it last. */
  get pod(): Pod {
    return this.sandbox.pod;
  }

  /** Whether the pod is to be brought to its end: deleted, ended by others, gone, or condemned by the kubelet. */
  get mustEnd(): boolean {
    return (
      this.isGone ||
      this.verdict !== undefined ||
      this.pod.metadata.deletionTimestamp !== undefined ||
      isTerminalPhase(this.pod.status.phase)
    );
  }

  get nowMs(): number {
    return this.node.kernel.clock.now();
  }

  get isImageMissing(): boolean {
    const image = this.next?.spec.image;
    return image !== undefined && !this.node.images.has(image);
  }

  get next(): ContainerRecord | undefined {
    return this.queue[0];
  }

  get hasRunning(): boolean {
    return this.sandbox.slots.some(({ isRunning }) => isRunning);
  }

  /** Looks at what runs, and decides what comes next. */
  makePlan(): void {
    const { restartPolicy, activeDeadlineSeconds } = this.pod.spec;
    this.plan = planPod(restartPolicy, this.records, this.nowMs);
    if (activeDeadlineSeconds !== undefined) this.#watchDeadline(activeDeadlineSeconds);
    if (isNothing(this.plan)) this.plan = NOTHING_AHEAD;
    this.queue = this.plan.start;
  }

  /** Writes the status if a watcher would see a difference. */
  report(): void {
    const { pod, records, verdict, last } = this;
    const { address } = this.sandbox;
    const status = generateStatus({ pod, records, address, verdict, last, hasEnded: false }, this.node);
    if (isSameStatus(last, status)) return;
    this.last = status;
    writeStatus(this.node, this, status);
  }

  /** Writes the last status again: it may have been lost on the way. */
  reportAgain(): void {
    if (this.last !== undefined && !this.isGone) writeStatus(this.node, this, this.last);
  }

  sandboxMs(): number {
    return sample(this.node.profile.sandbox, this.node.random);
  }

  openSandbox(): void {
    const { podRange, hostIps, nodeName } = this.node;
    if (this.pod.spec.hostNetwork === true) this.sandbox.address = hostIps[0]?.ip;
    this.sandbox.address ??= podRange.take();
    assert(this.sandbox.address !== undefined, `node ${nodeName} must have an address for each pod it admits`);
  }

  closeSandbox(): void {
    const { address } = this.sandbox;
    if (address === undefined) return;
    this.node.podRange.free(address);
    this.sandbox.address = undefined;
  }

  /** Draws how long the pull of the next container's image takes. */
  beginPull(): void {
    const { images, profile, random, events } = this.node;
    const container = this.next;
    if (container === undefined) return;
    events.pulling(this.pod, container);
    this.#pullMs = images.pullMs(container.spec.image ?? '', this.nowMs, () => sample(profile.imagePull, random));
  }

  pullMs(): number {
    return this.#pullMs;
  }

  keepImage(): void {
    const { images, events, onImageKept } = this.node;
    const container = this.next;
    if (container === undefined) return;
    const image = container.spec.image ?? '';
    if (images.keep(image)) onImageKept();
    events.pulled(this.pod, container, this.#pullMs, images.sizeOf(image));
  }

  noteImagePresent(): void {
    if (this.next !== undefined) this.node.events.present(this.pod, this.next);
  }

  containerStartMs(): number {
    return sample(this.node.profile.containerStart, this.node.random);
  }

  /** A restart counts from the moment at which it is attempted. */
  beginStart(): void {
    const container = this.next;
    if (container === undefined) return;
    container.waiting = undefined;
    if (container.slot.current !== undefined) container.backOff = nextBackOff(container.backOff, this.nowMs);
  }

  /** The next container runs. */
  startContainer(): void {
    const container = this.next;
    if (container === undefined) return;
    this.queue = this.queue.length === 1 ? NOTHING_AHEAD.start : this.queue.slice(1);
    const { runtime, random, profile, events } = this.node;
    const { spec, slot, script, role } = container;
    const attempt = slot.current === undefined ? 0 : slot.current.attempt + 1;
    const runningMs = this.nowMs;
    const instance = {
      id: `containerd://${hexDigest(`${this.uid}/${spec.name}/${attempt}`)}`,
      attempt,
      runningMs,
      startUp: startUp(spec, runningMs, sample(script.startDelay, random), sample(script.readinessDelay, random)),
      exit: undefined,
    };
    const runFor = script.runFor ?? (role === 'init' ? profile.initRunFor : undefined);
    runtime.run(this.sandbox, slot, instance, runFor, script.exitCode);
    events.created(this.pod, container);
    events.started(this.pod, container);
  }

  announceBackOffs(): void {
    for (const container of this.plan.backingOff) {
      const delayMs = container.backOff?.delayMs ?? 0;
      container.waiting = {
        reason: 'CrashLoopBackOff',
        message: backOffMessage(this.pod, container.spec.name, delayMs),
      };
      this.node.events.backOff(this.pod, container);
    }
  }

  /** How long nothing will change by itself. */
  untilDueMs(): number {
    return this.plan.dueMs - this.nowMs;
  }

  /** A pod that was active for too long fails; measured from its start time. */
  #watchDeadline(deadlineSeconds: number): void {
    const { kernel, events } = this.node;
    const startTime = this.last?.startTime ?? this.pod.status.startTime;
    const startMs = startTime === undefined ? this.nowMs : kernel.timestamps.toMs(startTime);
    const endMs = startMs + deadlineSeconds * SECOND_MS;
    if (this.nowMs < endMs) {
      this.plan.dueMs = Math.min(this.plan.dueMs, endMs);
      return;
    }
    if (this.verdict !== undefined) return;
    const reason = 'DeadlineExceeded';
    const message = 'Pod was active on the node longer than the specified deadline';
    this.verdict = { phase: 'Failed', reason, message };
    events.pod(this.pod, 'Normal', reason, message);
  }
}

/** Pods at rest share one plan. */
function isNothing({ start, backingOff, isOver, dueMs }: PodPlan): boolean {
  return start.length === 0 && backingOff.length === 0 && !isOver && dueMs === Infinity;
}

function recordsOf(node: NodeContext, pod: Pod, slots: readonly ContainerSlot[]): PodRecords {
  const { initContainers = [], containers } = pod.spec;
  const { annotations } = pod.metadata;
  const problems = new Map<string, ScriptProblem>();
  const record = (spec: Container, role: ContainerRole, slot: ContainerSlot | undefined): ContainerRecord[] => {
    if (slot === undefined) return [];
    const script = hasScript(annotations)
      ? parseScript(annotations, spec.name, (problem) => problems.set(problem.annotation, problem))
      : DEFAULT_SCRIPT;
    const unknown = { backOff: undefined, waiting: undefined, facts: undefined, status: undefined };
    return [{ spec, role, script, slot, ...unknown }];
  };
  const init = initContainers.flatMap((spec, index) => record(spec, initRole(spec), slots[index]));
  const app = containers.flatMap((spec, index) => record(spec, 'app', slots[initContainers.length + index]));
  for (const problem of problems.values()) node.events.invalidScript(pod, problem);
  return { init, app };
}
