/** Which pods may be collected, and in what order. Pure. */
import { getCondition } from '../../api/objects/conditions.js';
import type { Node, Pod } from '../../api/objects/objects.js';
import { isOutOfService } from '../../api/selectors/tolerations.js';

/** Whether an operator has declared that a node is down for good, and it is not up. Only the taint's key counts. */
export function isDownForGood({ spec, status }: Node): boolean {
  if (!isOutOfService(spec.taints)) return false;
  return getCondition(status.conditions, 'Ready')?.status !== 'True';
}

/** A phase that is none of those of a pod that lives. */
export function isTerminatedPhase(phase: Pod['status']['phase']): boolean {
  return phase !== 'Pending' && phase !== 'Running' && phase !== 'Unknown';
}

/** Evicted pods first, then the older ones, then by name. */
export function podsInOrder(pods: readonly Pod[]): Pod[] {
  return pods.toSorted((a, b) => {
    const isEvictedA = isEvicted(a);
    if (isEvictedA !== isEvicted(b)) return isEvictedA ? -1 : 1;
    return (
      compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) || compare(a.metadata.name, b.metadata.name)
    );
  });
}

function isEvicted({ status }: Pod): boolean {
  return status.phase === 'Failed' && status.reason === 'Evicted';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
