import test from 'ava';
import { kubeloom } from './command.js';

const SCENE = ['--manifest', 'examples/drain.yaml', '--nodes', '3', '--pods', '0'] as const;

test('examples/drain.yaml › kubeloom drain empties a node without breaking the budget', async (t) => {
  const { status, stdout, stderr } = await kubeloom('drain', 'node-0', ...SCENE);
  t.is(status, 0, stderr);
  const lines = stdout.trim().split('\n');
  t.regex(lines[0] ?? '', /^ *0\.\d{3}s {2}node\/node-0 cordoned$/);
  t.true(lines.some((line) => line.includes("Cannot evict pod as it would violate the pod's disruption budget.")));
  t.regex(lines.at(-2) ?? '', /s {2}node\/node-0 drained$/);
  t.regex(
    lines.at(-1) ?? '',
    /^\d pods removed in [\d.]+ s of simulated time; a budget said no \d+ times; 1 budgets watched, none was ever broken$/,
  );
});

test('kubeloom drain › exits 1 when time is up, and 2 for a node that is not there', async (t) => {
  const late = await kubeloom('drain', 'node-0', ...SCENE, '--timeout', '1s', '--json');
  t.is(late.status, 1);
  t.is(late.stderr, 'error: unable to drain node "node-0" due to error: drain did not complete within 1s\n');
  const summary = JSON.parse(late.stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
  t.like(summary, { type: 'summary', isDrained: false, budgets: 1, broken: [] });
  t.deepEqual(await kubeloom('drain', 'node-7', ...SCENE), {
    status: 2,
    stdout: '',
    stderr: 'kubeloom: node "node-7" not found\n',
  });
});
