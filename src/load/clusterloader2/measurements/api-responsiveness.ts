/**
 * Latency of requests by verb, resource and scope (slos/api_responsiveness_prometheus.go), of those that the load
 * itself sends: from a request to its answer over its link. A simulated API server answers in no time, so what is
 * measured is the link; the file says so in its labels.
 */
import { parse } from 'yaml';
import { durationOf } from '../../../options/durations.js';
import type { LoadFields } from '../../input/load-fields.js';
import { printed } from '../../../workload/input-error.js';
import { actionOf, done, type Call, type Measurement, type MeasurementMeans, type Outcome } from './measurement.js';
import { durationText, jsonText, latencyMetric, tooSlow, type LatencyMetric } from './perf-data.js';

const METHOD = 'APIResponsivenessPrometheus';
const SINGLE_THRESHOLD_MS = 1000;
const MULTIPLE_THRESHOLD_MS = 30_000;
/** From which latency on a request is slow. */
const SLOW_MS = { resource: 1000, namespace: 5000, cluster: 30_000 } as const;

interface Calls {
  readonly verb: string;
  readonly resource: string;
  readonly scope: keyof typeof SLOW_MS;
  readonly latency: LatencyMetric;
  readonly count: number;
  readonly slowCount: number;
}

export function apiResponsiveness({ player }: MeasurementMeans): Measurement {
  /** Requests of each kind before the measurement began. */
  let before: ReadonlyMap<string, number> | undefined;
  const countsNow = (): Map<string, number> =>
    new Map([...player.requests.times].map((times) => [keyOf(times), times.latenciesMs.length]));
  const gather = ({ params }: Call): Outcome => {
    if (before === undefined) return { error: `metric ${METHOD} has not been started` };
    const started = before;
    const calls = [...player.requests.times]
      .map((times): Calls => {
        const since = times.latenciesMs.slice(started.get(keyOf(times)) ?? 0);
        const slowCount = since.filter((ms) => ms > SLOW_MS[times.scope]).length;
        return { ...times, latency: latencyMetric(since), count: since.length, slowCount };
      })
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.latency.Perc99 - a.latency.Perc99 || (keyOf(a) < keyOf(b) ? -1 : 1));
    const summaries = [{ name: params.text('summaryName', METHOD), content: jsonText(perfData(calls)) }];
    const bad = badCalls(params, calls);
    if (bad.length === 0 || !params.flag('enableViolations', true)) return { summaries };
    return {
      summaries,
      error: `top latency metric: there should be no high-latency requests, but: [${bad.join(' ')}]`,
    };
  };
  return {
    execute(call) {
      if (actionOf(call, ['start', 'gather']) === 'gather') return Promise.resolve(gather(call));
      before = countsNow();
      return Promise.resolve(done());
    },
    dispose: () => undefined,
  };
}

function keyOf({ resource, verb, scope }: Pick<Calls, 'resource' | 'verb' | 'scope'>): string {
  return `${resource}||${verb}|${scope}`;
}

function perfData(calls: readonly Calls[]): unknown {
  return {
    version: 'v1',
    dataItems: calls.map(({ verb, resource, scope, latency, count, slowCount }) => ({
      data: { ...latency },
      unit: 'ms',
      labels: {
        Count: String(count),
        Resource: resource,
        Scope: scope,
        SlowCount: String(slowCount),
        Subresource: '',
        Verb: verb,
      },
    })),
    labels: { client: 'the load', latency: 'of its simulated link' },
  };
}

function badCalls(params: LoadFields, calls: readonly Calls[]): string[] {
  const allowed = params.integer('allowedSlowCalls', 0, 0);
  const single = params.durationMs('singleResourceThreshold', SINGLE_THRESHOLD_MS);
  const custom = customThresholds(params);
  return calls.flatMap((call) => {
    if (allowed > 0 && call.slowCount <= allowed) return [];
    const thresholdMs = custom.get(keyOf(call)) ?? (call.scope === 'resource' ? single : MULTIPLE_THRESHOLD_MS);
    const problem = tooSlow(call.latency, { Perc50: thresholdMs, Perc90: thresholdMs, Perc99: thresholdMs });
    if (problem === undefined) return [];
    return [
      `got: ${call.verb} ${call.resource} ${call.scope} ${problem}; expected perc99 <= ${durationText(thresholdMs)}`,
    ];
  });
}

/** A YAML list in a text. */
function customThresholds(params: LoadFields): ReadonlyMap<string, number> {
  const entries: unknown = parse(params.text('customThresholds', ''));
  const thresholds = new Map<string, number>();
  if (entries === null || entries === undefined) return thresholds;
  if (!Array.isArray(entries))
    throw params.refusal('customThresholds', `must be a YAML list in a text, got ${printed(entries)}`);
  for (const entry of entries as readonly Readonly<Record<string, unknown>>[]) {
    const { verb = '', resource = '', subresource = '', scope = '', threshold } = entry;
    const ms = durationOf(threshold);
    if (ms === undefined || ms === 0) {
      throw params.refusal('customThresholds', `must have a threshold > 0 in each entry, got ${printed(threshold)}`);
    }
    thresholds.set(`${String(resource)}|${String(subresource)}|${String(verb)}|${String(scope)}`, ms);
  }
  return thresholds;
}
