import test, { type ExecutionContext } from 'ava';
import { createCluster, FaultError, type Cluster, type Fault } from '../../src/index.js';

const MANAGER = 'kube-controller-manager';
const SCHEDULER = 'kube-scheduler';
const CONTAINERS = [{ name: 'c', image: 'busybox' }];
const LABELS = { app: 'web' };
const REPLICA_SET = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: LABELS },
    template: { metadata: { labels: LABELS }, spec: { containers: CONTAINERS } },
  },
};

async function createScene(t: ExecutionContext): Promise<Cluster> {
  const cluster = createCluster({ nodes: 3, seed: 7, latency: 2, invariants: true });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  return cluster;
}

/** Simulated time from now until so many pods are ready, ms. */
async function untilReady(cluster: Cluster, readyPods: number): Promise<number> {
  const beganMs = cluster.nowMs;
  await cluster.run({ until: { readyPods }, limit: '10m' });
  return cluster.nowMs - beganMs;
}

const readiness = (cluster: Cluster, node: string): string | undefined =>
  cluster.get('Node', node).status.conditions?.find(({ type }) => type === 'Ready')?.status;

const renewTime = (cluster: Cluster, node: string): string | undefined =>
  cluster.get('Lease', `kube-node-lease/${node}`).spec?.renewTime;

const bound = (cluster: Cluster, name: string): boolean => cluster.get('Pod', name).spec.nodeName !== undefined;

const POD = { metadata: { name: 'p' }, spec: { containers: CONTAINERS } };

test('slow › each message of a link needs that long, and healed it is as fast as before', async (t) => {
  const cluster = await createScene(t);
  const boundAfterMs = async (name: string): Promise<number> => {
    await cluster.run({ limit: '10s' });
    const beganMs = cluster.nowMs;
    cluster.create('Pod', { ...POD, metadata: { name } });
    await cluster.run({ until: () => bound(cluster, name), limit: '1m' });
    return cluster.nowMs - beganMs;
  };
  t.is(await boundAfterMs('a'), 4);
  const fault = cluster.faults.inject({ slow: { component: SCHEDULER, latency: '300ms' } });
  t.is(await boundAfterMs('b'), 600);
  const slower = cluster.faults.inject({ slow: { component: SCHEDULER, latency: 1000 } });
  t.is(await boundAfterMs('c'), 2000);
  slower.heal();
  t.is(await boundAfterMs('d'), 600);
  fault.heal();
  t.is(await boundAfterMs('e'), 4);
});

test('slow › latencies that are drawn follow from the seed', async (t) => {
  const play = async (): Promise<number> => {
    const cluster = await createScene(t);
    cluster.faults.inject({ slow: { component: SCHEDULER, latency: 'uniform(10ms, 2s)' } });
    cluster.create('Pod', POD);
    return untilReady(cluster, 1);
  };
  t.is(await play(), await play());
});

test('lossy before › requests are never applied', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({ lossy: { component: MANAGER, requests: 1, when: 'before' } });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '2m' });
  t.is(cluster.list('Pod').length, 0);
  fault.heal();
  await untilReady(cluster, 2);
  t.is(cluster.readyPods, 2);
});

test('lossy after › requests are applied, their senders get no answer, and nothing is made twice', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({ lossy: { component: MANAGER, requests: 1, when: 'after' } });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '5s' });
  t.true(cluster.list('Pod').length > 0);
  await cluster.run({ limit: '2m' });
  fault.heal();
  await untilReady(cluster, 2);
  await cluster.run({ limit: '1m' });
  t.is(cluster.list('Pod').length, 2);
});

test('lossy › a node turns unknown when none of its requests arrive, and half of them keep it ready', async (t) => {
  const cluster = await createScene(t);
  cluster.faults.inject({ lossy: { node: 'node-1', requests: 1, when: 'before' }, for: '2m' });
  cluster.faults.inject({ lossy: { node: 'node-2', requests: 0.5 }, for: '30m' });
  const renewed = renewTime(cluster, 'node-1');
  await cluster.run({ limit: '90s' });
  t.is(renewTime(cluster, 'node-1'), renewed);
  t.is(readiness(cluster, 'node-1'), 'Unknown');
  t.is(readiness(cluster, 'node-2'), 'True');
  await cluster.run({ limit: '90s' });
  t.is(readiness(cluster, 'node-1'), 'True');
  t.is(readiness(cluster, 'node-2'), 'True');
});

test('lossy › a status that was lost is written again', async (t) => {
  const cluster = await createScene(t);
  cluster.faults.inject({ lossy: { node: 'node-1', requests: 0.7 } });
  cluster.create('Pod', { ...POD, spec: { ...POD.spec, nodeName: 'node-1' } });
  await untilReady(cluster, 1);
  t.is(cluster.readyPods, 1);
});

test('refuse › conflicts, errors and overload are answers, of the kinds and verbs that are named', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({
    refuse: { component: MANAGER, kinds: ['Pod'], verbs: ['create'], with: 'TooManyRequests' },
  });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '1m' });
  t.is(cluster.list('Pod').length, 0);
  const failures = cluster.list('Event').filter(({ reason }) => reason === 'FailedCreate');
  t.deepEqual(
    [...new Set(failures.map(({ message }) => message))],
    ['Error creating: Too many requests, please try again later.'],
  );
  fault.heal();
  await untilReady(cluster, 2);
  t.is(cluster.readyPods, 2);
});

test('refuse › a refused share is tried again until it succeeds', async (t) => {
  for (const reason of ['Conflict', 'InternalError', 'ServerTimeout'] as const) {
    const cluster = await createScene(t);
    for (const component of [MANAGER, SCHEDULER]) {
      cluster.faults.inject({ refuse: { component, share: 0.5, with: reason } });
    }
    cluster.faults.inject({ refuse: { node: 'node-1', share: 0.5, with: reason } });
    cluster.create('ReplicaSet', { ...REPLICA_SET, spec: { ...REPLICA_SET.spec, replicas: 6 } });
    await untilReady(cluster, 6);
    t.is(cluster.readyPods, 6, reason);
  }
});

test('delayWatch › events come late, in their order, and at once when it is healed', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({ delayWatch: { component: SCHEDULER, kind: 'Pod', by: '20s' } });
  cluster.create('Pod', POD);
  await cluster.run({ until: () => bound(cluster, 'p'), limit: '1m' });
  const boundMs = cluster.nowMs;
  cluster.create('Pod', { ...POD, metadata: { name: 'q' } });
  await cluster.run({ limit: '5s' });
  t.false(bound(cluster, 'q'));
  fault.heal();
  await cluster.run({ until: () => bound(cluster, 'q'), limit: '1m' });
  t.is(cluster.nowMs - boundMs, 5004);
});

test('delayWatch › events of one kind come late while those of another do not', async (t) => {
  const cluster = await createScene(t);
  cluster.faults.inject({ delayWatch: { component: MANAGER, kind: 'Pod', by: '30s' }, for: '1m' });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '20s' });
  t.is(cluster.list('Pod').length, 2);
  t.is(cluster.get('ReplicaSet', 'web').status.readyReplicas, undefined);
  await cluster.run({ limit: '1m' });
  t.is(cluster.get('ReplicaSet', 'web').status.readyReplicas, 2);
});

test('coalesceWatch › a pod that came and went is never seen, and what is left is told as it is', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({ coalesceWatch: { component: SCHEDULER, by: '10s' } });
  cluster.create('Pod', POD);
  cluster.create('Pod', { ...POD, metadata: { name: 'q' } });
  await cluster.run({ limit: '1s' });
  cluster.delete('Pod', 'p', { gracePeriodSeconds: 0 });
  await cluster.run({ limit: '20s' });
  t.true(bound(cluster, 'q'));
  t.is(cluster.explain('default/p'), undefined);
  fault.heal();
  cluster.create('Pod', { ...POD, metadata: { name: 'r' } });
  await cluster.run({ limit: '1s' });
  t.true(bound(cluster, 'r'));
});

test('coalesceWatch › a controller that missed the end of some pods counts the others right', async (t) => {
  const cluster = await createScene(t);
  cluster.create('ReplicaSet', { ...REPLICA_SET, spec: { ...REPLICA_SET.spec, replicas: 6 } });
  await untilReady(cluster, 6);
  cluster.faults.inject({ coalesceWatch: { component: MANAGER, kind: 'Pod', by: '30s' } });
  cluster.scale('ReplicaSet', 'web', 1);
  await cluster.run({ limit: '2m' });
  t.is(cluster.get('ReplicaSet', 'web').status.replicas, 1);
  cluster.scale('ReplicaSet', 'web', 0);
  await cluster.run({ limit: '2m' });
  t.is(cluster.get('ReplicaSet', 'web').status.replicas, 0);
  t.is(cluster.list('Pod').length, 0);
});

test('coalesceWatch › an object that was replaced by another one of its name is heard of as two', async (t) => {
  const cluster = await createScene(t);
  cluster.create('Pod', { ...POD, spec: { ...POD.spec, nodeName: 'node-1' } });
  await untilReady(cluster, 1);
  const fault = cluster.faults.inject({ coalesceWatch: { node: 'node-1', by: '1m' } });
  cluster.delete('Pod', 'p', { force: true });
  const { uid } = cluster.create('Pod', { ...POD, spec: { ...POD.spec, nodeName: 'node-1' } }).metadata;
  await cluster.run({ limit: '30s' });
  t.is(cluster.get('Pod', 'p').status.phase, 'Pending');
  fault.heal();
  await untilReady(cluster, 1);
  t.is(cluster.get('Pod', 'p').metadata.uid, uid);
  t.is([...cluster.truth.processes('default/p')].length, 1);
});

test('refuse › a pod is removed only once its terminal phase was written', async (t) => {
  const cluster = await createScene(t);
  cluster.create('Pod', { ...POD, spec: { ...POD.spec, nodeName: 'node-1' } });
  await untilReady(cluster, 1);
  const fault = cluster.faults.inject({
    refuse: { node: 'node-1', kinds: ['Pod'], verbs: ['patch'], with: 'Conflict' },
  });
  cluster.delete('Pod', 'p', { gracePeriodSeconds: 1 });
  await cluster.run({ limit: '1m' });
  t.is(cluster.get('Pod', 'p').status.phase, 'Running');
  fault.heal();
  await cluster.run({ limit: '20s' });
  t.is(cluster.list('Pod').length, 0);
  t.deepEqual(cluster.invariants.violations, []);
});

test('staleReads › after a restart a component lists what was there before', async (t) => {
  const cluster = await createScene(t);
  cluster.create('Pod', POD);
  await untilReady(cluster, 1);
  await cluster.run({ limit: '1m' });
  cluster.faults.inject({ staleReads: { component: MANAGER, by: '30s' } });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '5s' });
  const restart = cluster.faults.inject({ stopComponent: { component: MANAGER } });
  await cluster.run({ limit: '1s' });
  restart.heal();
  await cluster.run({ limit: '20s' });
  t.is(cluster.list('Pod').length, 1);
  await cluster.run({ limit: '30s' });
  t.is(cluster.list('Pod').length, 3);
});

test('restartApiServer › connections break; without history informers list anew', async (t) => {
  for (const forgetsHistory of [false, true]) {
    const cluster = await createScene(t);
    cluster.create('ReplicaSet', REPLICA_SET);
    await untilReady(cluster, 2);
    const fault = cluster.faults.inject({ restartApiServer: { forgetsHistory } });
    cluster.scale('ReplicaSet', 'web', 4);
    await cluster.run({ limit: '20s' });
    t.is(cluster.list('Pod').length, 2);
    fault.heal();
    await untilReady(cluster, 4);
    t.is(cluster.readyPods, 4);
  }
});

test('link faults › overlap with a cut and with each other', async (t) => {
  const cluster = await createScene(t);
  const lossy = cluster.faults.inject({ lossy: { component: SCHEDULER, requests: 1 } });
  const cut = cluster.faults.cut({ component: SCHEDULER });
  const late = cluster.faults.inject({ delayWatch: { component: SCHEDULER, by: '5s' } });
  cluster.create('Pod', POD);
  await cluster.run({ limit: '10s' });
  cut.heal();
  await cluster.run({ limit: '1m' });
  t.false(bound(cluster, 'p'));
  late.heal();
  lossy.heal();
  await cluster.run({ until: () => bound(cluster, 'p'), limit: '5m' });
  t.true(bound(cluster, 'p'));
  t.deepEqual(cluster.faults.active, []);
});

test('link faults › that cannot be are refused with the path of the field', async (t) => {
  const cluster = await createScene(t);
  const refusals: readonly (readonly [fault: unknown, message: string])[] = [
    [
      { slow: { node: 'node-1', latency: 'soon' } },
      'fault.slow.latency must be milliseconds >= 0 or a duration such as 200ms or uniform(10ms, 2s), got "soon"',
    ],
    [{ lossy: { node: 'node-1', requests: 2 } }, 'fault.lossy.requests must be a number in 0..1, got 2'],
    [{ lossy: { requests: 1 } }, 'fault.lossy must name one of a node, a zone, a component or a controller'],
    [
      { lossy: { node: 'node-1', requests: 1, when: 'never' } },
      'fault.lossy.when must be before, after or either, got "never"',
    ],
    [
      { refuse: { node: 'node-1', with: 'Conflit' } },
      'fault.refuse.with must be Conflict, InternalError, TooManyRequests or ServerTimeout, got "Conflit"; did you mean Conflict?',
    ],
    [
      { refuse: { node: 'node-1', with: 'Conflict', kinds: ['Pot'] } },
      'fault.refuse.kinds must be a list of which each must be a kind such as Pod, got "Pot"; did you mean Pod?',
    ],
    [
      { refuse: { node: 'node-1', with: 'Conflict', verbs: 'update' } },
      'fault.refuse.verbs must be a list, got "update"',
    ],
    [
      { delayWatch: { node: 'node-1' } },
      'fault.delayWatch.by must be milliseconds >= 0 or a duration such as 5s, got nothing',
    ],
    [
      { staleReads: { node: 'node-1', kind: 'Lease', by: '1s' } },
      'fault.staleReads.kind must be a kind such as Pod, got "Lease"',
    ],
    [
      { restartApiServer: { forgetsHistory: 'yes' } },
      'fault.restartApiServer.forgetsHistory must be true or false, got "yes"',
    ],
  ];
  for (const [fault, message] of refusals) {
    t.throws(() => cluster.faults.inject(fault as Fault), { instanceOf: FaultError, message });
  }
  t.deepEqual(cluster.faults.active, []);
});
