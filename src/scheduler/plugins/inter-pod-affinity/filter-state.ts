/** What Filter of one attempt goes by, and the verdicts. Upstream: `preFilterState` of kube-scheduler v1.34. */
import { StateKey, type StateData } from '../../framework/cycle-state.js';
import type { ColumnFilter } from '../../framework/interface.js';
import type { GroupFilter, NodeGroups } from '../../framework/node-groups.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { Code, createStatus, type Status } from '../../framework/status.js';
import { matchesTerm, podTermsOf } from './affinity-terms.js';
import type { DomainSum } from './domain-sum.js';
import type { Namespaces } from './namespaces.js';
import type { OwnSums } from './own-sums.js';
import { PairCounts } from './pair-counts.js';
import type { SumReading, SumReadings } from './sum-part.js';
import { NO_VALUE } from '../topology-column.js';

/** The plugin's name. */
export const PLUGIN_NAME = 'InterPodAffinity';

/** Codes of rejections, in the order in which they are looked for. */
const AFFINITY = 1;
const ANTI_AFFINITY = 2;
const EXISTING_ANTI_AFFINITY = 3;

/** Statuses by code. */
const STATUSES: readonly (Status | undefined)[] = [
  undefined,
  createStatus(Code.UnschedulableAndUnresolvable, PLUGIN_NAME, "node(s) didn't match pod affinity rules"),
  createStatus(Code.Unschedulable, PLUGIN_NAME, "node(s) didn't match pod anti-affinity rules"),
  createStatus(Code.Unschedulable, PLUGIN_NAME, "node(s) didn't satisfy existing pods anti-affinity rules"),
];

/** Counts of an attempt; those of a copy change as its dry run goes on. */
interface Counts {
  /** Pods that match all of the pod's required affinity terms. */
  readonly affinity: PairCounts;
  /** Pods that match one of its required anti-affinity terms, for each. */
  readonly antiAffinity: PairCounts;
  /** Pods that it would match with one of their required anti-affinity terms, for each. */
  readonly existing: PairCounts;
}

/** See the file header. */
export class FilterState implements StateData {
  readonly #shape: PodShape;
  readonly #own: OwnSums;
  readonly #namespaces: Namespaces;
  readonly #counts: Counts;

  /** @param existing - sums of existing pods' required anti-affinity terms that match the pod, with records */
  constructor(
    shape: PodShape,
    own: OwnSums,
    existing: readonly DomainSum[],
    namespaces: Namespaces,
    counts: Counts = {
      affinity: new PairCounts(own.affinity.map(({ sum }) => sum)),
      antiAffinity: new PairCounts(own.antiAffinity.map(({ sum }) => sum)),
      existing: new PairCounts(existing),
    },
  ) {
    this.#shape = shape;
    this.#own = own;
    this.#namespaces = namespaces;
    this.#counts = counts;
  }

  clone(): FilterState {
    const { affinity, antiAffinity, existing } = this.#counts;
    return new FilterState(this.#shape, this.#own, existing.sums, this.#namespaces, {
      affinity: affinity.clone(),
      antiAffinity: antiAffinity.clone(),
      existing: existing.clone(),
    });
  }

  /** Counts a pod that a dry run puts on, or takes from, a node. */
  changePod(changed: PodInfo, { node }: NodeInfo, difference: 1 | -1): void {
    const { affinity, antiAffinity, existing } = this.#counts;
    const labels = node?.metadata.labels;
    const { requiredAntiAffinity } = podTermsOf(changed.shape);
    if (requiredAntiAffinity.length > 0) {
      const namespaceLabels = this.#namespaces.labelsOf(this.#shape.namespace);
      for (const term of requiredAntiAffinity) {
        if (matchesTerm(term, this.#shape, namespaceLabels)) existing.change(term.topologyKey, labels, difference);
      }
    }
    for (const { matcher, sum } of this.#own.affinity) {
      if (matcher.matches(changed.shape)) affinity.change(sum.column.key, labels, difference);
    }
    for (const { matcher, sum } of this.#own.antiAffinity) {
      if (matcher.matches(changed.shape)) antiAffinity.change(sum.column.key, labels, difference);
    }
  }

  /** The plain form. */
  judge({ node }: NodeInfo): Status | undefined {
    const { affinity, antiAffinity, existing } = this.#counts;
    const labels = node?.metadata.labels;
    let hasPods = true;
    for (const key of affinity.keys) {
      const value = labels?.[key];
      if (value === undefined) return STATUSES[AFFINITY];
      if (affinity.of(key, value) <= 0) hasPods = false;
    }
    if (!hasPods && !this.#mayBeFirst) return STATUSES[AFFINITY];
    if (antiAffinity.hasAny(labels)) return STATUSES[ANTI_AFFINITY];
    return existing.hasAny(labels) ? STATUSES[EXISTING_ANTI_AFFINITY] : undefined;
  }

  /** The column form; `undefined` in a dry run. */
  compile(): ColumnFilter | undefined {
    const { affinity, antiAffinity, existing } = this.#counts;
    if (!affinity.isUnchanged || !antiAffinity.isUnchanged || !existing.isUnchanged) return undefined;
    const needsPods = !this.#mayBeFirst;
    const forbidden = antiAffinity.sums.filter(({ records }) => records > 0);
    return {
      filter(slots, count, verdicts, base) {
        for (const sum of affinity.sums) requirePods(sum, needsPods, slots, count, verdicts, base + AFFINITY);
        for (const sum of forbidden) forbidPods(sum, slots, count, verdicts, base + ANTI_AFFINITY);
        for (const sum of existing.sums) forbidPods(sum, slots, count, verdicts, base + EXISTING_ANTI_AFFINITY);
      },
      statusOf: (code) => STATUSES[code] as Status,
    };
  }

  /** The form for groups of nodes; `undefined` in a dry run, and when some sum cannot be read by group. */
  group(readings: SumReadings): GroupFilter | undefined {
    const { affinity, antiAffinity, existing } = this.#counts;
    if (!affinity.isUnchanged || !antiAffinity.isUnchanged || !existing.isUnchanged) return undefined;
    const forbidden = antiAffinity.sums.filter(({ records }) => records > 0);
    const wanted = readings.all(affinity.sums);
    const unwanted = readings.all(forbidden);
    const refusing = readings.all(existing.sums);
    if (wanted === undefined || unwanted === undefined || refusing === undefined) return undefined;
    const needsPods = !this.#mayBeFirst;
    return {
      parts: [...wanted, ...unwanted, ...refusing].map(({ part }) => part),
      judge(groups, group) {
        for (const reading of wanted) {
          if (!reading.hasKey(groups, group)) return AFFINITY;
          if (needsPods && reading.sumOf(groups, group) <= 0) return AFFINITY;
        }
        if (hasAny(unwanted, groups, group)) return ANTI_AFFINITY;
        return hasAny(refusing, groups, group) ? EXISTING_ANTI_AFFINITY : 0;
      },
    };
  }

  /** The first pod of a series with affinity to itself may go anywhere: there is none yet to be near to. */
  get #mayBeFirst(): boolean {
    const [first] = this.#own.affinity;
    return this.#counts.affinity.isEmpty && first?.matcher.matches(this.#shape) === true;
  }
}

/** Where the plugin keeps it. */
export const FILTER_STATE = new StateKey<FilterState>(`PreFilter${PLUGIN_NAME}`);

function hasAny(readings: readonly SumReading[], groups: NodeGroups, group: number): boolean {
  for (const reading of readings) if (reading.sumOf(groups, group) > 0) return true;
  return false;
}

function requirePods(
  sum: DomainSum,
  needsPods: boolean,
  slots: Int32Array,
  count: number,
  verdicts: Int32Array,
  verdict: number,
): void {
  const { bySlot } = sum.column;
  for (let index = 0; index < count; index += 1) {
    const slot = slots[index] as number;
    if (verdicts[slot] !== 0) continue;
    const id = bySlot[slot] as number;
    if (id === NO_VALUE || (needsPods && sum.at(id) <= 0)) verdicts[slot] = verdict;
  }
}

function forbidPods(sum: DomainSum, slots: Int32Array, count: number, verdicts: Int32Array, verdict: number): void {
  const { bySlot } = sum.column;
  for (let index = 0; index < count; index += 1) {
    const slot = slots[index] as number;
    if (verdicts[slot] === 0 && sum.at(bySlot[slot] as number) > 0) verdicts[slot] = verdict;
  }
}
