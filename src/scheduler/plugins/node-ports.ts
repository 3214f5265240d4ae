import type { Pod } from '../../api/objects/objects.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../framework/cluster-event.js';
import type { CycleState } from '../framework/cycle-state.js';
import { hostPortsOf, arePortsInConflict } from '../../api/pods/host-ports.js';
import type { ColumnFilter, FilterPlugin, PreFilterPlugin, PreFilterResult } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, createStatus, type Status } from '../framework/status.js';

const NAME = 'NodePorts';
const SKIPPED: PreFilterResult = { status: createStatus(Code.Skip, NAME) };
const REJECTED = createStatus(Code.Unschedulable, NAME, "node(s) didn't have free ports for the requested pod ports");

/** Rejects nodes with host ports that are taken. Upstream: plugin NodePorts of kube-scheduler v1.34. */
export class NodePorts implements PreFilterPlugin, FilterPlugin {
  readonly name = NAME;
  readonly filterScope = 'node';

  answersByShape(): boolean {
    return true;
  }

  preFilter(_state: CycleState, pod: PodInfo): PreFilterResult | undefined {
    return pod.shape.hostPorts.length === 0 ? SKIPPED : undefined;
  }

  filter(_state: CycleState, pod: PodInfo, { usedPorts }: NodeInfo): Status | undefined {
    return pod.shape.hostPorts.some((port) => usedPorts.conflictsWith(port)) ? REJECTED : undefined;
  }

  /** Ports are known of nodes only, not of columns: worker threads leave such pods to the engine. */
  compileFilter(_state: CycleState, pod: PodInfo, columns: NodeColumns): ColumnFilter | undefined {
    const { nodes } = columns;
    if (nodes === undefined) return undefined;
    const { hostPorts } = pod.shape;
    return {
      filter(slots, count, verdicts, base) {
        for (let index = 0; index < count; index += 1) {
          const slot = slots[index] as number;
          if (verdicts[slot] !== 0) continue;
          const usedPorts = nodes[slot]?.usedPorts;
          if (
            usedPorts !== undefined &&
            usedPorts.size > 0 &&
            hostPorts.some((port) => usedPorts.conflictsWith(port))
          ) {
            verdicts[slot] = base + 1;
          }
        }
      },
      statusOf: () => REJECTED,
    };
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      onEvent('Pod', ActionType.Delete, (pod, deleted) => afterPodDelete(pod, deleted as Pod)),
      onEvent('Node', ActionType.Add),
    ];
  }
}

function afterPodDelete(pod: Pod, deleted: Pod): QueueingHint {
  if (!deleted.spec.nodeName && !deleted.status.nominatedNodeName) return QueueingHint.Skip;
  return arePortsInConflict(hostPortsOf(pod.spec), hostPortsOf(deleted.spec)) ? QueueingHint.Queue : QueueingHint.Skip;
}
