/** What commands start from, and what they apply: dumps of clusters, folders of manifests, standard input. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { inputFile, kubeloom } from '../command.js';
import { MAIN } from '../main-file.js';

function pod(name: string, tier: string): string {
  const metadata = { name, labels: { tier } };
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
}

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-manifests-'));
mkdirSync(join(folder, 'more'));
writeFileSync(join(folder, 'b.yaml'), pod('b', 'web'));
writeFileSync(join(folder, 'a.json'), pod('a', 'db'));
writeFileSync(join(folder, 'notes.txt'), 'no manifest');
writeFileSync(join(folder, 'more', 'c.yml'), pod('c', 'web'));

const RUN = ['run', '--nodes', '1', '--pods', '0', '--json'];

function podsOf(stdout: string): number {
  return (JSON.parse(stdout) as { readonly pods: { readonly ready: number } }).pods.ready;
}

test('manifests of a folder, of its folders, several times, and with labels', async (t) => {
  const rows: readonly (readonly [pods: number, args: readonly string[]])[] = [
    [2, ['-f', folder]],
    [3, ['-f', folder, '-R']],
    [1, ['-f', folder, '-l', 'tier=db']],
    [2, ['-f', join(folder, 'b.yaml'), '-f', join(folder, 'more', 'c.yml'), '--selector', 'tier in (web)']],
  ];
  for (const [pods, args] of rows) {
    const { status, stdout, stderr } = await kubeloom(...RUN, ...args);
    t.is(status, 0, stderr);
    t.is(podsOf(stdout), pods, args.join(' '));
  }
  const empty = mkdtempSync(join(tmpdir(), 'kubeloom-empty-'));
  const refused: readonly (readonly [args: readonly string[], stderr: string])[] = [
    [
      ['-f', empty],
      `kubeloom: --manifest: ${empty} has no file that ends in .json, .yaml or .yml; --recursive looks into its folders as well\n`,
    ],
    [
      ['-f', folder, '-l', 'tier=none'],
      `kubeloom: --manifest ${folder} with --selector tier=none: no objects passed to apply\n`,
    ],
    [['-f', '-', '-f', '-'], 'kubeloom: --manifest - can be given once: standard input has one end\n'],
  ];
  for (const [args, stderr] of refused) t.like(await kubeloom(...RUN, ...args), { status: 2, stderr });
});

function piped(input: string) {
  return spawnSync(process.execPath, [MAIN, ...RUN, '-f', '-'], { encoding: 'utf8', input });
}

test('manifests on standard input, as helm template and kustomize build write them; fields that are not known are named', (t) => {
  const good = piped(`${pod('a', 'web')}\n---\n${pod('b', 'web')}`);
  t.is(good.status, 0, good.stderr);
  t.is(podsOf(good.stdout), 2);
  const bad = piped(
    'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec:\n  containerz: []\n  containers: [{ name: c, image: i }]\n',
  );
  t.is(bad.status, 2);
  t.is(
    bad.stderr,
    'kubeloom: STDIN:5: Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containerz"\n',
  );
});

const dump = join(mkdtempSync(join(tmpdir(), 'kubeloom-dump-')), 'dump.json');

test.before(async () => {
  const { status, stderr } = await kubeloom(...RUN, '--nodes', '2', '-f', join(folder, 'b.yaml'), '--save', dump);
  if (status !== 0) throw new Error(stderr);
});

test('a scenario goes on with a cluster that others have written down', async (t) => {
  const scenario = inputFile(
    'from.yaml',
    'actions: [{ at: 1s, cordon: node-1 }]\nexpectations: [{ name: it runs on, by: 1m, pods: { ready: true }, count: 1 }]\n',
  );
  const { status, stdout, stderr } = await kubeloom('scenario', scenario, '--from', dump);
  t.is(status, 0, stdout + stderr);
  t.regex(stderr, /^taken over: 2 Node, 1 Pod/);
  t.is((await kubeloom('scenario', scenario)).status, 1, 'without it there is no node-1, and no pod');
});

test('load tests run on the nodes of a cluster that others have written down', async (t) => {
  const load = inputFile(
    'from-load.yaml',
    'name: n{{.Nodes}}\nsteps: [{ name: wait, measurements: [{ method: Sleep, identifier: s, params: { duration: 1s } }] }]\n',
  );
  const loaded = await kubeloom('load', '--testconfig', load, '--from', dump, '--json');
  t.is(loaded.status, 0, loaded.stderr);
  t.regex(loaded.stdout, /"nodes":2[,}]/);
  const burner = inputFile(
    'from-burner.yaml',
    'jobs: [{ name: j, jobIterations: 1, namespace: n, waitWhenFinished: false, objects: [{ objectTemplate: from-pod.yaml, replicas: 1 }] }]\n',
  );
  inputFile('from-pod.yaml', pod('burnt', 'web'));
  const burnt = await kubeloom('burner', 'init', '-c', burner, '--from', dump, '--json');
  t.is(burnt.status, 0, burnt.stderr);
  t.regex(burnt.stdout, /"nodes":2[,}]/);
  t.is(
    (await kubeloom('burner', 'init', '-c', burner, '--nodes', '0')).stderr,
    'kubeloom: --nodes must be at least 1 without --from, got 0\n',
  );
});
