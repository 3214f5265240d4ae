import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { kubeloom, type Outcome } from './command.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-cli-'));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

interface Report {
  readonly seed: string;
  readonly traceHash: string;
  readonly pods: { readonly total: number; readonly ready: number; readonly byPhase: Readonly<Record<string, number>> };
  readonly unschedulable: readonly { readonly reason: string; readonly count: number }[];
  readonly waited: readonly { readonly reason: string; readonly count: number; readonly example: string }[];
  readonly ignoredKinds: readonly string[];
}

function report(outcome: Outcome): Report {
  return JSON.parse(outcome.stdout) as Report;
}

test('kubeloom run › brings the default scene up, rolls it, and reports it as JSON', async (t) => {
  const outcome = await kubeloom('run', '--nodes', '40', '--pods', '200', '--json');
  t.is(outcome.status, 0, outcome.stderr);
  const { pods, unschedulable, ignoredKinds, ...rest } = report(outcome);
  t.deepEqual(pods, {
    total: 200,
    ready: 200,
    byPhase: { Pending: 0, Running: 200, Succeeded: 0, Failed: 0, Unknown: 0 },
  });
  t.deepEqual([unschedulable, ignoredKinds], [[], []]);
  t.deepEqual(Object.keys(rest).toSorted(), [
    'peakRssBytes',
    'scheduling',
    'seed',
    'startupSeconds',
    'traceHash',
    'virtualSeconds',
    'waited',
    'wallSeconds',
  ]);
});

test('kubeloom run › tells people what they want to know, and progress on standard error', async (t) => {
  const { status, stdout, stderr } = await kubeloom('run', '--nodes', '10', '--pods', '50');
  t.is(status, 0);
  t.regex(stdout, /Running 50/);
  t.regex(stdout, /client limits\s+│ unlimited/);
  t.regex(stdout, /trace hash\s+│ [0-9a-f]{64}/);
  t.regex(stdout, /goal reached: every workload is up and updated/);
  t.regex(stderr, /pods ready/);
});

test('kubeloom run --client-limits › manifests take the time that they take in a real cluster, unless they are told not to', async (t) => {
  const template = `{ metadata: { labels: { a: b } }, spec: { containers: [{ name: c, image: i }] } }`;
  const spec = `{ replicas: 150, selector: { matchLabels: { a: b } }, template: ${template} }`;
  const web = file('web.yaml', `apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: { name: web }\nspec: ${spec}\n`);
  const scene = ['run', '--nodes', '10', '--pods', '0', '--manifest', web];
  const limited = await kubeloom(...scene);
  t.regex(limited.stdout, /client limits\s+│ upstream/);
  t.regex((await kubeloom(...scene, '--client-limits', 'unlimited')).stdout, /client limits\s+│ unlimited/);
  t.true(Number(/([\d.]+) s simulated/.exec(limited.stdout)?.[1]) > 6);
  const refused = await kubeloom(...scene, '--client-limits', 'none');
  t.is(refused.status, 2);
  t.regex(refused.stderr, /--client-limits must be upstream or unlimited, got "none"/);
});

const POD =
  'apiVersion: v1\nkind: Pod\nmetadata: { name: NAME }\nspec: { containers: [{ name: c, image: busybox }] }\n';

test('kubeloom run › runs manifests alone with --pods 0 and lists what is not simulated', async (t) => {
  const manifest = file(
    'mixed.yaml',
    `${POD}---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: { name: m }\n`.replace('NAME', 'a'),
  );
  const outcome = await kubeloom('run', '--manifest', manifest, '--pods', '0', '--nodes', '2', '--json');
  t.is(outcome.status, 0, outcome.stderr);
  const { pods, ignoredKinds } = report(outcome);
  t.is(pods.ready, 1);
  t.deepEqual(ignoredKinds, ['gateway.networking.k8s.io/v1 Gateway']);
});

test('kubeloom run › exits 1 and says what is missing when the goal is not reached', async (t) => {
  const big = POD.replace('NAME', 'big').replace(
    'image: busybox',
    'image: busybox, resources: { requests: { cpu: 1k } }',
  );
  const manifest = file('big.yaml', big);
  const { status, stdout } = await kubeloom(
    'run',
    '--manifest',
    manifest,
    '--pods',
    '0',
    '--nodes',
    '3',
    '--limit',
    '1m',
  );
  t.is(status, 1);
  t.regex(stdout, /Insufficient cpu/);
  t.regex(stdout, /goal not reached: every workload is up; missing:\n {2}Pod default\/big: Pending, not Ready/);
});

const trace = {
  nodes: 'sn,cpu_milli,memory_mib,gpu,model\nn0,32000,262144,0,\nn1,32000,262144,2,T4\n',
  pods: [
    'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time',
    'p0,1000,1024,0,0,,LS,Running,0,500,0',
    'p1,1000,1024,1,1000,T4,LS,Succeeded,10,100,11',
    'p2,1000,1024,4,1000,,BE,Pending,20,,\n',
  ].join('\n'),
};

const job = (name: string): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, annotations: {kubeloom.dev/run-for: 20s}}, spec: {restartPolicy: Never, containers: [{name: c, image: busybox, resources: {requests: {cpu: 20}}}]}}`;

test('kubeloom run › says which pods had to wait, and why, though all are up in the end', async (t) => {
  const manifest = file('jobs.yaml', ['a', 'b', 'c'].map(job).join('\n---\n'));
  const outcome = await kubeloom('run', '--manifest', manifest, '--pods', '0', '--nodes', '2', '--json');
  t.is(outcome.status, 0, outcome.stderr);
  const { waited, unschedulable } = report(outcome);
  t.deepEqual(unschedulable, []);
  t.deepEqual(waited, [{ reason: 'Insufficient cpu', count: 1, example: waited[0]?.example }]);
  t.regex(waited[0]?.example ?? '', /^0\/2 nodes are available: 2 Insufficient cpu\./);
});

test('kubeloom run --trace › accounts for every pod of a trace and says what did not fit', async (t) => {
  const nodes = file('nodes.csv', trace.nodes);
  const pods = file('pods.csv', trace.pods);
  const outcome = await kubeloom('run', '--trace', 'openb', nodes, pods, '--json');
  t.is(outcome.status, 0, outcome.stderr);
  const { pods: counts, unschedulable } = report(outcome);
  t.is(counts.total, 3);
  t.deepEqual(
    unschedulable.map(({ reason, count }) => ({ reason, count })),
    [{ reason: 'Insufficient nvidia.com/gpu', count: 1 }],
  );
});

const refused: readonly (readonly [title: string, args: () => readonly string[], stderr: RegExp])[] = [
  [
    'a negative node count',
    () => ['run', '--nodes', '-5'],
    /^kubeloom: --nodes must be an integer in 0\.\.100000, got "-5"\n$/,
  ],
  ['an unknown option', () => ['run', '--node', '5'], /^kubeloom: unknown option '--node'.*\n$/],
  ['an unknown command', () => ['walk'], /^kubeloom: unknown command 'walk'\n$/],
  [
    'a file that is not there',
    () => ['run', '--manifest', 'no-such.yaml'],
    /^kubeloom: --manifest: cannot read no-such\.yaml: no such file\n$/,
  ],
  [
    'YAML that is broken',
    () => ['run', '--manifest', file('broken.yaml', 'a: [1\nb: 2\n')],
    /^kubeloom: .*broken\.yaml:\d+.*\n$/,
  ],
  [
    'a manifest without a kind',
    () => ['run', '--manifest', file('kindless.yaml', 'apiVersion: v1\nmetadata: { name: x }\n')],
    /^kubeloom: .*kindless\.yaml:1: kind is missing.*\n$/,
  ],
  [
    'an object that the API server refuses',
    () => [
      'run',
      '--manifest',
      file('imageless.yaml', POD.replace('NAME', 'x').replace(', image: busybox', '')),
      '--pods',
      '0',
    ],
    /^kubeloom: .*imageless\.yaml:4: Pod "x" is invalid: spec\.containers\[0\]\.image: Required value\n$/,
  ],
  [
    'a scheduler configuration with a mistake',
    () => [
      'run',
      '--scheduler-config',
      file(
        'bad-scheduler.yaml',
        'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 101\n',
      ),
    ],
    /^kubeloom: .*bad-scheduler\.yaml:3: percentageOfNodesToScore.*101.*\n$/,
  ],
  [
    'a trace of an unknown format',
    () => ['run', '--trace', 'borg', 'a', 'b'],
    /^kubeloom: --trace: the format must be openb, got "borg"\n$/,
  ],
  [
    'a limit that is no duration',
    () => ['run', '--nodes', '1', '--pods', '1', '--limit', 'soon'],
    /^kubeloom: --limit must be .*got "soon"\n$/,
  ],
];

for (const [title, args, stderr] of refused) {
  test(`kubeloom › answers ${title} with one line and exit code 2`, async (t) => {
    const outcome = await kubeloom(...args());
    t.is(outcome.status, 2);
    t.is(outcome.stdout, '');
    t.regex(outcome.stderr, stderr);
  });
}

test('kubeloom run --scheduler-config › runs with the profiles of a file, and says what has no effect', async (t) => {
  const configuration = [
    'apiVersion: kubescheduler.config.k8s.io/v1',
    'kind: KubeSchedulerConfiguration',
    'leaderElection: { leaderElect: false }',
    'profiles:',
    '  - pluginConfig:',
    '      - name: NodeResourcesFit',
    '        args: { scoringStrategy: { type: MostAllocated, resources: [{ name: cpu, weight: 1 }] } }',
  ].join('\n');
  const outcome = await kubeloom(
    'run',
    ...['--nodes', '20', '--pods', '40', '--json', '--scheduler-config', file('packing.yaml', configuration)],
  );
  t.is(outcome.status, 0, outcome.stderr);
  t.regex(outcome.stderr, /packing\.yaml: leaderElection has no effect here/);
  t.not(report(outcome).traceHash, report(await kubeloom('run', '--nodes', '20', '--pods', '40', '--json')).traceHash);
});

const INPUTS = '../shared/inputs';

test('kubeloom run › brings real manifests up, as far as their kinds are simulated', async (t) => {
  const files = ['online-boutique', 'guestbook', 'cassandra'].map((name) => `${INPUTS}/manifests/${name}.yaml`);
  if (!files.every((name) => existsSync(name))) {
    t.log('the manifests are not here: nothing to check');
    t.pass();
    return;
  }
  for (const name of files) {
    const outcome = await kubeloom('run', '--manifest', name, '--pods', '0', '--nodes', '5', '--json');
    t.is(outcome.status, 0, `${name}: ${outcome.stderr}${outcome.stdout}`);
    const { pods } = report(outcome);
    t.is(pods.ready, pods.total, name);
  }
});
