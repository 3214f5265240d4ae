import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { reportOf } from '../../../src/cli/bench/bench-report.js';
import type { BenchResult } from '../../../src/cli/bench/bench-result.js';
import { MAIN } from '../../cli/main-file.js';

const folder = mkdtempSync(path.join(tmpdir(), 'kubeloom-bench-'));

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Report {
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly failures: readonly unknown[];
  readonly differences: readonly unknown[];
}

function bench(...args: readonly string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'bench', ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

function file(name: string, text: string): string {
  const whole = path.join(folder, name);
  mkdirSync(path.dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

function report({ stdout }: Outcome): Report {
  return JSON.parse(stdout) as Report;
}

const CONFIG = `
- name: Mine
  featureGates: { SchedulerQueueingHints: true }
  defaultPodTemplatePath: ../templates/pod.yaml
  workloadTemplate:
  - opcode: createNodes
    countParam: $nodes
  - opcode: createPods
    countParam: $pods
    collectMetrics: true
  workloads:
  - name: fits
    threshold: 12
    params: { nodes: 3, pods: 6 }
  - name: doesNotFit
    params: { nodes: 1, pods: 6 }
- name: Claims
  workloadTemplate:
  - opcode: createResourceDriver
  workloads:
  - name: some
`;

const POD =
  'apiVersion: v1\nkind: Pod\nmetadata: { generateName: pod- }\nspec: { containers: [{ name: c, image: pause, resources: { requests: { cpu: 1 } } }] }';

const config = file('misc/performance-config.yaml', CONFIG);
file('templates/pod.yaml', POD);

test('kubeloom bench › runs a workload of its own in both modes and with several workers', (t) => {
  const outcome = bench('SchedulingBasic/50Nodes_100Pods', '--workers', '0,2', '--percentage', '100', '--json');
  t.is(outcome.status, 0, outcome.stderr);
  const { results, failures, differences } = report(outcome);
  t.deepEqual([failures, differences], [[], []]);
  t.deepEqual(
    results.map(({ workload, mode, percentageOfNodesToScore, workers, pods, outcomes }) => [
      workload,
      mode,
      percentageOfNodesToScore,
      workers,
      pods,
      outcomes,
    ]),
    ['algorithm', 'full'].flatMap((mode) =>
      [0, 2].map((workers) => [
        'SchedulingBasic/50Nodes_100Pods',
        mode,
        100,
        workers,
        100,
        { [mode === 'full' ? 'scheduled' : 'placed']: 100 },
      ]),
    ),
  );
  const [first] = results;
  t.deepEqual(Object.keys(first ?? {}).toSorted(), [
    'anchor',
    'cpuSeconds',
    'featureGates',
    'mode',
    'outcomes',
    'p50Us',
    'p99Us',
    'peakRssBytes',
    'percentageOfNodesToScore',
    'placementHash',
    'pods',
    'podsPerSecond',
    'ratio',
    'roundsPodsPerSecond',
    'runsPodsPerSecond',
    'seconds',
    'threshold',
    'traceHash',
    'wallSeconds',
    'warm',
    'workers',
    'workload',
  ]);
  t.is(new Set(results.map(({ placementHash }) => placementHash)).size, 1);
});

test('kubeloom bench › reads a configuration of scheduler_perf and its templates, and shows what it says', (t) => {
  const outcome = bench('--config', config, 'Mine/fits', '--mode', 'full', '--repeat', '3', '--json');
  t.is(outcome.status, 0, outcome.stderr);
  const [result = {}, ...others] = report(outcome).results;
  t.is(others.length, 0);
  const { workload, pods, threshold, featureGates, anchor, runsPodsPerSecond } = result;
  t.deepEqual(
    [workload, pods, threshold, featureGates, anchor],
    ['Mine/fits', 6, 12, { SchedulerQueueingHints: true }, null],
  );
  t.is((runsPodsPerSecond as readonly number[]).length, 3);
  const table = bench('--config', config, 'Mine/fits', '--mode', 'algorithm');
  t.regex(table.stdout, /Mine\/fits +│ algorithm │ adaptive │ +0 │ +6 │/);
  t.regex(
    table.stdout,
    /\nMine\/fits: upstream expects 12 pods\/s of its own scheduler\nMine\/fits sets SchedulerQueueingHints=true: of no effect here\n$/,
  );
});

test('kubeloom bench › finds templates in a folder of their own', (t) => {
  const lonely = file('alone.yaml', CONFIG);
  t.is(bench('--config', lonely, 'Mine/fits', '--mode', 'algorithm').status, 2);
  const outcome = bench(
    '--config',
    lonely,
    '--templates',
    path.join(folder, 'templates'),
    'Mine/fits',
    '--mode',
    'algorithm',
  );
  t.is(outcome.status, 0, outcome.stderr);
});

test('kubeloom bench › writes its report beside the table', (t) => {
  const target = path.join(folder, 'report.json');
  const outcome = bench('--config', config, 'Mine/fits', '--mode', 'algorithm', '--pods', '4', '--json', target);
  t.is(outcome.status, 0, outcome.stderr);
  t.regex(outcome.stdout, /Mine\/fits/);
  const { results } = JSON.parse(readFileSync(target, 'utf8')) as Report;
  t.deepEqual(
    results.map(({ pods }) => pods),
    [4],
  );
});

test('kubeloom bench › ends with 1 when pods are not scheduled that must be', (t) => {
  const outcome = bench('--config', config, 'Mine/doesNotFit', '--mode', 'full', '--json');
  t.is(outcome.status, 1);
  t.deepEqual(report(outcome).results, []);
  t.regex(
    outcome.stderr,
    /\nkubeloom: Mine\/doesNotFit, full, adaptive, 0 workers: 2 pods of namespace-1 are not scheduled: 0\/1 nodes are available: 1 Insufficient cpu\..*\n$/,
  );
});

test('kubeloom bench › lists workloads with their labels, and those that cannot be run with the reason', (t) => {
  const own = bench('--list');
  t.is(own.status, 0);
  t.regex(own.stdout, /anchor\/preempt\/5000Nodes +│ scheduler, performance/);
  const mine = bench('--config', config, '--list').stdout;
  t.regex(mine, /Mine\/fits +│ +│ 12 +│ +│/);
  t.regex(
    mine,
    /Claims\/some .*cannot run: performance-config.yaml:19: \[1\].workloadTemplate\[0\].opcode "createResourceDriver" is not simulated/,
  );
});

test('kubeloom bench › runs only what --only names', (t) => {
  const outcome = bench(
    'scheduler',
    '--only',
    'TopologySpreading/5Nodes,anchor/basic/50Nodes',
    '--mode',
    'algorithm',
    '--json',
  );
  t.is(outcome.status, 0, outcome.stderr);
  t.deepEqual(
    report(outcome).results.map(({ workload }) => workload),
    ['anchor/basic/50Nodes', 'TopologySpreading/5Nodes'],
  );
});

const RESULT: BenchResult = {
  workload: 'Some/size',
  mode: 'full',
  percentageOfNodesToScore: 100,
  workers: 0,
  pods: 1,
  outcomes: { scheduled: 1 },
  seconds: 1,
  cpuSeconds: 1,
  podsPerSecond: 1,
  warm: null,
  roundsPodsPerSecond: [1],
  p50Us: null,
  p99Us: null,
  wallSeconds: 1,
  peakRssBytes: 1,
  placementHash: 'a',
  traceHash: 'b',
  threshold: null,
  featureGates: {},
  anchor: null,
  ratio: null,
};

/** Results of a tiny workload played so often in a process. */
function played(rounds: string): Partial<BenchResult> {
  const outcome = bench('anchor/basic/50Nodes', '--mode', 'algorithm', '--json', '--rounds', rounds);
  return report(outcome).results[0] ?? {};
}

test('kubeloom bench › plays a workload several times in a process, from cold to warm', (t) => {
  const { roundsPodsPerSecond: rates = [], podsPerSecond, warm } = played('4');
  t.is(rates.length, 4);
  t.is(podsPerSecond, rates[0]);
  t.is(warm?.podsPerSecond, Math.min(rates[2] ?? 0, rates[3] ?? 0));
  t.is(played('1').warm, null);
});

test('the report of a bench › is that of the run in the middle', (t) => {
  const rates = [30, 10, 20];
  const { results } = reportOf([rates.map((podsPerSecond) => ({ ...RESULT, podsPerSecond }))], []);
  t.deepEqual(results, [{ ...RESULT, podsPerSecond: 20, runsPodsPerSecond: rates }]);
});

/** What is wrong with runs that each differ from {@link RESULT} in this. */
function differencesOf(...given: readonly Partial<BenchResult>[]): readonly string[] {
  const runs = given.map((each) => [{ ...RESULT, ...each }]);
  return reportOf(runs, []).differences.map(({ problem }) => problem);
}

test('the report of a bench › finds runs of one case that placed pods otherwise, whatever the number of workers', (t) => {
  t.deepEqual(differencesOf({}, { workers: 1 }, { mode: 'algorithm', placementHash: 'x' }), []);
  t.deepEqual(differencesOf({}, { percentageOfNodesToScore: 0, placementHash: 'x' }), []);
  t.deepEqual(differencesOf({}, { workers: 2, placementHash: 'x' }), [
    'Some/size, full, 100 %, 2 workers placed pods otherwise than with 0 workers',
  ]);
  t.deepEqual(differencesOf({}, { traceHash: 'x' }), [
    'Some/size, full, 100 %, 0 workers placed pods otherwise than with 0 workers',
  ]);
});

const broken = file(
  'broken.yaml',
  '- name: A\n  workloadTemplate: [{ opcode: barrier, colour: red }]\n  workloads: [{ name: b }]\n',
);
file('misc/templates/pod.yaml', POD);
const refused = file('misc/refused.yaml', CONFIG.replace('../templates/pod.yaml', 'templates/bad.yaml'));
file('misc/templates/bad.yaml', POD.replace('cpu: 1', 'cpu: lots'));

const refusals: readonly (readonly [args: readonly string[], message: string | RegExp])[] = [
  [['Nothing'], /^kubeloom: no workload, test case or label is called "Nothing"; known: .*SchedulingBasic.*\n$/],
  [['--mode', 'half'], 'kubeloom: --mode must be algorithm, full or both with a comma, got "half"\n'],
  [['--workers', '0,x'], 'kubeloom: --workers must be an integer in 0..64, got "x"\n'],
  [['--percentage', '101'], 'kubeloom: --percentage must be an integer in 0..100, got "101"\n'],
  [['--repeat', '0'], 'kubeloom: --repeat must be an integer in 1..1000, got "0"\n'],
  [['--json', 'no/such/folder'], /^kubeloom: --json: cannot write no\/such\/folder: ENOENT: .*\n$/],
  [['--templates', 'x'], 'kubeloom: --templates needs --config\n'],
  [['--config', 'nowhere.yaml'], 'kubeloom: --config: cannot read nowhere.yaml: no such file\n'],
  [
    ['--config', broken],
    'kubeloom: broken.yaml:2: [0].workloadTemplate[0].colour is not known here; known are labelSelector, namespaces, opcode, stageRequirement\n',
  ],
  [
    ['--config', config],
    /^kubeloom: performance-config.yaml:19: \[1\].workloadTemplate\[0\].opcode "createResourceDriver" is not simulated: it needs dynamic resource allocation\n$/,
  ],
  [
    ['Startup/20Nodes_100Pods', '--mode', 'algorithm'],
    'kubeloom: --mode must be full for Startup/20Nodes_100Pods, whose nodes have kubelets, got algorithm\n',
  ],
];

for (const [args, message] of refusals) {
  test(`kubeloom bench ${args.map((arg) => path.basename(arg)).join(' ')} › is refused in one line`, (t) => {
    const { status, stdout, stderr } = bench(...args);
    t.deepEqual([status, stdout], [2, '']);
    if (typeof message === 'string') t.is(stderr, message);
    else t.regex(stderr, message);
  });
}

test('kubeloom bench › says in one line what the API server has against a template', (t) => {
  const { status, stderr } = bench('--config', refused, 'Mine/fits', '--mode', 'full');
  t.is(status, 2);
  t.regex(
    stderr,
    /\nkubeloom: Mine\/fits, full, adaptive, 0 workers: Pod in version "v1" cannot be handled as a Pod: quantities must match .*\n$/,
  );
  t.is(stderr.split('\n').length, 3);
});
