import type { AnyObject, core, Node, Pod } from '../../api/objects/objects.js';
import { isTolerated } from '../../api/selectors/tolerations.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../framework/cluster-event.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { ColumnFilter, FilterPlugin } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, createStatus, type Status } from '../framework/status.js';

const NAME = 'NodeUnschedulable';
const REJECTED = createStatus(Code.UnschedulableAndUnresolvable, NAME, 'node(s) were unschedulable');
const UNSCHEDULABLE_TAINT: core.Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const NOTHING: ColumnFilter = { filter: () => undefined, statusOf: () => REJECTED };

function toleratesCordon(tolerations: readonly core.Toleration[] | undefined): boolean {
  return isTolerated(UNSCHEDULABLE_TAINT, tolerations);
}

/** Rejects cordoned nodes. Upstream: plugin NodeUnschedulable of kube-scheduler v1.34. */
export class NodeUnschedulable implements FilterPlugin {
  readonly name = NAME;
  readonly filterScope = 'node';
  readonly heedsPods = false;
  readonly goesByOutline = true;

  filter(_state: CycleState, pod: PodInfo, { node }: NodeInfo): Status | undefined {
    return node?.spec.unschedulable === true && !toleratesCordon(pod.shape.tolerations) ? REJECTED : undefined;
  }

  compileFilter(_state: CycleState, pod: PodInfo, columns: NodeColumns): ColumnFilter {
    if (toleratesCordon(pod.shape.tolerations)) return NOTHING;
    return {
      filter(slots, count, verdicts, base) {
        const { unschedulable } = columns.arrays;
        for (let index = 0; index < count; index += 1) {
          const slot = slots[index] as number;
          if (unschedulable[slot] === 1 && verdicts[slot] === 0) verdicts[slot] = base + 1;
        }
      },
      statusOf: () => REJECTED,
    };
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      onEvent('Node', ActionType.Add | ActionType.UpdateNodeTaint, afterNodeChange),
      onEvent('Pod', ActionType.UpdatePodToleration, afterTolerationChange),
    ];
  }
}

function afterNodeChange(_pod: Pod, oldObject: AnyObject | undefined, newObject: AnyObject | undefined): QueueingHint {
  const isCordoned = (newObject as Node | undefined)?.spec.unschedulable === true;
  const wasCordoned = oldObject === undefined || (oldObject as Node).spec.unschedulable === true;
  return wasCordoned && !isCordoned ? QueueingHint.Queue : QueueingHint.Skip;
}

function afterTolerationChange(pod: Pod, _old: AnyObject | undefined, newObject: AnyObject | undefined): QueueingHint {
  const updated = newObject as Pod | undefined;
  return updated?.metadata.uid === pod.metadata.uid && toleratesCordon(updated.spec.tolerations)
    ? QueueingHint.Queue
    : QueueingHint.Skip;
}
