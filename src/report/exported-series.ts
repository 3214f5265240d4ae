/**
 * The course of a run in the words of monitoring systems: names with units, labels, points with simulated time since
 * 1970. What OpenMetrics and OTLP have in common.
 */
import type { MetricHistogram, MetricReading } from '../measurements/metric-store.js';
import type { SeriesColumn } from '../measurements/run-series.js';
import type { RunSummary } from './run-summary.js';

/** Labels in their order. */
export type Labels = readonly (readonly [name: string, value: string])[];

/** A moment and what stood then. */
export interface Point {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly value: number;
}

/** One line of points. */
export interface ExportedLine {
  readonly labels: Labels;
  readonly points: readonly Point[];
}

/** A distribution as it stood at the end. */
export interface ExportedHistogram {
  readonly labels: Labels;
  readonly atMs: number;
  readonly count: number;
  readonly histogram: MetricHistogram;
}

/** All lines, or distributions, of one name. */
export interface ExportedFamily {
  /** Ends in its unit, if it has one. */
  readonly name: string;
  readonly unit: '' | 'seconds' | 'ratio';
  readonly help: string;
  /** A counter's points are sums from the beginning on. */
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly lines: readonly ExportedLine[];
  readonly histograms: readonly ExportedHistogram[];
}

type Family = Pick<ExportedFamily, 'name' | 'unit' | 'help'> & {
  /** What the names of its columns begin with; the rest of a name is the value of the label. */
  readonly column: string;
  readonly label?: string;
};

/** Of the levels of a series. */
const LEVELS: readonly Family[] = [
  { column: 'pods ', label: 'phase', name: 'kubeloom_pods', unit: '', help: 'Pods by phase.' },
  { column: 'ready', name: 'kubeloom_ready_pods', unit: '', help: 'Pods that are Ready.' },
  { column: 'waiting', name: 'kubeloom_waiting_pods', unit: '', help: 'Pods that are not bound to a node.' },
  { column: 'unschedulable', name: 'kubeloom_unschedulable_pods', unit: '', help: 'Pods that could not be placed.' },
  { column: 'nodes', name: 'kubeloom_nodes', unit: '', help: 'Registered nodes.' },
  { column: 'nodes ready', name: 'kubeloom_ready_nodes', unit: '', help: 'Nodes that are Ready.' },
  {
    column: 'queue ',
    label: 'pool',
    name: 'kubeloom_scheduler_queue',
    unit: '',
    help: 'Pods in the queue of the scheduler.',
  },
  {
    column: 'controller ',
    label: 'controller',
    name: 'kubeloom_controller_queue',
    unit: '',
    help: 'Keys in the work queue of a controller.',
  },
  {
    column: 'cpu ',
    label: 'zone',
    name: 'kubeloom_zone_cpu_requested_ratio',
    unit: 'ratio',
    help: 'Requested of allocatable CPU.',
  },
  {
    column: 'memory ',
    label: 'zone',
    name: 'kubeloom_zone_memory_requested_ratio',
    unit: 'ratio',
    help: 'Requested of allocatable memory.',
  },
];

/** Of its amounts. */
const AMOUNTS: readonly Family[] = [
  { column: 'created', name: 'kubeloom_pods_created', unit: '', help: 'Pods that were created.' },
  { column: 'scheduled', name: 'kubeloom_pods_scheduled', unit: '', help: 'Pods that were bound to a node.' },
  { column: 'started', name: 'kubeloom_pods_started', unit: '', help: 'Pods of which all containers were started.' },
  { column: 'ready', name: 'kubeloom_pods_became_ready', unit: '', help: 'Pods that became Ready for the first time.' },
  { column: 'deleted', name: 'kubeloom_pods_deleted', unit: '', help: 'Pods that are gone.' },
  {
    column: 'requests ',
    label: 'verb',
    name: 'kubeloom_api_requests',
    unit: '',
    help: 'Requests of components to the API server.',
  },
  {
    column: 'request errors',
    name: 'kubeloom_api_request_errors',
    unit: '',
    help: 'Requests that were refused or lost.',
  },
];

const MS_PER_SECOND = 1000;

/** Everything that is exported, family by family; those without a point are left out. */
export function exportedFamilies(summary: RunSummary): readonly ExportedFamily[] {
  const { levels, amounts } = summary.series;
  return [
    ...LEVELS.map((family) => familyOf(family, 'gauge', levels, summary)),
    ...AMOUNTS.map((family) => familyOf(family, 'counter', amounts, summary)),
    ...histogramFamilies(summary),
  ].filter(({ lines, histograms }) => lines.length + histograms.length > 0);
}

function familyOf(
  { column, label, name, unit, help }: Family,
  type: 'gauge' | 'counter',
  columns: readonly SeriesColumn[],
  summary: RunSummary,
): ExportedFamily {
  const lines = columns.flatMap((each): readonly ExportedLine[] => {
    if (label === undefined ? each.name !== column : !each.name.startsWith(column)) return [];
    const labels: Labels = label === undefined ? [] : [[label, each.name.slice(column.length)]];
    return [{ labels, points: pointsOf(each.values, type === 'counter', summary) }];
  });
  return { name, unit, help, type, lines, histograms: [] };
}

function pointsOf(
  values: readonly number[],
  isSummed: boolean,
  { series, epochMs, endMs }: RunSummary,
): readonly Point[] {
  let sum = 0;
  return values.map((value, slot) => {
    sum += value;
    // The last moment of the slot: the next one begins with it.
    const lastMs = Math.min(endMs, series.startMs + (slot + 1) * series.slotMs - 1);
    return { atMs: epochMs + lastMs, value: isSummed ? sum : value };
  });
}

function histogramFamilies({ metrics, epochMs, endMs }: RunSummary): readonly ExportedFamily[] {
  const families = new Map<string, MetricReading[]>();
  for (const metric of metrics) {
    if (metric.histogram === undefined || metric.values['count'] === 0) continue;
    families.set(metric.name, [...(families.get(metric.name) ?? []), metric]);
  }
  return [...families].map(([name, readings]) => {
    const [{ unit, help }] = readings as [MetricReading];
    const isTime = unit === 'ms';
    // The whole is the sum of its parts: only one of both is told.
    const parts = readings.length > 1 ? readings.filter(({ tags }) => Object.keys(tags).length > 0) : readings;
    return {
      name: `kubeloom_${isTime ? name.replace(/_ms$/, '_seconds') : `${name}_pods_per_second`}`,
      unit: isTime ? 'seconds' : '',
      help: `${help}.`,
      type: 'histogram',
      lines: [],
      histograms: parts.map(({ tags, values, histogram }) => ({
        labels: Object.entries(tags),
        atMs: epochMs + endMs,
        count: values['count'] ?? 0,
        histogram: scaled(histogram, isTime ? MS_PER_SECOND : 1),
      })),
    };
  });
}

function scaled(histogram: MetricHistogram | undefined, divisor: number): MetricHistogram {
  const { bounds, upTo, sum } = histogram ?? { bounds: [], upTo: [], sum: 0 };
  return { bounds: bounds.map((bound) => bound / divisor), upTo, sum: sum / divisor };
}
