import { ActionType, onEvent, type ClusterEventWithHint } from '../framework/cluster-event.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { ColumnFilter, FilterPlugin } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, createStatus, type Status } from '../framework/status.js';

const NAME = 'NodeName';
const REJECTED = createStatus(Code.UnschedulableAndUnresolvable, NAME, "node(s) didn't match the requested node name");

/**
 * Rejects every node but the one that the pod names. Upstream: plugin NodeName of kube-scheduler
 * v1.34. A pod that names a node shares no results with its shape (see the evaluations).
 */
export class NodeName implements FilterPlugin {
  readonly name = NAME;
  readonly filterScope = 'node';
  readonly heedsPods = false;
  readonly goesByOutline = true;

  filter(_state: CycleState, { pod }: PodInfo, node: NodeInfo): Status | undefined {
    const wanted = pod.spec.nodeName ?? '';
    return wanted !== '' && wanted !== node.name ? REJECTED : undefined;
  }

  compileFilter(_state: CycleState, { pod }: PodInfo, columns: NodeColumns): ColumnFilter {
    const wanted = pod.spec.nodeName ?? '';
    return {
      filter(slots, count, verdicts, base) {
        if (wanted === '') return;
        for (let index = 0; index < count; index += 1) {
          const slot = slots[index] as number;
          if (columns.names[slot] !== wanted && verdicts[slot] === 0) verdicts[slot] = base + 1;
        }
      },
      statusOf: () => REJECTED,
    };
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [onEvent('Node', ActionType.Add)];
  }
}
