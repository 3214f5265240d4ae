/** The charts of a run over time, as data: what stands in them, and in which lines. Pure. */
import type { RunSummary } from '../run-summary.js';

/** A line; where there is no value it has a gap. */
export interface ChartLine {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** A chart over time. */
export interface LineChart {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly unit: string;
  /** Seconds since the beginning of the measurement. */
  readonly seconds: readonly number[];
  readonly lines: readonly ChartLine[];
  /** Values are single points, between which nothing is known. */
  readonly isSparse: boolean;
}

/** Controllers that are shown: those with the longest queues. */
const SHOWN_CONTROLLERS = 6;

/** Every chart of a run, in the order of the page. */
export function lineCharts(summary: RunSummary): readonly LineChart[] {
  return [
    podsByPhase(summary),
    startupOverTime(summary),
    throughput(summary),
    queue(summary),
    requests(summary),
    controllers(summary),
    nodes(summary),
  ];
}

/** Moments of the ends of slots. */
function secondsOf({ series, startMs, endMs }: RunSummary): readonly number[] {
  return Array.from(
    { length: series.slots },
    (_, slot) => (Math.min(endMs, series.startMs + (slot + 1) * series.slotMs) - startMs) / 1000,
  );
}

function chart(
  summary: RunSummary,
  { lines, ...head }: Omit<LineChart, 'seconds' | 'isSparse'> & { readonly isSparse?: boolean },
): LineChart {
  return { isSparse: false, ...head, seconds: secondsOf(summary), lines };
}

function level({ series }: RunSummary, name: string): readonly number[] {
  return series.levels.find((each) => each.name === name)?.values ?? Array.from({ length: series.slots }, () => 0);
}

/** Amounts as so many per second; the last slot may be shorter than the others. */
function rate(summary: RunSummary, name: string): readonly number[] {
  const { series, endMs } = summary;
  const values = series.amounts.find((each) => each.name === name)?.values ?? [];
  return Array.from({ length: series.slots }, (_, slot) => {
    const beginMs = series.startMs + slot * series.slotMs;
    const lengthMs = slot === series.slots - 1 ? endMs - beginMs : series.slotMs;
    // What came in the last instant of all is told as if its slot were a whole one.
    return (values[slot] ?? 0) / ((lengthMs > 0 ? lengthMs : series.slotMs) / 1000);
  });
}

function podsByPhase(summary: RunSummary): LineChart {
  const phases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];
  const lines = phases
    .map((phase) => ({ label: phase, values: level(summary, `pods ${phase}`) }))
    .filter(({ label, values }) => label === 'Pending' || label === 'Running' || values.some((value) => value > 0));
  return chart(summary, {
    id: 'pods',
    title: 'Pods by phase',
    about:
      'Pods that the API server has, and how many of them are Ready. Those on a lost node keep their phase until it is back.',
    unit: 'pods',
    lines: [...lines, { label: 'Ready', values: level(summary, 'ready') }],
  });
}

function startupOverTime(summary: RunSummary): LineChart {
  const spread = summary.series.spreads['pod_started_ms'];
  const quantile = (label: string, values: readonly number[] = []): ChartLine => ({
    label,
    values: Array.from({ length: summary.series.slots }, (_, slot) =>
      (spread?.count[slot] ?? 0) > 0 ? (values[slot] ?? 0) / 1000 : null,
    ),
  });
  return chart(summary, {
    id: 'startup',
    title: 'Startup latency over time',
    about:
      'From creation to the start of all containers, by the moment of the start: pulls, init containers and waiting included.',
    unit: 's',
    isSparse: true,
    lines: [quantile('median', spread?.p50), quantile('p90', spread?.p90), quantile('p99', spread?.p99)],
  });
}

function throughput(summary: RunSummary): LineChart {
  return chart(summary, {
    id: 'throughput',
    title: 'Scheduling throughput',
    about: 'Pods per second of simulated time that were created, bound to a node, and started.',
    unit: 'pods/s',
    lines: [
      { label: 'created', values: rate(summary, 'created') },
      { label: 'bound', values: rate(summary, 'scheduled') },
      { label: 'started', values: rate(summary, 'started') },
    ],
  });
}

function queue(summary: RunSummary): LineChart {
  const pools = ['active', 'backoff', 'unschedulable', 'gated'];
  return chart(summary, {
    id: 'queue',
    title: 'Scheduling queue',
    about: 'Pods without a node, and where they wait in the queue of the scheduler; the most in each slot of time.',
    unit: 'pods',
    lines: [
      { label: 'without a node', values: level(summary, 'waiting') },
      ...pools.map((pool) => ({ label: pool, values: level(summary, `queue ${pool}`) })),
    ],
  });
}

function requests(summary: RunSummary): LineChart {
  const verbs = summary.series.amounts.flatMap(({ name }) => (name.startsWith('requests ') ? [name] : []));
  return chart(summary, {
    id: 'requests',
    title: 'API requests',
    about: 'Requests of components per second of simulated time, by verb, and those that were refused or lost.',
    unit: '1/s',
    lines: [
      ...verbs.toSorted().map((name) => ({ label: name.slice('requests '.length), values: rate(summary, name) })),
      { label: 'errors', values: rate(summary, 'request errors') },
    ],
  });
}

function controllers(summary: RunSummary): LineChart {
  const longest = summary.series.levels
    .filter(({ name }) => name.startsWith('controller '))
    .map(({ name, values }) => ({ label: name.slice('controller '.length), values, most: Math.max(...values) }))
    .filter(({ most }) => most > 0)
    .toSorted((a, b) => b.most - a.most || (a.label < b.label ? -1 : 1))
    .slice(0, SHOWN_CONTROLLERS);
  return chart(summary, {
    id: 'controllers',
    title: "Controllers' queues",
    about: 'Keys that wait to be worked on, of the controllers with the longest queues.',
    unit: 'keys',
    lines: longest.map(({ label, values }) => ({ label, values })),
  });
}

function nodes(summary: RunSummary): LineChart {
  return chart(summary, {
    id: 'nodes',
    title: 'Nodes',
    about: 'Registered nodes, and those that are Ready.',
    unit: 'nodes',
    lines: [
      { label: 'registered', values: level(summary, 'nodes') },
      { label: 'Ready', values: level(summary, 'nodes ready') },
    ],
  });
}
