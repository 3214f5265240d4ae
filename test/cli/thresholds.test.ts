import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { kubeloom } from './command.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-thresholds-'));
const SMALL = ['run', '--nodes', '10', '--pods', '40'];

function scenario(name: string, thresholds: string): string {
  const path = join(folder, name);
  const lines = [
    'cluster: { nodes: 2 }',
    'workloads: [{ apiVersion: v1, kind: Pod, metadata: { name: a }, spec: { containers: [{ name: c, image: i }] } }]',
    'expectations: [{ by: 1m, pods: { ready: true } }]',
    `thresholds: ${thresholds}`,
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

test('kubeloom run --threshold › exits 0 when all hold, and says what each was', async (t) => {
  const { status, stdout, stderr } = await kubeloom(
    ...SMALL,
    '--threshold',
    'pod_startup_ms: p(99)<5000',
    '--threshold',
    'unschedulable: count==0',
  );
  t.is(status, 0, stderr);
  t.regex(stdout, /threshold met: pod_startup_ms: p\(99\)<5000 \(it was \d+\)/);
  t.regex(stdout, /threshold met: unschedulable: count==0 \(it was 0\)/);
});

test('kubeloom run --threshold › exits 1 with the failing line; with --json the object has it as well', async (t) => {
  const { status, stdout, stderr } = await kubeloom(...SMALL, '--json', '--threshold', 'pods_created: count<3');
  t.is(status, 1);
  t.regex(stderr, /threshold failed: pods_created: count<3 \(it was \d+\)/);
  const { thresholds } = JSON.parse(stdout) as { thresholds: readonly { readonly ok: boolean }[] };
  t.deepEqual(
    thresholds.map(({ ok }) => ok),
    [false],
  );
});

test('kubeloom run --threshold › what cannot be read ends with 2 and one line, before anything runs', async (t) => {
  const { status, stdout, stderr } = await kubeloom(...SMALL, '--threshold', 'pod_startup_ms: p99<5000');
  t.is(status, 2);
  t.is(stdout, '');
  t.regex(stderr, /^kubeloom: --threshold must be METHOD OPERATOR NUMBER with a method of a trend.*got "p99<5000"\n$/);
});

test('kubeloom run --threshold › one with abortOnFail ends the run where it breaks', async (t) => {
  const bound = 'pods_created: {threshold: count<3, abortOnFail: true}';
  const { status, stdout } = await kubeloom(...SMALL, '--limit', '1h', '--threshold', bound);
  t.is(status, 1);
  t.regex(stdout, /threshold failed: pods_created: count<3 \(it was \d+, which ended the run at \d+(\.\d+)?s\)/);
});

test('kubeloom scenario › thresholds of the file and of the command line decide its exit code', async (t) => {
  const kept = scenario('kept.yaml', "{ pod_startup_ms: ['p(99)<5000', 'count==1'], violations: count==0 }");
  const met = await kubeloom('scenario', kept);
  t.is(met.status, 0, met.stdout);
  t.regex(met.stdout, /threshold met: violations: count==0 \(it was 0\)/);
  const failed = await kubeloom('scenario', kept, '--threshold', 'pods_ready: value>=2');
  t.is(failed.status, 1);
  t.regex(failed.stdout, /threshold failed: pods_ready: value>=2 \(it was 1\)/);
  const refused = await kubeloom('scenario', scenario('bad.yaml', '{ pod_startup_ms: fast }'));
  t.is(refused.status, 2);
  t.regex(refused.stderr, /bad\.yaml:4: thresholds\.pod_startup_ms must be METHOD OPERATOR NUMBER .*got "fast"/);
});
