import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { NodeInfo } from '../framework/node-info.js';
import { podPriority, type PodInfo } from '../framework/pod-info.js';
import type { Status } from '../framework/status.js';

/** Who is nominated where; the scheduling queue knows. */
export interface Nominator {
  readonly nominatedCount: number;
  nominatedPodsForNode(nodeName: string): readonly PodInfo[];
}

/** The pods nominated to a node that count for this pod: others of at least its priority. */
export function relevantNominations(nominator: Nominator, pod: PodInfo, nodeName: string): readonly PodInfo[] {
  const nominated = nominator.nominatedPodsForNode(nodeName);
  if (nominated.length === 0) return nominated;
  const priority = podPriority(pod.pod);
  const { uid } = pod.pod.metadata;
  return nominated.filter((other) => other.pod.metadata.uid !== uid && podPriority(other.pod) >= priority);
}

/**
 * Filters one node in the plain form: first as if the pods nominated to it were there, then as it is;
 * both must pass, since a nominated pod may come or not. Upstream:
 * `RunFilterPluginsWithNominatedPods` of kube-scheduler v1.34.
 */
export function filterWithNominatedPods(
  framework: Framework,
  nominator: Nominator,
  state: CycleState,
  pod: PodInfo,
  node: NodeInfo,
): Status | undefined {
  const nominated = nominator.nominatedCount === 0 ? [] : relevantNominations(nominator, pod, node.name);
  if (nominated.length > 0) {
    const crowdedNode = node.clone();
    const crowdedState = state.clone();
    for (const other of nominated) {
      crowdedNode.addPod(other);
      const status = framework.runAddPod(crowdedState, pod, other, crowdedNode);
      if (status !== undefined) return status;
    }
    const status = framework.runFilter(crowdedState, pod, crowdedNode);
    if (status !== undefined) return status;
  }
  return framework.runFilter(state, pod, node);
}
