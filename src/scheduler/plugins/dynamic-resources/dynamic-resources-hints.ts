/** What may make a pod schedulable that DynamicResources rejected (kube-scheduler v1.34). */
import type { ResourceClaim } from '../../../api/objects/device-objects.js';
import type { Pod } from '../../../api/objects/objects.js';
import { isSameJson } from '../../../api/values/canonical-json.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../../framework/cluster-event.js';

/** The claims of a pod, or why they are not all there. */
export type ClaimsOf = (pod: Pod) => readonly ResourceClaim[] | string;

/** @param claimsOf - as the scheduler knows them when it is asked */
export function dynamicResourcesEvents(claimsOf: ClaimsOf): readonly ClusterEventWithHint[] {
  return [
    onEvent('Node', ActionType.Add | ActionType.UpdateNodeLabel | ActionType.UpdateNodeAllocatable),
    onEvent('ResourceClaim', ActionType.Add | ActionType.Update, (pod, before, after) =>
      hintOfClaim(claimsOf(pod), before as ResourceClaim | undefined, after as ResourceClaim),
    ),
    onEvent('Pod', ActionType.UpdatePodGeneratedResourceClaim, (pod, _before, after) => {
      if (after?.metadata.uid !== pod.metadata.uid) return QueueingHint.Skip;
      return typeof claimsOf(after as Pod) === 'string' ? QueueingHint.Skip : QueueingHint.Queue;
    }),
    onEvent('DeviceClass', ActionType.Add | ActionType.Update),
    onEvent('ResourceSlice', ActionType.Add | ActionType.Update),
  ];
}

function hintOfClaim(
  claims: readonly ResourceClaim[] | string,
  before: ResourceClaim | undefined,
  after: ResourceClaim,
): QueueingHint {
  if (typeof claims === 'string') return QueueingHint.Skip;
  // Devices have come free, for whatever pod.
  if (before?.status.allocation !== undefined && after.status.allocation === undefined) return QueueingHint.Queue;
  if (!claims.some(({ metadata }) => metadata.uid === after.metadata.uid)) return QueueingHint.Skip;
  if (before === undefined) return QueueingHint.Queue;
  return isSameJson(before.status, after.status) ? QueueingHint.Skip : QueueingHint.Queue;
}
