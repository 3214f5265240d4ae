import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import type { RunSummary } from '../../src/index.js';
import { inputFile, kubeloom } from './command.js';

const POD = inputFile(
  'load-pod.yaml',
  'apiVersion: v1\nkind: Pod\nmetadata: {name: "{{.Name}}"}\nspec: {containers: [{name: main, image: "{{.ImageRegistry}}/pause:3.9"}]}',
);
const CONFIG = `
name: pods
tuningSets: [{name: even, qpsLoad: {qps: 10}}]
steps:
- name: start
  measurements: [{Identifier: P, Method: PodStartupLatency, Params: {action: start, threshold: {{DefaultParam .LIMIT "1m"}}}}]
- name: pods
  phases: [{namespaceRange: {min: 1, max: 1}, replicasPerNamespace: 3, tuningSet: even, objectBundle: [{basename: pod, objectTemplatePath: load-pod.yaml}]}]
- name: wait
  measurements: [{Identifier: W, Method: WaitForRunningPods, Params: {desiredPodCount: 3}}]
- name: gather
  measurements: [{Identifier: P, Method: PodStartupLatency, Params: {action: gather}}]
`;
const BURNER = `
global: {measurements: [{name: podLatency, thresholds: [{conditionType: Ready, metric: P99, threshold: {{.LIMIT}}}]}]}
jobs: [{name: pods, namespace: pods, jobIterations: 3, qps: 5, burst: 5, preLoadImages: false, objects: [{objectTemplate: burner-pod.yaml}]}]
`;
inputFile(
  'burner-pod.yaml',
  'apiVersion: v1\nkind: Pod\nmetadata: {name: "pod-{{.Iteration}}"}\nspec: {containers: [{name: main, image: "registry.k8s.io/pause:3.9"}]}',
);

test('kubeloom load › exit codes tell a test that passed, one that failed, and input that cannot be used', async (t) => {
  const config = inputFile('load-config.yaml', CONFIG);
  const reports = join(dirname(POD), 'reports');
  const passed = await kubeloom('load', '--testconfig', config, '--nodes', '2', '--report-dir', reports);
  t.is(passed.status, 0, passed.stderr);
  t.regex(passed.stdout, /^test pods: Success in \d+\.\ds simulated\n5 files in .*\n2 nodes · 3 pods created · /);
  t.deepEqual(readdirSync(reports).length, 5);
  t.true(readdirSync(reports).includes('junit.xml'));
  const overrides = inputFile('load-overrides.yaml', 'LIMIT: 1ms');
  const failed = await kubeloom('load', '--testconfig', config, '--nodes', '2', '--testoverrides', overrides, '--json');
  t.is(failed.status, 1);
  t.is((JSON.parse(failed.stdout) as { readonly failed: number }).failed, 2);
  const refused = await kubeloom(
    'load',
    '--testconfig',
    inputFile('load-bad.yaml', CONFIG.replace('qps: 10', 'qps: -1')),
  );
  t.is(refused.status, 2);
  t.regex(
    refused.stderr,
    /^kubeloom: .*load-bad\.yaml:3: tuningSets\[0\]\.qpsLoad\.qps must be a number > 0, got -1\n$/,
  );
  t.is((await kubeloom('load')).status, 2);
});

test('kubeloom burner init › exit codes tell a workload that passed, one that was too slow, and input that cannot be used', async (t) => {
  const config = inputFile('burner-config.yml', BURNER);
  const common = ['burner', 'init', '-c', config, '--nodes', '2'];
  const passed = await kubeloom(...common, '--user-data', inputFile('burner-slow.yml', 'LIMIT: 1m'));
  t.is(passed.status, 0, passed.stderr);
  t.regex(passed.stdout, /^pods: PodScheduled 50th: \d+ms /);
  const failed = await kubeloom(...common, '--user-data', inputFile('burner-fast.yml', 'LIMIT: 1ms'));
  t.is(failed.status, 4);
  t.regex(
    failed.stdout,
    /\nerror: podLatencyQuantilesMeasurement: P99 Ready latency \(\d\.\d\ds\) higher than configured threshold: 0\.001s\n/,
  );
  const refused = await kubeloom(...common);
  t.is(refused.status, 2);
  t.regex(refused.stderr, /^kubeloom: .*burner-config\.yml:2: .*map has no entry for key "LIMIT"\n$/);
});

/** A configuration with a hook that ends with an exit code. */
function hooked(code: string): string {
  const hooks = `hooks: [{cmd: [sh, -c, "echo hooked; exit ${code}"], when: beforeJobExecution}], objects:`;
  return inputFile(`hooked-${code}.yml`, BURNER.replace('objects:', hooks));
}

test('kubeloom burner init --run-hooks › runs the commands of hooks here, and one that fails makes exit code 1', async (t) => {
  const common = ['--nodes', '2', '--user-data', inputFile('hooked-values.yml', 'LIMIT: 1m'), '--run-hooks'];
  const passed = await kubeloom('burner', 'init', '-c', hooked('0'), ...common);
  t.is(passed.status, 0, passed.stderr);
  t.regex(passed.stderr, /^hooked$/m);
  const failed = await kubeloom('burner', 'init', '-c', hooked('3'), ...common);
  t.is(failed.status, 1);
  t.regex(
    failed.stdout,
    /foreground hook execution failed at 'beforeJobExecution': sh at beforeJobExecution ended with 3/,
  );
});

for (const [command, args] of [
  ['load', ['load', '--testconfig', inputFile('measured-load.yaml', CONFIG), '--nodes', '2']],
  [
    'burner init',
    [
      'burner',
      'init',
      '-c',
      inputFile('measured-burner.yml', BURNER),
      '--set',
      'jobs.0.qps=6',
      '--user-data',
      inputFile('measured-values.yml', 'LIMIT: 1m'),
      '--nodes',
      '2',
    ],
  ],
] as const) {
  test(`kubeloom ${command} › thresholds decide the exit code, and every report can be written, as of a run`, async (t) => {
    const [summary, junit, metrics, page] = ['s.json', 'j.xml', 'm.txt', 'p.html'].map((name) =>
      inputFile(`${command.replace(' ', '-')}-${name}`, ''),
    ) as [string, string, string, string];
    const reports = ['--summary', summary, '--junit', junit, '--openmetrics', metrics, '--report', page];
    const met = await kubeloom(
      ...args,
      ...reports,
      '--threshold',
      'pods_created: count==3',
      '--threshold',
      'pod_startup_ms: p(99)<60000',
    );
    t.is(met.status, 0, met.stderr);
    t.regex(met.stderr, /threshold met: pods_created: count==3 \(it was 3\)\n/);
    const told = JSON.parse(readFileSync(summary, 'utf8')) as RunSummary;
    t.true(told.passed);
    t.is(told.thresholds.length, 2);
    t.true(told.checks.length > 1 && told.marks.some(({ kind }) => kind === 'step'));
    t.regex(readFileSync(junit, 'utf8'), /pod_startup_ms: p\(99\)&lt;60000/);
    t.regex(readFileSync(metrics, 'utf8'), /# EOF\n$/);
    t.regex(readFileSync(page, 'utf8'), /✓ passed/);
    const failed = await kubeloom(...args, '--summary', summary, '--threshold', 'pods_created: count<3');
    t.is(failed.status, 1, failed.stderr);
    t.regex(failed.stderr, /threshold failed: pods_created: count<3 \(it was 3\)\n/);
    t.false((JSON.parse(readFileSync(summary, 'utf8')) as RunSummary).passed);
  });
}
