import { DEFAULT_NODE_GROUP } from '../../workload/node-groups.js';
import { OptionError } from '../../options/option-error.js';
import type { NodeDescription } from '../../options/node-description.js';

const MOST_NODES = 100_000;

/**
 * Nodes of a load test: workers, as the selectors of load tests name them.
 *
 * @param isTakenOver - there are others already
 * @throws OptionError
 */
export function nodesOption(nodes: unknown, isTakenOver: boolean): readonly NodeDescription[] {
  const fewest = isTakenOver ? 0 : 1;
  if (typeof nodes !== 'number' || !Number.isInteger(nodes) || nodes < fewest || nodes > MOST_NODES) {
    throw new OptionError('nodes', `an integer in ${fewest}..${MOST_NODES}`, nodes);
  }
  if (nodes === 0) return [];
  return [{ ...DEFAULT_NODE_GROUP, count: nodes, labels: { 'node-role.kubernetes.io/worker': '' } }];
}
