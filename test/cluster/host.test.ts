import test from 'ava';
import { filter, firstValueFrom, take, toArray } from 'rxjs';
import { createCluster, hostCluster } from '../../src/index.js';

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
