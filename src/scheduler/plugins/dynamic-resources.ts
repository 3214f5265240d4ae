import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../framework/cluster-event.js';
import { StateKey, type CycleState, type StateData } from '../framework/cycle-state.js';
import type { PostFilterPlugin, PostFilterResult, PreFilterPlugin, PreFilterResult } from '../framework/interface.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { PodShape } from '../framework/pod-shape.js';
import { Code, createStatus } from '../framework/status.js';

const NAME = 'DynamicResources';
const SKIPPED: PreFilterResult = { status: createStatus(Code.Skip, NAME) };
const NOTHING_TO_DO: PostFilterResult = {
  status: createStatus(Code.Unschedulable, NAME, 'no new claims to deallocate'),
};
const NO_STATE: PostFilterResult = { status: createStatus(Code.Error, NAME, 'not found') };

/** PreFilter was here. There is nothing else to know of pods without claims. */
class ClaimState implements StateData {
  clone(): ClaimState {
    return this;
  }
}

const STATE = new StateKey<ClaimState>(NAME);
const NO_CLAIMS = new ClaimState();

/**
 * Resource claims are not simulated: pods that have some are refused, all others pass. Upstream: plugin
 * DynamicResources of kube-scheduler v1.34, of which the texts for pods without claims are kept.
 */
export class DynamicResources implements PreFilterPlugin, PostFilterPlugin {
  readonly name = NAME;

  answersByShape({ spec }: PodShape): boolean {
    return (spec.resourceClaims ?? []).length === 0;
  }

  preFilter(state: CycleState, { pod }: PodInfo): PreFilterResult {
    state.write(STATE, NO_CLAIMS);
    const { resourceClaims } = pod.spec;
    if (resourceClaims === undefined || resourceClaims.length === 0) return SKIPPED;
    const names = resourceClaims.map(({ name }) => name).join(' ');
    const text = `dynamic resource allocation is not simulated: pod has resource claims [${names}]`;
    return { status: createStatus(Code.UnschedulableAndUnresolvable, NAME, text) };
  }

  /** An error, which ends PostFilter, when another plugin stopped PreFilter before it came here. */
  postFilter(state: CycleState): PostFilterResult {
    return state.read(STATE) === undefined ? NO_STATE : NOTHING_TO_DO;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      onEvent('Node', ActionType.Add | ActionType.UpdateNodeLabel | ActionType.UpdateNodeAllocatable),
      onEvent('ResourceClaim', ActionType.Add | ActionType.Update),
      onEvent('Pod', ActionType.UpdatePodGeneratedResourceClaim, (pod, _old, updated) =>
        updated?.metadata.uid === pod.metadata.uid ? QueueingHint.Queue : QueueingHint.Skip,
      ),
      onEvent('DeviceClass', ActionType.Add | ActionType.Update),
      onEvent('ResourceSlice', ActionType.Add | ActionType.Update),
    ];
  }
}
