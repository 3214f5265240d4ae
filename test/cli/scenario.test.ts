import test from 'ava';
import { inputFile, kubeloom } from './command.js';

const SCENARIO = `
cluster: { nodes: 2, seed: 5 }
workloads: pod.yaml
actions:
  - { at: 30s, name: cable, cut: { node: node-0 } }
  - { at: 40s, delete: { object: pod/p, force: true } }
expectations:
  - { name: it runs, by: 30s, pods: { name: p, ready: true } }
  - { name: it is gone, by: 1m, from: 40s, pods: {}, count: 0 }
`;
inputFile(
  'pod.yaml',
  'apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: { nodeName: node-0, containers: [{ name: c, image: i }] }',
);

/** Times aside. */
const withoutTimes = (stdout: string): string[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => line.replace(/^\S*\d\.\d{3}s +/, '').replace(/in \S+ of/, 'in … of'));

/** Without the lines that a run tells on a machine that is slow. */
const withoutProgress = (stderr: string): string => stderr.replaceAll(/^scenario … · .*\n/gm, '');

test('kubeloom scenario › prints what happens in order, and what became of it', async (t) => {
  const { status, stdout, stderr } = await kubeloom('scenario', inputFile('good.yaml', SCENARIO));
  t.is(withoutProgress(stderr), '');
  t.is(status, 0);
  t.deepEqual(withoutTimes(stdout), [
    'met        it runs',
    'action     cut node-0 (cable)',
    'warning    Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.',
    'action     pod/p force deleted',
    'met        it is gone',
    'violation  pod default/p was removed by user while its processes may run on node-0: nobody has confirmed their end',
    '',
    '2 of 2 expectations met in … of simulated time (seed 5)',
    'unconfirmed deletions: 1, split brains: 0, broken budgets: 0',
  ]);
});

test('kubeloom scenario › exits 1 when an expectation fails or an action is refused, and says which', async (t) => {
  const file = inputFile(
    'failing.yaml',
    `${SCENARIO}  - { name: nobody is left, by: 20s, pods: {}, count: 7 }\n`.replace('pod/p, force', 'pod/q, force'),
  );
  const { status, stdout } = await kubeloom('scenario', file, '--seed', '9');
  t.is(status, 1);
  t.deepEqual(withoutTimes(stdout).slice(-5), [
    '1 of 3 expectations met in … of simulated time (seed 9)',
    'unconfirmed deletions: 0, split brains: 0, broken budgets: 0',
    'not met: it is gone (counted 1, must be 0)',
    'not met: nobody is left (counted 1, must be 7)',
    'refused: delete: pods "q" not found',
  ]);
});

test('kubeloom scenario --json › prints one object for each thing that happens, and one for the result', async (t) => {
  const { status, stdout } = await kubeloom('scenario', inputFile('good.yaml', SCENARIO), '--json');
  t.is(status, 0);
  const objects = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; isMet?: boolean; seed?: string; violations?: unknown });
  t.deepEqual(
    objects.map(({ type }) => type),
    ['met', 'action', 'warning', 'action', 'met', 'violation', 'result'],
  );
  t.like(objects.at(-1), {
    isMet: true,
    seed: '5',
    violations: { unconfirmedDeletions: 1, splitBrains: 0, brokenBudgets: [] },
  });
});

test('kubeloom scenario --timeline › tells the story of the pods between what happens', async (t) => {
  const { stdout } = await kubeloom('scenario', inputFile('good.yaml', SCENARIO), '--timeline');
  const lines = withoutTimes(stdout);
  t.true(lines.includes('story      default/p node-0: process of c started (run 1)'), stdout);
  t.true(lines.includes('story      default/p user: removed'));
});

test('kubeloom scenario › exits 1 with one line where time stands still, and says what goes round', async (t) => {
  const text = `
cluster: { nodes: 1, latency: 0, clientLimits: unlimited, runtime: { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 0 } }
workloads:
  - apiVersion: apps/v1
    kind: ReplicaSet
    metadata: { name: web }
    spec:
      replicas: 1
      selector: { matchLabels: { a: b } }
      template:
        metadata: { labels: { a: b } }
        spec: { nodeName: node-0, nodeSelector: { no: where }, containers: [{ name: c, image: x }] }
until: 1h
`;
  const { status, stderr } = await kubeloom('scenario', inputFile('circle.yaml', text));
  t.is(status, 1);
  t.regex(
    withoutProgress(stderr),
    /^kubeloom: simulated time stands still at 100 ms: \d+ rounds of work that followed from each other took no time; Pods of ReplicaSet default\/web written \d+ times \(kube-controller-manager creates \d+, kubelet\/node-0 updates \d+\)\n$/,
  );
});

test('kubeloom scenario › exits 2 for bad input, with one line that names the place', async (t) => {
  const missing = await kubeloom('scenario', 'nowhere.yaml');
  t.deepEqual([missing.status, missing.stderr], [2, 'kubeloom: FILE: cannot read nowhere.yaml: no such file\n']);
  const file = inputFile('bad.yaml', 'actions:\n  - at: 1m\n    cut: { node: node-7 }\n');
  const { status, stdout, stderr } = await kubeloom('scenario', file);
  t.deepEqual(
    [status, stdout, stderr],
    [
      2,
      '',
      `kubeloom: ${file}:3: actions[0].cut.node must be a node of the cluster (node-0, node-1, node-2), got "node-7"; did you mean node-0?\n`,
    ],
  );
});
