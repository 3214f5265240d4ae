/** Commands that a signal ends: they stop where they are, say how far they came, and exit as shells expect. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { inputFile, type Outcome } from '../../cli/command.js';
import { MAIN } from '../../cli/main-file.js';

/** Something that is told at once, so that it is known that the program listens to signals. */
const TALKATIVE = inputFile(
  'talkative.yaml',
  'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 4\n',
);
/** Real time, so that no command is ever done before the signal comes. */
const SLOW = ['--pods', '1', '--nodes', '2', '--realtime', '0.001', '--scheduler-config', TALKATIVE];

/** Starts a command, and sends it a signal once it has told something. */
async function interrupted(signal: 'SIGINT' | 'SIGTERM', ...args: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  // A second signal would end it at once.
  let isSent = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.once('data', () => {
      if (!isSent) child.kill(signal);
      isSent = true;
    });
  }
  const status = await new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return { status, stdout: await stdout, stderr: await stderr };
}

const HOW_FAR = /kubeloom: interrupted after [\d.]+ s of simulated time, with \d+ of \d+ pods ready on \d+ nodes\n$/;

test('kubeloom run › an interrupt prints the summary, and does not reach the goal', async (t) => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { status, stdout, stderr } = await interrupted(signal, 'run', ...SLOW);
    t.is(status, code);
    t.regex(stdout, /trace hash/);
    t.regex(stdout, /goal not reached: .*\n {2}it was interrupted\n/);
    t.regex(stderr, /kubeloom: interrupted\n$/);
  }
});

for (const [command, ...args] of [
  ['explain', 'web'],
  ['describe', 'web'],
  ['timeline', 'web'],
  ['drain', 'node-0'],
  ['shutdown', 'node-0'],
] as const) {
  test(`kubeloom ${command} › an interrupt says how far it came`, async (t) => {
    const { status, stderr } = await interrupted('SIGINT', command, ...args, ...SLOW);
    t.is(status, 130);
    t.regex(stderr, HOW_FAR);
  });
}

/** It goes on for years: what crashes is started again. */
const CRASHES = `scripts: [{ selector: {}, script: { runs: 1s exit 1 } }]
workloads:
  - apiVersion: apps/v1
    kind: Deployment
    metadata: { name: d }
    spec:
      replicas: 20
      selector: { matchLabels: { a: b } }
      template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: c, image: i }] } }
`;

const SCENARIO = `title: t
cluster: { nodes: 3 }
${CRASHES}actions:
  - { at: 1s, cordon: node-0 }
expectations:
  - { name: never, by: 1000000h, pods: {}, count: 70 }
`;

test('kubeloom scenario › an interrupt says what was met until then', async (t) => {
  const { status, stdout, stderr } = await interrupted('SIGINT', 'scenario', inputFile('endless.yaml', SCENARIO));
  t.is(status, 130);
  t.regex(stdout, /0 of 1 expectations met/);
  t.regex(stderr, /kubeloom: interrupted\n$/);
});

const FOUND = `version: 0.1.0
seed: "7"
invariant: liveness
plan:
  title: seed 7
  cluster: { nodes: 3, seed: "7" }
${CRASHES.replaceAll(/^/gm, '  ').trimEnd()}
  actions: [{ at: 1000000h, cordon: node-0 }]
`;

test('kubeloom replay › an interrupt says how far the play came, and judges nothing', async (t) => {
  const { status, stdout, stderr } = await interrupted(
    'SIGINT',
    'replay',
    inputFile('found.yaml', FOUND),
    '--timeline',
  );
  t.is(status, 130);
  t.notRegex(stdout, /as it was found|no promise was broken/);
  t.regex(stderr, /^kubeloom: interrupted after [\dhms.]+ of simulated time, trace hash [0-9a-f]+\n$/);
});

test('kubeloom fuzz › an interrupt ends the search with its summary, with and without threads', async (t) => {
  for (const workers of ['0', '1']) {
    const { status, stdout, stderr } = await interrupted('SIGINT', 'fuzz', '--seeds', '100000', '--workers', workers);
    t.is(status, 130);
    t.regex(stdout, /^\d+ seeds, [^]*violations: /);
    t.regex(stderr, /kubeloom: interrupted\n$/);
  }
});

test('kubeloom bench › an interrupt ends the case that runs and reports those before it', async (t) => {
  const { status, stderr } = await interrupted(
    'SIGTERM',
    'bench',
    'SchedulingBasic/5000Nodes_10000Pods',
    '--repeat',
    '1000',
  );
  t.is(status, 143);
  t.regex(stderr, /kubeloom: interrupted\n$/);
});

test('kubeloom load › an interrupt is heard while objects are made at one moment, and says in which step', async (t) => {
  inputFile('interrupted-map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "{{.Name}}" }\n');
  const config = inputFile(
    'interrupted-load.yaml',
    `name: maps
namespace: { number: 1 }
tuningSets: [{ name: few, parallelismLimitedLoad: { parallelismLimit: 2 } }]
steps:
  - name: make maps
    phases:
      - namespaceRange: { min: 1, max: 1 }
        replicasPerNamespace: 500000
        tuningSet: few
        objectBundle: [{ basename: map, objectTemplatePath: interrupted-map.yaml }]
`,
  );
  const { status, stderr } = await interrupted('SIGINT', 'load', '--testconfig', config, '--nodes', '1');
  t.is(status, 130, stderr);
  t.regex(
    stderr,
    /\nkubeloom: interrupted in \[step: 01\] make maps, \d+ of 500000 · [\d.]+s simulated · 0 pods .*\n$/,
  );
});
