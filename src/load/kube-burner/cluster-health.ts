/** Whether the nodes are well (pkg/util/cluster_health.go): each is Ready, and none is short of anything. */
import type { LoadPlayer } from '../player/load-player.js';

/** @returns what is not well, a line for each condition of a node */
export async function clusterProblems(player: LoadPlayer): Promise<string[]> {
  const nodes = await player.requests.list('Node', {});
  return nodes.flatMap(({ metadata, status }) =>
    (status.conditions ?? []).flatMap(({ type, status: value }) => {
      if (type === 'Ready') return value === 'True' ? [] : [`node ${metadata.name} is not Ready`];
      return value === 'False' ? [] : [`node ${metadata.name} is experiencing ${type}`];
    }),
  );
}
