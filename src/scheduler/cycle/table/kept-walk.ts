import type { Snapshot } from '../../framework/interface.js';
import { copyRing, type RingRange } from '../attempt/ring.js';
import { NODES_AT_ONCE } from '../attempt/tuning.js';
import type { ShapeEvaluation } from './shape-evaluation.js';

/** Which nodes are walked over. */
export interface Walk extends RingRange {
  readonly snapshot: Pick<Snapshot, 'columns'>;
  /** Slots of the candidates in the order of the list; the first `count` count. */
  readonly candidates: Int32Array;
  readonly count: number;
}

/** What a walk has found; slots in the order in which they were visited. */
export interface Found {
  readonly slots: Int32Array;
  count: number;
  readonly rejected: Int32Array;
  readonly rejectedVerdicts: Int32Array;
  rejectedCount: number;
  /** The first feasible node whose kept scores are old, as an index into `slots`; `count` when there is none. */
  unscored: number;
}

/** A walk whose verdicts are all kept for the pod's shape: what is old is judged on the way. */
export function walkKept(evaluation: ShapeEvaluation, walk: Walk, window: Int32Array, found: Found): void {
  const { snapshot, candidates, count, start, target } = walk;
  const { version } = snapshot.columns.arrays;
  const { verdicts, filterStamps, scoreStamps } = evaluation.buffers;
  const { epoch } = evaluation;
  const { slots, rejected, rejectedVerdicts } = found;
  let fit = 0;
  let unfit = 0;
  let unscored = -1;
  let next = start;
  for (let remaining = count; remaining > 0; remaining -= 1) {
    const slot = candidates[next] as number;
    const stamp = epoch + (version[slot] as number);
    if (filterStamps[slot] !== stamp) {
      const size = Math.min(remaining, Math.max(target + 1 - fit, NODES_AT_ONCE));
      copyRing(candidates, count, next, window, size);
      evaluation.filter(window, size, snapshot.columns);
    }
    const verdict = verdicts[slot] as number;
    if (verdict === 0) {
      if (fit === target) break;
      if (unscored === -1 && scoreStamps[slot] !== stamp) unscored = fit;
      slots[fit] = slot;
      fit += 1;
    } else {
      rejected[unfit] = slot;
      rejectedVerdicts[unfit] = verdict;
      unfit += 1;
    }
    next += 1;
    if (next === count) next = 0;
  }
  found.count = fit;
  found.rejectedCount = unfit;
  found.unscored = unscored === -1 ? fit : unscored;
}
