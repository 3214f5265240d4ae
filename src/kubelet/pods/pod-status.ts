/**
 * The status of a pod as its kubelet sees it, out of what runs. Mirrors generateAPIPodStatus (v1.34).
 * Reads the records and renews what they reported last; writes nothing to the API.
 */
import type { Container, ContainerStatus, Pod, PodPhase } from '../../api/objects/objects.js';
import type { ContainerRecord, PodRecords } from '../containers/container-record.js';
import type { PodSandbox } from '../containers/container-runtime.js';
import {
  absentStatus,
  containerStatus,
  isSameFacts,
  statusFacts,
  waitingStatus,
  type Waiting,
} from '../containers/container-status.js';
import { finalStatuses } from '../containers/final-status.js';
import type { NodeContext } from '../node/node-context.js';
import { podConditions, type WantedCondition } from '../status/pod-conditions.js';
import { isTerminalPhase, podPhase } from '../status/pod-phase.js';
import type { DisruptionTarget, PodVerdict } from '../node/pod-verdict.js';
import type { PodResize } from './pod-resize.js';
import { shouldRestart } from '../containers/restart-policy.js';

/** What a kubelet wants to write. */
export interface WantedStatus {
  readonly phase: PodPhase;
  /** The phase that the containers have reached; a terminal one is shown once nothing can run any more. */
  readonly reached: PodPhase;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** Equal conditions are the same array. */
  readonly conditions: readonly WantedCondition[];
  readonly disruption: DisruptionTarget | undefined;
  readonly podIp: string | undefined;
  readonly startTime: string;
  readonly initStatuses: ContainerStatus[];
  readonly statuses: ContainerStatus[];
  readonly ephemeralStatuses: ContainerStatus[];
  /** When it was generated. */
  readonly time: string;
  readonly generation: number | undefined;
}

/** What a status is generated from. */
export interface StatusSources {
  readonly pod: Pod;
  readonly records: PodRecords;
  readonly sandbox: PodSandbox;
  readonly verdict: PodVerdict | undefined;
  /** What was written last. */
  readonly last: WantedStatus | undefined;
  /** Nothing runs any more, nor will. */
  readonly hasEnded: boolean;
  /** Undefined for a pod that was never resized. */
  readonly resize?: PodResize | undefined;
}

const NONE: ContainerStatus[] = [];

/** See the file header. */
export function generateStatus(sources: StatusSources, { kernel, parts, hostIps }: NodeContext): WantedStatus {
  const { pod, sandbox, last, hasEnded, verdict } = sources;
  const time = kernel.timestamps.toTime(kernel.clock.now());
  const lists = withResources(sources, containerStatuses(sources, { parts, kernel }));
  const { initStatuses, statuses } = lists;
  const ephemeralStatuses = ephemeralStatusesOf(sources, { parts, kernel });
  const reached = reachedPhase(sources, lists);
  const before = last?.phase ?? pod.status.phase;
  const shown = !hasEnded && isTerminalPhase(reached) && !isTerminalPhase(before) ? before : reached;
  const { reason, message } = explanation(sources, shown, before);
  const { spec, metadata, status } = pod;
  const hasSandbox = sandbox.isReady && !hasEnded;
  const present = status.conditions ?? [];
  const own = podConditions({ spec, phase: reached, initStatuses, statuses, hasSandbox, present });
  const conditions = withResizing(sources, own);
  return {
    phase: shown,
    reached,
    reason,
    message,
    conditions: parts.conditions.canonical(conditions),
    disruption: hasEnded && shown === verdict?.phase ? verdict.condition : last?.disruption,
    // A process that has not seen the sandbox up knows no address, whatever the API shows (GenericPLEG.getPodIPs).
    podIp:
      (sandbox.isReady ? sandbox.address : undefined) ??
      last?.podIp ??
      (spec.hostNetwork === true ? hostIps[0]?.ip : undefined),
    startTime: last?.startTime ?? status.startTime ?? time,
    initStatuses: reuse(last?.initStatuses, initStatuses),
    statuses: reuse(last?.statuses, statuses),
    ephemeralStatuses: reuse(last?.ephemeralStatuses, ephemeralStatuses),
    time,
    generation: metadata.generation,
  };
}

/** The same status with what containers' readiness is now, and nothing else; the very same when that has not changed. */
export function withReadiness(
  sources: StatusSources & { readonly last: WantedStatus },
  node: NodeContext,
): WantedStatus {
  const { pod, records, sandbox, last } = sources;
  const initStatuses = reuse(
    last.initStatuses,
    last.initStatuses.map((status) => readinessOf(status, records.init)),
  );
  const statuses = reuse(
    last.statuses,
    last.statuses.map((status) => readinessOf(status, records.app)),
  );
  if (initStatuses === last.initStatuses && statuses === last.statuses) return last;
  const { parts, kernel } = node;
  const { spec, status } = pod;
  const facts = { spec, phase: last.reached, initStatuses, statuses, hasSandbox: sandbox.isReady };
  const own = podConditions({ ...facts, present: status.conditions ?? [] });
  const conditions = parts.conditions.canonical(withResizing(sources, own));
  return { ...last, initStatuses, statuses, conditions, time: kernel.timestamps.toTime(kernel.clock.now()) };
}

/** What is told of a resize comes before the kubelet's other conditions, and goes with the pod's end. */
function withResizing(
  { resize, hasEnded }: StatusSources,
  own: readonly WantedCondition[],
): readonly WantedCondition[] {
  const more = resize === undefined || hasEnded ? undefined : resize.conditions();
  return more === undefined || more.length === 0 ? own : [...more, ...own];
}

function withResources({ resize }: StatusSources, lists: Lists): Lists {
  if (resize === undefined) return lists;
  return { initStatuses: resize.shown(lists.initStatuses), statuses: resize.shown(lists.statuses) };
}

function readinessOf(status: ContainerStatus, records: readonly ContainerRecord[]): ContainerStatus {
  const record = records.find(({ spec }) => spec.name === status.name);
  if (record?.facts?.isRunning !== true || status.state?.running === undefined || record.role === 'init') return status;
  const isReady = record.slot.isRunning && record.probes.isReady;
  if (status.ready === isReady) return status;
  record.facts = { ...record.facts, isReady };
  record.status = { ...status, ready: isReady };
  return record.status;
}

/** Whether a watcher would see no difference. */
export function isSameStatus(a: WantedStatus | undefined, b: WantedStatus): boolean {
  return (
    a !== undefined &&
    a.phase === b.phase &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.podIp === b.podIp &&
    a.statuses === b.statuses &&
    a.initStatuses === b.initStatuses &&
    a.ephemeralStatuses === b.ephemeralStatuses &&
    a.conditions === b.conditions &&
    a.disruption === b.disruption &&
    a.generation === b.generation
  );
}

/** Of ephemeral containers nothing is probed, and they are never told to have started. */
function ephemeralStatusesOf({ pod, records }: StatusSources, means: Means): ContainerStatus[] {
  if (records.ephemeral.length === 0) return NONE;
  const reason = waitingReason(pod);
  const statuses = records.ephemeral.map((record) => {
    const { status } = record;
    const next = statusOf(pod, record, waitingStatus(record.spec, reason), means);
    if (next === status) return next;
    const { started: _started, ...told } = next;
    record.status = told;
    return told;
  });
  return sortedByName(statuses);
}

function waitingReason({ spec: { initContainers = [] } }: Pod): string {
  return initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating';
}

interface Lists {
  readonly initStatuses: ContainerStatus[];
  readonly statuses: ContainerStatus[];
}

/** A terminal phase is never left, even one written by others; the kubelet's verdict comes before its containers. */
function reachedPhase({ pod, records, sandbox, verdict, last, hasEnded }: StatusSources, lists: Lists): PodPhase {
  if (isTerminalPhase(pod.status.phase)) return pod.status.phase;
  if (last !== undefined && isTerminalPhase(last.phase)) return last.phase;
  if (verdict !== undefined) return verdict.phase;
  const isPresent = ({ slot: { current } }: ContainerRecord): boolean =>
    current !== undefined && current.sandboxAttempt === sandbox.attempts;
  const hasAppInstance = sandbox.isReady && records.app.some(isPresent);
  const phase = podPhase(pod.spec, lists.initStatuses, lists.statuses, { isEnding: hasEnded, hasAppInstance });
  return hasEnded && !isTerminalPhase(phase) ? 'Failed' : phase;
}

/** Reason and message stay while the phase does, and start empty with a new one. */
function explanation(
  { pod, verdict, last }: StatusSources,
  phase: PodPhase,
  before: PodPhase,
): { readonly reason: string | undefined; readonly message: string | undefined } {
  if (phase === before) return last ?? { reason: pod.status.reason, message: pod.status.message };
  return verdict !== undefined && phase === verdict.phase ? verdict : { reason: undefined, message: undefined };
}

type Means = Pick<NodeContext, 'kernel' | 'parts'>;

/** Init containers in the order of the spec, the others by name. */
function containerStatuses({ pod, records, hasEnded }: StatusSources, means: Means): Lists {
  const { initContainers = [], containers } = pod.spec;
  const reason = waitingReason(pod);
  const initStatuses = statusesOf(pod, initContainers, records.init, reason, means);
  const inOrder = statusesOf(pod, containers, records.app, reason, means);
  const lists = hasEnded ? finalStatuses(pod.spec, initStatuses, inOrder) : { initStatuses, statuses: inOrder };
  return { initStatuses: lists.initStatuses, statuses: sortedByName(lists.statuses) };
}

function statusesOf(
  pod: Pod,
  containers: readonly Container[],
  records: readonly ContainerRecord[],
  reason: string,
  means: Means,
): ContainerStatus[] {
  if (containers.length === 0) return NONE;
  const waiting = means.parts.waitingStatuses(containers, reason);
  if (records.every(isNew)) return waiting;
  return waiting.map((standard, index) => {
    const record = records[index];
    return record === undefined ? standard : statusOf(pod, record, standard, means);
  });
}

/** Nothing has happened with it yet, and nothing keeps it. */
function isNew({ slot, waiting, status }: ContainerRecord): boolean {
  return slot.current === undefined && waiting === undefined && status === undefined;
}

/** The status of a container; the very one that was reported last if nothing has changed. */
function statusOf(
  pod: Pod,
  record: ContainerRecord,
  standard: ContainerStatus,
  { kernel, parts }: Means,
): ContainerStatus {
  const { slot, role, probes } = record;
  const { current } = slot;
  const isDeleted = pod.metadata.deletionTimestamp !== undefined;
  const facts = statusFacts(role, current, probes, isDeleted ? undefined : shownWaiting(pod, record));
  if (record.status !== undefined && isSameFacts(record.facts, facts)) return record.status;
  record.facts = facts;
  if (current === undefined) record.status = absentStatus(standard, record.status, facts.waiting, isDeleted);
  else {
    const { name: imageName, id: imageID } = parts.image(current.image);
    const { timestamps } = kernel;
    const { restartCount = 0 } = record.status ?? {};
    const means = { timestamps, imageName, imageID, restartCount };
    record.status = containerStatus(standard.name, slot, current, facts, means);
  }
  return record.status;
}

/**
 * Why a container waits, if that is shown: not of one that its pod's policy would not start again. Upstream
 * asks the pod's policy for sidecars, too, although they are always started again.
 */
function shownWaiting({ spec }: Pod, { waiting, slot, role }: ContainerRecord): Waiting | undefined {
  const { current } = slot;
  if (waiting === undefined || current === undefined) return waiting;
  if (current.exit === undefined || role === 'ephemeral') return undefined;
  const { code } = current.exit;
  if (role !== 'app' && code === 0) return undefined;
  return shouldRestart('app', spec.restartPolicy, code) ? waiting : undefined;
}

function sortedByName(statuses: ContainerStatus[]): ContainerStatus[] {
  return statuses.length < 2 ? statuses : statuses.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The list that was written last, if its members are the same. */
function reuse(last: ContainerStatus[] | undefined, next: ContainerStatus[]): ContainerStatus[] {
  if (last === undefined || last.length !== next.length) return next;
  return last.every((status, index) => status === next[index]) ? last : next;
}
