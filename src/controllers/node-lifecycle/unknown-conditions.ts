/** What the controller says of a node that it no longer hears of. Pure. */
import type { core, Node } from '../../api/objects/objects.js';

/** In the order in which they are looked at; NetworkUnavailable is not the kubelet's. */
const TYPES = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];
/** Reason of a condition that no kubelet ever wrote. */
export const NEVER_UPDATED = 'NodeStatusNeverUpdated';

/** The node with the conditions of its kubelet Unknown; the argument itself if Ready is so already. */
export function withUnknownConditions(node: Node, timestamp: string): Node {
  const { conditions = [] } = node.status;
  if (conditions.some(({ type, status }) => type === 'Ready' && status === 'Unknown')) return node;
  const changed = conditions.map((condition) => {
    if (!TYPES.includes(condition.type) || condition.status === 'Unknown') return condition;
    return {
      ...condition,
      status: 'Unknown',
      lastTransitionTime: timestamp,
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    };
  });
  const missing = TYPES.filter((type) => !conditions.some((condition) => condition.type === type));
  const added = missing.map((type): core.NodeCondition => ({
    type,
    status: 'Unknown',
    lastHeartbeatTime: node.metadata.creationTimestamp,
    lastTransitionTime: timestamp,
    reason: NEVER_UPDATED,
    message: 'Kubelet never posted node status.',
  }));
  return { ...node, status: { ...node.status, conditions: [...changed, ...added] } };
}
