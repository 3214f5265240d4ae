/**
 * InterPodAffinity: places pods near to, or away from, other pods, within the sets of nodes that share a
 * value of a label. Both sides have a say: the incoming pod with its terms, and existing pods with theirs.
 * This file is the plugin at its extension points; the index (pod-index.ts) follows the nodes that change
 * and keeps the sums, the states of an attempt (filter-state.ts, score-state.ts) judge nodes by them. It
 * never looks at nodes outside of the snapshot. Mirrors kube-scheduler v1.34 `plugins/interpodaffinity`.
 */
import { assert } from '../../../kernel/assert.js';
import { ActionType, onEvent, type ClusterEventWithHint } from '../../framework/cluster-event.js';
import { StateKey, type CycleState, type StateData } from '../../framework/cycle-state.js';
import type {
  ColumnFilter,
  ColumnScore,
  FilterPlugin,
  FrameworkHandle,
  PreFilterExtensions,
  PreFilterPlugin,
  PreFilterResult,
  PreScorePlugin,
  ScorePlugin,
  Snapshot,
} from '../../framework/interface.js';
import type { GroupFilter, GroupScore } from '../../framework/node-groups.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { Code, createStatus, type Status } from '../../framework/status.js';
import { afterNodeChange, afterPodChange } from './affinity-hints.js';
import { completeInterPodAffinityArgs, validateInterPodAffinityArgs, type InterPodAffinityArgs } from './args.js';
import type { DomainSum } from './domain-sum.js';
import { FILTER_STATE, FilterState, PLUGIN_NAME } from './filter-state.js';
import { Namespaces, type NamespaceSource } from './namespaces.js';
import { OwnSumsOfShapes } from './own-sums.js';
import { PodIndex } from './pod-index.js';
import { SCORE_STATE, ScoreState, stretchScores, type WeightedSum } from './score-state.js';
import { SumReadings } from './sum-part.js';

const SKIP = createStatus(Code.Skip, PLUGIN_NAME);
const SKIPPED: PreFilterResult = { status: SKIP };
const NOT_PREPARED = createStatus(
  Code.Error,
  PLUGIN_NAME,
  `error reading "PreFilter${PLUGIN_NAME}" from cycleState: not found`,
);

/** What is kept from attempt to attempt. In the state of one it tells that it is current. */
class Kept implements StateData {
  readonly own: OwnSumsOfShapes;
  readonly readings: SumReadings;

  constructor(
    readonly index: PodIndex,
    namespaces: Namespaces,
  ) {
    this.own = new OwnSumsOfShapes(index, namespaces);
    this.readings = new SumReadings(index);
  }

  clone(): Kept {
    return this;
  }
}

const KEPT = new StateKey<Kept>(PLUGIN_NAME);

/** See the file header. */
export class InterPodAffinity implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin {
  readonly name = PLUGIN_NAME;
  readonly filterScope = 'cluster';
  readonly scoreScope = 'cluster';
  readonly preFilterExtensions: PreFilterExtensions = {
    addPod: (state, _pod, added, node) => changePod(state, added, node, 1),
    removePod: (state, _pod, removed, node) => changePod(state, removed, node, -1),
  };
  readonly #hardPodAffinityWeight: number;
  readonly #ignorePreferredTermsOfExistingPods: boolean;
  readonly #handle: Pick<FrameworkHandle, 'snapshot'>;
  readonly #namespaces: Namespaces;
  #kept: Kept | undefined;

  /** @throws InvariantError when the args are invalid; {@link validateInterPodAffinityArgs} tells at the door */
  constructor(args: InterPodAffinityArgs | undefined, handle: Pick<FrameworkHandle, 'snapshot'> & NamespaceSource) {
    const errors = validateInterPodAffinityArgs(args ?? {});
    assert(
      errors.length === 0,
      `${PLUGIN_NAME}Args: ${errors.map(({ field, detail }) => `${field}: ${detail}`).join(', ')}`,
    );
    const { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods } = completeInterPodAffinityArgs(args);
    this.#hardPodAffinityWeight = hardPodAffinityWeight;
    this.#ignorePreferredTermsOfExistingPods = ignorePreferredTermsOfExistingPods;
    this.#handle = handle;
    this.#namespaces = new Namespaces(handle);
  }

  isIdle({ shape }: PodInfo): boolean {
    return isNobodyConcerned(shape, this.#handle.snapshot);
  }

  preFilter(state: CycleState, { shape }: PodInfo, snapshot: Snapshot): PreFilterResult | undefined {
    if (isNobodyConcerned(shape, snapshot)) return SKIPPED;
    const { index, own } = this.#current(state, snapshot);
    const ownSums = own.of(shape);
    const existing = index.antiAffinity.matching(shape, this.#namespaces).filter(hasRecords);
    if (ownSums.affinity.length === 0 && ownSums.antiAffinity.length === 0 && existing.length === 0) {
      return SKIPPED;
    }
    state.write(FILTER_STATE, new FilterState(shape, ownSums, existing, this.#namespaces));
    return undefined;
  }

  filter(state: CycleState, _pod: PodInfo, node: NodeInfo): Status | undefined {
    const known = state.read(FILTER_STATE);
    return known === undefined ? NOT_PREPARED : known.judge(node);
  }

  compileFilter(state: CycleState): ColumnFilter | undefined {
    return state.read(FILTER_STATE)?.compile();
  }

  groupFilter(state: CycleState): GroupFilter | undefined {
    const kept = state.read(KEPT);
    return kept === undefined ? undefined : state.read(FILTER_STATE)?.group(kept.readings);
  }

  preScore(state: CycleState, { shape }: PodInfo): Status | undefined {
    if (isNobodyConcerned(shape, this.#handle.snapshot)) return SKIP;
    const { index, own } = this.#current(state, this.#handle.snapshot);
    const { preferred } = own.of(shape);
    if (this.#ignorePreferredTermsOfExistingPods && preferred.length === 0) return SKIP;
    const sums: WeightedSum[] = preferred.filter(({ sum }) => hasRecords(sum));
    const add = (matching: readonly DomainSum[], weight: number): void => {
      for (const sum of matching) if (hasRecords(sum)) sums.push({ sum, weight });
    };
    if (this.#hardPodAffinityWeight > 0) {
      add(index.affinity.matching(shape, this.#namespaces), this.#hardPodAffinityWeight);
    }
    add(index.preferred.matching(shape, this.#namespaces), 1);
    if (sums.length === 0) return SKIP;
    state.write(SCORE_STATE, new ScoreState(sums));
    return undefined;
  }

  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    return state.read(SCORE_STATE)?.scoreOf(node) ?? 0;
  }

  compileScore(state: CycleState): ColumnScore | undefined {
    return state.read(SCORE_STATE)?.compile();
  }

  groupScore(state: CycleState): GroupScore | undefined {
    const kept = state.read(KEPT);
    return kept === undefined ? undefined : state.read(SCORE_STATE)?.group(kept.readings);
  }

  normalizeScore(_state: CycleState, _pod: PodInfo, scores: Float64Array): undefined {
    stretchScores(scores);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    const { Add, Delete, UpdatePodLabel, UpdateNodeLabel } = ActionType;
    return [
      onEvent('Pod', Add | UpdatePodLabel | Delete, afterPodChange),
      onEvent('Node', Add | UpdateNodeLabel, afterNodeChange),
    ];
  }

  /** The index, current with the snapshot, which is fixed during an attempt. */
  #current(state: CycleState, { columns }: Snapshot): Kept {
    const current = state.read(KEPT);
    if (current !== undefined) return current;
    if (this.#kept?.index.isGoodFor(columns) === true) this.#kept.index.refresh();
    else this.#kept = new Kept(new PodIndex(columns), this.#namespaces);
    state.write(KEPT, this.#kept);
    return this.#kept;
  }
}

/** Whether neither the incoming pod nor any pod on a node has a term. */
function isNobodyConcerned({ hasPodTerms }: PodShape, { columns }: Snapshot): boolean {
  return !hasPodTerms && columns.podsWithTerms === 0;
}

/** Whether a pod on a node with the key has been counted. */
function hasRecords({ records }: DomainSum): boolean {
  return records > 0;
}

function changePod(state: CycleState, changed: PodInfo, node: NodeInfo, difference: 1 | -1): Status | undefined {
  const known = state.read(FILTER_STATE);
  if (known === undefined) return NOT_PREPARED;
  known.changePod(changed, node, difference);
  return undefined;
}
