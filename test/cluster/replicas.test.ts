import test from 'ava';
import { createCluster, type Cluster } from '../../src/index.js';

const web = (replicas: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx }] }
`;

/** The party that holds the lease of a component. */
function leader(cluster: Cluster, component: string): string {
  const { spec } = cluster.get('Lease', { namespace: 'kube-system', name: component });
  return spec?.holderIdentity?.split('_')[0] ?? '';
}

async function ready(cluster: Cluster, pods: number): Promise<string> {
  return (await cluster.run({ until: () => cluster.readyPods === pods, limit: '5m' })).end;
}

test('replicas › one of two leads, and an event names it', async (t) => {
  const cluster = createCluster({ nodes: 2, schedulers: 2, controllerManagers: 2 });
  await cluster.ready();
  cluster.apply(web(5));
  t.is(await ready(cluster, 5), 'done');
  t.is(cluster.pods.total, 5);
  const events = cluster.list('Event', { namespace: 'kube-system', fieldSelector: 'reason=LeaderElection' });
  t.deepEqual(
    events.map(({ involvedObject, source, message }) => [
      involvedObject.name,
      source?.component,
      message?.replace(/_[-0-9a-f]{36} /, ' '),
    ]),
    [
      [
        'kube-controller-manager',
        'kube-controller-manager',
        `${leader(cluster, 'kube-controller-manager')} became leader`,
      ],
      ['kube-scheduler', 'default-scheduler', `${leader(cluster, 'kube-scheduler')} became leader`],
    ],
  );
  await cluster.dispose();
});

for (const component of ['kube-controller-manager', 'kube-scheduler']) {
  test(`replicas › when the leading ${component} is cut off the other takes over, and nothing is done twice`, async (t) => {
    const cluster = createCluster({ nodes: 2, schedulers: 2, controllerManagers: 2 });
    await cluster.ready();
    cluster.apply(web(5));
    await ready(cluster, 5);
    const first = leader(cluster, component);
    const partition = cluster.faults.cut({ component: first });
    cluster.scale('Deployment', 'web', 9);
    await cluster.run({ limit: '10s' });
    t.is(cluster.readyPods, 5);
    t.is(await ready(cluster, 9), 'done');
    const second = leader(cluster, component);
    t.not(second, first);
    partition.heal();
    await cluster.run({ limit: '2m' });
    t.is(leader(cluster, component), second);
    cluster.scale('Deployment', 'web', 12);
    t.is(await ready(cluster, 12), 'done');
    await cluster.run({ limit: '1m' });
    t.is(cluster.pods.total, 12);
    t.is(cluster.stats().podsCreated, 12);
    t.is(cluster.stats().scheduling.scheduled, 12);
    await cluster.dispose();
  });
}

test('replicas › one alone holds its lease without any work, and when it was cut off waits for it to expire', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  await cluster.ready();
  cluster.apply(web(1));
  await ready(cluster, 1);
  await cluster.run({ limit: '2h' });
  const renewTime = (): string =>
    cluster.get('Lease', { namespace: 'kube-system', name: 'kube-controller-manager' }).spec?.renewTime ?? '';
  const atMs = cluster.epochMs + cluster.nowMs;
  t.true(atMs - Date.parse(renewTime()) < 2000, renewTime());
  const partition = cluster.faults.cut({ component: 'kube-controller-manager' });
  cluster.scale('Deployment', 'web', 3);
  await cluster.run({ limit: '1m' });
  t.is(cluster.pods.total, 1);
  t.true(Date.parse(renewTime()) <= atMs, renewTime());
  partition.heal();
  await cluster.run({ limit: '14s' });
  t.is(cluster.pods.total, 1);
  t.is(await ready(cluster, 3), 'done');
  await cluster.dispose();
});

test('replicas › a controller that was stopped by its name stays so under the next leader, until it is started', async (t) => {
  const cluster = createCluster({ nodes: 2, controllerManagers: 2 });
  await cluster.ready();
  const stop = cluster.faults.stopController('deployment-controller');
  cluster.faults.cut({ component: leader(cluster, 'kube-controller-manager') });
  await cluster.run({ limit: '1m' });
  cluster.apply(web(2));
  await cluster.run({ limit: '1m' });
  t.deepEqual(cluster.list('ReplicaSet'), []);
  stop.heal();
  t.is(await ready(cluster, 2), 'done');
  await cluster.dispose();
});

test('replicas › the same seed gives the same leaders', async (t) => {
  const hashes: string[] = [];
  for (const workers of [0, 1]) {
    const cluster = createCluster({ nodes: 3, seed: 5, schedulers: 3, controllerManagers: 3, workers });
    await cluster.ready();
    cluster.apply(web(6));
    await cluster.run({ limit: '30s' });
    cluster.faults.cut({ component: leader(cluster, 'kube-scheduler'), direction: 'out' });
    cluster.scale('Deployment', 'web', 8);
    await cluster.run({ limit: '2m' });
    t.is(cluster.readyPods, 8);
    hashes.push(cluster.traceHash);
    await cluster.dispose();
  }
  t.is(hashes[0], hashes[1]);
});

test('replicas › there is one at least and nine at most', (t) => {
  t.throws(() => createCluster({ schedulers: 0 }), { message: 'schedulers must be an integer in 1..9, got 0' });
  t.throws(() => createCluster({ controllerManagers: 10 }), {
    message: 'controllerManagers must be an integer in 1..9, got 10',
  });
});
