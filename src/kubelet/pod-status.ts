/**
 * The status of a pod as its kubelet sees it, out of what runs. Mirrors generateAPIPodStatus (v1.34).
 * Reads the records and renews what they reported last; writes nothing to the API.
 */
import type { Container, ContainerStatus, Pod, PodPhase } from '../api/objects.js';
import type { NodeContext } from './node-context.js';
import { containerStatus, isSameFacts, statusFacts } from './container-status.js';
import { finalStatuses } from './final-status.js';
import { podConditions, type WantedCondition } from './pod-conditions.js';
import { isTerminalPhase, podPhase } from './pod-phase.js';
import type { ContainerRecord, PodRecords } from './pod-plan.js';

/** A verdict of the kubelet itself on a pod, such as an exceeded deadline: it wins over what the containers say. */
export interface PodVerdict {
  readonly phase: 'Failed';
  readonly reason: string;
  readonly message: string;
}

/** What a kubelet wants to write. */
export interface WantedStatus {
  readonly phase: PodPhase;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** Equal conditions are the same array. */
  readonly conditions: readonly WantedCondition[];
  readonly podIp: string | undefined;
  readonly startTime: string;
  readonly initStatuses: ContainerStatus[];
  readonly statuses: ContainerStatus[];
  /** When it was generated. */
  readonly time: string;
  readonly generation: number | undefined;
}

/** What a status is generated from. */
export interface StatusSources {
  readonly pod: Pod;
  readonly records: PodRecords;
  /** Address of the pod while its sandbox is up. */
  readonly address: string | undefined;
  readonly verdict: PodVerdict | undefined;
  /** What was written last. */
  readonly last: WantedStatus | undefined;
  /** Nothing runs any more, nor will. */
  readonly hasEnded: boolean;
}

const NONE: ContainerStatus[] = [];

/** See the file header. */
export function generateStatus(sources: StatusSources, { kernel, parts }: NodeContext): WantedStatus {
  const { pod, address, last, hasEnded } = sources;
  const nowMs = kernel.clock.now();
  const time = kernel.timestamps.toTime(nowMs);
  const lists = containerStatuses(sources, { nowMs, parts, kernel });
  const { initStatuses, statuses } = lists;
  const phase = reachedPhase(sources, lists);
  const before = last?.phase ?? pod.status.phase;
  const shown = !hasEnded && isTerminalPhase(phase) && !isTerminalPhase(before) ? before : phase;
  const { reason, message } = explanation(sources, shown, before);
  const { spec } = pod;
  const present = pod.status.conditions ?? [];
  const conditions = podConditions({ spec, phase, initStatuses, statuses, hasSandbox: address !== undefined, present });
  return {
    phase: shown,
    reason,
    message,
    conditions: parts.conditions.canonical(conditions),
    podIp: address ?? last?.podIp ?? pod.status.podIP,
    startTime: last?.startTime ?? pod.status.startTime ?? time,
    initStatuses: reuse(last?.initStatuses, initStatuses),
    statuses: reuse(last?.statuses, statuses),
    time,
    generation: pod.metadata.generation,
  };
}

/** Whether a watcher would see no difference. A raised generation alone is not worth a write. */
export function isSameStatus(a: WantedStatus | undefined, b: WantedStatus): boolean {
  return (
    a !== undefined &&
    a.phase === b.phase &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.podIp === b.podIp &&
    a.statuses === b.statuses &&
    a.initStatuses === b.initStatuses &&
    a.conditions === b.conditions
  );
}

interface Lists {
  readonly initStatuses: ContainerStatus[];
  readonly statuses: ContainerStatus[];
}

/** A terminal phase is never left, whoever wrote it; the kubelet's verdict comes before its containers. */
function reachedPhase({ pod, records, verdict, last, hasEnded }: StatusSources, lists: Lists): PodPhase {
  if (isTerminalPhase(pod.status.phase)) return pod.status.phase;
  if (last !== undefined && isTerminalPhase(last.phase)) return last.phase;
  if (verdict !== undefined) return verdict.phase;
  const hasAppInstance = records.app.some(({ slot }) => slot.current !== undefined);
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

type Means = Pick<NodeContext, 'kernel' | 'parts'> & { readonly nowMs: number };

/** Init containers in the order of the spec, the others by name. */
function containerStatuses({ pod, records, hasEnded }: StatusSources, means: Means): Lists {
  const { initContainers = [], containers } = pod.spec;
  const reason = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating';
  const initStatuses = statusesOf(initContainers, records.init, reason, means);
  const inOrder = statusesOf(containers, records.app, reason, means);
  const lists = hasEnded ? finalStatuses(pod.spec, initStatuses, inOrder) : { initStatuses, statuses: inOrder };
  return { initStatuses: lists.initStatuses, statuses: sortedByName(lists.statuses) };
}

function statusesOf(
  containers: readonly Container[],
  records: readonly ContainerRecord[],
  reason: string,
  means: Means,
): ContainerStatus[] {
  if (containers.length === 0) return NONE;
  const waiting = means.parts.waitingStatuses(containers, reason);
  if (records.every(({ slot }) => slot.current === undefined)) return waiting;
  return waiting.map((status, index) => {
    const record = records[index];
    return record === undefined ? status : (statusOf(record, means) ?? status);
  });
}

/** The status of a container that has run; the very one that was reported last if nothing has changed. */
function statusOf(record: ContainerRecord, { nowMs, kernel, parts }: Means): ContainerStatus | undefined {
  const { slot, spec, role, waiting } = record;
  if (slot.current === undefined) return undefined;
  const facts = statusFacts(role, slot.current, waiting, nowMs);
  if (record.status === undefined || !isSameFacts(record.facts, facts)) {
    record.facts = facts;
    record.status = containerStatus(spec, slot, facts, parts.imageId(spec.image ?? ''), kernel.timestamps);
  }
  return record.status;
}

function sortedByName(statuses: ContainerStatus[]): ContainerStatus[] {
  return statuses.length < 2 ? statuses : statuses.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The list that was written last, if its members are the same. */
function reuse(last: ContainerStatus[] | undefined, next: ContainerStatus[]): ContainerStatus[] {
  if (last === undefined || last.length !== next.length) return next;
  return last.every((status, index) => status === next[index]) ? last : next;
}
