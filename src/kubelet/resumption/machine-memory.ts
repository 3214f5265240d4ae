/**
 * What a machine knows that no object tells, to be written down: how runs will end by themselves, back-offs, images
 * that the node's status does not name. Times count from now.
 */
import type { Node } from '../../api/objects/objects.js';
import type { ContainerMemory, MachineMemory, PodMemory } from '../resumed/resumed-machine.js';
import type { ContainerSlot, PodSandbox } from '../containers/container-runtime.js';
import type { BackOffEntry } from '../containers/restart-back-off.js';
import { fullReference } from '../images/image-store.js';
import type { NodeContext } from '../node/node-context.js';
import type { PodWorker } from '../pods/pod-worker.js';

const NO_RECORDS = { init: [], app: [], ephemeral: [] };

/** What a kubelet's process knows of pods by their uids. */
interface PodsInMemory {
  worker(uid: string): PodWorker | undefined;
  /** Of a pod that has been taken over, and not been worked on yet. */
  resumed(uid: string): PodMemory | undefined;
}

/** See the file header. */
export function machineMemory(
  { runtime, images, kernel }: NodeContext,
  node: Node | undefined,
  pods: PodsInMemory,
): Pick<MachineMemory, 'images' | 'pods'> {
  const nowMs = kernel.clock.now();
  const shown = new Set((node?.status.images ?? []).flatMap(({ names = [] }) => names.map(fullReference)));
  const memories: Record<string, PodMemory> = {};
  for (const sandbox of runtime.sandboxes) {
    const { uid } = sandbox.pod.metadata;
    const worker = pods.worker(uid);
    const memory = podMemory(sandbox, worker, worker === undefined ? pods.resumed(uid) : undefined, nowMs);
    if (memory !== undefined) memories[uid] = memory;
  }
  return { images: [...images.names].filter((name) => !shown.has(name)), pods: memories };
}

function podMemory(
  { slots }: PodSandbox,
  worker: PodWorker | undefined,
  resumed: PodMemory | undefined,
  nowMs: number,
): PodMemory | undefined {
  const { init, app, ephemeral } = worker?.records ?? NO_RECORDS;
  const records = [...init, ...app, ...ephemeral];
  const containers: Record<string, ContainerMemory> = {};
  for (const slot of slots) {
    const record = records.find((each) => each.slot === slot);
    const backOff = record === undefined ? resumed?.containers[slot.name]?.backOff : record.backOff;
    const memory = containerMemory(slot, backOff, nowMs);
    if (memory !== undefined) containers[slot.name] = memory;
  }
  const failedPulls = worker?.failedPulls ?? new Map(Object.entries(resumed?.failedPulls ?? {}));
  if (Object.keys(containers).length === 0 && failedPulls.size === 0) return undefined;
  if (failedPulls.size === 0) return { containers };
  const pulls = [...failedPulls].map(
    ([image, pull]) => [image, { ...pull, updatedMs: pull.updatedMs - nowMs }] as const,
  );
  return { containers, failedPulls: Object.fromEntries(pulls) };
}

function containerMemory(
  slot: ContainerSlot,
  backOff: BackOffEntry | undefined,
  nowMs: number,
): ContainerMemory | undefined {
  const { failedCreations, spentCpuSeconds } = slot;
  const end = slot.isRunning ? slot.ending?.own : undefined;
  if (end === undefined && backOff === undefined && failedCreations === 0 && spentCpuSeconds === 0) return undefined;
  return {
    ...(end === undefined ? {} : { end: { ...end, atMs: end.atMs - nowMs } }),
    ...(backOff === undefined ? {} : { backOff: { ...backOff, updatedMs: backOff.updatedMs - nowMs } }),
    ...(failedCreations === 0 ? {} : { failedCreations }),
    ...(spentCpuSeconds === 0 ? {} : { spentCpuSeconds }),
  };
}
