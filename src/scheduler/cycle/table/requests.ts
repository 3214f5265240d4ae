import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { NodeList, Snapshot } from '../../framework/interface.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { Nominator } from '../attempt/nominated-filter.js';
import type { RingRange } from '../attempt/ring.js';
import type { ShapeEvaluation } from './shape-evaluation.js';

/** What a walk over candidate nodes is about. */
export interface ScanRequest extends RingRange {
  readonly framework: Framework;
  readonly nominator: Nominator;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  /** Slots of the candidates in the order of the list; the first `count` count. */
  readonly candidates: Int32Array;
  readonly count: number;
  /** Absent = every filter in its plain form, node by node. */
  readonly evaluation: ShapeEvaluation | undefined;
}

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
