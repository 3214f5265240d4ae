import { getCondition } from '../api/objects/conditions.js';
import type { Pod } from '../api/objects/objects.js';

/** Pods that the scheduler could not place, grouped by why. */
export interface UnschedulableGroup {
  /** The reasons without their node counts, such as `Insufficient cpu, Insufficient memory`. */
  readonly reason: string;
  /** Pods in the group. */
  readonly count: number;
  /** The scheduler's full text for the first pod of the group. */
  readonly example: string;
}

/** Groups the pending pods among `pods` with PodScheduled at False, largest group first. */
export function groupUnschedulable(pods: Iterable<Pod>): readonly UnschedulableGroup[] {
  const groups = new UnschedulableGroups();
  for (const pod of pods) {
    const message = unschedulableMessage(pod);
    if (message !== undefined) groups.add(message);
  }
  return groups.sorted();
}

/** Why the scheduler could not place a pending pod so far; `undefined` when it has not said so. */
export function unschedulableMessage({ spec, status }: Pod): string | undefined {
  if (status.phase !== 'Pending' || spec.nodeName !== undefined) return undefined;
  const condition = getCondition(status.conditions, 'PodScheduled');
  return condition?.status === 'False' ? (condition.message ?? condition.reason ?? '') : undefined;
}

/** Messages counted by their reasons. */
export class UnschedulableGroups {
  readonly #groups = new Map<string, { count: number; example: string }>();

  add(message: string): void {
    const reason = reasonsOf(message);
    const group = this.#groups.get(reason);
    if (group === undefined) this.#groups.set(reason, { count: 1, example: message });
    else group.count += 1;
  }

  /** Largest group first. */
  sorted(): readonly UnschedulableGroup[] {
    return [...this.#groups]
      .map(([reason, { count, example }]) => ({ reason, count, example }))
      .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
  }
}

/** `0/9 nodes are available: 4 Insufficient cpu, 5 b. …` to `Insufficient cpu, b`. */
function reasonsOf(message: string): string {
  const [, histogram] = /^0\/\d+ nodes are available: (.*?)\.(?: |$)/.exec(message) ?? [];
  if (histogram === undefined) return message;
  const reasons = histogram.split(', ').map((entry) => entry.replace(/^\d+ /, ''));
  return reasons.toSorted((a, b) => (a < b ? -1 : Number(a > b))).join(', ');
}
