import type { AnyObject, core, Node, Pod } from '../../api/objects/objects.js';
import { findUntolerated, isTolerated } from '../../api/selectors/tolerations.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../framework/cluster-event.js';
import { StateKey, type CycleState, type StateData } from '../framework/cycle-state.js';
import type { ColumnFilter, ColumnScore, FilterPlugin, PreScorePlugin, ScorePlugin } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, createStatus, type Status } from '../framework/status.js';
import { defaultNormalize } from './default-normalize.js';

const NAME = 'TaintToleration';
const NO_TAINTS: readonly core.Taint[] = [];
/** Effects that keep a pod from a node; the third one only asks to stay away. */
const HARD_EFFECTS: readonly string[] = ['NoSchedule', 'NoExecute'];

/** Codes of column filters have 16 bits. */
const MAX_CODE = 65_535;

/** The tolerations that count for the score; asked for once per shape. */
class PreScoreState implements StateData {
  readonly #tolerations: readonly core.Toleration[];

  constructor(tolerations: readonly core.Toleration[]) {
    this.#tolerations = tolerations;
  }

  get tolerations(): readonly core.Toleration[] {
    return this.#tolerations.filter(({ effect }) => !effect || effect === 'PreferNoSchedule');
  }

  clone(): PreScoreState {
    return this;
  }
}

const PRE_SCORE = new StateKey<PreScoreState>('PreScoreTaintToleration');

/** Rejects nodes with taints that the pod cannot bear, prefers those with few. Upstream: plugin TaintToleration of kube-scheduler v1.34. */
export class TaintToleration implements FilterPlugin, PreScorePlugin, ScorePlugin {
  readonly name = NAME;
  readonly filterScope = 'node';
  readonly heedsPods = false;
  readonly goesByOutline = true;
  readonly scoreScope = 'node';
  readonly normalizesByExtremes = true;

  filter(_state: CycleState, pod: PodInfo, { node }: NodeInfo): Status | undefined {
    const taint = findUntolerated(node?.spec.taints, pod.shape.tolerations, HARD_EFFECTS);
    return taint === undefined ? undefined : rejection(taint);
  }

  /** Judges each set of taints once; the number of a set is the code of its rejection. */
  compileFilter(_state: CycleState, pod: PodInfo, columns: NodeColumns): ColumnFilter | undefined {
    if (columns.tables.taintSets.length > MAX_CODE) return undefined;
    const { tolerations } = pod.shape;
    const find = (set: number): core.Taint | undefined =>
      findUntolerated(columns.tables.taintSets[set], tolerations, HARD_EFFECTS);
    /** By taint set. */
    const isBorne: boolean[] = [];
    const statuses: Status[] = [];
    return {
      filter(slots, count, verdicts, base) {
        const { taintSet } = columns.arrays;
        for (let index = 0; index < count; index += 1) {
          const slot = slots[index] as number;
          const set = taintSet[slot] as number;
          if (set === 0 || (isBorne[set] ??= find(set) === undefined)) continue;
          if (verdicts[slot] === 0) verdicts[slot] = base + set;
        }
      },
      statusOf: (set) => (statuses[set] ??= rejection(find(set) as core.Taint)),
    };
  }

  answersByShape(): boolean {
    return true;
  }

  preScore(state: CycleState, pod: PodInfo): undefined {
    state.write(PRE_SCORE, new PreScoreState(pod.shape.tolerations));
  }

  score(state: CycleState, _pod: PodInfo, { node }: NodeInfo): number {
    return countIntolerable(node?.spec.taints ?? NO_TAINTS, state.read(PRE_SCORE)?.tolerations ?? []);
  }

  compileScore(state: CycleState, _pod: PodInfo, columns: NodeColumns): ColumnScore {
    const tolerations = state.read(PRE_SCORE)?.tolerations ?? [];
    const counts: number[] = [];
    return {
      score(slots, count, raw) {
        const { taintSet } = columns.arrays;
        for (let index = 0; index < count; index += 1) {
          const slot = slots[index] as number;
          const set = taintSet[slot] as number;
          raw[slot] = counts[set] ??= countIntolerable(columns.tables.taintSets[set] ?? NO_TAINTS, tolerations);
        }
      },
    };
  }

  normalizeScore(_state: CycleState, _pod: PodInfo, scores: Float64Array): undefined {
    defaultNormalize(scores, true);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      onEvent('Node', ActionType.Add | ActionType.UpdateNodeTaint, afterNodeChange),
      onEvent('Pod', ActionType.UpdatePodToleration, (pod, _old, updated) =>
        updated?.metadata.uid === pod.metadata.uid ? QueueingHint.Queue : QueueingHint.Skip,
      ),
    ];
  }
}

function rejection({ key, value }: core.Taint): Status {
  return createStatus(
    Code.UnschedulableAndUnresolvable,
    NAME,
    `node(s) had untolerated taint {${key}: ${value ?? ''}}`,
  );
}

/** Taints that only ask to stay away and that no toleration bears. */
function countIntolerable(taints: readonly core.Taint[], tolerations: readonly core.Toleration[]): number {
  let count = 0;
  for (const taint of taints) {
    if (taint.effect === 'PreferNoSchedule' && !isTolerated(taint, tolerations)) count += 1;
  }
  return count;
}

function afterNodeChange(pod: Pod, oldObject: AnyObject | undefined, newObject: AnyObject | undefined): QueueingHint {
  const isBorne = (object: AnyObject | undefined): boolean =>
    findUntolerated((object as Node | undefined)?.spec.taints, pod.spec.tolerations, HARD_EFFECTS) === undefined;
  const wasRejected = oldObject === undefined || !isBorne(oldObject);
  return wasRejected && isBorne(newObject) ? QueueingHint.Queue : QueueingHint.Skip;
}
