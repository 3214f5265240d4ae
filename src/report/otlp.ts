/**
 * A run as requests of OTLP/HTTP with JSON (ExportMetricsServiceRequest, OTLP 1), with simulated time as the time of
 * its points. Pure: it sends nothing.
 */
import { exportedFamilies, type ExportedFamily, type ExportedLine, type Labels } from './exported-series.js';
import type { RunSummary } from './run-summary.js';

/** Points of one request: collectors take some megabytes at once. */
const MOST_POINTS = 10_000;
/** AGGREGATION_TEMPORALITY_CUMULATIVE. */
const CUMULATIVE = 2;
const NANOS_PER_MS = 1_000_000n;
const UNITS = { '': '1', seconds: 's', ratio: '1' } as const;

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

/** A metric with some of its points, and how many these are. */
interface Batch {
  readonly metric: object;
  readonly points: number;
}

/** Bodies of the requests, in order. */
export function otlpRequests(summary: RunSummary): readonly object[] {
  const requests: object[][] = [[]];
  let points = 0;
  for (const batch of exportedFamilies(summary).flatMap((family) => batchesOf(family, summary))) {
    if (points > 0 && points + batch.points > MOST_POINTS) {
      requests.push([]);
      points = 0;
    }
    requests.at(-1)?.push(batch.metric);
    points += batch.points;
  }
  return requests.map((metrics) => requestOf(metrics, summary));
}

/** Where requests go: as exporters read their endpoint, a URL without a path means the standard one. */
export function otlpUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.pathname === '/' || url.pathname === '') url.pathname = '/v1/metrics';
  return url.href;
}

function requestOf(metrics: readonly object[], { seed, title, program, traceHash }: RunSummary): object {
  const resource = attributes(
    Object.entries({
      'service.name': 'kubeloom',
      'service.version': program,
      'kubeloom.run': title,
      'kubeloom.seed': seed,
      'kubeloom.trace_hash': traceHash,
    }),
  );
  const scope = { name: 'kubeloom', version: program };
  return { resourceMetrics: [{ resource: { attributes: resource }, scopeMetrics: [{ scope, metrics }] }] };
}

function batchesOf(family: ExportedFamily, summary: RunSummary): readonly Batch[] {
  const { name, help: description, unit } = family;
  const head = { name, description, unit: UNITS[unit] };
  const startTimeUnixNano = nanos(summary.epochMs + summary.startMs);
  if (family.type === 'histogram') {
    const dataPoints = family.histograms.map(({ labels, atMs, count, histogram: { bounds, upTo, sum } }) => ({
      attributes: attributes(labels),
      startTimeUnixNano,
      timeUnixNano: nanos(atMs),
      count: String(count),
      sum,
      explicitBounds: bounds,
      bucketCounts: [...upTo, count].map((upper, index) => String(upper - (index === 0 ? 0 : (upTo[index - 1] ?? 0)))),
    }));
    const points = dataPoints.length;
    return [{ metric: { ...head, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } }, points }];
  }
  return family.lines.map((line) => {
    const dataPoints = pointsOf(line, family.type === 'counter' ? { startTimeUnixNano } : {});
    const data =
      family.type === 'counter'
        ? { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } }
        : { gauge: { dataPoints } };
    return { metric: { ...head, ...data }, points: dataPoints.length };
  });
}

function pointsOf({ labels, points }: ExportedLine, start: { readonly startTimeUnixNano?: string }): readonly object[] {
  const common = { attributes: attributes(labels), ...start };
  return points.map(({ atMs, value }) => ({ ...common, timeUnixNano: nanos(atMs), asDouble: value }));
}

function attributes(labels: Labels): readonly Attribute[] {
  return labels.map(([key, value]) => ({ key, value: { stringValue: value } }));
}

/** 64-bit integers are texts in protobuf's JSON. */
function nanos(atMs: number): string {
  return String(BigInt(Math.round(atMs)) * NANOS_PER_MS);
}
