import test from 'ava';
import { filter, firstValueFrom, map, take, toArray } from 'rxjs';
import { createCluster, type Cluster } from '../../src/index.js';

const web = (replicas: number, image = 'nginx:1.27'): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: web
          image: ${image}
          resources: { requests: { cpu: 500m, memory: 128Mi } }
`;

async function ready(cluster: Cluster, pods: number): Promise<void> {
  await cluster.run({ until: () => cluster.readyPods === pods, limit: '10m' });
}

async function hashOf(seed: number): Promise<string> {
  const cluster = createCluster({ nodes: 5, seed });
  cluster.apply(web(20));
  await cluster.run({ limit: '2m' });
  await cluster.dispose();
  return cluster.traceHash;
}

test('Cluster › brings a Deployment from a manifest to Ready', async (t) => {
  const cluster = createCluster({ nodes: 3 });
  t.is((await cluster.ready()).end, 'done');
  t.deepEqual(cluster.stats().nodes, { total: 3, schedulable: 3 });
  t.deepEqual(
    cluster.apply(web(10)).map(({ action }) => action),
    ['created'],
  );
  const { end } = await cluster.run({ until: { readyPods: 10 }, limit: '5m' });
  t.is(end, 'done');
  t.deepEqual(cluster.stats().pods, {
    total: 10,
    ready: 10,
    byPhase: { Pending: 0, Running: 10, Succeeded: 0, Failed: 0, Unknown: 0 },
  });
  t.is(new Set(cluster.list('Pod').map(({ spec }) => spec.nodeName)).size, 3);
  await cluster.dispose();
});

test('Cluster › gives the same trace hash for the same seed and another for another', async (t) => {
  const [first, second, other] = [await hashOf(7), await hashOf(7), await hashOf(8)];
  t.is(first, second);
  t.not(first, other);
});

test('Cluster › scales up and down', async (t) => {
  const cluster = createCluster({ nodes: 2 });
  cluster.apply(web(3));
  await ready(cluster, 3);
  cluster.scale('Deployment', 'web', 6);
  await ready(cluster, 6);
  cluster.scale('Deployment', 'default/web', 1);
  await cluster.run({ until: () => cluster.stats().pods.total === 1, limit: '5m' });
  t.is(cluster.get('Deployment', 'web').spec.replicas, 1);
  t.is(cluster.list('Pod').length, 1);
  await cluster.dispose();
});

test('Cluster › rolls a new image out without ever dropping below maxUnavailable', async (t) => {
  const cluster = createCluster({ nodes: 4 });
  cluster.apply(web(8));
  await ready(cluster, 8);
  let fewest = 8;
  cluster.watch('Pod').subscribe(() => {
    fewest = Math.min(fewest, cluster.readyPods);
  });
  cluster.apply(web(8, 'nginx:1.28'));
  const isRolled = (): boolean => {
    const { metadata, status } = cluster.get('Deployment', 'web');
    return (
      status.observedGeneration === metadata.generation && status.updatedReplicas === 8 && cluster.pods.total === 8
    );
  };
  const { end } = await cluster.run({ until: isRolled, limit: '10m' });
  t.is(end, 'done');
  t.true(fewest >= 6, `at most 25 % may be unavailable, but only ${fewest} of 8 were Ready`);
  t.deepEqual([...new Set(cluster.list('Pod').map(({ spec }) => spec.containers[0]?.image))], ['nginx:1.28']);
  await cluster.dispose();
});

test('Cluster.watch › tells the current state first, then changes, with simulated time', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  cluster.apply(web(1));
  await ready(cluster, 1);
  const seen = firstValueFrom(
    cluster.watch('Pod', { labelSelector: 'app=web' }).pipe(
      map(({ type, atMs }) => ({ type, atMs })),
      take(2),
      toArray(),
    ),
  );
  const [pod] = cluster.list('Pod');
  const nowMs = cluster.nowMs;
  cluster.delete('Pod', pod?.metadata.name ?? '');
  await cluster.run({ limit: '1s' });
  t.deepEqual(await seen, [
    { type: 'ADDED', atMs: nowMs },
    { type: 'MODIFIED', atMs: nowMs },
  ]);
  await cluster.dispose();
});

test('Cluster.watch › lets a subscriber call the cluster', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  cluster.watch('Namespace').subscribe((event) => {
    if (event.type === 'ADDED' && event.object.metadata.name === 'a')
      cluster.create('Namespace', { metadata: { name: 'b' } });
  });
  cluster.create('Namespace', { metadata: { name: 'a' } });
  await cluster.run({ limit: '1s' });
  t.is(cluster.get('Namespace', 'b').status?.phase, 'Active');
  await cluster.dispose();
});

test('Cluster.run › ends when an Observable emits', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  cluster.apply(web(1));
  const scheduled$ = cluster.events$.pipe(filter(({ event }) => event.reason === 'Scheduled'));
  const { end } = await cluster.run({ until: scheduled$, limit: '1m' });
  t.is(end, 'done');
  t.is(cluster.boundPods, 1);
  t.is(cluster.readyPods, 0);
  await cluster.dispose();
});

test('Cluster.run › ends at its limit, and goes on from there', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  t.deepEqual(await cluster.run({ limit: 50, until: () => false }), { end: 'limit', nowMs: 50 });
  t.deepEqual(await cluster.run({ limit: '1s', until: () => false }).then(({ nowMs }) => nowMs), 1050);
  await cluster.dispose();
});

test('Cluster.run › refuses a limit that is no duration', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  await t.throwsAsync(cluster.run({ limit: 'soon' }), {
    message: 'limit must be milliseconds >= 0 or a duration such as "90s", "10m" or "1h30m", got "soon"',
  });
  await cluster.dispose();
});

test('Cluster.pause › ends the run after the current tick', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  cluster.apply(web(1));
  cluster.watch('Pod').subscribe(() => cluster.pause());
  const { end } = await cluster.run({ limit: '1m' });
  t.is(end, 'aborted');
  await cluster.dispose();
});

test('Cluster.step › runs one entry at a time', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  t.is(cluster.nowMs, 0);
  t.true(await cluster.step());
  const again = cluster.nowMs;
  t.true(await cluster.step());
  t.true(cluster.nowMs >= again);
  await cluster.dispose();
});

test('Cluster › follows real time at a speed factor', async (t) => {
  const cluster = createCluster({ nodes: 1, realtime: 10_000 });
  cluster.apply(web(1));
  const { end } = await cluster.run({ until: { readyPods: 1 }, limit: '10m' });
  t.is(end, 'done');
  await cluster.dispose();
});

test('Cluster.explain › says why a pod fits nowhere', async (t) => {
  const cluster = createCluster({ nodes: 4 });
  cluster.create('Pod', {
    metadata: { name: 'big', namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'busybox', resources: { requests: { cpu: '1000' } } }] },
  });
  await cluster.run({ limit: '20s' });
  t.deepEqual(
    cluster.unschedulable().map(({ reason, count }) => ({ reason, count })),
    [{ reason: 'Insufficient cpu', count: 1 }],
  );
  t.truthy(cluster.explain('big'));
  t.is(cluster.explain('nobody'), undefined);
  await cluster.dispose();
});

test('Cluster.stats$ › emits now, on change, and completes on dispose', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  const values: number[] = [];
  let isComplete = false;
  cluster.stats$.subscribe({
    next: ({ pods }) => values.push(pods.ready),
    complete: () => {
      isComplete = true;
    },
  });
  cluster.apply(web(2));
  await cluster.run({ limit: '1m' });
  await cluster.dispose();
  t.is(values[0], 0);
  t.is(values.at(-1), 2);
  t.true(isComplete);
});
