import test from 'ava';
import { createCluster, StandstillError, type Cluster, type Draft } from '../../src/index.js';

/** Nothing takes any time. */
const AT_ONCE = {
  nodes: 2,
  latency: 0,
  clientLimits: 'unlimited',
  runtime: { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 0 },
} as const;

function replicaSet(replicas: number): Draft {
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'x' }], terminationGracePeriodSeconds: 0 },
  };
  return { metadata: { name: 'web' }, spec: { replicas, selector: { matchLabels: { a: 'b' } }, template } };
}

async function clusterAtOnce(t: { teardown(end: () => Promise<void>): void }, nodes = 2): Promise<Cluster> {
  const cluster = createCluster({ ...AT_ONCE, nodes });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  return cluster;
}

test('a pod that is evicted and made again without end ends the run, which names the components', async (t) => {
  const cluster = await clusterAtOnce(t);
  cluster.watch('Pod').subscribe((event) => {
    if (event.type === 'ADDED') cluster.evict({ namespace: 'default', name: event.object.metadata.name });
  });
  cluster.create('ReplicaSet', replicaSet(1));
  const error = await t.throwsAsync(cluster.run({ limit: '1h' }), { instanceOf: StandstillError });
  t.regex(
    error?.message ?? '',
    /^simulated time stands still at 100 ms: \d+ rounds of work that followed from each other took no time; Pods of ReplicaSet default\/web written \d+ times \(user updates \d+, (?:user removes|kube-controller-manager creates) \d+, .*\)$/,
  );
});

test('two writers that undo each other’s work without end end the run', async (t) => {
  const cluster = await clusterAtOnce(t);
  cluster.create('ConfigMap', { metadata: { name: 'flag' }, data: { value: 'a' } });
  for (const [name, from, to] of [
    ['left', 'a', 'b'],
    ['right', 'b', 'a'],
  ] as const) {
    cluster.addController({
      name,
      setup: (context) => {
        const add = (): void => context.queue.add('flag');
        return context.watch('ConfigMap', { onAdd: add, onUpdate: add });
      },
      async reconcile(context, _key, maps) {
        const flag = maps.getByKey('default/flag');
        if (flag?.data?.['value'] !== from) return;
        await context.api.patch('ConfigMap', flag.metadata, { type: 'merge', body: { data: { value: to } } });
      },
    });
  }
  await t.throwsAsync(cluster.run({ limit: '1h' }), {
    instanceOf: StandstillError,
    message:
      /; ConfigMap default\/flag written \d+ times \(operator\/(?:left|right) updates \d+, operator\/(?:left|right) updates \d+\)$/,
  });
});

test('a controller that adds a key whenever it has reconciled it ends the run', async (t) => {
  const cluster = await clusterAtOnce(t);
  cluster.addController({
    name: 'restless',
    setup: (context) => context.queue.add('key'),
    reconcile: (context, key) => context.queue.add(key),
  });
  await t.throwsAsync(cluster.run({ limit: '1h' }), {
    instanceOf: StandstillError,
    message: /; no object was written$/,
  });
});

test('much at once is no circle: thousands of pods made, bound and started in no time', async (t) => {
  const cluster = await clusterAtOnce(t, 50);
  cluster.create('ReplicaSet', replicaSet(1500));
  await cluster.run({ until: () => cluster.stats().pods.ready === 1500, limit: '1h' });
  t.is(cluster.stats().pods.ready, 1500);
});

test('an object that is written for each of thousands of others is no circle', async (t) => {
  const cluster = await clusterAtOnce(t);
  for (let index = 0; index < 5100; index += 1) cluster.create('ConfigMap', { metadata: { name: `m${index}` } });
  let written = 0;
  cluster.addController({
    name: 'counter',
    concurrentSyncs: 1,
    setup: (context) =>
      context.watch('ConfigMap', { onAdd: ({ metadata }) => context.queue.add(`default/${metadata.name}`) }),
    async reconcile({ api }, key) {
      const name = { namespace: 'default', name: 'm0' };
      await api.patch('ConfigMap', name, { type: 'merge', body: { data: { last: key } } });
      written += 1;
    },
  });
  await cluster.run({ until: () => written === 5100, limit: '1h' });
  t.is(written, 5100);
});
