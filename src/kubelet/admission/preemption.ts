/**
 * Which pods a kubelet ends so that a critical pod finds room. Pure. Mirrors pkg/kubelet/preemption (v1.34).
 */
import type { Pod } from '../../api/objects/objects.js';
import { podRequests } from '../../api/pods/pod-resources.js';
import { podQosClass, type QosClass } from '../../api/pods/qos-class.js';
import { isCritical } from '../configuration/critical-pod.js';
import type { Shortage } from '../node/node-resources.js';

/** A resource and how much of it is still needed. */
interface Requirement {
  readonly resource: string;
  readonly amount: number;
}

type Requirements = readonly Requirement[];

/** A pod that could make room, or what stands for it, such as its worker. */
interface PodHolder {
  readonly pod: Pod;
}

/** Those to end, in order, or what cannot be freed, in upstream's words. */
export type VictimChoice<T> = { readonly victims: readonly T[] } | { readonly error: string };

/** See the file header. */
export function chooseVictims<T extends PodHolder>(
  preemptor: Pod,
  candidates: Iterable<T>,
  shortages: readonly Shortage[],
): VictimChoice<T> {
  const classes: Record<QosClass, T[]> = { BestEffort: [], Burstable: [], Guaranteed: [] };
  for (const candidate of candidates) {
    if (isPreemptable(preemptor, candidate.pod)) classes[podQosClass(candidate.pod.spec)].push(candidate);
  }
  const { BestEffort: bestEffort, Burstable: burstable, Guaranteed: guaranteed } = classes;
  const needed = shortages.map(({ resource, requested, used, capacity }) => ({
    resource,
    amount: requested - (capacity - used),
  }));
  const unmet = without(needed, [...bestEffort, ...burstable, ...guaranteed]);
  if (unmet.length > 0) return { error: `no set of running pods found to reclaim resources: ${textOf(unmet)}` };
  const fromGuaranteed = nearest(guaranteed, without(needed, [...bestEffort, ...burstable]));
  const fromBurstable = nearest(burstable, without(needed, [...bestEffort, ...fromGuaranteed]));
  const fromBestEffort = nearest(bestEffort, without(needed, [...fromBurstable, ...fromGuaranteed]));
  return { victims: [...fromBestEffort, ...fromBurstable, ...fromGuaranteed] };
}

function isPreemptable(preemptor: Pod, pod: Pod): boolean {
  if (isCritical(preemptor) && !isCritical(pod)) return true;
  const { priority } = preemptor.spec;
  return priority !== undefined && pod.spec.priority !== undefined && priority > pod.spec.priority;
}

/** Takes, one by one, the pod that comes nearest to what is still needed. The pods together suffice. */
function nearest<T extends PodHolder>(pods: readonly T[], needed: Requirements): T[] {
  const left = [...pods];
  const victims: T[] = [];
  let open = needed;
  while (open.length > 0 && left.length > 0) {
    let best = 0;
    let bestDistance = open.length + 1;
    for (const [index, candidate] of left.entries()) {
      const distance = distanceOf(open, candidate.pod);
      const rival = left[best];
      const isNearer = distance < bestDistance;
      if (isNearer || (distance === bestDistance && rival !== undefined && asksForLess(candidate.pod, rival.pod))) {
        best = index;
        bestDistance = distance;
      }
    }
    const [victim] = left.splice(best, 1, ...left.slice(-1));
    left.pop();
    if (victim === undefined) break;
    victims.push(victim);
    open = without(open, [victim]);
  }
  return victims;
}

/** Sum of the squared shares that would still be needed; each resource counts the same. */
function distanceOf(needed: Requirements, pod: Pod): number {
  let distance = 0;
  for (const { resource, amount } of needed) {
    const remaining = amount - requestOf(pod, resource);
    const share = remaining / amount;
    if (remaining > 0) distance += share * share;
  }
  return distance;
}

function without(needed: Requirements, pods: readonly PodHolder[]): Requirements {
  return needed.flatMap(({ resource, amount }) => {
    let open = amount;
    for (const { pod } of pods) open -= requestOf(pod, resource);
    return open > 0 ? [{ resource, amount: open }] : [];
  });
}

function asksForLess(pod: Pod, other: Pod): boolean {
  for (const resource of ['memory', 'cpu']) {
    const difference = requestOf(pod, resource) - requestOf(other, resource);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

function requestOf({ spec }: Pod, resource: string): number {
  return resource === 'pods' ? 1 : (podRequests(spec).get(resource) ?? 0);
}

function textOf(needed: Requirements): string {
  return `[${needed.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join('')}]`;
}
