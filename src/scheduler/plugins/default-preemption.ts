import type { Pod } from '../../api/objects/objects.js';
import { assert } from '../../kernel/assert.js';
import { ChangeLog } from '../framework/change-log.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../framework/cluster-event.js';
import type { CycleState } from '../framework/cycle-state.js';
import type {
  FrameworkHandle,
  NodeToStatus,
  PodInfo,
  PostFilterPlugin,
  PostFilterResult,
  PreEnqueuePlugin,
} from '../framework/interface.js';
import type { PreemptionArgs } from '../framework/preemption/preemption-args.js';
import type { CreatePreemptor, Preemptor } from '../framework/preemption/preemptor.js';
import { Code, createStatus, messageOf, type Status } from '../framework/status.js';

const NAME = 'DefaultPreemption';
const IN_PROGRESS = createStatus(
  Code.UnschedulableAndUnresolvable,
  NAME,
  'waiting for the preemption for this pod to be finished',
);

/** What this plugin needs of its scheduler. */
export interface PreemptingHandle extends FrameworkHandle {
  /** Absent where no pod can be removed, as on worker threads, which only filter and score. */
  readonly createPreemptor?: CreatePreemptor | undefined;
}

/**
 * Makes room for a pod that fits nowhere by removing less important ones, and keeps it out of the queue
 * while they are being removed. Upstream: plugin DefaultPreemption of kube-scheduler v1.34, with
 * asynchronous preemption.
 */
export class DefaultPreemption implements PostFilterPlugin, PreEnqueuePlugin {
  readonly name = NAME;
  readonly openings = new ChangeLog();
  readonly #args: PreemptionArgs;
  readonly #handle: PreemptingHandle;
  #preemptor: Preemptor | undefined;

  constructor(args: PreemptionArgs | undefined, handle: PreemptingHandle) {
    this.#args = args ?? {};
    this.#handle = handle;
  }

  preEnqueue(pod: Pod): Status | undefined {
    return this.#preemptor?.isPreempting(pod.metadata.uid) === true ? IN_PROGRESS : undefined;
  }

  postFilter(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): PostFilterResult {
    const result = this.#preemptorOfProfile().preempt(state, pod, nodeToStatus);
    const { status } = result;
    if (status === undefined) return result;
    return { ...result, status: createStatus(status.code, NAME, `preemption: ${messageOf(status)}`) };
  }

  /** It needs the whole profile, which is not there yet when its plugins are made. */
  #preemptorOfProfile(): Preemptor {
    if (this.#preemptor === undefined) {
      const { createPreemptor } = this.#handle;
      assert(createPreemptor !== undefined, `${NAME} can preempt within a scheduler only`);
      this.#preemptor = createPreemptor(NAME, this.#args, this.openings);
    }
    return this.#preemptor;
  }

  /** Deleted pods wake a gated pod's other rejectors; this plugin itself never asks for a retry. */
  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [onEvent('Pod', ActionType.Delete, () => QueueingHint.Skip)];
  }
}
