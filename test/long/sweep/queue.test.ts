/** Sweeps whose runs are played by programs of their own, behind a queue on PostgreSQL. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createPostgresBackend, withBackend } from 'bullmq';
import { startPostgres } from '../../sweep/postgres.js';
import { sweepFolder } from '../../sweep/sweep-files.js';
import { inputFile } from '../../cli/command.js';
import { kubeloomProcess as kubeloom } from '../../cli/process.js';
import { MAIN } from '../../cli/main-file.js';

const TIMEOUT_MS = 300_000;
const LOST = ['--lost-after', '2s'];

const postgres = await startPostgres();
/** Programs that were started; none outlives the tests, whatever becomes of them. */
const started: ChildProcess[] = [];
test.after.always(() => {
  for (const child of started) child.kill('SIGKILL');
  postgres?.stop();
});

const plan = join(
  sweepFolder({
    'plan.yaml':
      'variants: [base.yaml]\nvary: { run.nodes: [1, 2] }\nseeds: 40\nmetrics: [pod_ready_ms max]\njobTime: 1s\n',
  }),
  'plan.yaml',
);

function start(...args: readonly string[]): { readonly child: ChildProcess; readonly stderr: () => string } {
  let stderr = '';
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  started.push(child);
  child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  return { child, stderr: () => stderr };
}

/** A line of jobs.ndjson. */
interface PlayedJob {
  readonly hash: string;
  readonly seeds: readonly number[];
  readonly machine: string;
}

function resultsOf(out: string): string {
  return readFileSync(join(out, 'results.ndjson'), 'utf8');
}

/** Which machines a sweep has had jobs played by, so far. */
function machinesOf(out: string): ReadonlySet<string | undefined> {
  const file = join(out, 'jobs.ndjson');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return new Set([...text.matchAll(/"machine":"(\w+)"/g)].map(([, name]) => name));
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 50));
}

test.serial('a sweep by a queue gives the bytes of one without, though a worker is killed in the middle', async (t) => {
  t.timeout(TIMEOUT_MS);
  if (postgres === undefined) {
    t.log('skipped: there is no PostgreSQL');
    t.pass();
    return;
  }
  const [here, there] = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'kubeloom-queue-'))) as [string, string];
  const queue = ['--queue', postgres.url];
  const doomed = start('worker', ...queue, '--name', 'doomed', ...LOST);
  const sweep = start('sweep', plan, ...queue, '--out', there);
  const swept = once(sweep.child, 'exit');
  // The sweep has kept something of it.
  await until(() => machinesOf(there).has('doomed'));
  doomed.child.kill('SIGKILL');
  await once(doomed.child, 'exit');
  const heir = start('worker', ...queue, '--name', 'heir', ...LOST);
  t.deepEqual((await swept)[0], 0, sweep.stderr());
  heir.child.kill('SIGTERM');
  const [code] = (await once(heir.child, 'exit')) as readonly unknown[];
  t.is(code, 143, heir.stderr());
  t.is(kubeloom('sweep', plan, '--out', here).status, 0);
  t.is(resultsOf(there), resultsOf(here));
  t.deepEqual(machinesOf(there), new Set(['doomed', 'heir']));
});

test.serial('what is played twice is played by two machines, where there are two', async (t) => {
  t.timeout(TIMEOUT_MS);
  if (postgres === undefined) {
    t.log('skipped: there is no PostgreSQL');
    t.pass();
    return;
  }
  const out = mkdtempSync(join(tmpdir(), 'kubeloom-queue-'));
  const queue = ['--queue', postgres.url, '--queue-name', 'twice'];
  const workers = ['one', 'two'].map((name) => start('worker', ...queue, '--name', name, ...LOST));
  const sweep = start('sweep', plan, ...queue, '--out', out, '--check', '0.25');
  t.is((await once(sweep.child, 'exit'))[0], 0, sweep.stderr());
  for (const { child } of workers) child.kill('SIGTERM');
  await Promise.all(workers.map(({ child }) => once(child, 'exit')));
  const players = new Map<string, string[]>();
  for (const line of readFileSync(join(out, 'jobs.ndjson'), 'utf8').trim().split('\n')) {
    const { hash, seeds, machine } = JSON.parse(line) as PlayedJob;
    for (const seed of seeds) {
      const run = `${hash} ${seed}`;
      players.set(run, [...(players.get(run) ?? []), machine]);
    }
  }
  const twice = [...players.values()].filter((machines) => machines.length > 1);
  t.is(twice.length, 20);
  t.deepEqual(
    twice.filter((machines) => new Set(machines).size === 1),
    [],
  );
});

test.serial('a search by a queue comes to what it comes to here', async (t) => {
  t.timeout(TIMEOUT_MS);
  if (postgres === undefined) {
    t.log('skipped: there is no PostgreSQL');
    t.pass();
    return;
  }
  const bounds = inputFile('queue-bounds.yaml', 'nodes: [2, 3]\nfaults: [1, 2]\nchanges: [1, 1]\nminutes: [2, 2]\n');
  const what = ['fuzz', '--seeds', '4', '--plan', bounds, '--json'];
  const worker = start('worker', '--queue', postgres.url, '--queue-name', 'search');
  const there = kubeloom(...what, '--queue', postgres.url, '--queue-name', 'search');
  worker.child.kill('SIGTERM');
  await once(worker.child, 'exit');
  const here = kubeloom(...what);
  t.deepEqual([here.status, there.status], [0, 0], there.stderr);
  t.deepEqual(plainSearch(there.stdout), plainSearch(here.stdout));
});

function plainSearch(stdout: string): object {
  return { ...(JSON.parse(stdout) as object), seconds: 0 };
}

test.serial('a worker refuses the work of another program, gives it back, and ends', async (t) => {
  t.timeout(TIMEOUT_MS);
  if (postgres === undefined) {
    t.log('skipped: there is no PostgreSQL');
    t.pass();
    return;
  }
  const { Queue } = withBackend(createPostgresBackend);
  const queue = new Queue('others', { connection: { connectionString: postgres.url, migrate: true } });
  await queue.add(
    'sweep',
    { id: 'a', program: '0.0.1+abc', order: { kind: 'fuzz', bounds: {} }, seeds: [1] },
    { jobId: 'a' },
  );
  const { status, stderr } = kubeloom('worker', '--queue', postgres.url, '--queue-name', 'others');
  t.is(status, 2);
  t.regex(stderr, /^kubeloom: the queue holds work of kubeloom 0\.0\.1\+abc, and this is kubeloom .*: refused$/m);
  t.is(await queue.getJobState('a'), 'waiting');
  await queue.close();
});

test.serial('a queue that cannot be used is told in one line, without its password', (t) => {
  const bad = kubeloom('sweep', plan, '--queue', 'postgres://me:secret@127.0.0.1:1/x', '--out', tmpdir());
  t.is(bad.status, 2);
  t.regex(
    bad.stderr,
    /^kubeloom: --queue: postgres:\/\/me:\*\*\*@127\.0\.0\.1:1\/x cannot be used: .*ECONNREFUSED.*\n$/,
  );
  const redis = kubeloom('worker', '--queue', 'redis://127.0.0.1:1');
  t.is(redis.status, 2);
  t.regex(redis.stderr, /^kubeloom: --queue: redis:\/\/127\.0\.0\.1:1 cannot be used: /m);
  const other = kubeloom('worker', '--queue', 'mysql://localhost');
  t.is(other.stderr, 'kubeloom: --queue must be redis://…, rediss://… or postgres://…, got "mysql://localhost"\n');
});
