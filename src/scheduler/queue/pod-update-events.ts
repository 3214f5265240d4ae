import type { core, Pod, StringMap } from '../../api/objects/objects.js';
import { ActionType, clusterEvent, type ClusterEvent } from '../framework/cluster-event.js';
import { ceilMilli } from '../framework/amount.js';
import { podRequests } from '../framework/pod-requests.js';

/** A pod that is not bound was created. */
export const UNSCHEDULED_POD_ADD = clusterEvent('UnscheduledPod', ActionType.Add, 'UnschedulablePodAdd');

/** A pod that is not bound changed in a way that has no event of its own. */
export const UNSCHEDULED_POD_UPDATE = updateEvents(ActionType.UpdatePodOther, 'Update').unscheduled;

interface EventPair {
  readonly unscheduled: ClusterEvent;
  readonly assigned: ClusterEvent;
}

/** The same change of a pod before and after it was bound; upstream labels the former UnschedulablePod. */
function updateEvents(actionType: number, name: string): EventPair {
  return {
    unscheduled: clusterEvent('UnscheduledPod', actionType, `UnschedulablePod${name}`),
    assigned: clusterEvent('AssignedPod', actionType, `AssignedPod${name}`),
  };
}

const OTHER_UPDATE = updateEvents(ActionType.UpdatePodOther, 'Update');

/** In upstream's order. */
const UPDATES: readonly { readonly events: EventPair; isIn(oldPod: Pod, newPod: Pod): boolean }[] = [
  {
    events: updateEvents(ActionType.UpdatePodLabel, 'UpdatePodLabel'),
    isIn: (oldPod, newPod) => !areLabelsEqual(oldPod.metadata.labels, newPod.metadata.labels),
  },
  { events: updateEvents(ActionType.UpdatePodScaleDown, 'UpdatePodScaleDown'), isIn: isScaledDown },
  {
    events: updateEvents(ActionType.UpdatePodSchedulingGatesEliminated, 'UpdatePodSchedulingGatesEliminated'),
    isIn: (oldPod, newPod) => countOf(oldPod.spec.schedulingGates) > 0 && countOf(newPod.spec.schedulingGates) === 0,
  },
  {
    events: updateEvents(ActionType.UpdatePodToleration, 'UpdatePodToleration'),
    isIn: (oldPod, newPod) => countOf(oldPod.spec.tolerations) !== countOf(newPod.spec.tolerations),
  },
  {
    events: updateEvents(ActionType.UpdatePodGeneratedResourceClaim, 'UpdatePodGeneratedResourceClaim'),
    isIn: (oldPod, newPod) => !areClaimsEqual(oldPod.status.resourceClaimStatuses, newPod.status.resourceClaimStatuses),
  },
];

/**
 * What changed in a pod, as events of an assigned or an unscheduled pod; at least one, since a change
 * without an event of its own counts as a plain update. Mirrors kube-scheduler v1.34
 * `framework.PodSchedulingPropertiesChange`.
 */
export function podUpdateEvents(oldPod: Pod, newPod: Pod): readonly ClusterEvent[] {
  const half = (newPod.spec.nodeName ?? '') === '' ? 'unscheduled' : 'assigned';
  const events = UPDATES.filter((update) => update.isIn(oldPod, newPod)).map((update) => update.events[half]);
  return events.length > 0 ? events : [OTHER_UPDATE[half]];
}

function countOf(list: readonly unknown[] | undefined): number {
  return list?.length ?? 0;
}

function areLabelsEqual(a: StringMap = {}, b: StringMap = {}): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Whether any request shrank or went away, by what the spec asks for and the status says. */
function isScaledDown(oldPod: Pod, newPod: Pod): boolean {
  if (areRequestsShared(oldPod, newPod)) return false;
  const after = podRequests(newPod.spec, { status: newPod.status });
  for (const [name, amount] of podRequests(oldPod.spec, { status: oldPod.status })) {
    const left = after.get(name);
    if (left === undefined || ceilMilli(left) < ceilMilli(amount)) return true;
  }
  return false;
}

/** Most updates leave alone everything that requests depend on: the objects are the same ones then. */
function areRequestsShared(a: Pod, b: Pod): boolean {
  return (
    a.spec.containers === b.spec.containers &&
    a.spec.initContainers === b.spec.initContainers &&
    a.spec.resources === b.spec.resources &&
    a.spec.overhead === b.spec.overhead &&
    areStatusesShared(a.status.containerStatuses, b.status.containerStatuses) &&
    areStatusesShared(a.status.initContainerStatuses, b.status.initContainerStatuses)
  );
}

function areStatusesShared(
  a: readonly core.ContainerStatus[] | undefined,
  b: readonly core.ContainerStatus[] | undefined,
): boolean {
  return a === b || (!hasResources(a) && !hasResources(b));
}

function hasResources(statuses: readonly core.ContainerStatus[] | undefined): boolean {
  return statuses?.some((status) => status.resources !== undefined || status.allocatedResources !== undefined) === true;
}

function areClaimsEqual(
  a: readonly core.PodResourceClaimStatus[] | undefined,
  b: readonly core.PodResourceClaimStatus[] | undefined,
): boolean {
  if (a === b) return true;
  return (
    countOf(a) === countOf(b) &&
    (a ?? []).every(
      (claim, index) => claim.name === b?.[index]?.name && claim.resourceClaimName === b[index].resourceClaimName,
    )
  );
}
