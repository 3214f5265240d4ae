import { getCondition } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';
import type { NodeToStatus, Snapshot } from '../framework/interface.js';
import { podPriority } from '../framework/pod-info.js';
import { Code } from '../framework/status.js';

/**
 * Why a pod may not preempt others now; `undefined` when it may. A pod with victims on their way out
 * must wait for them, unless their node has become of no use to it. Upstream:
 * `PodEligibleToPreemptOthers` of kube-scheduler v1.34.
 */
export function ineligibility(pod: Pod, nodeToStatus: NodeToStatus, snapshot: Snapshot): string | undefined {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = pod.status.nominatedNodeName ?? '';
  if (nominated === '' || nodeToStatus.get(nominated).code === Code.UnschedulableAndUnresolvable) return undefined;
  const priority = podPriority(pod);
  for (const other of snapshot.get(nominated)?.pods ?? []) {
    if (podPriority(other.pod) < priority && isLeavingByPreemption(other.pod)) {
      return 'not eligible due to a terminating pod on the nominated node.';
    }
  }
  return undefined;
}

function isLeavingByPreemption({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const condition = getCondition(status.conditions, 'DisruptionTarget');
  return condition?.status === 'True' && condition.reason === 'PreemptionByScheduler';
}
