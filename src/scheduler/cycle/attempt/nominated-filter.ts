import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { FilterPlugin } from '../../framework/interface.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { ChangeLog } from '../../framework/change-log.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { Status } from '../../framework/status.js';

/** Which pods are nominated to which nodes; the scheduling queue has it. */
export interface Nominator {
  readonly nominatedCount: number;
  /** Names of the nodes to which pods are nominated. */
  nominatedNodes(): Iterable<string>;
  /** Pods nominated to a node. The array never changes: the same one holds the same pods. */
  nominatedPodsForNode(nodeName: string): readonly PodInfo[];
  /** The node that a pod is nominated to. */
  nominatedNodeOf(uid: string): string | undefined;
  /** On which nodes nominations have changed. */
  readonly nominations: ChangeLog;
}

const NO_PODS: readonly PodInfo[] = [];

/** The pods nominated to a node that count for this pod: others of at least its priority. */
export function relevantNominations(nominator: Nominator, pod: PodInfo, nodeName: string): readonly PodInfo[] {
  return relevantAmong(nominator.nominatedPodsForNode(nodeName), pod);
}

/** Those of the nominated pods that count for this pod. */
export function relevantAmong(nominated: readonly PodInfo[], pod: PodInfo): readonly PodInfo[] {
  if (nominated.length === 0) return NO_PODS;
  const { priority } = pod;
  const { uid } = pod.pod.metadata;
  return nominated.filter((other) => other.priority >= priority && other.pod.metadata.uid !== uid);
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
  const nominated = nominator.nominatedCount === 0 ? NO_PODS : relevantNominations(nominator, pod, node.name);
  return filterBeside(framework, nominated, state, pod, node);
}

/**
 * The same for given nominated pods, all of which count.
 *
 * @param filters - those that are asked, in this order
 */
export function filterBeside(
  framework: Framework,
  nominated: readonly PodInfo[],
  state: CycleState,
  pod: PodInfo,
  node: NodeInfo,
  filters: readonly FilterPlugin[] = framework.filters,
): Status | undefined {
  if (nominated.length > 0) {
    const { countsPods } = framework.activeFilters(state);
    const crowdedNode = node.clone();
    const crowdedState = countsPods ? state.clone() : state;
    for (const other of nominated) {
      crowdedNode.addPod(other);
      const status = countsPods ? framework.runAddPod(crowdedState, pod, other, crowdedNode) : undefined;
      if (status !== undefined) return status;
    }
    const status = framework.runFilter(crowdedState, pod, crowdedNode, filters);
    if (status !== undefined) return status;
  }
  return framework.runFilter(state, pod, node, filters);
}
