/**
 * Two runs side by side, or two groups of runs that differ in their seeds: every metric with its difference, and with
 * how likely it is by chance; their courses in the same charts, the second dashed.
 */
import { METRIC_NAMES, METRICS, type MetricName } from '../../measurements/metric-catalogue.js';
import type { RunSummary } from '../run-summary.js';
import { durationText, escapeHtml, numberText, sectionHtml, tableHtml, type Cell } from './html.js';
import { lineCharts, type LineChart } from './line-charts.js';
import { chartPlace, pageHtml, type DrawnChart } from './page.js';
import { rankTest } from './rank-test.js';
import { verdictHtml } from './run-page.js';

/** A value of a metric in both groups. */
export interface Difference {
  readonly metric: MetricName;
  /** By the words of thresholds. */
  readonly value: string;
  /** Medians over the runs of each group. */
  readonly before: number;
  readonly after: number;
  /** Of `before`; `undefined` where that is 0. */
  readonly share: number | undefined;
  /** `undefined` = it is neither. */
  readonly isBetter: boolean | undefined;
  /** How likely it is by chance over seeds; `undefined` for fewer than two runs a group. */
  readonly chance: number | undefined;
}

const VALUES: Readonly<Record<'trend' | 'counter' | 'gauge', readonly string[]>> = {
  trend: ['count', 'med', 'p(99)', 'max'],
  counter: ['count'],
  gauge: ['value', 'max'],
};
/** More of them is worse; of all times as well. */
const WORSE: ReadonlySet<MetricName> = new Set([
  'api_errors',
  'container_restarts',
  'pods_failed',
  'pods_refused',
  'pods_waiting',
  'unschedulable',
  'violations',
]);
const BETTER: ReadonlySet<MetricName> = new Set(['scheduling_throughput']);
/** From here on a difference is told as one that chance hardly makes. */
const SIGNIFICANT = 0.05;
/** Lines that are compared, chart by chart. */
const COMPARED: Readonly<Record<string, readonly string[]>> = {
  pods: ['Pending', 'Ready'],
  startup: ['median', 'p99'],
  throughput: ['bound'],
  queue: ['without a node', 'unschedulable'],
  requests: ['POST', 'PATCH', 'errors'],
  nodes: ['Ready'],
};

/** Of what a metric has, the values that are compared. */
export function comparedValues(metric: MetricName): readonly string[] {
  return VALUES[METRICS[metric].type];
}

/** Every value that differs or not, in the order of the catalogue. */
export function differencesOf(before: readonly RunSummary[], after: readonly RunSummary[]): readonly Difference[] {
  return METRIC_NAMES.flatMap((metric) =>
    comparedValues(metric).flatMap((value): readonly Difference[] => {
      const [left, right] = [valuesOf(before, metric, value), valuesOf(after, metric, value)];
      if (left.length === 0 || right.length === 0) return [];
      const [was, is] = [medianOf(left), medianOf(right)];
      const share = was === 0 ? undefined : (is - was) / was;
      return [
        {
          metric,
          value,
          before: was,
          after: is,
          share,
          isBetter: judged(metric, value, was, is),
          chance: rankTest(left, right),
        },
      ];
    }),
  );
}

/** The page. @param sections - that come first, and before the charts */
export function comparisonPage(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  { lead, more }: { readonly lead: string; readonly more: string } = { lead: '', more: '' },
): string {
  const [first] = before;
  const [second] = after;
  if (first === undefined || second === undefined)
    return pageHtml({ title: 'Nothing to compare', content: '', charts: [], marks: [] });
  const charts = comparedCharts(first, second);
  const differences = differencesOf(before, after);
  const title = `${first.title} against ${second.title}`;
  const content = [
    `<header><h1>Two runs compared</h1>${sideHtml('A, solid lines', before)}${sideHtml('B, dashed lines', after)}</header>`,
    lead,
    thresholdsHtml(first, second),
    differencesHtml(differences, before.length > 1 && after.length > 1),
    more,
    ...charts.map((chart) => sectionHtml(chart.id, chart.title, `${chart.about} In ${chart.unit}.`, chartPlace(chart))),
  ];
  return pageHtml({ title, content: content.join('\n'), charts, marks: [] });
}

function sideHtml(label: string, runs: readonly RunSummary[]): string {
  const [first] = runs;
  if (first === undefined) return '';
  const seeds = runs.map(({ seed }) => seed).join(', ');
  const passed = runs.every((run) => run.passed);
  return `<p class="facts">${verdictHtml(passed)}<b>${escapeHtml(label)}</b>: ${escapeHtml(first.title)}, kubeloom ${escapeHtml(first.program)}, ${runs.length === 1 ? 'seed' : 'seeds'} <code>${escapeHtml(seeds)}</code>${runs.length > 1 ? '; charts show the first' : `, trace hash <code>${escapeHtml(first.traceHash)}</code>`}</p>`;
}

function thresholdsHtml(first: RunSummary, second: RunSummary): string {
  const keys = new Map<string, { a?: string; b?: string }>();
  for (const [side, { thresholds, checks }] of [
    ['a', first],
    ['b', second],
  ] as const) {
    for (const { metric, expression, ok, value } of thresholds) {
      const key = `${metric}: ${expression}`;
      keys.set(key, {
        ...keys.get(key),
        [side]: `${ok ? '✓ met' : '✗ failed'}, ${value === null ? 'nothing measured' : numberText(value)}`,
      });
    }
    for (const { name, ok } of checks) keys.set(name, { ...keys.get(name), [side]: ok ? '✓ met' : '✗ failed' });
  }
  const rows = [...keys].map(([key, { a = 'not asked', b = 'not asked' }]): readonly Cell[] => [key, a, b]);
  const table = tableHtml(['what was asked for', 'A', 'B'], rows, 'nothing was asked for');
  return sectionHtml('verdicts', 'Thresholds and checks', 'Of the first run of each side.', table);
}

function differencesHtml(differences: readonly Difference[], isGrouped: boolean): string {
  const rows = differences
    .filter(({ before, after }) => before !== 0 || after !== 0)
    .map((difference, index, shown): readonly Cell[] => {
      const { metric, value, before, after, chance } = difference;
      return [
        { html: `<code>${metric}</code> ${escapeHtml(value)}` },
        amountCell(metric, value, before),
        amountCell(metric, value, after),
        { html: differenceHtml(difference, isGrouped && !isUnlikely(chance)) },
        ...(isGrouped ? [chanceText(chance)] : []),
        // Values of one metric stand one below the other.
        shown[index - 1]?.metric === metric ? '' : METRICS[metric].help,
      ];
    });
  const head = ['metric', 'A', 'B', 'difference', ...(isGrouped ? ['by chance'] : []), 'definition'];
  const about = isGrouped
    ? 'Medians over the seeds of each side. By chance: how likely sides that do not differ lie so far apart (Mann and Whitney, two-sided; of many metrics one in twenty comes below 5 % so). Better and worse are said of those below.'
    : 'One run a side: what differs may be the seed alone. Give several runs a side to learn how likely that is.';
  return sectionHtml('differences', 'Differences', about, tableHtml(head, rows, 'nothing was measured'));
}

/** Times in the largest units that fit; how many there were is a number. */
function amountCell(metric: MetricName, value: string, amount: number): Cell {
  return METRICS[metric].unit === 'ms' && value !== 'count' ? durationText(amount) : amount;
}

/** @param mayBeChance - it is told, and not judged */
function differenceHtml({ before, after, share, isBetter }: Difference, mayBeChance: boolean): string {
  if (before === after) return '=';
  const sign = after > before ? '+' : '−';
  const text =
    share === undefined
      ? `${sign}${numberText(Math.abs(after - before))}`
      : `${sign}${numberText(Math.abs(share) * 100)} %`;
  if (isBetter === undefined || mayBeChance) return text;
  return `<span class="${isBetter ? 'better' : 'worse'}">${text} ${isBetter ? '▲ better' : '▼ worse'}</span>`;
}

function chanceText(chance: number | undefined): string {
  if (chance === undefined) return '–';
  const text = chance < 0.001 ? 'below 0.1 %' : `${numberText(chance * 100)} %`;
  return isUnlikely(chance) ? `${text}, hardly` : text;
}

/** Whether chance hardly makes such a difference. */
function isUnlikely(chance: number | undefined): boolean {
  return chance !== undefined && chance < SIGNIFICANT;
}

function judged(metric: MetricName, value: string, before: number, after: number): boolean | undefined {
  if (before === after || (METRICS[metric].type === 'trend' && value === 'count')) return undefined;
  if (BETTER.has(metric)) return after > before;
  return WORSE.has(metric) || METRICS[metric].unit === 'ms' ? after < before : undefined;
}

/** One for each run that has measured it. */
export function valuesOf(runs: readonly RunSummary[], metric: MetricName, value: string): readonly number[] {
  return runs.flatMap(
    ({ metrics }) =>
      metrics.find(({ name, tags }) => name === metric && Object.keys(tags).length === 0)?.values[value] ?? [],
  );
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Both runs in slots of the longer one, as slots are a power of two longer than the first ones. */
function comparedCharts(first: RunSummary, second: RunSummary): readonly DrawnChart[] {
  const slotMs = Math.max(first.series.slotMs, second.series.slotMs);
  const [left, right] = [lineCharts(first), lineCharts(second)];
  return left.flatMap((chart, index): readonly DrawnChart[] => {
    const other = right[index];
    const labels = COMPARED[chart.id];
    if (other === undefined || labels === undefined) return [];
    const sides = [
      { name: 'A', chart, factor: slotMs / first.series.slotMs },
      { name: 'B', chart: other, factor: slotMs / second.series.slotMs },
    ];
    const lengths = sides.map((side) => Math.ceil(side.chart.seconds.length / side.factor));
    const slots = Math.max(...lengths);
    const seconds = Array.from({ length: slots }, (_, slot) => ((slot + 1) * slotMs) / 1000);
    const lines = labels.flatMap((label, colour) =>
      sides.flatMap(({ name, chart: own, factor }, dash) => {
        const line = own.lines.find((each) => each.label === label);
        if (line === undefined) return [];
        return [
          {
            label: `${name}: ${label}`,
            values: joined(line.values, factor, slots, own.unit.endsWith('/s')),
            colour,
            dash,
          },
        ];
      }),
    );
    return lines.length === 0 ? [] : [{ ...chart, seconds, lines }];
  });
}

/** So many slots as one: the mean of rates, the highest of what stood in them. */
function joined(
  values: LineChart['lines'][number]['values'],
  factor: number,
  slots: number,
  isRate: boolean,
): readonly (number | null)[] {
  return Array.from({ length: slots }, (_, slot) => {
    const known = values.slice(slot * factor, (slot + 1) * factor).filter((value) => value !== null);
    if (known.length === 0) return null;
    return isRate ? known.reduce((sum, value) => sum + value, 0) / known.length : Math.max(...known);
  });
}
