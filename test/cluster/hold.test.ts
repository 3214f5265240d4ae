import { setTimeout as wallMs } from 'node:timers/promises';
import test from 'ava';
import { concatMap, filter, timer } from 'rxjs';
import { createCluster } from '../../src/index.js';
import { annotator, created, pods } from './annotator.js';

test('hold › keeps time for a subscriber, gives the value, and lets others be', async (t) => {
  const cluster = await created(1);
  const seen: (string | number)[] = [];
  cluster
    .watch('Pod')
    .pipe(
      filter(({ type }) => type === 'ADDED'),
      concatMap(async ({ atMs }) => {
        const value = await cluster.hold(wallMs(15, 'answer'));
        seen.push(value, cluster.nowMs - atMs);
      }),
    )
    .subscribe();
  await cluster.run({ limit: '1h' });
  t.deepEqual(seen, ['answer', 0]);
  await cluster.dispose();
});

test('hold › a rejection goes to the holder, and the run goes on', async (t) => {
  const cluster = await created();
  const failed = cluster.hold(wallMs(1).then(() => Promise.reject(new Error('no network'))));
  const assertion = t.throwsAsync(failed, { message: 'no network' });
  t.is((await cluster.run({ limit: '1m' })).end, 'limit');
  await assertion;
  await cluster.dispose();
});

test('hold › settles in the order of the program, whatever takes longer', async (t) => {
  const orders = new Set<string>();
  for (const [first, second, third] of [
    [30, 5, 0],
    [0, 5, 30],
    [5, 0, 5],
  ] as const) {
    const cluster = await created();
    const order: string[] = [];
    const step = async (name: string, ms: number): Promise<void> => {
      await cluster.hold(wallMs(ms));
      order.push(`${name}1`);
      await Promise.resolve();
      order.push(`${name}2`);
    };
    timer(1000, cluster.scheduler).subscribe(() => {
      void step('a', first);
      void step('b', second);
    });
    timer(1000, cluster.scheduler).subscribe(() => void step('c', third));
    await cluster.run({ limit: '1m' });
    orders.add(order.join(' '));
    await cluster.dispose();
  }
  t.deepEqual([...orders], ['a1 a2 b1 b2 c1 c2']);
});

test('hold › one inside the work of another is free to end before it', async (t) => {
  const cluster = await created();
  const steps: string[] = [];
  const work = async (): Promise<string> => {
    await wallMs(2);
    const inner = await cluster.hold(wallMs(2, 'inner'));
    steps.push(`${inner} at ${cluster.nowMs}`);
    return cluster.hold(cluster.hold(wallMs(1, 'outer')));
  };
  const atMs = cluster.nowMs + 1000;
  timer(1000, cluster.scheduler)
    .pipe(concatMap(() => cluster.hold(work())))
    .subscribe((result) => steps.push(`${result} at ${cluster.nowMs}`));
  await cluster.run({ limit: '1m' });
  t.deepEqual(steps, [`inner at ${atMs}`, `outer at ${atMs}`]);
  await cluster.dispose();
});

test('hold › of promises that are settled already costs no turn of the event loop each', async (t) => {
  const cluster = await created();
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const values = await Promise.all(Array.from({ length: 1000 }, (_, index) => cluster.hold(Promise.resolve(index))));
  isOver = true;
  t.is(values[999], 999);
  t.true(turns < 10, `${turns} turns`);
  await cluster.dispose();
});

test('hold › dispose, pause and a signal end a run that waits', async (t) => {
  const cluster = await created();
  const never = Promise.withResolvers<void>();
  void cluster.hold(never.promise);
  const paused = cluster.run({ limit: '1m' });
  setImmediate(() => cluster.pause());
  t.is((await paused).end, 'aborted');
  const stop = new AbortController();
  const stopped = cluster.run({ signal: stop.signal });
  setImmediate(() => stop.abort());
  t.is((await stopped).end, 'aborted');
  const nowMs = cluster.nowMs;
  const disposed = cluster.run({ limit: '1m' });
  setImmediate(() => void cluster.dispose());
  t.deepEqual(await disposed, { end: 'aborted', nowMs });
  never.resolve();
  t.is(await cluster.hold(Promise.resolve(3)), 3);
});

test('hold › what has been waited for long is named in warnings$', async (t) => {
  const cluster = createCluster({ nodes: 1, holdWarningAfter: '20ms' });
  await cluster.ready();
  const held = Promise.withResolvers<void>();
  const texts: string[] = [];
  cluster.warnings$.subscribe(({ text, atMs }) => {
    t.is(atMs, cluster.nowMs);
    texts.push(text);
    held.resolve();
  });
  void cluster.hold(held.promise, 'a slow service');
  const atMs = cluster.nowMs;
  await cluster.run({ limit: '1m' });
  t.is(texts.length, 1);
  const text = `Warning: simulated time has stood still at ${atMs / 1000}s for 0.02s of real time, held by a slow service. `;
  t.is(texts[0]?.slice(0, text.length), text);
  const told = Promise.withResolvers<void>();
  cluster.warnings$.subscribe(() => told.resolve());
  cluster.apply(pods(1));
  cluster.addController(annotator(() => told.promise));
  await cluster.run({ limit: '1m' });
  t.regex(texts[1] ?? '', /held by reconcile of annotator for default\/p0\./u);
  await cluster.dispose();
});

test('hold › what is no promise is refused', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.throws(() => cluster.hold(5 as never), { name: 'OptionError', message: 'hold(work) must be a promise, got 5' });
  t.throws(() => cluster.hold(Promise.resolve(), 5 as never), { message: 'hold(…, label) must be a text, got 5' });
  t.throws(() => createCluster({ holdWarningAfter: 0 }), {
    message: 'holdWarningAfter must be a duration in 1ms..24h, got 0',
  });
  await cluster.dispose();
});

test('hold › in real time too time stands still, and goes on from there', async (t) => {
  const cluster = createCluster({ nodes: 1, realtime: 1000 });
  await cluster.ready();
  const nowMs = cluster.nowMs;
  const times: number[] = [];
  void cluster.hold(wallMs(30).then(() => times.push(cluster.nowMs)));
  timer(100, cluster.scheduler).subscribe(() => times.push(cluster.nowMs));
  await cluster.run({ limit: '1s' });
  t.deepEqual(times, [nowMs, nowMs + 100]);
  await cluster.dispose();
});
