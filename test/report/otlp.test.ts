import test from 'ava';
import { otlpRequests, otlpUrl } from '../../src/index.js';
import { measuredRun } from './measured-run.js';

interface DataPoint {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
  readonly startTimeUnixNano?: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly explicitBounds?: readonly number[];
  readonly bucketCounts?: readonly string[];
}

interface Points {
  readonly dataPoints: readonly DataPoint[];
}

interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly gauge?: Points;
  readonly sum?: Points & { readonly aggregationTemporality: number; readonly isMonotonic: boolean };
  readonly histogram?: Points & { readonly aggregationTemporality: number };
}

interface Request {
  readonly resourceMetrics: readonly [
    {
      readonly resource: { readonly attributes: DataPoint['attributes'] };
      readonly scopeMetrics: readonly [
        { readonly scope: { readonly name: string }; readonly metrics: readonly Metric[] },
      ];
    },
  ];
}

test('requests have the form of ExportMetricsServiceRequest, and no more points than a collector takes at once', async (t) => {
  const summary = await measuredRun();
  const requests = otlpRequests(summary) as readonly Request[];
  t.true(requests.length > 1);
  for (const { resourceMetrics } of requests) {
    const [{ resource, scopeMetrics }] = resourceMetrics;
    t.deepEqual(
      resource.attributes.map(({ key }) => key),
      ['service.name', 'service.version', 'kubeloom.run', 'kubeloom.seed', 'kubeloom.trace_hash'],
    );
    const points = scopeMetrics[0].metrics.flatMap(
      ({ gauge, sum, histogram }) => (gauge ?? sum ?? histogram)?.dataPoints ?? [],
    );
    t.true(points.length > 0 && points.length <= 10_000 + 1201);
    for (const { timeUnixNano } of points) t.regex(timeUnixNano, /^\d{19}$/);
  }
  const metrics = requests.flatMap(({ resourceMetrics }) => [...resourceMetrics[0].scopeMetrics[0].metrics]);
  const created = metrics.find(({ name }) => name === 'kubeloom_pods_created')?.sum;
  t.is(created?.aggregationTemporality, 2);
  t.true(created?.isMonotonic);
  t.is(
    created?.dataPoints.at(-1)?.asDouble,
    summary.metrics.find(({ name }) => name === 'pods_created')?.values['count'],
  );
  t.is(created?.dataPoints[0]?.startTimeUnixNano, `${summary.epochMs + summary.startMs}000000`);
});

test('a histogram has one count more than bounds, which add up to its count', async (t) => {
  const requests = otlpRequests(await measuredRun()) as readonly Request[];
  const metrics = requests.flatMap(({ resourceMetrics }) => [...resourceMetrics[0].scopeMetrics[0].metrics]);
  const histograms = metrics.filter(({ histogram }) => histogram !== undefined);
  t.true(histograms.length > 4);
  for (const { name, histogram } of histograms) {
    for (const { bucketCounts = [], explicitBounds = [], count } of histogram?.dataPoints ?? []) {
      t.is(bucketCounts.length, explicitBounds.length + 1, name);
      t.is(
        bucketCounts.reduce((sum, each) => sum + Number(each), 0),
        Number(count),
        name,
      );
    }
  }
});

test('an endpoint without a path means the standard one', (t) => {
  t.is(otlpUrl('http://localhost:4318'), 'http://localhost:4318/v1/metrics');
  t.is(otlpUrl('http://localhost:4318/'), 'http://localhost:4318/v1/metrics');
  t.is(otlpUrl('https://host/otlp/v1/metrics?key=1'), 'https://host/otlp/v1/metrics?key=1');
});
