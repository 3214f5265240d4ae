/** Sweeps on this machine, played for real. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'ava';
import {
  createCluster,
  OptionError,
  runSweep,
  sweepJob,
  type SweepOptions,
  type SweepRow,
} from '../../../src/index.js';
import { sweepFolder } from '../../sweep/sweep-files.js';

const folder = sweepFolder();
const plan = join(folder, 'plan.yaml');

function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'kubeloom-swept-'));
}

function sweep(options: Partial<SweepOptions> = {}) {
  return runSweep({ plan, out: emptyFolder(), ...options });
}

function resultsOf(out: string): string {
  return readFileSync(join(out, 'results.ndjson'), 'utf8');
}

const reference = emptyFolder();
const referenceResult = sweep({ out: reference, check: 1 });

test('a row for each variant and seed, with its hash and its metrics; runs that are played twice come out the same', async (t) => {
  const { runs, checked, mismatches, variants } = await referenceResult;
  t.deepEqual([runs, checked, mismatches.length], [12, 12, 0]);
  const rows = resultsOf(reference)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SweepRow);
  t.deepEqual(
    rows.map(({ seed }) => seed),
    [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6],
  );
  t.is(new Set(rows.map(({ traceHash }) => traceHash)).size, 12);
  const [fixed, drawn] = variants.map(({ metrics }) => metrics['pod_ready_ms max']);
  t.is(fixed?.runs, 6);
  t.true((drawn?.max ?? 0) - (drawn?.min ?? 0) > 500, 'pulls are drawn in the second variant');
  t.is(fixed?.mean, rows.slice(0, 6).reduce((sum, { metrics }) => sum + (metrics['pod_ready_ms max'] ?? 0), 0) / 6);
});

test('the same bytes on threads, and put together from three parts', async (t) => {
  await referenceResult;
  const threads = emptyFolder();
  await sweep({ out: threads, workers: 2 });
  t.is(resultsOf(threads), resultsOf(reference));
  const parts = emptyFolder();
  const counts: number[] = [];
  for (const index of [1, 2, 3]) counts.push((await sweep({ out: parts, shard: { index, count: 3 } })).runs);
  t.deepEqual(counts, [4, 4, 4]);
  const whole = await sweep({ out: parts });
  t.deepEqual([whole.runs, whole.kept], [12, 12]);
  t.is(resultsOf(parts), resultsOf(reference));
});

test('a sweep that was interrupted goes on where it was, whatever became of its last line', async (t) => {
  await referenceResult;
  const out = emptyFolder();
  const controller = new AbortController();
  const onRuns = (done: number): void => {
    if (done >= 5) controller.abort();
  };
  await t.throwsAsync(sweep({ out, onRuns, signal: controller.signal }), { name: 'AbortError' });
  const before = readFileSync(join(out, 'rows.ndjson'), 'utf8').trimEnd().split('\n').length;
  t.true(before >= 5 && before < 12);
  appendFileSync(join(out, 'rows.ndjson'), '{"variant":"cut o');
  const { runs, kept } = await sweep({ out });
  t.deepEqual([runs, kept], [12, before]);
  t.is(resultsOf(out), resultsOf(reference));
});

test('a machine whose runs come out differently is named', async (t) => {
  await referenceResult;
  const out = emptyFolder();
  cpSync(reference, out, { recursive: true });
  const [line = ''] = resultsOf(reference).split('\n');
  const row = JSON.parse(line) as SweepRow;
  writeFileSync(join(out, 'rows-1-of-2.ndjson'), `${JSON.stringify({ ...row, traceHash: 'f00' })}\n`);
  const receipt = { job: 'j', hash: row.hash, seeds: [row.seed], machine: 'odd-one', node: 'v22.0.0', seconds: 1 };
  writeFileSync(join(out, 'jobs-1-of-2.ndjson'), `${JSON.stringify(receipt)}\n`);
  const { mismatches, checked } = await sweep({ out });
  t.is(checked, 1);
  t.is(mismatches.length, 1);
  t.deepEqual([mismatches[0]?.variant, mismatches[0]?.seed], [row.variant, 1]);
  t.like(mismatches[0]?.runs[0], { traceHash: row.traceHash, node: process.version });
  t.deepEqual(mismatches[0]?.runs[1], { traceHash: 'f00', machine: 'odd-one', node: 'v22.0.0' });
});

test('rows of another program are not gone on with', async (t) => {
  await referenceResult;
  const out = emptyFolder();
  const rows = readFileSync(join(reference, 'rows.ndjson'), 'utf8');
  writeFileSync(join(out, 'rows.ndjson'), rows.replaceAll(/"program":"[^"]*"/g, '"program":"0.0.1+abc"'));
  await t.throwsAsync(sweep({ out }), { instanceOf: OptionError, message: /some of kubeloom 0\.0\.1\+abc, this is / });
});

test('a folder that another process writes is left alone; what one has left behind is taken over', async (t) => {
  const out = emptyFolder();
  const lock = join(out, 'rows.ndjson.lock');
  const written = (host: string, pid: number): void => writeFileSync(lock, JSON.stringify({ host, pid }));
  for (const [host, pid] of [
    [hostname(), process.ppid],
    ['elsewhere', 1],
  ] as const) {
    written(host, pid);
    const message = new RegExp(`no other process writes .*process ${pid} of ${host}`);
    await t.throwsAsync(sweep({ out }), { instanceOf: OptionError, message });
  }
  const longAgo = Date.now() / 1000 - 3600;
  utimesSync(lock, longAgo, longAgo);
  const first = sweep({ out });
  await t.throwsAsync(sweep({ out }), { instanceOf: OptionError, message: new RegExp(`process ${process.pid} of `) });
  t.is((await first).runs, 12);
  // No process has a number as large as this.
  written(hostname(), 2 ** 30);
  t.is((await sweep({ out })).runs, 12);
  t.false(existsSync(lock));
});

test('a run that does not pass is told with its reason, and others go on', async (t) => {
  const own = sweepFolder({
    'base.yaml': 'run: { nodes: 1, manifests: [pod.yaml], limit: 1s }\ncluster: { clientLimits: unlimited }\n',
    'plan.yaml': 'variants: [base.yaml]\nvary: { run.limit: [1s, 5m] }\nseeds: 2\n',
  });
  const { variants } = await sweep({ plan: join(own, 'plan.yaml') });
  t.deepEqual(
    variants.map(({ passed, runs }) => [passed, runs]),
    [
      [0, 2],
      [2, 2],
    ],
  );
  t.is(variants[0]?.problems[0]?.runs, 2);
  t.regex(variants[0]?.problems[0]?.problem ?? '', /default\/only/);
});

test('rows as a database, with a column for each metric', async (t) => {
  await referenceResult;
  const out = emptyFolder();
  cpSync(reference, out, { recursive: true });
  const sqlite = join(out, 'rows.db');
  await sweep({ out, sqlite });
  const database = new DatabaseSync(sqlite, { readOnly: true });
  const found = database
    .prepare(
      'SELECT variant, count(*) AS runs, max("pod_ready_ms max") AS worst FROM runs GROUP BY hash ORDER BY variant',
    )
    .all();
  database.close();
  const { variants } = await referenceResult;
  const expected = variants.map(({ variant, metrics }) => ({
    variant,
    runs: 6,
    worst: metrics['pod_ready_ms max']?.max,
  }));
  t.deepEqual(
    found.map((row) => ({ ...row })),
    expected,
  );
});

test('the printed Job runs to its end on a cluster', async (t) => {
  const files = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const text = sweepJob({ plan: 'plan.yaml', shards: 4, version: '1.2.3', files, image: 'node:24' });
  const cluster = createCluster({ nodes: 4, seed: 1, defaultStorageClass: true });
  cluster.apply(text);
  cluster.registerImage('node:24', { runs: '10s exit 0' });
  const isComplete = (): boolean => cluster.list('Job')[0]?.status?.succeeded === 4;
  const { end } = await cluster.run({ until: isComplete, limit: '10m' });
  t.is(end, 'done');
  t.is(cluster.list('Job')[0]?.status?.completedIndexes, '0-3');
  const [pod] = cluster.list('Pod');
  t.regex(
    pod?.spec.containers[0]?.command?.[2] ?? '',
    /^exec npx --yes kubeloom@1\.2\.3 sweep \/plan\/plan\.yaml --out \/results --shard /,
  );
  await cluster.dispose();
});
