import type { ChangeLog } from '../change-log.js';
import type { CycleState } from '../cycle-state.js';
import type { NodeToStatus, PostFilterResult } from '../interface.js';
import type { PodInfo } from '../pod-info.js';
import type { PreemptionArgs } from './preemption-args.js';

/** Makes room for pods that fit nowhere; plugin DefaultPreemption asks it. Upstream: `preemption.Evaluator`. */
export interface Preemptor {
  /**
   * Looks for a node on which the removal of less important pods lets `pod` fit, and sets about
   * removing them. Changes neither `state` nor the snapshot; requests are sent in a later tick.
   */
  preempt(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): PostFilterResult;
  /** Whether the pod's victims are still being removed: it must not be tried before that is done. */
  isPreempting(uid: string): boolean;
}

/**
 * Builds the preemptor of a plugin. It may be called once the profile is complete, and not before.
 *
 * @param plugin - named in the rejection of victims that wait on Permit
 * @param openings - gets each pod, by uid, that may be tried again, since its victims are about to be gone
 */
export type CreatePreemptor = (plugin: string, args: PreemptionArgs, openings: ChangeLog) => Preemptor;
