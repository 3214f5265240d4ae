import { getCondition } from '../api/conditions.js';
import type { Pod } from '../api/objects.js';

/** Pods that the scheduler could not place, grouped by why. */
export interface UnschedulableGroup {
  /** The reasons without their node counts, such as `Insufficient cpu, Insufficient memory`. */
  readonly reason: string;
  /** Pods in the group. */
  readonly count: number;
  /** The scheduler's full text for the first pod of the group. */
  readonly example: string;
}

/** Groups the pending pods among `pods` whose condition PodScheduled is False, largest group first. */
export function groupUnschedulable(pods: Iterable<Pod>): readonly UnschedulableGroup[] {
  const groups = new Map<string, { count: number; example: string }>();
  for (const pod of pods) {
    if (pod.status.phase !== 'Pending' || pod.spec.nodeName !== undefined) continue;
    const condition = getCondition(pod.status.conditions, 'PodScheduled');
    if (condition?.status !== 'False') continue;
    const message = condition.message ?? condition.reason ?? '';
    const reason = reasonsOf(message);
    const group = groups.get(reason);
    if (group === undefined) groups.set(reason, { count: 1, example: message });
    else group.count += 1;
  }
  return [...groups]
    .map(([reason, { count, example }]) => ({ reason, count, example }))
    .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}

/** `0/9 nodes are available: 4 Insufficient cpu, 5 b. …` to `Insufficient cpu, b`. */
function reasonsOf(message: string): string {
  const [, histogram] = /^0\/\d+ nodes are available: (.*?)\.(?: |$)/.exec(message) ?? [];
  if (histogram === undefined) return message;
  const reasons = histogram.split(', ').map((entry) => entry.replace(/^\d+ /, ''));
  return reasons.toSorted((a, b) => (a < b ? -1 : Number(a > b))).join(', ');
}
