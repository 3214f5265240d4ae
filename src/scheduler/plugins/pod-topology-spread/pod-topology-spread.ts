/**
 * PodTopologySpread: keeps pods that belong together evenly spread over domains, the sets of nodes with
 * one value of a label. Hard constraints reject nodes, soft ones rank them. This file is the plugin at
 * its extension points; plans (spread-plan.ts) say what a pod asks for, counts (spread-counts.ts) are
 * kept from attempt to attempt and follow what changes on the nodes (node-log.ts), the states of an
 * attempt (filter-state.ts, score-state.ts) judge nodes by them. It never looks at nodes outside of the snapshot. Mirrors
 * kube-scheduler v1.34 `plugins/podtopologyspread`.
 */
import { assert } from '../../../kernel/assert.js';
import type { Pod } from '../../../api/objects/objects.js';
import { ActionType, onEvent, type ClusterEventWithHint } from '../../framework/cluster-event.js';
import type { CycleState } from '../../framework/cycle-state.js';
import type {
  ColumnFilter,
  ColumnScore,
  FilterPlugin,
  FrameworkHandle,
  NodeList,
  PreFilterExtensions,
  PreFilterPlugin,
  PreFilterResult,
  PreScorePlugin,
  ScorePlugin,
  Snapshot,
} from '../../framework/interface.js';
import type { GroupFilter, GroupScore } from '../../framework/node-groups.js';
import type { NodeInfo } from '../../framework/node-info.js';
import { PodInfo } from '../../framework/pod-info.js';
import { Code, createStatus, type Status } from '../../framework/status.js';
import { SYSTEM_CONSTRAINTS, validatePodTopologySpreadArgs, type PodTopologySpreadArgs } from './args.js';
import { DefaultSelectors, type ObjectSource } from './default-selectors.js';
import { FILTER_STATE, FilterState, PLUGIN_NAME } from './filter-state.js';
import { SCORE_STATE, ScoreState } from './score-state.js';
import type { SpreadConstraint } from './spread-constraint.js';
import { afterNodeChange, afterPodChange } from './spread-hints.js';
import { SpreadCounts } from './spread-counts.js';
import { SpreadPlans } from './spread-plan.js';

const SKIP = createStatus(Code.Skip, PLUGIN_NAME);
const SKIPPED: PreFilterResult = { status: SKIP };
const NOT_PREPARED = createStatus(
  Code.Error,
  PLUGIN_NAME,
  `reading "PreFilter${PLUGIN_NAME}" from cycleState: not found`,
);
const NO_CONSTRAINTS: readonly SpreadConstraint[] = [];

/** See the file header. */
export class PodTopologySpread implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin {
  readonly name = PLUGIN_NAME;
  readonly filterScope = 'cluster';
  readonly scoreScope = 'cluster';
  readonly preFilterExtensions: PreFilterExtensions = {
    addPod: (state, _pod, added, node) => changePod(state, added, node, 1),
    removePod: (state, _pod, removed, node) => changePod(state, removed, node, -1),
  };
  readonly #handle: Pick<FrameworkHandle, 'snapshot'>;
  readonly #plans: SpreadPlans;
  readonly #counts = new SpreadCounts();

  /** @throws InvariantError when the args are invalid; {@link validatePodTopologySpreadArgs} tells at the door */
  constructor(args: PodTopologySpreadArgs | undefined, handle: Pick<FrameworkHandle, 'snapshot'> & ObjectSource) {
    const { defaultConstraints = [], defaultingType = 'System' } = args ?? {};
    const errors = validatePodTopologySpreadArgs(args ?? {});
    assert(
      errors.length === 0,
      `${PLUGIN_NAME}Args: ${errors.map(({ field, detail }) => `${field}: ${detail}`).join(', ')}`,
    );
    const isSystem = defaultingType === 'System';
    const constraints = isSystem ? SYSTEM_CONSTRAINTS : defaultConstraints;
    this.#handle = handle;
    this.#plans = new SpreadPlans({ constraints, isSystem }, new DefaultSelectors(handle));
  }

  isIdle(pod: PodInfo): boolean {
    return (
      this.#plans.planOf(pod, 'DoNotSchedule') === undefined && this.#plans.planOf(pod, 'ScheduleAnyway') === undefined
    );
  }

  preFilter(state: CycleState, pod: PodInfo, { columns }: Snapshot): PreFilterResult | undefined {
    const plan = this.#plans.planOf(pod, 'DoNotSchedule');
    if (plan === undefined) return SKIPPED;
    state.write(FILTER_STATE, new FilterState(plan, this.#counts.countsOf(plan, columns, state)));
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
    return state.read(FILTER_STATE)?.group();
  }

  preScore(state: CycleState, pod: PodInfo, nodes: NodeList): Status | undefined {
    const plan = this.#plans.planOf(pod, 'ScheduleAnyway');
    if (plan === undefined) return SKIP;
    const counts = this.#counts.countsOf(plan, this.#handle.snapshot.columns, state);
    state.write(SCORE_STATE, new ScoreState(plan, counts, nodes));
    return undefined;
  }

  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    return state.read(SCORE_STATE)?.scoreOf(node) ?? 0;
  }

  compileScore(state: CycleState): ColumnScore | undefined {
    return state.read(SCORE_STATE)?.compile();
  }

  groupScore(state: CycleState): GroupScore | undefined {
    return state.read(SCORE_STATE)?.group();
  }

  normalizeScore(state: CycleState, _pod: PodInfo, scores: Float64Array, nodes: NodeList): undefined {
    state.read(SCORE_STATE)?.normalize(scores, nodes);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    const { Add, Delete, UpdatePodLabel, UpdatePodToleration, UpdateNodeLabel, UpdateNodeTaint } = ActionType;
    return [
      onEvent('Pod', Add | UpdatePodLabel | UpdatePodToleration | Delete, (pod, oldObject, newObject) =>
        afterPodChange(pod, oldObject, newObject, this.#hardConstraints(pod)),
      ),
      onEvent('Node', Add | Delete | UpdateNodeLabel | UpdateNodeTaint, (pod, oldObject, newObject) =>
        afterNodeChange(oldObject, newObject, this.#hardConstraints(pod)),
      ),
    ];
  }

  #hardConstraints(pod: Pod): readonly SpreadConstraint[] {
    return this.#plans.planOf(new PodInfo(pod), 'DoNotSchedule')?.constraints ?? NO_CONSTRAINTS;
  }
}

function changePod(state: CycleState, changed: PodInfo, node: NodeInfo, difference: 1 | -1): Status | undefined {
  const known = state.read(FILTER_STATE);
  if (known === undefined) return NOT_PREPARED;
  known.changePod(changed, node, difference);
  return undefined;
}
