import test from 'ava';
import { CONFIG, DEPLOYMENT, FILES, MODULE, played, resultOf } from './harness.js';

interface Latencies {
  readonly version: string;
  readonly dataItems: readonly { data: Readonly<Record<string, number>>; unit: string; labels: { Metric: string } }[];
}

test('a test creates, scales and deletes objects, waits for their pods and measures their start', async (t) => {
  const result = await played(FILES);
  const [played0] = result.tests;
  t.deepEqual(played0?.errors, []);
  t.is(result.failed, 0);
  t.deepEqual(result.ignored, ['measurement InClusterNetworkLatency']);
  t.deepEqual(
    played0?.steps.map(({ name }) => name),
    [
      '[step: 01] start [00] - Startup',
      '[step: 01] start [01] - ',
      '[step: 01] start [02] - Clock',
      '[step: 01] start [03] - Net',
      '[step: 02] create deployments',
      '[step: 03] wait for create [00] - ',
      '[step: 04] scale deployments',
      '[step: 05] wait for scale [00] - ',
      '[step: 06] delete deployments',
      '[step: 07] wait for delete [00] - ',
      '[step: 08] gather [00] - Startup',
      '[step: 08] gather [01] - Clock',
      '[step: 08] gather [02] - Net',
      '[step: 09] times [00] - Clock',
    ],
  );
  // Six Deployments at two a second.
  const creation = played0?.steps.find(({ name }) => name.endsWith('create deployments'));
  t.is(creation?.durationMs, 3000);
  const { version, dataItems } = resultOf(result, 'PodStartupLatency_Startup_small_2030-') as Latencies;
  t.is(version, '1.0');
  t.deepEqual(dataItems.map(({ labels }) => labels.Metric).sort(), [
    'create_to_run',
    'create_to_schedule',
    'pod_startup',
    'run_to_watch',
    'schedule_to_run',
    'schedule_to_watch',
  ]);
  const startup = dataItems.find(({ labels }) => labels.Metric === 'pod_startup')?.data ?? {};
  t.true((startup['Perc50'] ?? 0) > 100 && (startup['Perc50'] ?? 0) <= (startup['Perc99'] ?? 0));
  const timer = resultOf(result, 'Timer_small') as Latencies;
  t.true((timer.dataItems[0]?.data['all'] ?? 0) > 20);
  const junit = result.files.find(({ name }) => name === 'junit.xml')?.text ?? '';
  t.true(junit.includes('<testsuite name="ClusterLoaderV2" tests="15" failures="0" errors="0"'));
  t.true(junit.includes('<testcase name="small overall (t/config.yaml)" classname="ClusterLoaderV2"'));
  t.true(
    result.files.some(({ name, text }) => name === 'generatedConfig_small.yaml' && text.includes('wait for delete')),
  );
});

test('equal seeds play equal tests, other seeds other ones', async (t) => {
  const [first, again, other] = await Promise.all([played(FILES), played(FILES), played(FILES, { seed: 8 })]);
  t.is(again.traceHash, first.traceHash);
  t.deepEqual(again.files, first.files);
  t.not(other.traceHash, first.traceHash);
});

test('values come from overrides, the later over the earlier, and from CL2_ variables', async (t) => {
  const files = { ...FILES, 'a.yaml': 'CL2_NAMESPACES: 1', 'b.yaml': 'CL2_NAMESPACES: 3' };
  const spaces = async (options: Parameters<typeof played>[1]): Promise<number> =>
    ((await played(files, options)).files
      .find(({ name }) => name.startsWith('generatedConfig'))
      ?.text.match(/number: (\d)/)?.[1] ?? 0) as number;
  t.deepEqual(
    await Promise.all([
      spaces({ overrides: ['b.yaml', 'a.yaml'] }),
      spaces({ overrides: ['a.yaml', 'b.yaml'] }),
      spaces({ environment: { CL2_NAMESPACES: '4', OTHER: '9' } }),
    ]).then((numbers) => numbers.map(Number)),
    [1, 3, 4],
  );
  await t.throwsAsync(played(files, { overrides: ['a.yaml'], environment: { CL2_NAMESPACES: '1' } }), {
    name: 'LoadError',
    message: 'environment: CL2_NAMESPACES must be what the overrides say, got "1"',
  });
});

test('what does not come up in time fails its step and the test, and the test goes on', async (t) => {
  const deployment = DEPLOYMENT.replace('containers:', 'nodeSelector: {disk: none}\n      containers:');
  const config = CONFIG.replace('operationTimeout: 2m', 'operationTimeout: 20s');
  const result = await played({ ...FILES, 't/config.yaml': config, 't/deployment.yaml': deployment });
  t.is(result.failed, 3);
  const { errors = [] } = result.tests[0] ?? {};
  t.is(errors.length, 2);
  t.regex(
    errors[0] ?? '',
    /^measurement call WaitForControlledPodsRunning - Deployments error: 6 objects timed out: Deployments: test-[a-z0-9]{6}-1\/app-0, /,
  );
  t.true(result.files.some(({ name }) => /^WaitForControlledPodsRunning_\d+_failedpods_small_/.test(name)));
  t.true(result.files[0]?.text.includes('<failure type="Failure">') ?? false);
});

test('an image that a test asks for with the pull policy Never is on every machine, also where a value says it', async (t) => {
  const deployment = DEPLOYMENT.replace(
    'name: main,',
    'name: main, imagePullPolicy: {{DefaultParam .CL2_POLICY "Never"}},',
  );
  const files = { ...FILES, 't/deployment.yaml': deployment };
  const present = await played(files, { measure: true });
  t.deepEqual(present.tests[0]?.errors, []);
  t.is(present.measured?.metrics.find(({ name }) => name === 'image_pull_ms')?.values['count'], 0);
  const pulled = await played(files, { measure: true, environment: { CL2_POLICY: 'IfNotPresent' } });
  t.deepEqual(pulled.tests[0]?.errors, []);
  t.true(Number(pulled.measured?.metrics.find(({ name }) => name === 'image_pull_ms')?.values['count']) > 0);
});

test('random data are as long as was asked for, of letters and digits, none equal, and equal for equal seeds', async (t) => {
  const files = {
    't/config.yaml': `
name: data
namespace: {number: 1}
tuningSets: [{name: all, parallelismLimitedLoad: {parallelismLimit: 4}}]
steps:
- name: create
  phases:
  - namespaceRange: {min: 1, max: 1}
    replicasPerNamespace: 20
    tuningSet: all
    objectBundle: [{basename: map, objectTemplatePath: map.yaml}]
`,
    't/map.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: {{.Name}}}
data: {long: "{{RandData 100000}}", short: "{{RandData 8}}", longest: "{{if eq .Index 0}}{{RandData 900000}}{{end}}"}
`,
  };
  const dataOf = async (seed: number): Promise<readonly Readonly<Record<string, string>>[]> => {
    const maps: Readonly<Record<string, string>>[] = [];
    await played(files, {
      seed,
      onStep: ({ result }, cluster) => {
        if (result === undefined) return;
        for (const { metadata, data = {} } of cluster.list('ConfigMap'))
          if (metadata.name.startsWith('map-')) maps.push(data);
      },
    });
    return maps;
  };
  const [first, again, other] = [await dataOf(1), await dataOf(1), await dataOf(2)];
  t.is(first.length, 20);
  for (const { long = '', short = '' } of first) {
    t.regex(long, /^[0-9a-zA-Z]{100000}$/);
    t.regex(short, /^[0-9a-zA-Z]{8}$/);
  }
  t.regex(first[0]?.['longest'] ?? '', /^[0-9a-zA-Z]{900000}$/);
  t.is(new Set(first.map(({ long }) => long)).size, 20);
  t.true(first.every(({ long }, index) => long === again[index]?.['long']));
  t.true(first.every(({ long }, index) => long !== other[index]?.['long']));
});

test('the driver of devices that a test depends on is there: each machine has eight', async (t) => {
  const claims = 'resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]\n      containers:';
  const files = {
    ...FILES,
    't/gpu.yaml': `
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
`,
    't/deployment.yaml': DEPLOYMENT.replace('containers:', claims).replace(/replicas: .*/, 'replicas: {{.Replicas}}'),
    't/config.yaml': `
name: devices
namespace: {number: 1, prefix: gpu}
tuningSets: [{name: all, qpsLoad: {qps: 10}}]
dependencies: [{name: driver, method: DRATestDriver, params: {workerNodeCount: {{.Nodes}}}}, {name: other, method: Other}]
steps:
- name: template
  phases:
  - {namespaceList: [gpu-1], replicasPerNamespace: 1, tuningSet: all, objectBundle: [{basename: gpu, objectTemplatePath: template.yaml}]}
- name: pods
  phases:
  - {namespaceList: [gpu-1], replicasPerNamespace: 1, tuningSet: all, objectBundle: [{basename: app, objectTemplatePath: deployment.yaml, templateFillMap: {Replicas: {{DefaultParam .CL2_REPLICAS 40}}}}]}
- name: wait
  measurements:
  - {Identifier: W, Method: WaitForRunningPods, Params: {labelSelector: group = load, desiredPodCount: {{DefaultParam .CL2_REPLICAS 40}}, timeout: 30s}}
`,
  };
  const named = {
    ...files,
    't/template.yaml': files['t/gpu.yaml'].replace('metadata: {name: gpu}', 'metadata: {name: {{.Name}}}'),
  };
  const inPods = {
    ...named,
    't/deployment.yaml': named['t/deployment.yaml'].replace('TemplateName: gpu', 'TemplateName: gpu-0'),
  };
  const five = await played(inPods);
  t.deepEqual(five.tests[0]?.errors, []);
  t.deepEqual(five.ignored, ['dependency Other']);
  const more = await played(inPods, { environment: { CL2_REPLICAS: '41' } });
  t.regex(more.tests[0]?.errors.join('\n') ?? '', /timeout while waiting for 41 pods to be running/);
});

test('a pod that starts too slowly is a violation', async (t) => {
  const result = await played({ ...FILES, 't/config.yaml': CONFIG.replace('threshold: 1m', 'threshold: 10ms') });
  t.regex(
    result.tests[0]?.errors.join('\n') ?? '',
    /^measurement call PodStartupLatency - Startup error: pod startup: too high latency 50th percentile: got \S+ expected: 10ms$/,
  );
});

test('nodes fail under a test, and boot', async (t) => {
  const chaos =
    'chaosMonkey: {nodeFailure: {failureRate: 0.2, interval: 5s, jitterFactor: 1.0, simulatedDowntime: 20s}}\nsteps:';
  const result = await played({ ...FILES, 't/config.yaml': CONFIG.replace('\nsteps:', `\n${chaos}`) });
  const lines = result.tests[0]?.chaos ?? [];
  t.true(lines.length >= 2);
  t.regex(lines[0] ?? '', /^At 2030-01-01T00:00:\d\dZ stopService happened for node node-\d$/);
  t.is(
    lines.filter((line) => line.includes('rebootNode')).length,
    lines.filter((line) => line.includes('stopService')).length,
  );
});

test('objects that are not simulated are named once and left out', async (t) => {
  const result = await played({
    ...FILES,
    't/deployment.yaml': 'apiVersion: example.com/v1\nkind: Widget\n',
    't/config.yaml': CONFIG,
  });
  t.deepEqual(result.ignored.slice(0, 2), ['measurement InClusterNetworkLatency', 'objects of example.com/v1 Widget']);
});

test('input that cannot be used is refused with file, line and field before anything is played', async (t) => {
  const refused = async (files: Readonly<Record<string, string>>, message: string | RegExp): Promise<void> => {
    await t.throwsAsync(played({ ...FILES, ...files }), { name: 'LoadError', message });
  };
  await refused(
    { 't/config.yaml': CONFIG.replace('qps: 2', 'qps: 0') },
    't/config.yaml:7: tuningSets[0].qpsLoad.qps must be a number > 0, got 0',
  );
  await refused(
    { 't/modules/objects.yaml': MODULE.replace('even{{else}}Spread', 'uneven{{else}}Spread') },
    't/modules/objects.yaml:7: steps[0].phases[0].tuningSet must name one of the test\'s tuning sets even, Spread, got "uneven"',
  );
  await refused(
    { 't/modules/objects.yaml': MODULE.replace('deployment.yaml', 'none.yaml') },
    /^t\/modules\/objects\.yaml:10: steps\[0\]\.phases\[0\]\.objectBundle\[0\]\.objectTemplatePath must be a file/,
  );
  await refused(
    { 't/config.yaml': CONFIG.replace('Method: Timer', 'Method: Tumer') },
    /^t\/config\.yaml:\d+: steps\[0\]\.measurements\[2\]\.Method must be one of APIAvailability, .*, got "Tumer"$/,
  );
  await refused({ 't/config.yaml': `${CONFIG}\n{{nofunc}}` }, 't/config.yaml:32: function "nofunc" not defined');
  await refused({ 't/config.yaml': 'name: x\nsteps: []' }, 't/config.yaml:2: steps must have at least one step');
  await refused({ 't/config.yaml': 'name: [' }, /^t\/config\.yaml:1: /);
});
