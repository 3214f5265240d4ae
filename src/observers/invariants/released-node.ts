import { isOutOfService } from '../../api/selectors/tolerations.js';
import type { World } from './invariant.js';

/** Within that time pod GC has removed what it found bound to a node that was gone, even over a bad link. */
const COLLECTION_MS = 10 * 60_000;

/**
 * Whether somebody has said that nothing of a node runs any more: its object is gone, or was a moment ago, or is out
 * of service.
 */
export function isReleased(world: World, name: string): boolean {
  const node = world.find('Node', { name });
  if (node === undefined || isOutOfService(node.spec.taints)) return true;
  return world.nowMs - (world.node(name)?.deletionsMs.at(-1) ?? Number.NEGATIVE_INFINITY) < COLLECTION_MS;
}
