/** Which pods a node takes that is short of something. Pure. Mirrors the eviction manager's Admit (v1.34). */
import type { Pod } from '../../api/objects/objects.js';
import { podQosClass } from '../../api/pods/qos-class.js';
import { isTolerated } from '../../api/selectors/tolerations.js';
import { isCritical } from '../configuration/critical-pod.js';
import type { Pressure } from '../configuration/node-conditions.js';
import type { Rejection } from './rejection.js';

const MEMORY_TAINT = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' };

/** See the file header. */
export function pressureRejection(pod: Pod, pressures: readonly Pressure[]): Rejection | undefined {
  if (pressures.length === 0 || isCritical(pod)) return undefined;
  if (pressures.every((pressure) => pressure === 'MemoryPressure')) {
    const isBestEffort = podQosClass(pod.spec) === 'BestEffort';
    if (!isBestEffort || isTolerated(MEMORY_TAINT, pod.spec.tolerations)) return undefined;
  }
  return { reason: 'Evicted', message: `The node had condition: [${pressures.join(' ')}]. ` };
}
