import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { NodeList, Snapshot } from '../../framework/interface.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { ShapeEvaluation } from './shape-evaluation.js';

/** What is scored. */
export interface ScoreRequest {
  readonly framework: Framework;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  /** Absent = every score in its plain form, node by node. */
  readonly evaluation: ShapeEvaluation | undefined;
  readonly nodes: NodeList;
}
