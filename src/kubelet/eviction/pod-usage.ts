/**
 * What a pod's containers use, as its kubelet's statistics would tell. Pure. Where its script is silent, a
 * container uses the memory that it requests, one process and no storage.
 */
import type { Container, PodSpec } from '../../api/objects/objects.js';
import type { ContainerRecord, PodRecords } from '../containers/container-record.js';
import { endOfProcessMs } from '../containers/container-runtime.js';
import { memoryRequest } from '../memory/oom-score.js';
import { usageAt } from '../scripts/usage-curve.js';
import { UsageSum } from '../scripts/usage-sum.js';

/** What one container uses. */
export interface ContainerUse {
  readonly name: string;
  readonly memoryBytes: number;
  readonly processes: number;
  /** Logs and writable layer. */
  readonly layerBytes: number;
  /** What it has written to a volume. */
  readonly volumeBytes: number;
  /** Name of that volume. */
  readonly volume: string | undefined;
}

/** What a pod uses. */
export interface PodUse {
  readonly containers: readonly ContainerUse[];
  readonly memoryBytes: number;
  readonly processes: number;
  readonly storageBytes: number;
}

/** The pod's present use. */
export function podUse({ spec }: { readonly spec: PodSpec }, records: PodRecords, nowMs: number): PodUse {
  const containers = containersOf(records).flatMap((record) => containerUse(spec, record, nowMs));
  const total = (of: (use: ContainerUse) => number): number => containers.reduce((sum, use) => sum + of(use), 0);
  return {
    containers,
    memoryBytes: Math.trunc(total(({ memoryBytes }) => memoryBytes)),
    processes: Math.trunc(total(({ processes }) => processes)),
    storageBytes: Math.trunc(total(({ layerBytes, volumeBytes }) => layerBytes + volumeBytes)),
  };
}

function containerUse(spec: PodSpec, record: ContainerRecord, nowMs: number): ContainerUse[] {
  const { slot, script } = record;
  const { current } = slot;
  if (current === undefined || current.exit?.reason === 'StartError') return [];
  const { exit, runningMs } = current;
  const sinceMs = Math.max(0, nowMs - runningMs);
  const ranMs = exit === undefined ? sinceMs : Math.max(0, endOfProcessMs(exit) - runningMs);
  const { storageBytes } = script;
  const isRunning = exit === undefined;
  const stored = storageBytes === undefined ? 0 : usageAt(storageBytes, ranMs);
  const volume = volumeOf(spec, record.spec);
  return [
    {
      name: record.spec.name,
      memoryBytes: isRunning ? memoryAt(record, sinceMs) : 0,
      processes: isRunning ? processesAt(script, sinceMs) : 0,
      layerBytes: volume === undefined ? stored : 0,
      volumeBytes: volume === undefined ? 0 : stored,
      volume,
    },
  ];
}

/** Bytes. */
export function memoryAt({ spec, script: { memoryBytes } }: ContainerRecord, sinceMs: number): number {
  return memoryBytes === undefined ? memoryRequest(spec) : usageAt(memoryBytes, sinceMs);
}

function processesAt({ processes }: ContainerRecord['script'], sinceMs: number): number {
  return processes === undefined ? 1 : usageAt(processes, sinceMs);
}

/** The sums of a whole node, or of one pod. */
export interface UsageSums {
  readonly memory: UsageSum;
  readonly processes: UsageSum;
  readonly storage: UsageSum;
}

export function newSums(): UsageSums {
  return { memory: new UsageSum(), processes: new UsageSum(), storage: new UsageSum() };
}

/** Adds what the pod's containers use. */
export function addUse({ memory, processes, storage }: UsageSums, records: PodRecords): void {
  for (const record of containersOf(records)) {
    addStorage(storage, record);
    const { slot, script, spec } = record;
    const { current } = slot;
    if (current === undefined || current.exit !== undefined) continue;
    const { runningMs } = current;
    if (script.memoryBytes === undefined) memory.add(memoryRequest(spec));
    else memory.addCurve(script.memoryBytes, runningMs);
    if (script.processes === undefined) processes.add(1);
    else processes.addCurve(script.processes, runningMs);
  }
}

/** What a container that has ended left behind stays until its pod goes. */
export function addStorage(sum: UsageSum, { slot: { current }, script: { storageBytes } }: ContainerRecord): void {
  if (current === undefined || storageBytes === undefined) return;
  const { exit, runningMs } = current;
  if (exit === undefined) sum.addCurve(storageBytes, runningMs);
  else sum.add(usageAt(storageBytes, Math.max(0, endOfProcessMs(exit) - runningMs)));
}

/** Whether what the pod uses may change without anything happening to it. */
export function hasCurves(records: PodRecords): boolean {
  return containersOf(records).some(
    ({ script: { memoryBytes, processes, storageBytes } }) => (memoryBytes ?? processes ?? storageBytes) !== undefined,
  );
}

export function containersOf({ app, init }: PodRecords): readonly ContainerRecord[] {
  return init.length === 0 ? app : [...app, ...init];
}

/** The emptyDir on the node's disk to which the container writes: the first that it mounts. */
export function volumeOf({ volumes }: PodSpec, { volumeMounts }: Container): string | undefined {
  if (volumes === undefined || volumeMounts === undefined) return undefined;
  const isOnDisk = (name: string): boolean =>
    volumes.some(
      (volume) => volume.name === name && volume.emptyDir !== undefined && (volume.emptyDir.medium ?? '') === '',
    );
  return volumeMounts.find(({ name }) => isOnDisk(name))?.name;
}
