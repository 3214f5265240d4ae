import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { NodeExplanation, PodExplanation } from '../../src/index.js';
import { kubeloom, type Outcome } from './command.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-explain-'));

function explain(...args: readonly string[]): Promise<Outcome> {
  return kubeloom('explain', ...args);
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Simulated times are not what these tests are about. */
function withoutTimes(text: string): string {
  return text.replaceAll(/\d+\.\d{3}s/g, 'T');
}

const pod = (name: string, cpu: string, more = ''): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {${more}containers: [{name: c, image: busybox, resources: {requests: {cpu: ${cpu}, memory: 1Gi}}}]}}`;

const deployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: api, namespace: default}, spec: {replicas: 3, selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: api}}, spec: {containers: [{name: c, image: busybox, resources: {requests: {cpu: 20}}}]}}}}`;

const manifest = file(
  'pods.yaml',
  [
    pod('web', '4'),
    pod('huge', '100'),
    pod('gated', '1', 'schedulingGates: [{name: later}], '),
    pod('fixed', '1', 'nodeName: node-0, '),
    pod('twin-a', '1'),
    pod('twin-b', '1'),
    deployment,
  ].join('\n---\n'),
);
const SCENE = ['--manifest', manifest, '--pods', '0', '--nodes', '2', '--limit', '1m'] as const;

test('kubeloom explain › tells how a pod came to its node', async (t) => {
  const { status, stdout, stderr } = await explain('web', ...SCENE);
  t.is(status, 0, stderr);
  t.is(stderr, '');
  t.regex(
    stdout,
    /^pod default\/web: 1 attempt\nattempt 1 at \S+: placed on node-\d\n2 nodes in the cluster, 2 looked at, 2 fit\n/,
  );
  t.regex(stdout, /the best 2 of 2 nodes, with each plugin's part of the total:/);
  t.regex(stdout, /│ node-\d ← │ \d+ +│ 300 /);
  t.regex(stdout, /│ TaintToleration +│ 0 +│ 100 +│ 3 +│ 300 +│/);
});

test('kubeloom explain › tells why a pod has no node, in kube-scheduler’s words', async (t) => {
  const { status, stdout } = await explain('default/huge', ...SCENE, '--attempt', '1');
  t.is(status, 0);
  const text = '0/2 nodes are available: 2 Insufficient cpu.';
  t.true(withoutTimes(stdout).includes(`attempt 1 at T: unschedulable: ${text}`), stdout);
  t.regex(stdout, /2 nodes in the cluster, 2 looked at, 0 fit/);
  t.regex(stdout, /│ 2 +│ NodeResourcesFit +│ UnschedulableAndUnresolvable +│ Insufficient cpu +│ node-\d, node-\d +│/);
});

test('kubeloom explain --node › tells one node’s verdict', async (t) => {
  const rejected = await explain('huge', ...SCENE, '--node', 'node-1');
  t.regex(
    withoutTimes(rejected.stdout),
    /^pod default\/huge: .*, node node-1\nattempt 1 at T: unschedulable: .*\nrejected by NodeResourcesFit \(UnschedulableAndUnresolvable\): Insufficient cpu\n/,
  );
  const scored = [];
  for (const node of ['node-0', 'node-1']) scored.push((await explain('web', ...SCENE, '--node', node)).stdout);
  for (const text of scored) t.regex(text, /fits; total \d+, place [12] of 2.*\n┌─/);
  t.is(scored.filter((text) => text.includes(', chosen\n')).length, 1);
});

test('kubeloom explain --json › prints the object, or one node of it', async (t) => {
  const whole = JSON.parse((await explain('web', ...SCENE, '--json')).stdout) as PodExplanation;
  t.is(whole.pod, 'default/web');
  t.like(whole.attempts[0], { outcome: 'placed', chosenBy: 'scores', nodes: { total: 2, visited: 2, feasible: 2 } });
  const ofNode = JSON.parse((await explain('huge', ...SCENE, '--json', '--node', 'node-0')).stdout) as {
    readonly attempts: readonly { readonly outcome: string; readonly verdict: NodeExplanation }[];
  };
  t.deepEqual(ofNode.attempts[0]?.verdict, {
    kind: 'rejected',
    verdict: { plugin: 'NodeResourcesFit', code: 'UnschedulableAndUnresolvable', reasons: ['Insufficient cpu'] },
  });
});

test('kubeloom explain › takes a beginning that one pod has, and a Deployment’s first pod without a node', async (t) => {
  t.regex((await explain('hu', ...SCENE)).stdout, /^pod default\/huge: /);
  t.regex((await explain('deployment/api', ...SCENE)).stdout, /^pod default\/api-.*\n(.*\n)*?.*Insufficient cpu/);
});

test('kubeloom explain › says so of a pod that the scheduler never tried', async (t) => {
  const gated = await explain('gated', ...SCENE);
  t.is(gated.status, 0);
  t.regex(gated.stdout, /^pod default\/gated: no attempt to place it; .+\n$/);
  t.is((await explain('fixed', ...SCENE)).stdout, 'pod default/fixed: no attempt to place it; it names node node-0\n');
  const early = await explain('web', ...SCENE, '--nodes', '600', '--client-limits', 'upstream', '--limit', '10s');
  t.regex(
    early.stdout,
    /^pod default\/web: no attempt to place it; the run ended after 10\.000 s of simulated time, when \d+ of 600 nodes could take pods\n$/,
  );
});

test('kubeloom explain › fits on a screen or two at any number of nodes, and knows each of them', async (t) => {
  const args = ['deployment/frontend', '--nodes', '150', '--pods', '200'];
  const { status, stdout, stderr } = await explain(...args);
  t.is(status, 0, stderr);
  t.regex(stdout, /150 nodes in the cluster, \d+ looked at, \d+ fit \(enough to choose from\)/);
  t.regex(stdout, /the best 10 of \d+ nodes/);
  t.true(stdout.split('\n').length < 60, stdout);
  const { attempts } = JSON.parse((await explain(...args, '--json')).stdout) as PodExplanation;
  const [attempt] = attempts;
  t.is(attempt?.detail, 'full');
  t.is(attempt?.scores.length, attempt?.nodes.feasible);
});

test('kubeloom explain › shows the candidates of a preemption, their victims and what decided', async (t) => {
  const preemption = file(
    'preemption.yaml',
    [
      '{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}',
      pod('low-a', '30', 'nodeName: node-0, '),
      pod('low-b', '30', 'nodeName: node-1, '),
      pod('vip', '20', 'priorityClassName: high, '),
    ].join('\n---\n'),
  );
  const scene = ['--manifest', preemption, '--pods', '0', '--nodes', '2', '--limit', '1m', '--attempt', '1'];
  const { status, stdout, stderr } = await explain('vip', ...scene);
  t.is(status, 0, stderr);
  t.regex(stdout, /preemption: 2 candidates; node-0 was nominated, decided by node-name; 2 were equal in everything/);
  t.regex(stdout, /node-0 ← +│ default\/low-a +│ 0 /);
  t.regex(stdout, /node-1 +│ default\/low-b +│ 0 /);
});

const refused: readonly (readonly [title: string, args: readonly string[], stderr: RegExp])[] = [
  ['a pod that is not there', ['nobody', ...SCENE], /^kubeloom: pod "default\/nobody" not found\n$/],
  [
    'a beginning that several pods have',
    ['twin', ...SCENE],
    /^kubeloom: pod "twin" is not unique: default\/twin-a and default\/twin-b begin with it\n$/,
  ],
  ['a Deployment that is not there', ['deployment/web', ...SCENE], /^kubeloom: deployment "web" not found\n$/],
  ['a node that is not there', ['web', ...SCENE, '--node', 'x'], /^kubeloom: node "x" not found\n$/],
  [
    'an attempt that was not made',
    ['web', ...SCENE, '--attempt', '7'],
    /^kubeloom: --attempt must be one of the attempts at default\/web that are known \(1\), got 7\n$/,
  ],
  [
    'a name with three parts',
    ['a/b/c'],
    /^kubeloom: POD must be NAME, NAMESPACE\/NAME or deployment\/NAME, got "a\/b\/c"\n$/,
  ],
  ['no pod', [], /^kubeloom: missing required argument 'pod'\n$/],
];

for (const [title, args, stderr] of refused) {
  test(`kubeloom explain › answers ${title} with one line and exit code 2`, async (t) => {
    const outcome = await explain(...args);
    t.is(outcome.status, 2);
    t.is(outcome.stdout, '');
    t.regex(outcome.stderr, stderr);
  });
}
