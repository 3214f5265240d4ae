/** Which active pods of a job go when there are too many. Mirrors kube-controller-manager v1.34 activePodsForRemoval and controller.ActivePods. */
import type { Job } from '../../api/objects/batch-objects.js';
import { isPodReady } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';
import { moreRestartsFirst, podRestarts } from '../shared/pod-restarts.js';
import { podReadySince } from '../shared/pod-state.js';
import { inMapOrder, type MapOrder } from '../runtime/map-order.js';
import { isIndexed, validIndexOf } from './job-pods.js';

const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** At least `count` pods to delete; of an indexed job also those that share an index or have none. */
export function excessPods(job: Job, active: readonly Pod[], count: number, order?: Pick<MapOrder, 'pods'>): Pod[] {
  const met = [...inMapOrder(active, order?.pods.bind(order))];
  const [excess, left] = isIndexed(job) ? splitByIndex(job, met) : [[], met];
  if (excess.length < count) excess.push(...left.sort(compareActive).slice(0, count - excess.length));
  return excess;
}

/** Of each index one pod is left, the one that would go last. */
function splitByIndex(job: Job, active: readonly Pod[]): [excess: Pod[], left: Pod[]] {
  const excess: Pod[] = [];
  const byIndex = new Map<number, Pod[]>();
  for (const pod of active) {
    const index = validIndexOf(pod, job);
    if (index === undefined) {
      excess.push(pod);
      continue;
    }
    const pods = byIndex.get(index);
    if (pods === undefined) byIndex.set(index, [pod]);
    else pods.push(pod);
  }
  const left: Pod[] = [];
  for (const pods of byIndex.values()) {
    const ordered = pods.length === 1 ? pods : pods.sort(compareActive);
    left.push(ordered.at(-1) as Pod);
    excess.push(...ordered.slice(0, -1));
  }
  return [excess, left];
}

/** Negative when `left` goes first. */
function compareActive(left: Pod, right: Pod): number {
  return (
    Number(isAssigned(left)) - Number(isAssigned(right)) ||
    (PHASE_ORDER[left.status.phase] ?? 0) - (PHASE_ORDER[right.status.phase] ?? 0) ||
    Number(isPodReady(left)) - Number(isPodReady(right)) ||
    (isPodReady(left) ? laterFirst(podReadySince(left), podReadySince(right)) : 0) ||
    moreRestartsFirst(podRestarts(left), podRestarts(right)) ||
    laterFirst(left.metadata.creationTimestamp, right.metadata.creationTimestamp)
  );
}

function isAssigned({ spec }: Pod): boolean {
  return spec.nodeName !== undefined && spec.nodeName !== '';
}

/** Timestamps of the API server sort as texts; one that is not known counts as the latest. */
function laterFirst(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  return left > right ? -1 : 1;
}
