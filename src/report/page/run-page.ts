/** The report of one run as a page: whether it passed first, then what it came to, then why. */
import { nameWithTags, type MetricReading } from '../../measurements/metric-store.js';
import type { PodStoryline } from '../../measurements/pod-metrics.js';
import type { RunSummary } from '../run-summary.js';
import { distribution, groupedMarks, markLanes, partLegend, podBar } from './drawings.js';
import { heatLegend, nodeHeatMap, zoneHeatMap } from './heat-map.js';
import { durationText, escapeHtml, numberText, sectionHtml, tableHtml, type Cell } from './html.js';
import { lineCharts, type LineChart } from './line-charts.js';
import { chartPlace, pageHtml, type ChartMark } from './page.js';

/** Rows of long tables. */
const SHOWN_REQUESTS = 25;
const SHOWN_MARKS = 200;
const SHOWN_REASONS = 10;

/** The page. */
export function runPage(summary: RunSummary): string {
  const charts = lineCharts(summary);
  const chart = (id: string): string =>
    charts
      .filter((each) => each.id === id)
      .map(chartSection)
      .join('');
  const content = [
    headHtml(summary),
    tilesHtml(summary),
    verdictsHtml(summary),
    summary.marks.length === 0 ? '' : marksHtml(summary),
    chart('pods'),
    startupHtml(summary),
    chart('startup'),
    `<div class="pair">${chart('throughput')}${chart('queue')}</div>`,
    unschedulableHtml(summary),
    heatHtml(summary),
    chart('nodes'),
    slowestHtml(summary),
    `<div class="pair">${chart('requests')}${chart('controllers')}</div>`,
    requestsHtml(summary),
    metricsHtml(summary),
  ];
  return pageHtml({ title: summary.title, content: content.join('\n'), charts, marks: chartMarks(summary) });
}

/** Marks as charts show them. */
export function chartMarks(summary: RunSummary): readonly ChartMark[] {
  return groupedMarks(summary).map(({ number, kind, atMs, untilMs }) => ({
    number,
    kind,
    at: (atMs - summary.startMs) / 1000,
    until: untilMs === null ? null : (untilMs - summary.startMs) / 1000,
  }));
}

/** A chart with its words; one without lines says so. */
export function chartSection(chart: LineChart): string {
  const place =
    chart.lines.length === 0 ? '<p class="nothing">nothing waited when it was looked at</p>' : chartPlace(chart);
  return sectionHtml(chart.id, chart.title, `${chart.about} In ${chart.unit}.`, place);
}

/** Whether the run passed, in a word, a sign and a colour. */
export function verdictHtml(passed: boolean): string {
  return `<span class="verdict ${passed ? 'good' : 'bad'}">${passed ? '✓ passed' : '✗ failed'}</span>`;
}

function headHtml(summary: RunSummary): string {
  const { title, kind, seed, traceHash, startMs, endMs, program, host, passed } = summary;
  const wall =
    host === undefined
      ? ''
      : `, played in ${durationText(host.wallSeconds * 1000)} with ${Math.round(host.peakRssBytes / 1e6)} MB`;
  return `<header><h1>${verdictHtml(passed)}${escapeHtml(title)}</h1>
<p class="facts">${escapeHtml(kind)}, ${durationText(endMs - startMs)} of simulated time${wall}. Seed <code>${escapeHtml(seed)}</code>, trace hash <code>${escapeHtml(traceHash)}</code>, kubeloom ${escapeHtml(program)}. All times are simulated.</p></header>`;
}

function metric(summary: RunSummary, name: string): MetricReading | undefined {
  return summary.metrics.find((each) => each.name === name);
}

function valueOf(summary: RunSummary, name: string, key: string): number | undefined {
  return metric(summary, name)?.values[key];
}

function tilesHtml(summary: RunSummary): string {
  const time = (name: string, key: string): string => {
    const value = valueOf(summary, name, key);
    return value === undefined ? '–' : durationText(value);
  };
  const count = (name: string, key: string): string => numberText(valueOf(summary, name, key) ?? 0);
  const tiles: readonly (readonly [string, string])[] = [
    [count('pods_started', 'count'), `pods started of ${count('pods_created', 'count')} created`],
    [time('pod_startup_ms', 'p(99)'), 'pod startup p99 (SLI: without pulls and init containers)'],
    [time('pod_started_ms', 'p(99)'), 'pod start p99, pulls and all'],
    [time('pod_scheduling_ms', 'p(99)'), 'scheduling p99'],
    [`${count('scheduling_throughput', 'max')} /s`, 'pods bound, best five seconds'],
    [count('unschedulable', 'value'), 'pods unschedulable at the end'],
    [count('nodes_ready', 'value'), `nodes Ready of ${count('nodes_total', 'value')}`],
    ...fewestReady(summary),
    [count('violations', 'count'), 'broken promises'],
    [count('api_requests', 'count'), `API requests, ${count('api_errors', 'count')} of them errors`],
  ];
  return `<div class="tiles">${tiles.map(([value, label]) => `<div class="tile"><b>${escapeHtml(value)}</b><span>${escapeHtml(label)}</span></div>`).join('')}</div>`;
}

/** What faults cost: the fewest pods that were Ready while one lasted, and how many were before the first. */
function fewestReady({ marks, series, endMs }: RunSummary): readonly (readonly [string, string])[] {
  const faults = marks.filter(({ kind }) => kind === 'fault');
  const ready = series.levels.find(({ name }) => name === 'ready')?.values ?? [];
  const slotOf = (ms: number): number => Math.min(series.slots - 1, Math.floor((ms - series.startMs) / series.slotMs));
  const [first] = faults;
  if (first === undefined) return [];
  const during = faults.flatMap(({ atMs, untilMs }) => ready.slice(slotOf(atMs), slotOf(untilMs ?? endMs) + 1));
  if (during.length === 0) return [];
  const before = ready[Math.max(0, slotOf(first.atMs) - 1)] ?? 0;
  return [
    [numberText(Math.min(...during)), `pods Ready at the fewest while faults lasted, of ${numberText(before)} before`],
  ];
}

function verdictCell(ok: boolean): Cell {
  return { html: ok ? '<span class="good">✓ met</span>' : '<span class="bad">✗ failed</span>' };
}

function verdictsHtml({ thresholds, checks }: RunSummary): string {
  const rows = [
    ...thresholds.map(({ metric: name, expression, ok, value }): readonly Cell[] => [
      verdictCell(ok),
      { html: `<code>${escapeHtml(`${name}: ${expression}`)}</code>` },
      value === null ? 'nothing was measured' : `it was ${numberText(value)}`,
    ]),
    ...checks.map(({ name, ok, problem, atMs }): readonly Cell[] => [
      verdictCell(ok),
      name,
      problem ?? (atMs === null ? '' : `after ${durationText(atMs)}`),
    ]),
  ];
  const table = tableHtml(['', 'what was asked for', 'what it came to'], rows, 'nothing was asked for');
  return sectionHtml('verdicts', 'Thresholds and checks', 'What the run had to come to, and what it came to.', table);
}

function marksHtml(summary: RunSummary): string {
  const marks = groupedMarks(summary);
  const rows = marks
    .slice(0, SHOWN_MARKS)
    .map(({ number, atMs, untilMs, kind, text, ok }): readonly Cell[] => [
      number,
      { time: durationText(atMs - summary.startMs) },
      { time: untilMs === null ? '' : durationText(untilMs - atMs) },
      `${kind}${ok === null ? '' : ok ? ', met' : ', failed'}`,
      text,
    ]);
  const table = tableHtml(['number', 'after', 'lasted', 'what', ''], rows, '');
  const rest = marks.length > SHOWN_MARKS ? `<p class="about">and ${marks.length - SHOWN_MARKS} more</p>` : '';
  const list = `<details${marks.length <= 12 ? ' open' : ''}><summary>${marks.length} entries</summary>${table}${rest}</details>`;
  const about = 'Faults last as long as their bars; the charts below show them by the same numbers.';
  return sectionHtml('marks', 'What happened when', about, `${markLanes(summary)}${list}`);
}

function startupHtml(summary: RunSummary): string {
  const readings = ['pod_startup_ms', 'pod_started_ms'].flatMap((name) => metric(summary, name) ?? []);
  const hasAny = readings.some(({ values }) => (values['count'] ?? 0) > 0);
  const rows = ['pod_startup_ms', 'pod_started_ms', 'pod_ready_ms', 'pod_scheduling_ms', 'image_pull_ms'].flatMap(
    (name) => {
      const reading = metric(summary, name);
      if (reading === undefined) return [];
      const { values, help } = reading;
      const count = values['count'] ?? 0;
      const time = (key: string): Cell => ({ time: count === 0 ? '–' : durationText(values[key] ?? 0) });
      return [[{ html: `<code>${name}</code>` }, count, time('med'), time('p(90)'), time('p(99)'), time('max'), help]];
    },
  );
  const table = tableHtml(['metric', 'pods', 'median', 'p90', 'p99', 'longest', 'definition'], rows, '');
  const bars = hasAny
    ? distribution(readings, 'Startup latency: how many pods took how long')
    : '<p class="nothing">no pod was started</p>';
  const legend = hasAny
    ? '<p class="legend">filled: SLI of pod startup, without pulls and init containers · outlined: all that a pod waited for</p>'
    : '';
  return sectionHtml(
    'distribution',
    'Startup latency',
    'How many pods took how long from their creation to the start of all containers.',
    `${bars}${legend}${table}`,
  );
}

function unschedulableHtml({ unschedulable, refused }: RunSummary): string {
  const head = ['pods', 'reason', 'as kube-scheduler writes it'];
  const content = `<h3>At the end</h3>${tableHtml(head, reasonRows(unschedulable), 'no pod was unschedulable at the end')}<h3>At their first refusal</h3>${tableHtml(head, reasonRows(refused), 'no pod was refused at any attempt')}`;
  const about = 'Pods that the scheduler could not place, by reason.';
  return sectionHtml('unschedulable', 'Why pods had to wait', about, content);
}

function reasonRows(groups: RunSummary['refused']): readonly (readonly Cell[])[] {
  return groups
    .slice(0, SHOWN_REASONS)
    .map(({ count, reason, example }) => [count, reason, { html: `<code>${escapeHtml(example)}</code>` }]);
}

function heatHtml(summary: RunSummary): string {
  if (summary.zones.length === 0) return '';
  const content = `<h3>CPU by zone over time, in % of what is allocatable; at the end to the right</h3>${zoneHeatMap(summary, 'cpu')}
<h3>Memory by zone over time</h3>${zoneHeatMap(summary, 'memory')}
<h3>Every node by the most that was asked for of its CPU</h3>${nodeHeatMap(summary)}${heatLegend()}`;
  return sectionHtml(
    'heat',
    'Utilisation of nodes',
    'What pods ask for of what nodes offer, as the scheduler counts it: darker is fuller.',
    content,
  );
}

function slowestHtml({ slowest, unstarted }: RunSummary): string {
  const longestMs = Math.max(1, ...slowest.map(({ tookMs }) => tookMs ?? 0));
  const rows = slowest.map((story): readonly Cell[] => [
    { html: `<code>${escapeHtml(story.pod)}</code>` },
    story.node ?? '',
    { time: durationText(story.tookMs ?? 0) },
    {
      html: `${podBar(story, longestMs)}<details><summary>moments</summary>${escapeHtml([momentsText(story), story.refusal ?? ''].join(' '))}</details>`,
    },
  ]);
  const waiting = unstarted.map((story): readonly Cell[] => [
    { html: `<code>${escapeHtml(story.pod)}</code>` },
    story.node ?? 'none',
    momentsText(story),
    story.refusal ?? '',
  ]);
  const content = `${tableHtml(['pod', 'node', 'took', 'course'], rows, 'no pod was started')}${rows.length > 0 ? partLegend() : ''}
<h3>Not started at the end, the oldest first</h3>${tableHtml(['pod', 'node', 'so far', 'why'], waiting, 'every pod was started, or had ended')}`;
  return sectionHtml('slowest', 'Slowest pods', 'From creation to start, with what the time went into.', content);
}

function momentsText({ moments }: PodStoryline): string {
  const [first] = moments;
  return moments
    .map(({ atMs, what }) =>
      what === 'created' ? `created at ${durationText(atMs)}` : `${what} +${durationText(atMs - (first?.atMs ?? 0))}`,
    )
    .join(' · ');
}

function requestsHtml(summary: RunSummary): string {
  const errors = new Map<string, number>();
  for (const { name, tags, values } of summary.metrics) {
    if (name !== 'api_errors') continue;
    const { code: _code, ...others } = tags;
    const key = nameWithTags('', others);
    errors.set(key, (errors.get(key) ?? 0) + (values['count'] ?? 0));
  }
  const times = new Map(
    summary.metrics
      .filter(({ name }) => name === 'api_request_ms')
      .map((each) => [nameWithTags('', each.tags), each.values]),
  );
  const all = summary.metrics
    .filter(({ name, tags }) => name === 'api_requests' && Object.keys(tags).length > 0)
    .toSorted((a, b) => (b.values['count'] ?? 0) - (a.values['count'] ?? 0));
  const rows = all.slice(0, SHOWN_REQUESTS).map(({ tags, values }): readonly Cell[] => {
    const key = nameWithTags('', tags);
    const time = times.get(key);
    const shown = (name: string): Cell => ({
      time: time === undefined || time['count'] === 0 ? '–' : durationText(time[name] ?? 0),
    });
    const { verb = '', resource = '', subresource = '', scope = '', by = '' } = tags;
    return [
      verb,
      subresource === '' ? resource : `${resource}/${subresource}`,
      scope,
      by,
      values['count'] ?? 0,
      shown('med'),
      shown('p(99)'),
      shown('max'),
      errors.get(key) ?? 0,
    ];
  });
  const rest =
    all.length > SHOWN_REQUESTS ? `<p class="about">and ${all.length - SHOWN_REQUESTS} more sorts of requests</p>` : '';
  const head = ['verb', 'resource', 'scope', 'by', 'requests', 'median', 'p99', 'longest', 'errors'];
  const about =
    'Times are those of links and faults: the API server itself takes none. Requests without an answer that is waited for have no time.';
  return sectionHtml('api', 'API requests by sort', about, `${tableHtml(head, rows, 'there was no request')}${rest}`);
}

function metricsHtml({ metrics }: RunSummary): string {
  const rows = metrics.map(({ name, tags, values, help }): readonly Cell[] => [
    { html: `<code>${escapeHtml(nameWithTags(name, tags))}</code>` },
    Object.entries(values)
      .map(([key, value]) => `${key} ${numberText(value)}`)
      .join(', '),
    Object.keys(tags).length === 0 ? help : '',
  ]);
  const table = tableHtml(['metric', 'values', 'definition'], rows, '');
  return sectionHtml(
    'metrics',
    'All metrics',
    'By the names that thresholds have for them.',
    `<details><summary>${rows.length} metrics</summary>${table}</details>`,
  );
}
