/** What there is on a machine to run short of, in plain numbers. Pure. */
import type { ResourceList } from '../../api/objects/objects.js';
import { cpuMillis, wholeValue } from '../../api/values/quantity.js';
import type { KubeletSettings } from '../configuration/kubelet-configuration.js';
import { amountOf } from '../configuration/threshold.js';

/** See the file header. */
export interface MachineCapacity {
  /** What evictions see: see {@link machineCapacity}. */
  readonly memoryBytes: number;
  /** The same of the cgroup of all pods. */
  readonly podMemoryBytes: number;
  /** What the machine has; Infinity = its description does not say. */
  readonly machineBytes: number;
  /** Where the kernel stops all pods together: what the machine has, less what is reserved. */
  readonly podLimitBytes: number;
  /** The one disk, for images, logs, writable layers and volumes; `undefined` = its description does not say. */
  readonly diskBytes: number | undefined;
  readonly processes: number;
}

/** Linux' own default: 1024 for each CPU, and at least this. */
const LEAST_PROCESSES = 32_768;
const PROCESSES_PER_CPU = 1024;
const MILLIS_PER_CPU = 1000;

/**
 * What a node has by its description. Where allocatable and reserved exceed the stated capacity it has as much as
 * they say, and for evictions what the hard threshold keeps on top: pods that use what they request are then never
 * evicted.
 */
export function machineCapacity(
  capacity: ResourceList,
  allocatable: ResourceList,
  { thresholds, reserved }: KubeletSettings,
): MachineCapacity {
  const stated = amountIn(capacity, 'memory');
  const hard = thresholds.find(({ signal, graceMs }) => signal === 'memory.available' && graceMs === 0);
  const kept = hard === undefined ? 0 : amountOf(hard.value, stated);
  const reservedBytes = reserved.reduce((sum, list) => sum + amountIn(list, 'memory'), 0);
  const promised = amountIn(allocatable, 'memory') + reservedBytes;
  const memoryBytes = Math.max(stated, promised + kept);
  const machineBytes = capacity['memory'] === undefined ? Infinity : Math.max(stated, promised);
  const disk = capacity['ephemeral-storage'];
  const cpus = capacity['cpu'] === undefined ? 0 : Math.ceil(cpuMillis(capacity['cpu']) / MILLIS_PER_CPU);
  return {
    memoryBytes,
    podMemoryBytes: memoryBytes - reservedBytes,
    machineBytes,
    podLimitBytes: machineBytes - reservedBytes,
    diskBytes: disk === undefined ? undefined : wholeValue(disk),
    processes: Math.max(LEAST_PROCESSES, cpus * PROCESSES_PER_CPU),
  };
}

function amountIn(list: ResourceList, name: string): number {
  const quantity = list[name];
  return quantity === undefined ? 0 : wholeValue(quantity);
}
