/** How much of a node its pods ask for. Mirrors cluster-autoscaler v1.34 `simulator/utilization`. */
import type { Timestamps } from '../../../kernel/timestamps.js';
import type { Amounts, PlacedNode, Placement } from '../autoscaler-seams.js';
import type { AutoscalerSettings } from '../autoscaler-settings.js';
import { isDaemonSetPod, isLongTerminating, isMirrorPod } from '../pod-traits.js';

/** See the file header. */
export interface Utilization {
  readonly cpu: number;
  readonly memory: number;
  /** The larger of the two. */
  readonly value: number;
}

export function utilizationOf(
  placed: PlacedNode,
  settings: AutoscalerSettings,
  placement: Placement,
  nowMs: number,
  timestamps: Timestamps,
): Utilization {
  const asked = { cpuMillis: placed.cpuMillis, memoryBytes: placed.memoryBytes };
  const aside = { cpuMillis: 0, memoryBytes: 0 };
  for (const pod of placed.pods) {
    const isAside =
      (settings.ignoreDaemonsetsUtilization && isDaemonSetPod(pod)) ||
      (settings.ignoreMirrorPodsUtilization && isMirrorPod(pod));
    if (!isAside && !isLongTerminating(pod, nowMs, timestamps)) continue;
    const requests: Amounts = placement.requestsOf(pod);
    for (const field of ['cpuMillis', 'memoryBytes'] as const) {
      asked[field] -= requests[field];
      if (isAside) aside[field] += requests[field];
    }
  }
  const cpu = asked.cpuMillis / (placed.allocatableCpuMillis - aside.cpuMillis);
  const memory = asked.memoryBytes / (placed.allocatableMemoryBytes - aside.memoryBytes);
  return { cpu, memory, value: cpu > memory ? cpu : memory };
}

/** As Go's `%v` prints upstream's structure. */
export function utilizationText({ cpu, memory, value }: Utilization): string {
  return `{${cpu} ${memory} 0 0 ${cpu > memory ? 'cpu' : 'memory'} ${value}}`;
}
