import { getCondition, isPodTerminal } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';

/** Whether a pod counts as a replica: neither finished nor marked for deletion. */
export function isPodActive(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod);
}

/** Timestamp since which a pod has been ready; `undefined` when it is not, or does not say. */
export function podReadySince(pod: Pod): string | undefined {
  const condition = getCondition(pod.status.conditions, 'Ready');
  return condition?.status === 'True' ? condition.lastTransitionTime : undefined;
}
