import { isOutOfService } from '../../api/tolerations.js';
import type { World } from './invariant.js';

/** Whether somebody has said that nothing of a node runs any more: its object is gone, or out of service. */
export function isReleased(world: World, name: string): boolean {
  const node = world.find('Node', { name });
  return node === undefined || isOutOfService(node.spec.taints);
}
