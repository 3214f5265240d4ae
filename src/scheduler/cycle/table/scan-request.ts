import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { Snapshot } from '../../framework/interface.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { Walk } from './kept-walk.js';
import type { Nominator } from '../attempt/nominated-filter.js';
import type { ShapeEvaluation } from './shape-evaluation.js';

/** What a walk over candidate nodes is about. */
export interface ScanRequest extends Walk {
  readonly framework: Framework;
  readonly nominator: Nominator;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  /** Absent = every filter in its plain form, node by node. */
  readonly evaluation: ShapeEvaluation | undefined;
}
