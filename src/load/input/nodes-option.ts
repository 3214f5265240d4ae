import { DEFAULT_NODE_GROUP } from '../../workload/node-groups.js';
import { OptionError } from '../../options/option-error.js';
import type { NodeDescription } from '../../options/node-description.js';

const MOST_NODES = 100_000;

/** Nodes of a load test: workers, as the selectors of load tests name them. @throws OptionError */
export function nodesOption(nodes: unknown): readonly NodeDescription[] {
  if (typeof nodes !== 'number' || !Number.isInteger(nodes) || nodes < 1 || nodes > MOST_NODES) {
    throw new OptionError('nodes', `an integer in 1..${MOST_NODES}`, nodes);
  }
  return [{ ...DEFAULT_NODE_GROUP, count: nodes, labels: { 'node-role.kubernetes.io/worker': '' } }];
}
