import test from 'ava';
import { createCluster, hostCluster, parseScenario, runBurner, runLoadTests, runScenario } from '../../src/index.js';

/** Pods of which none can be placed: the scheduler refuses each at once. */
const TOO_LARGE = Array.from({ length: 3 }, (_, index) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `large-${index}` },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '900' } } }] },
}));
const BOUND = { threshold: 'count==0', abortOnFail: true };

test('a threshold with abortOnFail ends the run at the next even second of what is measured, and later ones at once', async (t) => {
  const ends = [];
  for (let time = 0; time < 2; time += 1) {
    const cluster = createCluster({ nodes: 2, seed: 4 });
    await cluster.ready();
    const startMs = cluster.nowMs;
    const measurement = cluster.measure({ thresholds: { unschedulable: BOUND, pods_created: 'count>0' } });
    cluster.apply(TOO_LARGE);
    const { end, nowMs } = await cluster.run({ limit: '10m' });
    t.is(end, 'aborted');
    t.true(measurement.isAborted);
    t.deepEqual(measurement.check(), [
      { metric: 'unschedulable', expression: 'count==0', ok: false, value: 3, abortedAtMs: startMs + 2000 },
      { metric: 'pods_created', expression: 'count>0', ok: true, value: 3 },
    ]);
    t.is((await cluster.run({ limit: '10m' })).nowMs, nowMs);
    measurement.stop();
    t.is((await cluster.run({ limit: '10m' })).end, 'limit');
    ends.push([nowMs, cluster.traceHash]);
    await cluster.dispose();
  }
  t.deepEqual(ends[0], ends[1]);
});

test('delayAbortEval gives a run its time: what holds by then ends nothing', async (t) => {
  const until = async (delayAbortEval: string): Promise<string> => {
    const cluster = createCluster({ nodes: 2, seed: 4 });
    await cluster.ready();
    const bound = { threshold: 'value>=2', abortOnFail: true, delayAbortEval };
    const measurement = cluster.measure({ thresholds: { pods_ready: bound } });
    cluster.apply(
      TOO_LARGE.slice(0, 2).map(({ spec: _spec, ...pod }) => ({
        ...pod,
        spec: { containers: [{ name: 'c', image: 'i' }] },
      })),
    );
    const { end } = await cluster.run({ limit: '5m' });
    t.is(measurement.check()[0]?.ok, end === 'limit');
    await cluster.dispose();
    return end;
  };
  t.is(await until('1m'), 'limit');
  t.is(await until('0'), 'aborted');
});

test('what has not been measured yet ends no run, and fails at its end', async (t) => {
  const cluster = createCluster({ nodes: 2, seed: 4 });
  const measurement = cluster.measure({
    thresholds: { pod_startup_ms: { threshold: 'p(99)<1', abortOnFail: true } },
  });
  t.is((await cluster.run({ limit: '1m' })).end, 'limit');
  t.deepEqual(measurement.check(), [{ metric: 'pod_startup_ms', expression: 'p(99)<1', ok: false, value: null }]);
  await cluster.dispose();
});

test('a cluster on another thread is ended by its thresholds as one in this thread', async (t) => {
  const cluster = await hostCluster({ nodes: 2, seed: 4 });
  await cluster.ready();
  const measurement = await cluster.measure({ thresholds: { unschedulable: BOUND } });
  await cluster.apply(TOO_LARGE);
  t.is((await cluster.run({ limit: '10m' })).end, 'aborted');
  t.true(await measurement.isAborted());
  t.false((await measurement.check())[0]?.ok);
  await t.throwsAsync(cluster.measure({ thresholds: { nothing: 'count==0' } }), { name: 'OptionError' });
  await cluster.dispose();
});

test('a scenario ends where its threshold breaks, with what had come about by then', async (t) => {
  const text = `
cluster: { nodes: 2 }
workloads:
  - { apiVersion: v1, kind: Pod, metadata: { name: large }, spec: { containers: [{ name: c, image: i, resources: { requests: { cpu: "900" } } }] } }
expectations: [{ by: 1h, pods: { ready: true } }]
thresholds: { unschedulable: { threshold: count==0, abortOnFail: true, delayAbortEval: 10s } }
`;
  const result = await runScenario(parseScenario(text, 'x.yaml', () => ''));
  t.false(result.isMet);
  t.true(result.endMs < 3_600_000, `${result.endMs} ms`);
  const [{ abortedAtMs = 0 } = {}] = result.thresholds;
  t.true(abortedAtMs >= 10_000 && abortedAtMs <= 13_000, `${abortedAtMs} ms`);
  t.throws(() => parseScenario(text.replace('count==0', '5'), 'x.yaml', () => ''), {
    message: /^x\.yaml:6: thresholds\.unschedulable must be an expression such as /,
  });
  t.throws(() => parseScenario(text.replace('10s', 'soon'), 'x.yaml', () => ''), {
    message: /^x\.yaml:6: thresholds\.unschedulable\.delayAbortEval must be milliseconds/,
  });
});

const POD =
  '{apiVersion: v1, kind: Pod, metadata: {name: "{{.Name}}{{.Iteration}}"}, spec: {containers: [{name: c, image: pause:3}]}}';
const THRESHOLDS = { pods_created: { threshold: 'count<5', abortOnFail: true } };

test('a test of clusterloader2 ends where a threshold breaks: its results are there, and it has failed', async (t) => {
  const config = `
name: pods
tuningSets: [{name: even, qpsLoad: {qps: 1}}]
steps:
- {name: clock, measurements: [{Identifier: T, Method: Timer, Params: {action: start, label: all}}]}
- {name: pods, phases: [{namespaceRange: {min: 1, max: 1}, replicasPerNamespace: 30, tuningSet: even, objectBundle: [{basename: pod, objectTemplatePath: pod.yaml}]}]}
`;
  const files: Readonly<Record<string, string>> = {
    't/config.yaml': config,
    't/pod.yaml': POD.replace('{{.Iteration}}', ''),
  };
  const result = await runLoadTests({
    configs: ['t/config.yaml', 't/config.yaml'],
    nodes: 2,
    readFile: (path) => files[path] ?? '',
    thresholds: THRESHOLDS,
  });
  t.true(result.pods >= 5 && result.pods < 10, `${result.pods} pods`);
  t.is(result.tests.length, 1);
  t.deepEqual(result.tests[0]?.errors, ['a threshold has ended it before its time']);
  t.deepEqual(
    result.tests[0]?.steps.map(({ name }) => name),
    ['[step: 01] clock [00] - T'],
  );
  t.true(result.failed > 0);
  t.is(typeof result.thresholds[0]?.abortedAtMs, 'number');
});

test('a workload of kube-burner ends where a threshold breaks: exit code 1, with the documents so far', async (t) => {
  const config = `
global: {measurements: [{name: podLatency}]}
jobs: [{name: pods, namespace: pods, namespacedIterations: false, jobIterations: 30, qps: 1, burst: 1, preLoadImages: false, objects: [{objectTemplate: pod.yml}]}]
`;
  const files: Readonly<Record<string, string>> = {
    'w/config.yml': config,
    'w/pod.yml': POD.replace('{{.Name}}', 'pod-'),
  };
  const result = await runBurner({
    config: 'w/config.yml',
    nodes: 2,
    readFile: (path) => files[path] ?? '',
    thresholds: THRESHOLDS,
  });
  t.is(result.exitCode, 1);
  t.true(result.pods >= 5 && result.pods < 10, `${result.pods} pods`);
  t.deepEqual(result.errors, ['a threshold has ended it before its time']);
  t.true(result.files.some(({ name }) => name === 'podLatencyMeasurement-pods.json'));
});
