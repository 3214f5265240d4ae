import test from 'ava';
import { CONFIG, FILES, played, resultOf } from './harness.js';

/** The small test, with what is measured of its scheduling by both ways. */
const MEASURED = CONFIG.replace(
  '- name: start\n  measurements:',
  `- name: start
  measurements:
  - {Identifier: S, Method: SchedulingMetrics, Params: {action: start}}
  - {Identifier: P, Method: PrometheusSchedulingMetrics, Params: {action: start}}
  - {Identifier: T, Method: SchedulingThroughputPrometheus, Params: {action: start}}
  - {Identifier: U, Method: SchedulingThroughput, Params: {action: start}}`,
).replace(
  '- name: gather\n  measurements:',
  `- name: gather
  measurements:
  - {Identifier: S, Method: SchedulingMetrics, Params: {action: gather}}
  - {Identifier: P, Method: PrometheusSchedulingMetrics, Params: {action: gather}}
  - {Identifier: T, Method: SchedulingThroughputPrometheus, Params: {action: gather, threshold: THRESHOLD, enableViolations: ENABLED}}
  - {Identifier: U, Method: SchedulingThroughput, Params: {action: gather}}`,
);

function measured(threshold: number, isEnabled: boolean) {
  const config = MEASURED.replace('THRESHOLD', String(threshold)).replace('ENABLED', String(isEnabled));
  return played({ ...FILES, 't/config.yaml': config });
}

test('measurements of scheduling that upstream takes from Prometheus are those of the simulated cluster', async (t) => {
  const result = await measured(1, true);
  t.deepEqual(result.tests[0]?.errors, []);
  t.deepEqual(result.ignored, ['measurement InClusterNetworkLatency']);
  const latencies = resultOf(result, 'P_PrometheusSchedulingMetrics_small_2030-');
  t.deepEqual(latencies, resultOf(result, 'SchedulingMetrics_small_2030-'));
  t.true((latencies as { e2eSchedulingLatency: { Perc50: number } }).e2eSchedulingLatency.Perc50 >= 1_000_000);
  // Six Deployments of two to four pods come within three seconds, and grow to thirty pods within ten.
  const { max } = resultOf(result, 'SchedulingThroughputPrometheus_small_2030-') as { readonly max: number };
  t.true(max >= 30 / 15 && max <= 30 / 5, String(max));
});

test('a throughput below its threshold is a violation where violations are enabled', async (t) => {
  const [error, ...others] = (await measured(1000, true)).tests[0]?.errors ?? [];
  t.deepEqual(others, []);
  t.regex(
    error ?? '',
    /^measurement call SchedulingThroughputPrometheus - T error: scheduler throughput_prometheus: actual throughput \d\.\d{6} lower than threshold 1000\.000000$/,
  );
  t.deepEqual((await measured(1000, false)).tests[0]?.errors, []);
});
