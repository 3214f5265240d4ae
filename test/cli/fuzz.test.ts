import test from 'ava';
import { FAULT_VERBS, INVARIANTS } from '../../src/index.js';
import { inputFile, kubeloom } from './command.js';

/** Whole plans are played, several times, on a slow machine. */
const TIMEOUT_MS = 300_000;
const MINE = `
cluster: { nodes: 2 }
workloads:
  - apiVersion: v1
    kind: Pod
    metadata: { name: mine }
    spec: { containers: [{ name: c, image: i }] }
`;

test('kubeloom fuzz › the summary names every kind of fault and every promise, with how often', async (t) => {
  t.timeout(TIMEOUT_MS);
  const bounds = inputFile(
    'bounds.yaml',
    'faults: [2, 3]\nchanges: [1, 2]\nminutes: [2, 3]\nkinds: [stopKubelet]\nreference: 1',
  );
  const { status, stdout } = await kubeloom('fuzz', '--seeds', '2', '--plan', bounds);
  t.is(status, 0);
  const lines = stdout.split('\n');
  for (const verb of FAULT_VERBS)
    t.true(
      lines.some((line) => line.startsWith(`${verb} `)),
      verb,
    );
  for (const { name } of INVARIANTS)
    t.true(
      lines.some((line) => line.startsWith(`${name} `)),
      name,
    );
  t.regex(stdout, /^fault +planned +took effect +share +times$/m);
  t.regex(stdout, /^stopKubelet +\d+ +\d+ +\d+ % +\d+$/m);
  t.regex(stdout, /^cut +0 +0 +0$/m);
  t.regex(stdout, /^same-as-without-faults +2 +0$/m);
  t.regex(stdout, /^crashes: kubelet \d+$/m);
  t.true(lines.includes('violations: none'));
});

test('kubeloom fuzz › takes cluster and workloads of a scenario, and says it as one object', async (t) => {
  t.timeout(TIMEOUT_MS);
  const scenario = inputFile('mine.yaml', MINE);
  const bounds = inputFile('few.yaml', 'faults: [2, 2]\nminutes: [2, 2]\nkinds: [skewClock]\nreference: 0');
  const { status, stdout } = await kubeloom('fuzz', '--seeds', '1', '--scenario', scenario, '--plan', bounds, '--json');
  t.is(status, 0);
  const { podsCreated, faults, discoveries, evaluated, crashes } = JSON.parse(stdout) as Record<string, unknown>;
  t.deepEqual([podsCreated, discoveries, crashes], [1, [], {}]);
  t.deepEqual(Object.keys(faults as object), ['skewClock']);
  t.like((faults as Record<string, object>)['skewClock'], { injected: 2 });
  t.is((evaluated as Record<string, number>)['liveness'], 1);
});

test('kubeloom fuzz › a scenario or bounds that cannot be used are named with their field', async (t) => {
  const wrong = inputFile('wrong.yaml', 'cluster: { nodes: 2, nods: 3 }');
  const { status, stderr } = await kubeloom('fuzz', '--seeds', '1', '--scenario', wrong);
  t.is(status, 2);
  t.regex(stderr, /wrong\.yaml:1: cluster\.nods /);
  const bounds = inputFile('wrong-bounds.yaml', 'kinds: [storm]');
  const outcome = await kubeloom('fuzz', '--seeds', '1', '--plan', bounds);
  t.is(outcome.status, 2);
  t.regex(outcome.stderr, /wrong-bounds\.yaml:1: kinds\[0\] must be one of cut, /);
});
