/**
 * CPU and memory of running containers, as a kubelet's resource metrics tell of them: computed at each request, out
 * of the containers' scripts. Where its script is silent, a container uses what it requests. Mirrors kubelet v1.34
 * pkg/kubelet/metrics/collectors/resource_metrics.go.
 */
import type { Pod } from '../../api/objects/objects.js';
import { cpuMillis } from '../../api/values/quantity.js';
import type { ContainerRecord, PodRecords } from '../containers/container-record.js';
import { endOfProcessMs } from '../containers/container-runtime.js';
import { podUse } from '../eviction/pod-usage.js';
import { usageUntil } from '../scripts/usage-curve.js';

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
export function resourceUseOf(pod: Pod, records: PodRecords, nowMs: number): PodResourceUse {
  const use = podUse(pod, records, nowMs);
  const memory = new Map(use.containers.map(({ name, memoryBytes }) => [name, Math.trunc(memoryBytes)]));
  const containers: ContainerResourceUse[] = [];
  let spentSeconds = 0;
  for (const record of [...records.app, ...records.init]) {
    const { name } = record.spec;
    const seconds = cpuSeconds(record, nowMs);
    spentSeconds += record.slot.spentCpuSeconds + seconds;
    if (!record.slot.isRunning) continue;
    const memoryBytes = memory.get(name) ?? 0;
    containers.push({ name, cpuSeconds: seconds, cpuMillis: recentCpuMillis(record, nowMs), memoryBytes });
  }
  return { pod, containers, cpuSeconds: spentSeconds, memoryBytes: use.memoryBytes };
}

/** Over which a use of CPU is averaged, as metrics-server does between two of its scrapes. */
export const CPU_WINDOW_MS = 15_000;

function recentCpuMillis(record: ContainerRecord, nowMs: number): number {
  const ranMs = nowMs - (record.slot.current?.runningMs ?? nowMs);
  const windowMs = Math.min(CPU_WINDOW_MS, ranMs);
  if (windowMs <= 0) return 0;
  const seconds = cpuSeconds(record, nowMs) - cpuSeconds(record, nowMs - windowMs);
  return (seconds * MILLICORES_PER_CORE * MILLIS_PER_SECOND) / windowMs;
}

/** Core-seconds of a container's present run, or of its last one; 0 before the first. */
export function cpuSeconds({ slot: { current }, script, spec }: ContainerRecord, nowMs: number): number {
  if (current === undefined) return 0;
  const { exit, runningMs } = current;
  const ranMs = Math.max(0, (exit === undefined ? nowMs : endOfProcessMs(exit)) - runningMs);
  const request = spec.resources?.requests?.['cpu'];
  const spent =
    script.cpuMillis === undefined
      ? (request === undefined ? 0 : cpuMillis(request)) * ranMs
      : usageUntil(script.cpuMillis, ranMs);
  return spent / MILLICORES_PER_CORE / MILLIS_PER_SECOND;
}
