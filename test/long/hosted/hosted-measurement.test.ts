import test from 'ava';
import { createCluster, hostCluster } from '../../../src/index.js';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const BOUNDS = { pods_started: 'count==1', pod_startup_ms: 'p(99)<5000' };

test('a hosted cluster is measured as one in this thread: the same numbers', async (t) => {
  const here = createCluster({ nodes: 2, seed: 9 });
  const there = await hostCluster({ nodes: 2, seed: 9 });
  const own = here.measure();
  const hosted = await there.measure();
  for (const cluster of [here, there]) {
    await cluster.ready();
    await cluster.apply([POD]);
    await cluster.run({ until: { readyPods: 1 }, limit: '1m' });
  }
  await hosted.mark('the end');
  own.mark('the end');
  t.deepEqual(await hosted.check(BOUNDS), own.check(BOUNDS));
  t.true((await hosted.check(BOUNDS)).every(({ ok }) => ok));
  await hosted.stop();
  t.deepEqual(await hosted.read(), own.read());
  t.deepEqual(await hosted.totals(), own.totals);
  t.deepEqual(await hosted.metrics(), own.metrics);
  await t.throwsAsync(hosted.check({ nothing: 'count==1' }), { name: 'OptionError', message: /must name one of / });
  await here.dispose();
  await there.dispose();
});

test('a signal ends the run of a hosted cluster, before it begins as well', async (t) => {
  const cluster = await hostCluster({ nodes: 2, realtime: 1 });
  const end = new AbortController();
  const run = cluster.run({ limit: '1h', signal: end.signal });
  setTimeout(() => end.abort(), 50);
  t.is((await run).end, 'aborted');
  t.is((await cluster.run({ limit: '1h', signal: end.signal })).end, 'aborted');
  await t.throwsAsync(cluster.run({ signal: 5 as never }), { message: 'signal must be an AbortSignal, got 5' });
  await cluster.dispose();
});
