/**
 * One pod as its node's kubelet works on it: what its process remembers of the pod (back-offs, what it
 * reported last, which step is under way), never what runs: that is the runtime's. Mirrors one pod worker
 * with its runtime manager (v1.34); the steps of starting are in container-start.ts, those of the end in
 * pod-stopping.ts.
 */
import { getCondition } from '../../api/objects/conditions.js';
import { nameKey, type ObjectName, type Pod, type PodSpec } from '../../api/objects/objects.js';
import type { MachineSubject, MachineWatch } from '../../machines/trail.js';
import { resizeSummary, resumedResize, type PodResize } from './pod-resize.js';
import { hasKills } from './container-kill.js';
import type { ContainerRecord, PodRecords } from '../containers/container-record.js';
import type { PodSandbox } from '../containers/container-runtime.js';
import type { PodMemory } from '../resumed/resumed-machine.js';
import type { FailedPull } from './image-policy.js';
import type { OrderedPull } from '../containers/image-puller.js';
import type { HookRun } from '../containers/lifecycle-hook.js';
import type { NodeContext } from '../node/node-context.js';
import type { ActivePod, NodeFacts } from '../node/node-situation.js';
import { isTerminalPhase } from '../status/pod-phase.js';
import { planPod, type KillOrder, type PodPlan, type StartOrder } from './pod-plan.js';
import { recordsOf, resumeRecord, updateSpecs } from './pod-records.js';
import { generateStatus, isSameStatus, withReadiness, type WantedStatus } from './pod-status.js';
import type { Condemnation, PodVerdict } from '../node/pod-verdict.js';
import { READY_AT_ONCE } from '../probes/container-probes.js';
import { PodProbes } from '../probes/pod-probes.js';
import { noticeMessage, noticeReason, type ProbeNotice } from '../probes/probe-outcome.js';
import type { Rejection } from '../admission/rejection.js';
import { isIllegalTransition } from '../containers/state-transition.js';
import { writeStatus } from './status-writer.js';
import type { PodVolumes } from '../volumes/pod-volumes.js';
import { SECOND_MS } from '../../kernel/time-units.js';

const NO_VICTIMS: readonly never[] = [];
const NO_MEMORY: PodMemory = { containers: {} };
const NOTHING_AHEAD: PodPlan = {
  createsSandbox: false,
  killsPod: false,
  kill: [],
  start: [],
  dueMs: Infinity,
};

/** What comes up within the kubelet that a pod's machine is told of. */
type PodNotice = 'image.pulled' | 'pod.ending' | 'probes.changed' | 'room.made' | 'volumes.changed';

/** The machines of a node's pods. */
interface Machines {
  tell(uid: string, event: { readonly type: PodNotice }): void;
}

/** What is to be done about a container that is to be started. */
export type StartStep = 'none' | 'pull' | 'create' | 'skip';

/** See the file header. */
export class PodWorker implements MachineSubject {
  readonly node: NodeContext;
  readonly name: ObjectName;
  readonly uid: string;
  readonly sandbox: PodSandbox;
  readonly records: PodRecords;
  /** Its claims, config maps and secrets; `undefined` = it has none. */
  readonly volumes: PodVolumes | undefined;
  /** Among them the pod's own; `undefined` = it has none yet. */
  machines: Machines | undefined;
  /** The object is gone from the API: nothing more is to be written. */
  isGone = false;
  /** It was admitted before the machine was taken over. */
  isResumed = false;
  /** Its requests are counted among what the node's pods use. */
  isAdmitted = false;
  /** What its admission waits for: a fresh look at the node, or room that others must make. */
  awaits: 'node' | 'room' | undefined;
  /** The node as it was looked at for this pod. */
  freshNode: NodeFacts | undefined;
  /** What is set aside for containers that were resized; `undefined` = none was. */
  resize: PodResize | undefined;
  /** Pods that must still make room for it. */
  victims: readonly ActivePod[] = NO_VICTIMS;
  /** Grace of the termination that is under way, seconds; 0 = none is. */
  graceSeconds = 0;
  /** What the kubelet itself grants, seconds. */
  graceOverrideSeconds: number | undefined;
  verdict: PodVerdict | undefined;
  /** The verdict came from outside the pod's own syncs: nothing of it is shown before the end. */
  isCondemned = false;
  rejection: Rejection | undefined;
  last: WantedStatus | undefined;
  plan: PodPlan = NOTHING_AHEAD;
  /** Containers that this sync still has to kill, one after the other. */
  kills: readonly KillOrder[] = NOTHING_AHEAD.kill;
  /** After the kills the sandbox goes, too. */
  tearsDown = false;
  /** A kill failed: the sync is to be tried again later. */
  hasFailedKill = false;
  /** Containers that this sync still has to start. */
  starts: readonly StartOrder[] = NOTHING_AHEAD.start;
  /** Something happened since the sync that is under way began: another one follows it at once. */
  isWoken = false;
  /** A container could not be started, or not yet: the sync is to be tried again later. */
  hasFailedStart = false;
  /** When that is. */
  retryAtMs = Infinity;
  /** When the step is over that is under way: a sandbox, a container, a hook. */
  stepEndMs = Infinity;
  /** When that step began. */
  stepBeginMs = 0;
  /** What is to be done about the next container. */
  step: StartStep = 'none';
  /** The pull that is under way, or has just ended. */
  pull: OrderedPull | undefined;
  /** The postStart hook that is under way. */
  hook: HookRun | undefined;
  /** Why the devices of its claims cannot be prepared; absent when they are. */
  deviceProblem: string | undefined;
  /** Pulls that failed, by image. */
  failedPulls: Map<string, FailedPull> | undefined;
  #spec: PodSpec;
  /** `undefined` = nothing of the pod is probed. */
  readonly #probes: PodProbes<ContainerRecord> | undefined;

  constructor(node: NodeContext, pod: Pod) {
    this.node = node;
    this.uid = pod.metadata.uid;
    this.name = { namespace: pod.metadata.namespace, name: pod.metadata.name };
    this.sandbox = node.runtime.sandboxOf(pod);
    this.sandbox.pod = pod;
    this.#spec = pod.spec;
    this.resize = resumedResize(pod);
    this.records = recordsOf(node, pod, this.sandbox);
    this.#probes = this.#watch();
    this.volumes = node.volumes.of(pod, this.sandbox.attempts > 0, this);
  }

  /** Tells the pod's machine what came up within the kubelet. */
  notify(type: PodNotice): void {
    this.machines?.tell(this.uid, { type });
  }

  /** There is something to be seen of its volumes. */
  volumesChanged(): void {
    this.notify('volumes.changed');
    this.node.situation.onStopped?.();
  }

  /** Its kubelet has worked on it before: what the API shows is what was reported last. */
  resume({ containers, failedPulls }: PodMemory = NO_MEMORY): void {
    const { node, pod, sandbox, records } = this;
    this.isResumed = true;
    const all = [...records.init, ...records.app, ...records.ephemeral];
    for (const record of all) resumeRecord(record, containers[record.spec.name]);
    if (failedPulls !== undefined) this.failedPulls = new Map(Object.entries(failedPulls));
    // What is to be started yet reads its environment.
    if (sandbox.isReady && records.app.every(({ slot }) => slot.isRunning)) this.volumes?.resume();
    this.#probes?.observe();
    // What has ended before the process began is yet to be reported.
    if (all.some(hasEndedUnseen)) return;
    const shown = new Map(all.map((record) => [record, record.status]));
    const sources = { pod, records, sandbox, verdict: undefined, last: undefined, hasEnded: false };
    generateStatus(sources, node);
    // What it comes to by the same facts may be written otherwise, by a kubelet of another version.
    for (const [record, status] of shown) if (status !== undefined) record.status = status;
    const { phase, reason, message } = pod.status;
    this.last = { ...generateStatus(sources, node), phase, reason, message };
  }

  get machine(): 'pod' {
    return 'pod';
  }

  get machineName(): string {
    return nameKey(this.name.namespace, this.name.name);
  }

  get party(): string {
    return this.node.party;
  }

  get machineWatch(): MachineWatch {
    return this.node.machineWatch;
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

  /** Whether its containers have reached a terminal phase, as reported or held back. */
  get isOver(): boolean {
    return this.last !== undefined && isTerminalPhase(this.last.reached);
  }

  /** Whether the API shows something else in the place of what was reported last. */
  get isOverwritten(): boolean {
    const { last, pod } = this;
    if (last === undefined || this.isGone) return false;
    const { phase, conditions } = pod.status;
    if (phase !== last.phase) return true;
    return last.conditions.some(({ type, status }) => getCondition(conditions, type)?.status !== status);
  }

  get nowMs(): number {
    return this.node.kernel.clock.now();
  }

  /** The container that is to be started next, or is being started. */
  get next(): ContainerRecord | undefined {
    return this.starts[0]?.record;
  }

  get hasRunning(): boolean {
    return this.sandbox.slots.some(({ isRunning }) => isRunning);
  }

  get isStopped(): boolean {
    return this.mustEnd && !this.isStopping && !this.sandbox.isReady && this.volumes?.isReleased !== false;
  }

  /** Whether something runs, or its end is not over. */
  get isStopping(): boolean {
    return this.hasRunning || hasKills(this.records);
  }

  /**
   * The kubelet ends the pod for the node's sake. Phase, reason, message and condition are written together,
   * once nothing of it can run any more. The first verdict holds; a later one may shorten the grace.
   */
  condemn({ graceSeconds, ...verdict }: Condemnation): void {
    this.isCondemned ||= this.verdict === undefined;
    this.verdict ??= verdict;
    this.graceOverrideSeconds = shorter(this.graceOverrideSeconds, graceSeconds);
    this.notify('pod.ending');
  }

  /** The pod's volumes are not there in time, or cannot be: the sync has failed. */
  failVolumes(): void {
    const failure = this.volumes?.takeFailure();
    if (failure !== undefined) this.node.events.pod(this.pod, 'Warning', 'FailedMount', failure);
  }

  /** Looks at what runs, and decides what comes next. */
  makePlan(): void {
    const { spec } = this.pod;
    const ruling = this.resize?.ruling(spec) ?? spec;
    if (ruling !== this.#spec) {
      this.#spec = ruling;
      updateSpecs(this.node, this.sandbox, this.records, ruling);
    }
    this.#probes?.observe();
    this.isWoken = false;
    this.hasFailedStart = false;
    const { sandbox, records } = this;
    const { restartPolicy: policy, activeDeadlineSeconds } = spec;
    this.plan = planPod({ policy, sandbox, records, restarting: this.resize?.restarting });
    if (activeDeadlineSeconds !== undefined) this.#watchDeadline(activeDeadlineSeconds);
    if (isNothing(this.plan)) this.plan = NOTHING_AHEAD;
    this.starts = this.plan.start;
    const { volumes } = this;
    if (volumes === undefined || this.mustEnd) return;
    volumes.look();
    if (volumes.isReadable) this.#notePullSecrets(volumes);
  }

  /** Writes the status if a watcher would see a difference. */
  report(): void {
    if (this.isGone) return;
    const { pod, records, sandbox, last, resize } = this;
    if (resize?.settle(records) === true) {
      const message = `Pod resize completed: ${resizeSummary(resize.allocated)}`;
      this.node.events.pod(pod, 'Normal', 'ResizeCompleted', message);
    }
    const verdict = this.isCondemned ? undefined : this.verdict;
    const status = generateStatus({ pod, records, sandbox, verdict, last, hasEnded: false, resize }, this.node);
    if (isSameStatus(last, status)) return;
    const { initContainerStatuses: initStatuses = [], containerStatuses: statuses = [] } = pod.status;
    if (isIllegalTransition(pod.spec, last ?? { initStatuses, statuses }, status)) return;
    this.#write(status);
  }

  /** Writes the last status again: it may have been lost on the way. */
  reportAgain(): void {
    if (this.last !== undefined && !this.isGone) writeStatus(this.node, this, this.last);
  }

  /** While a step is under way, only readiness is written. */
  noteReadiness(): void {
    const { pod, records, sandbox, verdict, last, isGone, resize } = this;
    if (last === undefined || isGone) return;
    const status = withReadiness({ pod, records, sandbox, verdict, last, hasEnded: false, resize }, this.node);
    if (status !== last) this.#write(status);
  }

  /** How long nothing will change by itself. */
  untilDueMs(): number {
    return this.plan.dueMs - this.nowMs;
  }

  /** A container is to be restarted: the pod is synced again. */
  notifyChange(): void {
    this.wake();
    this.notify('probes.changed');
  }

  /** Something has happened that the sync under way may not have seen. */
  wake(): void {
    this.isWoken = true;
  }

  /** A sync that failed is tried again in a while, or when something happens. */
  beginRetry(): void {
    this.report();
    this.retryAtMs = Math.min(this.nowMs + this.node.drawRetryMs(), this.plan.dueMs);
  }

  /** The same of a sync that was to end the pod. */
  beginStopRetry(): void {
    this.retryAtMs = this.nowMs + this.node.drawRetryMs();
  }

  untilRetryMs(): number {
    return this.retryAtMs - this.nowMs;
  }

  untilStepEndMs(): number {
    return this.stepEndMs - this.nowMs;
  }

  /** Liveness and startup probes have no say in a pod that is being ended. */
  holdProbes(): void {
    this.#probes?.holdLivenessAndStartup();
  }

  /** Nothing is left to be probed, or the kubelet ends. */
  stopProbes(): void {
    this.#probes?.stop();
  }

  #watch(): PodProbes<ContainerRecord> | undefined {
    const watched = [...this.records.init, ...this.records.app].filter(({ probes }) => probes !== READY_AT_ONCE);
    if (watched.length === 0) return undefined;
    return new PodProbes(this.node.kernel, watched, {
      onNotice: (record, notice) => this.#tellNotice(record, notice),
      onChange: () => {
        this.wake();
        this.notify('probes.changed');
      },
    });
  }

  #write(status: WantedStatus): void {
    this.last = status;
    writeStatus(this.node, this, status);
  }

  #tellNotice(record: ContainerRecord, notice: ProbeNotice): void {
    const { pod, sandbox, node } = this;
    const { spec: container } = record;
    const message = noticeMessage(notice, { pod, container, address: sandbox.address ?? '' });
    node.events.container(pod, record, 'Warning', noticeReason(notice), message);
  }

  /** Secrets that pulls were to be made with and that cannot be read: the pulls are tried all the same. */
  #notePullSecrets(volumes: PodVolumes): void {
    const { imagePullSecrets = [] } = this.pod.spec;
    const missing: string[] = [];
    for (const { name = '' } of imagePullSecrets) {
      if (name !== '' && 'problem' in volumes.read('Secret', name)) missing.push(name);
    }
    if (missing.length > 0) this.node.events.pullSecretsMissing(this.pod, missing);
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

/** Whether the API shows that it runs, and nothing of it does. */
function hasEndedUnseen({ slot, status }: ContainerRecord): boolean {
  return status?.state?.running !== undefined && !slot.isRunning;
}

/** Pods at rest share one plan. */
function isNothing({ createsSandbox, killsPod, kill, start, dueMs }: PodPlan): boolean {
  return !createsSandbox && !killsPod && dueMs === Infinity && kill.length === 0 && start.length === 0;
}

function shorter(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
