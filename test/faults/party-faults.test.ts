import test, { type ExecutionContext } from 'ava';
import { createCluster, FaultError, type Cluster, type Fault } from '../../src/index.js';

const CONTAINERS = [{ name: 'c', image: 'busybox' }];
const LABELS = { app: 'web' };
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: CONTAINERS } };
const SPEC = { replicas: 3, selector: { matchLabels: LABELS }, template: TEMPLATE };
const REPLICA_SET = { metadata: { name: 'web' }, spec: SPEC };
const POD = { metadata: { name: 'p' }, spec: { nodeName: 'node-1', containers: CONTAINERS } };
const CONTROLLER = 'replicaset-controller';

async function createScene(t: ExecutionContext): Promise<Cluster> {
  const cluster = createCluster({ nodes: 3, seed: 7, latency: 2, invariants: true });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  return cluster;
}

/** The link of the scheduler that leads. */
const leaderOf = (cluster: Cluster): string =>
  cluster.get('Lease', 'kube-system/kube-scheduler').spec?.holderIdentity?.split('_')[0] ?? '';

const countOf = (cluster: Cluster, kind: 'Pod' | 'ReplicaSet'): number => cluster.list(kind).length;

test('cut › of one controller stops that one alone, and healed it catches up', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.cut({ controller: CONTROLLER });
  cluster.create('Deployment', { metadata: { name: 'web' }, spec: SPEC });
  await cluster.run({ limit: '1m' });
  t.deepEqual([countOf(cluster, 'ReplicaSet'), countOf(cluster, 'Pod')], [1, 0]);
  fault.heal();
  await cluster.run({ until: { readyPods: 3 }, limit: '1m' });
  await cluster.run({ limit: '1m' });
  t.is(countOf(cluster, 'Pod'), 3);
  t.deepEqual(cluster.invariants.violations, []);
});

test('cut › of a component and of a controller of the user’s own', async (t) => {
  const cluster = await createScene(t);
  cluster.faults.cut({ component: 'kube-scheduler' });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '1m' });
  t.is(cluster.boundPods, 0);
  const seen: string[] = [];
  cluster.addController({
    name: 'mine',
    setup: (context) => {
      context.watch('Pod', { onAdd: ({ metadata }) => void seen.push(metadata.name) });
    },
    reconcile: () => undefined,
  });
  await cluster.run({ limit: '1s' });
  t.is(seen.length, 3);
  cluster.faults.inject({ cut: { controller: 'mine', direction: 'in' } });
  cluster.create('Pod', POD);
  await cluster.run({ limit: '1m' });
  t.is(seen.length, 3);
});

test('delayWatch › of one controller delays its watch events, and no others', async (t) => {
  const cluster = await createScene(t);
  cluster.faults.inject({ delayWatch: { controller: CONTROLLER, kind: 'ReplicaSet', by: '30s' } });
  await cluster.run({ limit: '1s' });
  cluster.create('Deployment', { metadata: { name: 'web' }, spec: SPEC });
  await cluster.run({ limit: '29s' });
  t.deepEqual([countOf(cluster, 'ReplicaSet'), countOf(cluster, 'Pod')], [1, 0]);
  await cluster.run({ limit: '2s' });
  t.is(countOf(cluster, 'Pod'), 3);
});

test('staleReads › pinned stay as they were, also after a restart, until they are healed', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({ staleReads: { controller: CONTROLLER, isPinned: true } });
  await cluster.run({ limit: '1s' });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '5m' });
  cluster.faults.inject({ stopController: { controller: CONTROLLER }, for: '5s' });
  await cluster.run({ limit: '5m' });
  t.is(countOf(cluster, 'Pod'), 0);
  fault.heal();
  await cluster.run({ until: { readyPods: 3 }, limit: '1m' });
  t.is(countOf(cluster, 'Pod'), 3);
});

test('staleReads › rewound and pinned read what was there before', async (t) => {
  const cluster = await createScene(t);
  const seen = (): string[] => {
    const names: string[] = [];
    const own = cluster.addController({
      name: 'mine',
      setup: (context) => {
        context.watch('Pod', { onAdd: ({ metadata }) => void names.push(metadata.name) });
      },
      reconcile: () => undefined,
    });
    removals.push(() => own.remove());
    return names;
  };
  const removals: (() => void)[] = [];
  seen();
  cluster.create('Pod', { ...POD, metadata: { name: 'early' } });
  await cluster.run({ limit: '1m' });
  cluster.create('Pod', { ...POD, metadata: { name: 'late' } });
  await cluster.run({ limit: '10s' });
  const fault = cluster.faults.inject({ staleReads: { controller: 'mine', by: '30s', isPinned: true } });
  await cluster.run({ limit: '10m' });
  for (const remove of removals) remove();
  const names = seen();
  await cluster.run({ limit: '1s' });
  t.deepEqual(names, ['early']);
  fault.heal();
  await cluster.run({ limit: '1s' });
  t.deepEqual(names, ['early', 'late']);
});

test('etcd › cut, no request of any party is applied; its answers cut, they are applied', async (t) => {
  const cluster = await createScene(t);
  const out = cluster.faults.cut({ component: 'etcd' });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '30s' });
  t.is(countOf(cluster, 'Pod'), 0);
  out.heal();
  await cluster.run({ until: { readyPods: 3 }, limit: '5m' });
  t.is(countOf(cluster, 'Pod'), 3);
  const answers = cluster.faults.cut({ component: 'etcd', direction: 'in' });
  cluster.scale('ReplicaSet', 'web', 4);
  await cluster.run({ limit: '9s' });
  t.is(countOf(cluster, 'Pod'), 4);
  answers.heal();
  await cluster.run({ until: { readyPods: 4 }, limit: '5m' });
  await cluster.run({ limit: '1m' });
  t.deepEqual([countOf(cluster, 'Pod'), cluster.readyPods], [4, 4]);
  t.true(cluster.faults.failedRequests > 0);
});

test('etcd › slow, each message of every party takes longer, also of parties that come later', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({ slow: { component: 'etcd', latency: '300ms' } });
  cluster.addNodes([{ count: 1, namePrefix: 'late-' }]);
  const beganMs = cluster.nowMs;
  cluster.create('Pod', { ...POD, spec: { containers: CONTAINERS } });
  await cluster.run({ until: () => cluster.boundPods === 1, limit: '1m' });
  t.is(cluster.nowMs - beganMs, 604);
  t.is(
    cluster.list('Node').some(({ metadata }) => metadata.name === 'late-0'),
    true,
  );
  fault.heal();
});

test('crashAfterWrites › of one reconcile counts anew with each of them', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({
    crashAfterWrites: { controller: CONTROLLER, writes: 3, inOneReconcile: true },
  });
  for (const name of ['a', 'b', 'c']) {
    const labels = { app: name };
    cluster.create('ReplicaSet', {
      metadata: { name },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: CONTAINERS } },
      },
    });
  }
  await cluster.run({ until: { readyPods: 3 }, limit: '1m' });
  t.is(cluster.faults.tally.crashes.get(CONTROLLER), undefined);
  cluster.create('ReplicaSet', { ...REPLICA_SET, spec: { ...SPEC, replicas: 9 } });
  await cluster.run({ limit: '1m' });
  t.is(cluster.faults.tally.crashes.get(CONTROLLER), 1);
  t.is(countOf(cluster, 'Pod'), 3 + 3);
  fault.heal();
  await cluster.run({ until: { readyPods: 12 }, limit: '1m' });
  t.is(countOf(cluster, 'Pod'), 12);
});

test('crashAfterWrites › of the scheduler: that many pods are bound, and those behind them once it is back', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({ crashAfterWrites: { component: 'kube-scheduler', writes: 2 } });
  cluster.create('ReplicaSet', { ...REPLICA_SET, spec: { ...SPEC, replicas: 6 } });
  await cluster.run({ limit: '1m' });
  t.is(cluster.boundPods, 2);
  t.deepEqual([...cluster.faults.tally.crashes], [['kube-scheduler', 1]]);
  fault.heal();
  await cluster.run({ until: { readyPods: 6 }, limit: '1m' });
  t.is(cluster.readyPods, 6);
  t.deepEqual(cluster.invariants.violations, []);
});

test('crashAfterWrites › of a component with replicas ends all of them, whichever of them leads', async (t) => {
  const cluster = createCluster({ nodes: 3, seed: 7, latency: 2, schedulers: 2, invariants: true });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  await cluster.run({ limit: '1m' });
  // The other one leads from now on.
  const cut = cluster.faults.cut({ component: leaderOf(cluster) });
  await cluster.run({ limit: '1m' });
  cut.heal();
  const fault = cluster.faults.inject({ crashAfterWrites: { component: 'kube-scheduler', writes: 1 } });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '2m' });
  t.is(cluster.boundPods, 1);
  fault.heal();
  await cluster.run({ until: { readyPods: 3 }, limit: '5m' });
  t.is(cluster.readyPods, 3);
  t.deepEqual(cluster.invariants.violations, []);
});

test('failRuntime › by a time makes pulls and sandboxes slow, and they succeed', async (t) => {
  const cluster = await createScene(t);
  const readyAfterMs = async (name: string): Promise<number> => {
    const beganMs = cluster.nowMs;
    cluster.create('Pod', { ...POD, metadata: { name } });
    await cluster.run({ until: { readyPods: cluster.readyPods + 1 }, limit: '10m' });
    return cluster.nowMs - beganMs;
  };
  const pull = cluster.faults.inject({ failRuntime: { node: 'node-1', operation: 'pullImage', by: '2m' } });
  const slowPullMs = await readyAfterMs('a');
  t.true(slowPullMs > 120_000 && slowPullMs < 150_000);
  pull.heal();
  const quickMs = await readyAfterMs('b');
  const sandbox = cluster.faults.inject({ failRuntime: { node: 'node-1', operation: 'createSandbox', by: 60_000 } });
  const slowMs = await readyAfterMs('c');
  t.true(quickMs < 20_000 && slowMs > 60_000 && slowMs < 80_000);
  sandbox.heal();
  t.deepEqual(cluster.faults.tally.counts.get('failRuntime'), { injected: 2, tookEffect: 2, effects: 2 });
});

test('tally › tells which faults changed something, and how often', async (t) => {
  const cluster = await createScene(t);
  cluster.faults.inject({ refuse: { component: 'kube-scheduler', with: 'Conflict', verbs: ['delete'] } });
  cluster.faults.inject({
    refuse: { component: 'kube-scheduler', with: 'InternalError', verbs: ['create'] },
    for: '5s',
  });
  cluster.create('Pod', { ...POD, spec: { containers: CONTAINERS } });
  await cluster.run({ limit: '1m' });
  const { injected, tookEffect, effects = 0 } = cluster.faults.tally.counts.get('refuse') ?? {};
  t.deepEqual([injected, tookEffect], [2, 1]);
  t.true(effects > 0 && cluster.faults.failedRequests >= effects);
});

test('party faults › that cannot be are refused with the path of the field', async (t) => {
  const cluster = await createScene(t);
  const refusals: readonly (readonly [fault: unknown, message: string])[] = [
    [
      { cut: { node: 'node-1', controller: CONTROLLER } },
      'fault.cut must name one of a node, a zone, a component or a controller',
    ],
    [
      { staleReads: { component: 'etcd' } },
      'fault.staleReads.by is missing, must be a duration such as 5s unless isPinned is true',
    ],
    [
      { failRuntime: { node: 'node-1', operation: 'pullImage', by: '5s', error: 'no' } },
      'fault.failRuntime.by cannot stand beside error: what is slow does not fail',
    ],
    [
      { failRuntime: { node: 'node-1', operation: 'stopContainer', by: '5s' } },
      'fault.failRuntime.by must be absent of stopContainer: how a process obeys is in its script',
    ],
    [
      { crashAfterWrites: { component: 'kube-scheduler', writes: 1, inOneReconcile: true } },
      'fault.crashAfterWrites.inOneReconcile must be absent of a component: controllers reconcile',
    ],
    [{ crashAfterWrites: { writes: 1 } }, 'fault.crashAfterWrites must name either a component or a controller'],
  ];
  for (const [fault, message] of refusals) {
    t.throws(() => cluster.faults.inject(fault as Fault), { instanceOf: FaultError, message });
  }
});
