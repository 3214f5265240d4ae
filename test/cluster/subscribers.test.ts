import test from 'ava';
import { config, merge } from 'rxjs';
import { createCluster } from '../../src/index.js';

const pods = Array.from({ length: 5 }, (_, index) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `p${index}` },
  spec: { containers: [{ name: 'c', image: 'busybox' }] },
}));

test.serial('a subscriber that throws disturbs neither the cluster nor the others', async (t) => {
  const errors: unknown[] = [];
  config.onUnhandledError = (error) => errors.push(error);
  t.teardown(() => (config.onUnhandledError = null));
  const play = async (throws: boolean): Promise<readonly [string, number]> => {
    const cluster = createCluster({ nodes: 2, seed: 4 });
    let heard = 0;
    const fail = (): void => {
      if (throws) throw new Error('of a subscriber');
    };
    merge(cluster.watch('Pod'), cluster.stats$, cluster.timeline(), cluster.events$).subscribe(fail);
    cluster.watch('Pod').subscribe(() => (heard += 1));
    cluster.apply(pods);
    const { end } = await cluster.run({ until: { readyPods: 5 }, limit: '5m' });
    t.is(end, 'done');
    await cluster.dispose();
    return [cluster.traceHash, heard];
  };
  const calm = await play(false);
  t.deepEqual(await play(true), calm);
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setTimeout(resolve, 0));
  t.true(errors.length > 20, `${errors.length}`);
});

test('a subscriber that awaits what is settled goes on before simulated time does', async (t) => {
  const cluster = createCluster({ nodes: 2 });
  const late: number[] = [];
  const goOn = async (atMs: number): Promise<void> => {
    for (let step = 0; step < 10; step += 1) await Promise.resolve();
    if (cluster.nowMs !== atMs) late.push(atMs);
  };
  let heard = 0;
  cluster.watch('Pod').subscribe(({ atMs }) => {
    heard += 1;
    void goOn(atMs);
  });
  cluster.stats$.subscribe(({ nowMs }) => void goOn(nowMs));
  cluster.timeline().subscribe(() => void goOn(cluster.nowMs));
  cluster.apply(pods);
  await cluster.run({ until: { readyPods: 5 }, limit: '5m' });
  t.true(heard > 15);
  t.deepEqual(late, []);
  await cluster.dispose();
});

/** What every stream tells a subscriber that computes for so long at each value. */
async function heardBy(workMs: number): Promise<readonly [string, readonly string[]]> {
  const cluster = createCluster({ nodes: 2, seed: 4, invariants: true });
  const heard: string[] = [];
  const hear =
    (stream: string) =>
    (value: unknown): void => {
      heard.push(`${stream} at ${cluster.nowMs}: ${JSON.stringify(value)}`);
      for (const end = performance.now() + workMs; performance.now() < end;);
    };
  cluster.watch('Pod').subscribe(hear('watch'));
  cluster.events$.subscribe(hear('events$'));
  cluster.stats$.subscribe(hear('stats$'));
  cluster.timeline().subscribe(hear('timeline'));
  cluster.warnings$.subscribe(hear('warnings$'));
  cluster.truth.facts$.subscribe(hear('facts$'));
  cluster.truth.violations$.subscribe(hear('truth.violations$'));
  cluster
    .submit(pods.map((draft) => ({ atMs: 1000, kind: 'Pod' as const, draft })))
    .progress$.subscribe(hear('progress$'));
  await cluster.run({ until: { readyPods: 5 }, limit: '5m' });
  cluster.delete('Pod', 'p0', { force: true });
  cluster
    .drain('node-1', { force: true, gracePeriodSeconds: 1 })
    .subscribe({ next: hear('drain'), error: hear('drain') });
  await cluster.run({ limit: '1m' });
  await cluster.dispose();
  return [cluster.traceHash, heard];
}

test('a slow subscriber keeps the cluster waiting, in real time alone: each stream tells it every value in order', async (t) => {
  const fast = await heardBy(0);
  t.deepEqual(await heardBy(1), fast);
  const streams = new Set(fast[1].map((line) => line.slice(0, line.indexOf(' '))));
  t.deepEqual(
    [...streams].toSorted((a, b) => (a < b ? -1 : 1)),
    ['drain', 'events$', 'facts$', 'progress$', 'stats$', 'timeline', 'truth.violations$', 'warnings$', 'watch'],
  );
});
