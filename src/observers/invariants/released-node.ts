import { isOutOfService } from '../../api/selectors/tolerations.js';
import { keyOf, type Pod } from '../../api/objects/objects.js';
import type { World } from './invariant.js';

/**
 * Within that time pod GC has removed what it found bound to a node that was gone, and a node that has come back has
 * let go of what it has lost, even over a bad link.
 */
const COLLECTION_MS = 10 * 60_000;
/** Within that time a request that was sent has been answered. */
const IN_FLIGHT_MS = 60_000;

/**
 * Whether nothing of a node runs any more by declaration: its object is gone, or was a moment ago, or is out of
 * service.
 */
export function isReleased(world: World, name: string): boolean {
  const node = world.find('Node', { name });
  if (node === undefined || isOutOfService(node.spec.taints)) return true;
  return world.nowMs - (world.node(name)?.deletionsMs.at(-1) ?? Number.NEGATIVE_INFINITY) < COLLECTION_MS;
}

/**
 * Whether the request may have been meant for the pod that had its name before, on a node that is released: pod GC
 * deletes by name, without the uid (markFailedAndDeletePodWithCondition of pkg/controller/podgc, v1.34).
 */
export function isMeantForFormer(pod: Pod, world: World): boolean {
  const former = world.formerPod(keyOf(pod));
  if (former === undefined || former.nodeName === '' || world.nowMs - former.goneMs >= IN_FLIGHT_MS) return false;
  return isReleased(world, former.nodeName);
}

/**
 * Whether volumes may have been taken by force from a node: it is released, or has come back from that a moment ago;
 * or it is not Ready, or was not a moment ago, and no attach records keep its volumes for it.
 */
export function isForced(world: World, name: string, hasRecords: boolean): boolean {
  const { unreadyMs, readySinceMs, addedMs, deletionsMs = [] } = world.node(name) ?? {};
  const isRecent = (sinceMs: number | undefined): boolean =>
    sinceMs === undefined || world.nowMs - sinceMs < COLLECTION_MS;
  if (isReleased(world, name) || (deletionsMs.length > 0 && isRecent(addedMs))) return true;
  return !hasRecords && unreadyMs !== undefined && isRecent(readySinceMs);
}
