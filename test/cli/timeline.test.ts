import test from 'ava';
import type { TimelineEntry } from '../../src/index.js';
import { inputFile, kubeloom } from './command.js';

const manifest = inputFile(
  'crash.yaml',
  `apiVersion: v1
kind: Pod
metadata: {name: crash, annotations: {kubeloom.dev/run-for: 3s, kubeloom.dev/exit-code: "1"}}
spec: {containers: [{name: app, image: busybox}]}
---
apiVersion: v1
kind: Pod
metadata: {name: other}
spec: {containers: [{name: app, image: busybox}]}
`,
);
const SCENE = ['--manifest', manifest, '--pods', '0', '--nodes', '1', '--limit', '1m'] as const;

/** What happened, without times and ids. */
function story(stdout: string): string[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TimelineEntry)
    .flatMap(({ source, by, text }) => text.map((what) => `${source} ${by}: ${what.replace(/ in .*/, '')}`));
}

test('kubeloom timeline › tells writes with their writers, events and processes in order of time', async (t) => {
  const { status, stdout, stderr } = await kubeloom('timeline', 'crash', ...SCENE, '--json');
  t.is(status, 0, stderr);
  const lines = story(stdout);
  const expected = [
    'api user: created, phase Pending',
    'api kube-scheduler: bound to node-0',
    'event default-scheduler: Normal Scheduled: Successfully assigned default/crash to node-0',
    'api kubelet/node-0: container app: waiting ContainerCreating',
    'event kubelet/node-0: Normal Pulling: Pulling image "busybox"',
    'node node-0: process of app started (run 1)',
    'api kubelet/node-0: phase Pending → Running',
    'api kubelet/node-0: Ready False → True',
    'api kubelet/node-0: container app: running, started, ready',
  ];
  t.deepEqual(
    lines.filter((line) => expected.includes(line)),
    expected,
  );
  const times = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as TimelineEntry).atMs);
  t.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

test('kubeloom timeline --for › goes on with crashes, restarts and back-off', async (t) => {
  const { stdout } = await kubeloom('timeline', 'crash', ...SCENE, '--for', '30s', '--json');
  const lines = story(stdout);
  for (const line of [
    'node node-0: process of app ended: Error, exit code 1',
    'api kubelet/node-0: container app: terminated Error (exit code 1), not started, not ready',
    'api kubelet/node-0: container app: running, restarts 1, started, ready',
    'api kubelet/node-0: container app: waiting CrashLoopBackOff',
  ]) {
    t.true(lines.includes(line), line);
  }
});

test('kubeloom timeline --delete › shows a pod to its end', async (t) => {
  const { stdout } = await kubeloom('timeline', 'other', ...SCENE, '--delete', '5s', '--for', '1m', '--json');
  const lines = story(stdout);
  const expected = [
    'node node-0: SIGTERM to process of app, SIGKILL after 30000 ms',
    'node node-0: process of app ended: Completed, exit code 0',
    'api kubelet/node-0: phase Running → Succeeded',
    'api kubelet/node-0: removed',
  ];
  t.deepEqual(
    lines.filter((line) => expected.includes(line)),
    expected,
  );
  t.true(lines.some((line) => line.startsWith('api user: deletion requested, grace 30 s until ')));
});

test('kubeloom timeline --delete --force › warns as kubectl does, and the processes run on for a while', async (t) => {
  const { status, stderr, stdout } = await kubeloom(
    'timeline',
    'other',
    ...SCENE,
    '--delete',
    '1s',
    '--force',
    '--for',
    '1m',
    '--json',
  );
  t.is(status, 0);
  t.true(stderr.endsWith('The resource may continue to run on the cluster indefinitely.\n'), stderr);
  const lines = story(stdout);
  t.true(
    lines.indexOf('api user: removed') < lines.indexOf('node node-0: process of app ended: Completed, exit code 0'),
    lines.join('\n'),
  );
  t.regex((await kubeloom('timeline', 'other', ...SCENE, '--force')).stderr, /^kubeloom: --force needs --delete\n$/);
});

test('kubeloom timeline › is a table, with the pods named where there are several', async (t) => {
  const one = (await kubeloom('timeline', 'crash', ...SCENE)).stdout.split('\n');
  t.regex(one[0] ?? '', /^TIME +SOURCE +BY +WHAT$/);
  t.regex(one[1] ?? '', /^0\.\d{3}s +api +user +created, phase Pending$/);
  const all = (await kubeloom('timeline', 'o', ...SCENE)).stdout;
  t.regex(all, /^TIME +SOURCE/);
  t.regex((await kubeloom('timeline', 'default/', ...SCENE)).stderr, /^kubeloom: POD must be NAME/);
});

test('kubeloom timeline › says in one line that a pod was not found, or that a duration is none', async (t) => {
  const missing = await kubeloom('timeline', 'nope', ...SCENE);
  t.deepEqual(missing, { status: 2, stdout: '', stderr: 'kubeloom: pod "nope" not found\n' });
  const bad = await kubeloom('timeline', 'crash', ...SCENE, '--for', 'soon');
  t.is(bad.status, 2);
  t.regex(bad.stderr, /^kubeloom: --for must be milliseconds >= 0 or a duration such as "90s".*, got "soon"\n$/);
});

/** The steps of a pod's state machine. */
async function machineSteps(...flags: readonly string[]): Promise<string[]> {
  const { stdout } = await kubeloom('timeline', 'other', ...SCENE, '--json', ...flags);
  return story(stdout).filter((line) => line.startsWith('machine'));
}

test('kubeloom timeline › tells the steps of the pod’s state machine, unless they are left out', async (t) => {
  const lines = await machineSteps();
  t.is(lines[0], 'machine kubelet/node-0: spawned (begin)');
  t.is(lines.at(-1), 'machine kubelet/node-0: startingContainers.creating → idle (after stepEnd)');
  t.deepEqual(await machineSteps('--no-machines'), []);
});
