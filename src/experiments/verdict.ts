/** What a comparison comes to in a few sentences: which side is better, by how much, and why. Pure. */
import { METRIC_NAMES, METRICS, type MetricName } from '../measurements/metric-catalogue.js';
import { durationText, numberText } from '../report/page/html.js';
import type { RunSummary } from '../report/run-summary.js';
import type { Difference } from '../report/page/comparison-page.js';
import type { Effect } from './effect.js';
import type { ExplainedMove } from './placements.js';

/** A value in both groups. */
export interface ComparedValue extends Difference, Effect {
  /** It is no chance, as far as one can tell of so many values at once. */
  readonly isSure: boolean;
}

/** What one variant against the first comes to. */
export interface Compared {
  readonly before: string;
  readonly after: string;
  readonly values: readonly ComparedValue[];
  /** Pods that both placed and those that are on other nodes, summed over the seeds. */
  readonly placements: { readonly common: number; readonly moved: number };
  /** The first pods that were placed elsewhere with the first seed: what follows may follow from them. */
  readonly moves: readonly ExplainedMove[];
}

/** `both`: each is better in something. `neither`: nothing that is good or bad differs for sure. */
export interface Verdict {
  readonly better: 'A' | 'B' | 'both' | 'neither';
  /** The first one says which is better; the others by how much, and why. */
  readonly sentences: readonly string[];
}

/** What matters most comes first; what is not named comes behind, in the order of the catalogue. */
const IMPORTANCE: readonly MetricName[] = [
  'violations',
  'pods_failed',
  'unschedulable',
  'pods_waiting',
  'pods_refused',
  'pod_scheduling_ms',
  'pod_startup_ms',
  'pod_ready_ms',
  'scheduling_throughput',
  'container_restarts',
];
/** Of each side so many values are told, one a metric. */
const TOLD = 4;
const REASONS = 3;
/** Fewer runs a side cannot show that a difference is no chance. */
const FEWEST_SEEDS = 4;

/** @param sides - the runs of both, by seed */
export function verdictOf(
  { values, moves, placements }: Compared,
  sides: readonly [before: readonly RunSummary[], after: readonly RunSummary[]],
): Verdict {
  const failed = sides.map((runs) => runs.filter(({ passed }) => !passed).length);
  const sure = values.filter(({ isSure, isBetter }) => isSure && isBetter !== undefined);
  const good = mostImportant(sure.filter(({ isBetter }) => isBetter === true));
  const bad = mostImportant(sure.filter(({ isBetter }) => isBetter === false));
  const better = sideOf(good.length, bad.length);
  const isFew = Math.min(...sides.map(({ length }) => length)) < FEWEST_SEEDS;
  return {
    better,
    sentences: [
      headline(better, sides[0].length, isFew),
      ...(failed.some((count) => count > 0)
        ? [`Runs that did not come to their goal: ${failed[0]} of A, ${failed[1]} of B.`]
        : []),
      ...changesText('B is better', good),
      ...changesText('B is worse', bad),
      ...waitsText('A', sides[0]),
      ...waitsText('B', sides[1]),
      ...placesText(placements, moves),
    ],
  };
}

function sideOf(good: number, bad: number): Verdict['better'] {
  if (good > 0 && bad > 0) return 'both';
  if (good === 0 && bad === 0) return 'neither';
  return good > 0 ? 'B' : 'A';
}

function headline(better: Verdict['better'], seeds: number, isFew: boolean): string {
  if (better === 'neither')
    return isFew
      ? `Too few seeds to be sure of anything: ${seeds}; ask for six or more.`
      : `Neither is better for sure, over ${seeds} seeds.`;
  if (better === 'both') return `Each is better in something, over ${seeds} seeds.`;
  const other = better === 'A' ? 'B' : 'A';
  return `${better} is better than ${other}: in all that is good or bad and differs for sure, over ${seeds} seeds.`;
}

/** One value a metric: the one that changes most for its size. */
function mostImportant(values: readonly ComparedValue[]): readonly ComparedValue[] {
  const byMetric = new Map<MetricName, ComparedValue>();
  for (const value of values) {
    const known = byMetric.get(value.metric);
    if (known === undefined || sizeOf(value) > sizeOf(known)) byMetric.set(value.metric, value);
  }
  return [...byMetric.values()].toSorted((a, b) => rankOf(a.metric) - rankOf(b.metric));
}

function sizeOf({ before, after }: ComparedValue): number {
  return Math.abs(after - before) / Math.max(Math.abs(before), Math.abs(after));
}

function rankOf(metric: MetricName): number {
  const rank = IMPORTANCE.indexOf(metric);
  return rank < 0 ? IMPORTANCE.length + METRIC_NAMES.indexOf(metric) : rank;
}

function changesText(words: string, values: readonly ComparedValue[]): readonly string[] {
  if (values.length === 0) return [];
  const told = values.slice(0, TOLD).map((value) => {
    const [was, is] = [amountText(value, value.before), amountText(value, value.after)];
    return `${value.metric} ${value.value} ${was} → ${is}`;
  });
  const more = values.length > TOLD ? `, and ${values.length - TOLD} more` : '';
  return [`${words}: ${told.join(', ')}${more} (medians).`];
}

function amountText({ metric, value }: ComparedValue, amount: number): string {
  const { unit } = METRICS[metric];
  if (unit === 'ms' && value !== 'count') return durationText(amount);
  return unit === '' || value === 'count' ? numberText(amount) : `${numberText(amount)} ${unit}`;
}

/** What pods waited for, over all seeds, the most frequent reasons first. */
function waitsText(side: string, runs: readonly RunSummary[]): readonly string[] {
  const counts = new Map<string, number>();
  const note = ({ reason, count }: RunSummary['refused'][number]): void => {
    counts.set(reason, (counts.get(reason) ?? 0) + count);
  };
  for (const { refused } of runs) refused.forEach(note);
  const pods = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (pods === 0) return [`Why: in ${side} no pod had to wait for a node.`];
  const reasons = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, REASONS);
  const told = reasons.map(([reason, count]) => `${reason} (${numberText(count)})`).join('; ');
  return [`Why: in ${side} ${numberText(pods / runs.length)} pods a run could not be placed at once: ${told}.`];
}

function placesText({ common, moved }: Compared['placements'], moves: Compared['moves']): readonly string[] {
  if (moved === 0 || common === 0) return [];
  const deciding = new Map<string, number>();
  for (const { decidedBy } of moves) {
    if (decidedBy !== undefined) deciding.set(decidedBy, (deciding.get(decidedBy) ?? 0) + 1);
  }
  const told = [...deciding]
    .toSorted(([, a], [, b]) => b - a)
    .map(([plugin, count]) => `${plugin} (${count} of ${moves.length})`);
  const by = told.length === 0 ? '' : `; of the first ones B's nodes were chosen by ${told.join(', ')}`;
  return [`${numberText((moved / common) * 100)} % of the pods are on other nodes${by}.`];
}
