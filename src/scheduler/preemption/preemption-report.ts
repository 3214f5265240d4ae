import type { Status } from '../framework/status.js';
import type { Candidate } from './candidate.js';
import type { PickedNode } from './pick-node.js';

/** What one preemption looked at and why it ended as it did, for explanations. */
export interface PreemptionReport {
  /** `ineligible`: not tried. `unhelpful`: no candidate. `error`: a plugin failed, or the pod is gone. */
  readonly outcome: 'nominated' | 'ineligible' | 'unhelpful' | 'error';
  /** Text of PostFilter without the plugin's prefix; empty when a node was nominated. */
  readonly message: string;
  /** Nodes on which fewer pods might help. */
  readonly potentialNodes: number;
  /** Candidates that would have been enough. */
  readonly wanted: number;
  /** Those that break no budget first. */
  readonly candidates: readonly Candidate[];
  /** Why nodes that were tried are no candidates. */
  readonly statuses: ReadonlyMap<string, Status>;
  /** Absent when no node was nominated. */
  readonly picked?: PickedNode;
}
