import type { Cluster } from '../../cluster/cluster.js';

/** Reasons that are told. */
const TOLD = 2;

/** Why pods wait for a node, behind a message; empty when none does. */
export function waitingText(cluster: Pick<Cluster, 'unschedulable'>): string {
  const groups = cluster.unschedulable();
  if (groups.length === 0) return '';
  return `; pods wait: ${groups
    .slice(0, TOLD)
    .map(({ count, example }) => `${count}: ${example}`)
    .join('; ')}`;
}
