import { setTimeout as wallMs } from 'node:timers/promises';
import test from 'ava';
import { concatMap, filter, firstValueFrom, lastValueFrom, take, timer } from 'rxjs';
import {
  createCluster,
  defineController,
  keyOf,
  parseKey,
  type Cluster,
  type ControllerDefinition,
  type Draft,
  type PromisedClient,
} from '../../src/index.js';

const pods = (count: number): Draft[] =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${index}` },
    spec: { containers: [{ name: 'c', image: 'busybox' }] },
  }));

const annotation = (name: string, value: string): { type: 'merge'; body: object } => ({
  type: 'merge',
  body: { metadata: { annotations: { [name]: value } } },
});

/** A promise and what resolves it. */
function deferred(): PromiseWithResolvers<void> {
  return Promise.withResolvers<void>();
}

/** An operator that annotates every pod that it hears of for the first time. */
function annotator(work: (api: PromisedClient, key: string) => Promise<void>): ControllerDefinition<void> {
  return defineController({
    name: 'annotator',
    setup: (context) => void context.watch('Pod', { onAdd: (pod) => context.queue.add(keyOf(pod)) }),
    reconcile: ({ api }, key) => work(api, key),
  });
}

async function created(count = 0): Promise<Cluster> {
  const cluster = createCluster({ nodes: 2, seed: 11 });
  await cluster.ready();
  cluster.apply(pods(count));
  return cluster;
}

/** The trace hash, and how many pods were annotated twice. */
async function hashWith(definition: ControllerDefinition<void>): Promise<string> {
  const cluster = await created(7);
  cluster.addController(definition);
  await cluster.run({ limit: '1m' });
  const seen = cluster.list('Pod').filter(({ metadata }) => metadata.annotations?.['again'] !== undefined);
  await cluster.dispose();
  return `${cluster.traceHash} ${seen.length}`;
}

test('addController › a reconcile that awaits real time writes at the simulated time at which it began', async (t) => {
  const cluster = await created(1);
  const times: number[] = [];
  cluster.addController(
    annotator(async (api, key) => {
      times.push(cluster.nowMs);
      await wallMs(20);
      times.push(cluster.nowMs);
      await api.patch('Pod', parseKey(key), annotation('seen', 'yes'));
      times.push(cluster.nowMs);
      await wallMs(20);
      times.push(cluster.nowMs);
    }),
  );
  await cluster.run({ limit: '1h' });
  const [began = 0, slept, patched = 0, end] = times;
  t.deepEqual([slept, end], [began, patched]);
  t.true(patched - began < 20);
  await cluster.dispose();
});

test('addController › the trace is the same however long reconciles await real time, or whether they do', async (t) => {
  const hashes = new Set<string>();
  const waits: ((index: number) => Promise<unknown>)[] = [
    () => Promise.resolve(),
    async () => wallMs(0),
    async () => wallMs(5),
    async () => wallMs(30),
    async (index) => wallMs(7 - index),
    async (index) => (index % 2 === 0 ? undefined : wallMs(index)),
    (): Promise<void> => new Promise((resolve) => void setImmediate(resolve)),
  ];
  for (const wait of waits) {
    let index = 0;
    hashes.add(
      await hashWith(
        annotator(async (api, key) => {
          const turn = (index += 1);
          await wait(turn);
          await api.patch('Pod', parseKey(key), annotation('seen', String(turn)));
          await wait(turn);
          await api.patch('Pod', parseKey(key), annotation('again', String(turn)));
        }),
      ),
    );
  }
  t.is(hashes.size, 1);
  t.true([...hashes].every((hash) => hash.endsWith(' 7')));
});

test('addController › a reconcile may await simulated time: answers, timers and streams of the cluster', async (t) => {
  const cluster = await created(1);
  const seen: string[] = [];
  cluster.addController(
    defineController({
      name: 'waiter',
      setup: (context) => void context.watch('Pod', { onAdd: (pod) => context.queue.add(keyOf(pod)) }),
      async reconcile({ api, kernel, client }, key) {
        const beganMs = cluster.nowMs;
        await firstValueFrom(timer(1000, cluster.scheduler));
        seen.push(`timer ${cluster.nowMs - beganMs}`);
        await wallMs(1);
        await new Promise<void>((resolve) => void kernel.clock.schedule(500, resolve));
        seen.push(`clock ${cluster.nowMs - beganMs}`);
        await new Promise<void>((resolve) => client.get('Pod', parseKey(key), () => resolve()));
        const running = cluster
          .watch('Pod')
          .pipe(filter((event) => event.type !== 'BOOKMARK' && event.object.status.phase === 'Running'));
        await firstValueFrom(running);
        await wallMs(1);
        seen.push('running');
        await Promise.all([api.get('Pod', parseKey(key)), api.list('Node')]);
        await api.delete('Pod', parseKey(key));
        await lastValueFrom(
          cluster.watch('Pod').pipe(
            filter(({ type }) => type === 'DELETED'),
            take(1),
          ),
        );
        seen.push('gone');
      },
    }),
  );
  t.is((await cluster.run({ until: () => seen.includes('gone'), limit: '10m' })).end, 'done');
  t.deepEqual(seen, ['timer 1000', 'clock 1500', 'running', 'gone']);
  await cluster.dispose();
});

test('addController › a controller that crashes while it awaits real time holds nothing any more', async (t) => {
  const cluster = await created(2);
  const reached = deferred();
  const operator = cluster.addController(
    annotator(() => {
      reached.resolve();
      return new Promise(() => undefined);
    }),
  );
  const run = cluster.run({ limit: '1m' });
  await reached.promise;
  operator.crash();
  t.is((await run).end, 'limit');
  await cluster.dispose();
});

test('addController › with holdsClock false nothing is held but what it holds itself, at once', async (t) => {
  const cluster = await created(3);
  let together = 0;
  const all = deferred();
  const times: number[] = [];
  cluster.addController({
    ...annotator(async (api, key) => {
      times.push(cluster.nowMs);
      together += 1;
      if (together === 3) all.resolve();
      await cluster.hold(all.promise);
      times.push(cluster.nowMs);
      await api.patch('Pod', parseKey(key), annotation('seen', 'yes'));
    }),
    holdsClock: false,
  });
  await cluster.run({ limit: '1m' });
  t.is(times.length, 6);
  t.is(new Set(times).size, 1);
  t.throws(() => cluster.addController({ ...annotator(() => Promise.resolve()), name: 'x', holdsClock: 1 as never }), {
    message: 'controller.holdsClock must be true or false, got 1',
  });
  await cluster.dispose();
});

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
  const never = deferred();
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
  const held = deferred();
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
  const told = deferred();
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
