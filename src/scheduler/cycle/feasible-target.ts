/** Below this number of nodes every one is looked at. */
const MIN_FEASIBLE_NODES = 100;
const MAX_ADAPTIVE_PERCENTAGE = 50;
const NODES_PER_PERCENT = 125;
const MIN_ADAPTIVE_PERCENTAGE = 5;

/**
 * How many feasible nodes are enough among `nodeCount`. Upstream: `numFeasibleNodesToFind` of
 * kube-scheduler v1.34.
 *
 * @param percentage - 1..100, or 0 = fewer the more nodes there are
 */
export function feasibleTarget(nodeCount: number, percentage: number): number {
  if (nodeCount < MIN_FEASIBLE_NODES || percentage >= 100) return nodeCount;
  const adaptive = Math.max(
    MAX_ADAPTIVE_PERCENTAGE - Math.trunc(nodeCount / NODES_PER_PERCENT),
    MIN_ADAPTIVE_PERCENTAGE,
  );
  const wanted = Math.trunc((nodeCount * (percentage === 0 ? adaptive : percentage)) / 100);
  return Math.max(wanted, MIN_FEASIBLE_NODES);
}
