/**
 * CPU and memory of running containers, as a kubelet's resource metrics tell of them: computed at each request, out
 * of the containers' scripts. Where its script is silent, a container uses what it requests. Mirrors kubelet v1.34
 * pkg/kubelet/metrics/collectors/resource_metrics.go.
 */
import type { Pod } from '../../api/objects/objects.js';
import { cpuMillis } from '../../api/values/quantity.js';
import type { ContainerRecord, PodRecords } from '../containers/container-record.js';
import { endOfProcessMs } from '../containers/container-runtime.js';
import { memoryAt, podUse } from '../eviction/pod-usage.js';
import { memoryRequest } from '../memory/oom-score.js';
import { lastingUse, usageUntil } from '../scripts/usage-curve.js';
import type { RequestWork, SharedWork } from '../containers/request-work.js';

const MILLIS_PER_SECOND = 1000;
const MILLICORES_PER_CORE = 1000;

/** What one running container uses. */
export interface ContainerResourceUse {
  readonly name: string;
  /** Core-seconds since its present run began. */
  readonly cpuSeconds: number;
  /** Thousandths of a core that it has used on average in the last 15 s, or since its present run began. */
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** The same without what it used before. */
export type PresentUse = Omit<ContainerResourceUse, 'cpuSeconds'>;

/** What a pod uses. */
export interface PodResourceUse {
  readonly pod: Pod;
  /** Those that run now. */
  readonly containers: readonly ContainerResourceUse[];
  /** Core-seconds of all runs of all of its containers. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** @param nowMs - simulated time */
export function resourceUseOf(
  pod: Pod,
  records: PodRecords,
  nowMs: number,
  requests: RequestWork | undefined,
): PodResourceUse {
  const work = workOf(pod.metadata.uid, requests);
  const use = podUse(pod, records, nowMs);
  const memory = new Map(use.containers.map(({ name, memoryBytes }) => [name, Math.trunc(memoryBytes)]));
  const containers: ContainerResourceUse[] = [];
  let spentSeconds = 0;
  for (const record of [...records.app, ...records.init]) {
    const { name } = record.spec;
    const seconds = cpuSeconds(record, nowMs, work);
    spentSeconds += record.slot.spentCpuSeconds + seconds;
    if (!record.slot.isRunning) continue;
    const memoryBytes = memory.get(name) ?? 0;
    containers.push({ name, cpuSeconds: seconds, cpuMillis: recentCpuMillis(record, nowMs, work), memoryBytes });
  }
  return { pod, containers, cpuSeconds: spentSeconds, memoryBytes: use.memoryBytes };
}

/** What the containers of a pod that run now use, without what they used before. */
export function presentUses(
  { metadata }: Pod,
  { app, init }: PodRecords,
  nowMs: number,
  requests: RequestWork | undefined,
): readonly PresentUse[] {
  const work = workOf(metadata.uid, requests);
  const uses: PresentUse[] = [];
  for (const records of [app, init]) {
    for (const record of records) {
      const { current, isRunning } = record.slot;
      if (!isRunning || current === undefined) continue;
      const memoryBytes = Math.trunc(memoryAt(record, Math.max(0, nowMs - current.runningMs)));
      uses.push({ name: record.spec.name, cpuMillis: recentCpuMillis(record, nowMs, work), memoryBytes });
    }
  }
  return uses;
}

/** What a running container uses, and goes on using until something is told of it. */
export interface SteadyUse {
  readonly name: string;
  /** By itself, thousandths of a core. */
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  /** What it spends on requests beside that. */
  readonly work: SharedWork | undefined;
}

/** The same as {@link presentUses}, where it does not change by itself; `undefined` where it may. */
export function steadyUses(
  { metadata }: Pod,
  { app, init }: PodRecords,
  nowMs: number,
  requests: RequestWork | undefined,
): readonly SteadyUse[] | undefined {
  const uses: SteadyUse[] = [];
  for (const records of [app, init]) {
    for (const record of records) {
      if (!record.slot.isRunning) continue;
      const use = steadyUse(metadata.uid, record, nowMs, requests);
      if (use === undefined) return undefined;
      uses.push(use);
    }
  }
  return uses.length === 0 ? undefined : uses;
}

function steadyUse(
  uid: string,
  { script, spec, slot }: ContainerRecord,
  nowMs: number,
  requests: RequestWork | undefined,
): SteadyUse | undefined {
  const sinceMs = nowMs - (slot.current?.runningMs ?? nowMs) - CPU_WINDOW_MS;
  if (sinceMs < 0) return undefined;
  const { requestCost } = script;
  const asked = requestCost === undefined ? cpuMillis(spec.resources?.requests?.['cpu'] ?? 0) : 0;
  const ownMillis = script.cpuMillis === undefined ? asked : lastingUse(script.cpuMillis, sinceMs);
  const memoryBytes =
    script.memoryBytes === undefined ? memoryRequest(spec) : lastingUse(script.memoryBytes, sinceMs + CPU_WINDOW_MS);
  if (ownMillis === undefined || memoryBytes === undefined) return undefined;
  const isServing = requestCost !== undefined && requests !== undefined;
  const work = isServing ? requests.sharedWork(uid, spec.name, nowMs - CPU_WINDOW_MS) : 'none';
  if (work === undefined) return undefined;
  const use = { name: spec.name, cpuMillis: ownMillis, memoryBytes: Math.trunc(memoryBytes) };
  return { ...use, work: work === 'none' ? undefined : work };
}

/** Over which a use of CPU is averaged, as metrics-server does between two of its scrapes. */
export const CPU_WINDOW_MS = 15_000;

function recentCpuMillis(record: ContainerRecord, nowMs: number, work: WorkOfPod | undefined): number {
  const ranMs = nowMs - (record.slot.current?.runningMs ?? nowMs);
  const windowMs = Math.min(CPU_WINDOW_MS, ranMs);
  if (windowMs <= 0) return 0;
  const own = ownCpuMs(record, nowMs) - ownCpuMs(record, nowMs - windowMs);
  return ((own + requestCpuMs(record, windowMs, nowMs, work)) * MILLICORES_PER_CORE) / windowMs;
}

/** CPU time that a container of the pod spent on requests between two moments, milliseconds of one core. */
type WorkOfPod = (container: string, fromMs: number, toMs: number) => number;

export function workOf(uid: string, requests: RequestWork | undefined): WorkOfPod | undefined {
  return requests === undefined ? undefined : (container, from, to) => requests.spentMs(uid, container, from, to);
}

/** Core-seconds of a container's present run, or of its last one; 0 before the first. */
export function cpuSeconds(record: ContainerRecord, nowMs: number, work: WorkOfPod | undefined): number {
  return (ownCpuMs(record, nowMs) + requestCpuMs(record, Infinity, nowMs, work)) / MILLIS_PER_SECOND;
}

/** By itself, milliseconds of one core. */
function ownCpuMs(record: ContainerRecord, nowMs: number): number {
  const { script, spec } = record;
  const ranMs = ranUntil(record, nowMs);
  if (script.cpuMillis !== undefined) return usageUntil(script.cpuMillis, ranMs) / MILLICORES_PER_CORE;
  const request = script.requestCost === undefined ? spec.resources?.requests?.['cpu'] : undefined;
  return request === undefined ? 0 : (cpuMillis(request) * ranMs) / MILLICORES_PER_CORE;
}

/** For requests in the last so many milliseconds, within the run; milliseconds of one core. */
function requestCpuMs(record: ContainerRecord, windowMs: number, nowMs: number, work: WorkOfPod | undefined): number {
  const { current } = record.slot;
  if (current === undefined || work === undefined || record.script.requestCost === undefined) return 0;
  const ranMs = ranUntil(record, nowMs);
  const { runningMs } = current;
  return work(record.spec.name, runningMs + Math.max(0, ranMs - windowMs), runningMs + ranMs);
}

/** Milliseconds of its present run, or of its last one. */
function ranUntil({ slot: { current } }: ContainerRecord, nowMs: number): number {
  if (current === undefined) return 0;
  const { exit, runningMs } = current;
  return Math.max(0, (exit === undefined ? nowMs : endOfProcessMs(exit)) - runningMs);
}
