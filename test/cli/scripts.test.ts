import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { kubeloom, type Outcome } from './command.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-scripts-'));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** `kubeloom run` of three pods on a node, with a file of rules. */
function run(scripts: string, ...args: readonly string[]): Promise<Outcome> {
  const manifest = file('pods.yaml', ['a', 'b', 'c'].map(pod).join('\n---\n'));
  const options = ['--manifest', manifest, '--pods', '0', '--nodes', '1', '--limit', '5m', '--scripts', scripts];
  return kubeloom('run', ...options, ...args);
}

function pod(name: string): string {
  return `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, labels: {app: ${name}}}, spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}`;
}

const RULES = `
- selector: { matchLabels: { app: a } }
  script: { runs: 10s }
---
- selector: { matchLabels: { app: b } }
  script:
    runs: [{ duration: 10s, exitCode: 1 }]
- selector: { matchLabels: { app: c } }
  script: { startDelay: 30s }
`;

test('kubeloom run --scripts › reads a file of rules and plays by them', async (t) => {
  const { status, stdout, stderr } = await run(file('rules.yaml', RULES), '--json');
  t.is(status, 0, stderr);
  const { pods } = JSON.parse(stdout) as { readonly pods: { readonly byPhase: unknown } };
  t.deepEqual(pods.byPhase, { Pending: 0, Running: 1, Succeeded: 1, Failed: 1, Unknown: 0 });
});

const refused: readonly (readonly [title: string, text: string, message: string])[] = [
  [
    'a wrong field, with its line',
    RULES.replace('exitCode: 1', 'exitCode: 256'),
    'FILE:7: scripts[0].script.runs[0].exitCode must be an integer in 0..255, got 256',
  ],
  [
    'a rule without a selector',
    '- script: { runs: 10s }',
    'FILE:1: scripts[0].selector must be a label selector with matchLabels, matchExpressions ({} selects every pod), got nothing',
  ],
  [
    'what is no list',
    'runs: 10s',
    'FILE:1: scripts must be a list of rules with selector, namespace, container, script, got {"runs":"10s"}',
  ],
  ['an empty file', '\n', 'FILE:1: holds no rules'],
];

for (const [title, text, message] of refused) {
  test(`kubeloom run --scripts › refuses ${title}`, async (t) => {
    const path = file(`${title.replaceAll(/\W/g, '-')}.yaml`, text);
    const { status, stdout, stderr } = await run(path);
    t.is(stdout, '');
    t.is(stderr, `kubeloom: ${message.replace('FILE', path)}\n`);
    t.is(status, 2);
  });
}

test('kubeloom run --scripts › refuses what is no YAML, and a file that is not there', async (t) => {
  const path = file('broken.yaml', '- selector: [');
  const broken = await run(path);
  t.is(broken.status, 2);
  t.regex(broken.stderr, new RegExp(`^kubeloom: ${path}:1: .+\\n$`));
  const missing = await run('/nowhere/rules.yaml');
  t.is(missing.status, 2);
  t.is(missing.stderr, 'kubeloom: --scripts: cannot read /nowhere/rules.yaml: no such file\n');
});

function stage(selector: string): string {
  return `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: ready }
spec:
  resourceRef: { kind: Pod }
  selector: ${selector}
  delay: { durationMilliseconds: 90000 }
  next:
    statusTemplate: |
      phase: Running
      containerStatuses: [{ name: c, ready: true, state: { running: {} } }]
`;
}

test('kubeloom run --stages › reads stages of kwok as scripts of pods, and refuses what cannot be used', async (t) => {
  const rules = file('none.yaml', '[{ selector: {}, script: {} }]');
  const pending = '{ matchExpressions: [{ key: .status.phase, operator: In, values: [Pending] }] }';
  const played = await run(rules, '--stages', file('stages.yaml', stage(pending)), '--json');
  t.is(played.status, 0, played.stderr);
  const { startupSeconds } = JSON.parse(played.stdout) as { startupSeconds: { p50: number } };
  t.true(startupSeconds.p50 > 90, String(startupSeconds.p50));
  const bad = file('bad.yaml', stage('{ matchExpression: [] }'));
  const { status, stderr } = await run(rules, '--stages', bad);
  t.is(status, 2);
  const allowed = 'must be one of matchLabels, matchAnnotations, matchExpressions, got "matchExpression"';
  t.is(stderr, `kubeloom: ${bad}:7: spec.selector.matchExpression ${allowed}\n`);
});
