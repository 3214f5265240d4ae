import type { Pod } from '../../api/objects/objects.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../framework/cluster-event.js';
import type { PreEnqueuePlugin } from '../framework/interface.js';
import { Code, createStatus, type Status } from '../framework/status.js';

/** Keeps pods with scheduling gates out of the queue. Upstream: plugin SchedulingGates of kube-scheduler v1.34. */
export class SchedulingGates implements PreEnqueuePlugin {
  readonly name = 'SchedulingGates';

  preEnqueue(pod: Pod): Status | undefined {
    const gates = pod.spec.schedulingGates;
    if (gates === undefined || gates.length === 0) return undefined;
    const names = gates.map((gate) => gate.name).join(' ');
    return createStatus(Code.UnschedulableAndUnresolvable, this.name, `waiting for scheduling gates: [${names}]`);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      onEvent('Pod', ActionType.UpdatePodSchedulingGatesEliminated, (pod, _old, updated) =>
        updated?.metadata.uid === pod.metadata.uid ? QueueingHint.Queue : QueueingHint.Skip,
      ),
    ];
  }
}
