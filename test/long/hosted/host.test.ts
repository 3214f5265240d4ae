import { setTimeout as wallMs } from 'node:timers/promises';
import test from 'ava';
import { filter, firstValueFrom, take, timer, toArray } from 'rxjs';
import { deliverInBatches } from '../../../src/hosted/host-delivery.js';
import { createCluster, hostCluster } from '../../../src/index.js';

const pods = (count: number): { metadata: { name: string }; kind: string; apiVersion: string; spec: object }[] =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${index}` },
    spec: { containers: [{ name: 'c', image: 'busybox' }] },
  }));

test('hostCluster › gives the hash that the same cluster gives in this thread', async (t) => {
  const local = createCluster({ nodes: 3, seed: 5 });
  local.apply(pods(10));
  await local.run({ until: { readyPods: 10 }, limit: '5m' });
  const hosted = await hostCluster({ nodes: 3, seed: 5 });
  await hosted.apply(pods(10));
  const { end } = await hosted.run({ until: { readyPods: 10 }, limit: '5m' });
  t.is(end, 'done');
  t.is(await hosted.traceHash(), local.traceHash);
  await hosted.dispose();
  await local.dispose();
});

test('hostCluster › delivers every watch event, in order', async (t) => {
  const hosted = await hostCluster({ nodes: 3 });
  const count = 3000;
  const added = firstValueFrom(
    hosted.watch('Pod').pipe(
      filter(({ type }) => type === 'ADDED'),
      take(count),
      toArray(),
    ),
  );
  await hosted.apply(pods(count));
  await hosted.run({ limit: '10s' });
  const versions = (await added).map(({ version }) => version);
  t.is(versions.length, count);
  t.deepEqual(
    versions,
    versions.toSorted((a, b) => a - b),
  );
  await hosted.dispose();
});

test('hostCluster › hands errors of the API over as what they are', async (t) => {
  const hosted = await hostCluster({ nodes: 0 });
  const error = await t.throwsAsync(hosted.get('Pod', 'nobody'), { name: 'ApiError' });
  t.like(error, { code: 404, reason: 'NotFound', message: 'pods "nobody" not found' });
  await hosted.dispose();
});

test('hostCluster › refuses bad options and leaves no thread behind', async (t) => {
  await t.throwsAsync(hostCluster({ nodes: -1 }), {
    name: 'OptionError',
    message: 'nodes must be an integer in 0..100000, got -1',
  });
});

test('hostCluster › hold keeps the clock of the other thread, and what follows from it comes in time', async (t) => {
  const hashes = new Set<string>();
  for (const ms of [0, 30]) {
    const hosted = await hostCluster({ nodes: 2, seed: 3 });
    await hosted.ready();
    const { nowMs } = await hosted.stats();
    const first = hosted.hold(wallMs(ms, 'a'));
    const second = hosted.hold(wallMs(30 - ms, 'b'), 'a label');
    const made = first.then((name) => hosted.create('Pod', { ...pods(1)[0], metadata: { name } }));
    const next = second.then((name) => hosted.create('Pod', { ...pods(1)[0], metadata: { name } }));
    await hosted.run({ limit: '1m' });
    t.is((await hosted.stats()).nowMs, nowMs + 60_000);
    t.is((await made).metadata.creationTimestamp, (await next).metadata.creationTimestamp);
    hashes.add(await hosted.traceHash());
    await hosted.dispose();
  }
  t.is(hashes.size, 1);
  const local = createCluster({ nodes: 2, seed: 3 });
  await local.ready();
  for (const name of ['a', 'b']) {
    void local.hold(wallMs(1, name)).then(() => local.create('Pod', { ...pods(1)[0], metadata: { name } }));
  }
  await local.run({ limit: '1m' });
  t.deepEqual([...hashes], [local.traceHash]);
  await local.dispose();
});

test('hostCluster › hold hands a rejection over, refuses what is no promise, and lets dispose end a run', async (t) => {
  const hosted = await hostCluster({ nodes: 1 });
  await t.throwsAsync(hosted.hold(Promise.reject(new Error('no network'))), { message: 'no network' });
  t.throws(() => hosted.hold('x' as never), { message: 'hold(work) must be a promise, got "x"' });
  const held = Promise.withResolvers<number>();
  const answer = hosted.hold(held.promise);
  const run = hosted.run({ limit: '1m' });
  await hosted.stats();
  await hosted.dispose();
  t.is((await run).end, 'aborted');
  held.resolve(7);
  t.is(await answer, 7);
});

test('a slow subscriber on another thread keeps the clock once enough is under way', async (t) => {
  const cluster = createCluster({ nodes: 3 });
  await cluster.ready();
  const batches: { readonly count: number; readonly taken: () => void }[] = [];
  let underWay = 0;
  let most = 0;
  const full = Promise.withResolvers<void>();
  deliverInBatches(cluster, {
    source$: timer(0, 1, cluster.scheduler),
    label: 'a slow subscriber',
    deliver(batch) {
      underWay += batch.length;
      most = Math.max(most, underWay);
      if (underWay >= 16 * 256) full.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      batches.push({ count: batch.length, taken: resolve });
      return promise;
    },
    end: () => undefined,
  });
  const startMs = cluster.nowMs;
  const run = cluster.run({ limit: '20s' });
  await full.promise;
  const atMs = cluster.nowMs;
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
  t.is(cluster.nowMs, atMs);
  const taking = setInterval(() => {
    const batch = batches.shift();
    underWay -= batch?.count ?? 0;
    batch?.taken();
  });
  await run;
  clearInterval(taking);
  t.is(cluster.nowMs, startMs + 20_000);
  t.true(most <= 17 * 256, `${most}`);
  await cluster.dispose();
});
