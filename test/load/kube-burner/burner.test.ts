import test from 'ava';
import { runBurner, type BurnerOptions, type BurnerResult } from '../../../src/index.js';

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: "app-{{.Iteration}}-{{.Replica}}", labels: {app: web}}
spec:
  replicas: {{.podReplicas}}
  selector: {matchLabels: {name: "app-{{.Iteration}}-{{.Replica}}"}}
  template:
    metadata: {labels: {name: "app-{{.Iteration}}-{{.Replica}}"}}
    spec: {containers: [{name: main, image: registry.k8s.io/pause:3.9}]}
`;
const CONFIG = `
global:
  gc: {{.GC}}
  measurements: [{name: podLatency}]
metricsEndpoints: [{indexer: {type: local}}]
jobs:
- name: density
  jobIterations: 4
  iterationsPerNamespace: 2
  qps: 2
  burst: 1
  namespace: density
  preLoadImages: false
  objects:
  - {objectTemplate: deployment.yml, replicas: 2, inputVars: {podReplicas: 3}}
`;
const FILES = { 'w/config.yml': CONFIG, 'w/deployment.yml': DEPLOYMENT };

function played(files: Readonly<Record<string, string>>, options: Partial<BurnerOptions> = {}): Promise<BurnerResult> {
  return runBurner({
    config: 'w/config.yml',
    nodes: 4,
    seed: 3,
    environment: { GC: 'false' },
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw new Error(`no such file: ${path}`);
      return text;
    },
    ...options,
  });
}

function documents(result: BurnerResult, name: string): readonly Readonly<Record<string, unknown>>[] {
  const file = result.files.find((each) => each.name === name);
  return JSON.parse(file?.text ?? '[]') as readonly Readonly<Record<string, unknown>>[];
}

/** Plays with more jobs after the first one. */
function withJobs(
  jobs: string,
  options: Partial<BurnerOptions> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<BurnerResult> {
  return played({ ...FILES, ...more, 'w/config.yml': `${CONFIG}${jobs}` }, options);
}

test('a workload creates its objects at its rate, waits for them and tells the latencies of their pods', async (t) => {
  const result = await played(FILES);
  t.deepEqual(result.errors, []);
  t.is(result.exitCode, 0);
  t.is(result.pods, 24);
  const pods = documents(result, 'podLatencyMeasurement-density.json');
  t.is(pods.length, 24);
  t.deepEqual(Object.keys(pods[0] ?? {}), [
    'timestamp',
    'schedulingLatency',
    'initializedLatency',
    'containersReadyLatency',
    'podReadyLatency',
    'readyToStartContainersLatency',
    'containersStartedLatency',
    'metricName',
    'uuid',
    'jobName',
    'namespace',
    'jobIteration',
    'replica',
    'podName',
    'nodeName',
  ]);
  t.deepEqual([...new Set(pods.map(({ namespace }) => String(namespace)))].sort(), ['density-0', 'density-1']);
  t.deepEqual([...new Set(pods.map(({ jobIteration }) => String(jobIteration)))].sort(), ['0', '1', '2', '3']);
  t.true(pods.every(({ schedulingLatency, podReadyLatency }) => Number(schedulingLatency) < Number(podReadyLatency)));
  const quantiles = documents(result, 'podLatencyQuantilesMeasurement-density.json');
  t.deepEqual(
    quantiles.map(({ quantileName }) => quantileName),
    ['PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'ContainersStarted', 'ContainersReady', 'Ready'],
  );
  const [summary] = documents(result, 'jobSummary.json');
  // Eight Deployments at two a second, the first at once, and then their pods.
  t.true(Number(summary?.['elapsedTime']) >= 4);
  t.is(summary?.['passed'], true);
  t.deepEqual(result.directories, [`collected-metrics-${result.uuid}`]);
});

test('equal seeds play equal workloads, other seeds other ones', async (t) => {
  const [first, again, other] = await Promise.all([played(FILES), played(FILES), played(FILES, { seed: 4 })]);
  t.is(again.traceHash, first.traceHash);
  t.deepEqual(again.files, first.files);
  t.not(other.traceHash, first.traceHash);
  t.not(other.uuid, first.uuid);
});

test('jobs patch, read and delete what is there', async (t) => {
  const jobs = `
- {name: patch, jobType: patch, qps: 50, burst: 50, objects: [{kind: Deployment, apiVersion: apps/v1, labelSelector: {app: web}, objectTemplate: patch.yml, patchType: application/strategic-merge-patch+json}]}
- {name: read, jobType: read, qps: 50, burst: 50, jobIterations: 2, objects: [{kind: Deployment, apiVersion: apps/v1, labelSelector: {app: web}}]}
- {name: delete, jobType: delete, qps: 50, burst: 50, objects: [{kind: Deployment, apiVersion: apps/v1, labelSelector: {app: web}}]}
`;
  const result = await withJobs(jobs, {}, { 'w/patch.yml': 'spec: {replicas: 1}' });
  t.deepEqual(result.errors, []);
  t.deepEqual(
    documents(result, 'jobSummary.json').map(({ passed }) => passed),
    [true, true, true, true],
  );
  const messages: string[] = [];
  await withJobs(
    jobs,
    { onMessage: (message) => messages.push(message) },
    { 'w/patch.yml': 'spec: {replicas: "many"}' },
  );
  t.is(messages.filter((message) => message.startsWith('error of patch Deployment/app-')).length, 8);
});

test('churn deletes a share and makes it anew', async (t) => {
  for (const mode of ['namespaces', 'objects']) {
    const config = CONFIG.replace(
      '  objects:',
      `  churnConfig: {mode: ${mode}, cycles: 2, percent: 50, delay: 5s}\n  objects:`,
    );
    const result = await played({ ...FILES, 'w/config.yml': config });
    t.deepEqual(result.errors, [], mode);
    t.is(result.pods, 48, mode);
    const pods = documents(result, 'podLatencyMeasurement-density.json');
    t.is(pods.filter(({ churnMetric }) => churnMetric === true).length, 24, mode);
    t.true('churnStartTimestamp' in (documents(result, 'jobSummary.json')[0] ?? {}), mode);
  }
});

test('jobs and claims have latencies of their own, and nodes', async (t) => {
  const job = `
apiVersion: batch/v1
kind: Job
metadata: {name: "job-{{.Iteration}}"}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1"}]}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: "data-{{.Iteration}}"}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: "user-{{.Iteration}}"}
spec:
  containers: [{name: main, image: "registry.k8s.io/pause:3.9", volumeMounts: [{name: data, mountPath: /data}]}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: "data-{{.Iteration}}"}}]
`;
  const config = CONFIG.replace('[{name: podLatency}]', '[{name: jobLatency}, {name: pvcLatency}, {name: nodeLatency}]')
    .replace('deployment.yml, replicas: 2', 'job.yml, wait: false')
    .replace('  objects:', '  jobPause: 40s\n  objects:');
  const result = await played({ 'w/config.yml': config, 'w/job.yml': job });
  t.deepEqual(result.errors, []);
  const jobs = documents(result, 'jobLatencyMeasurement-density.json');
  t.is(jobs.length, 4);
  t.true(
    jobs.every(
      ({ completionLatency, startTimeLatency }) =>
        Number(completionLatency) >= 10_000 && Number(startTimeLatency) < 1000,
    ),
  );
  const claims = documents(result, 'pvcLatencyMeasurement-density.json');
  t.deepEqual(
    claims.map(({ size }) => size),
    ['1Gi', '1Gi', '1Gi', '1Gi'],
  );
  t.true(claims.every(({ bindingLatency }) => Number(bindingLatency) > 0));
});

test('a latency above its threshold ends with exit code 4, a run that takes too long with 2, missing objects with 1', async (t) => {
  const slow = CONFIG.replace(
    '{name: podLatency}',
    '{name: podLatency, thresholds: [{conditionType: Ready, metric: P99, threshold: 10ms}]}',
  );
  const late = await played({ ...FILES, 'w/config.yml': slow });
  t.is(late.exitCode, 4);
  t.regex(
    late.errors[0] ?? '',
    /^podLatencyQuantilesMeasurement: P99 Ready latency \(\d+\.\d\ds\) higher than configured threshold: 0\.01s$/,
  );
  const endless = DEPLOYMENT.replace('{containers:', '{nodeSelector: {disk: none}, containers:');
  const timedOut = await played({ ...FILES, 'w/deployment.yml': endless }, { timeout: '1m' });
  t.is(timedOut.exitCode, 2);
  t.is(timedOut.errors.length, 1);
  t.regex(
    timedOut.errors[0] ?? '',
    /^60s timeout reached; pods wait: \d+: 0\/\d+ nodes are available: 4 node\(s\) didn't match/,
  );
  const missing = await played({ ...FILES, 'w/deployment.yml': endless }, { set: ['jobs.0.maxWaitTimeout=20s'] });
  t.is(missing.exitCode, 1);
  t.true(missing.errors[0]?.startsWith('timeout occurred while waiting for objects in namespace density-0') ?? false);
  const broken = DEPLOYMENT.replace('name: "app-{{.Iteration}}-{{.Replica}}", labels', 'name: "same", labels');
  const unverified = await played({ ...FILES, 'w/deployment.yml': broken });
  t.is(unverified.exitCode, 1);
  t.deepEqual(unverified.errors, ['object verification failed']);
});

test('values come from user data, and --set goes over the config', async (t) => {
  const result = await played(
    { ...FILES, 'data.yml': 'GC: true' },
    { userData: 'data.yml', set: ['jobs.0.jobIterations=1,jobs.0.objects.0.replicas=1'] },
  );
  t.deepEqual(result.errors, []);
  t.is(result.pods, 3);
});

test('what is not simulated is named once and left out', async (t) => {
  const config = CONFIG.replace('[{name: podLatency}]', '[{name: podLatency}, {name: vmiLatency}]').replace(
    'deployment.yml, replicas: 2',
    'widget.yml, replicas: 2',
  );
  const result = await played({
    'w/config.yml': config,
    'w/widget.yml': 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: x}',
  });
  t.deepEqual(result.ignored, ['measurement vmiLatency', 'objects of example.com/v1 Widget']);
  t.is(result.exitCode, 0);
});

test('input that cannot be used is refused with file, line and field', async (t) => {
  const refused = async (
    files: Readonly<Record<string, string>>,
    message: string | RegExp,
    options: Partial<BurnerOptions> = {},
  ): Promise<void> => {
    await t.throwsAsync(played({ ...FILES, ...files }, options), { name: 'LoadError', message });
  };
  await refused(
    { 'w/config.yml': CONFIG.replace('jobIterations: 4', 'jobIteration: 4') },
    /^w\/config\.yml:8: jobs\[0\]\.jobIteration is not known here; known are .*; did you mean jobIterations\?$/,
  );
  await refused(
    { 'w/config.yml': CONFIG.replace('jobIterations: 4', 'jobIterations: 0') },
    'w/config.yml:8: jobs[0].jobIterations must be an integer >= 1, got 0',
  );
  await refused({}, 'w/config.yml:3: executing "w/config.yml" at <.GC>: map has no entry for key "GC"', {
    environment: {},
  });
  await refused(
    { 'w/deployment.yml': DEPLOYMENT.replace('podReplicas', 'podReplica') },
    'deployment.yml:6: executing "deployment.yml" at <.podReplica>: map has no entry for key "podReplica"',
  );
  await refused({ 'w/config.yml': CONFIG.replace('deployment.yml', 'none.yml') }, /^none\.yml: cannot be read/);
});
