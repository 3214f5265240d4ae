import test, { type ExecutionContext } from 'ava';
import { createCluster, FaultError, type Cluster, type Draft, type Fault } from '../../src/index.js';

const CONTAINERS = [{ name: 'c', image: 'busybox' }];
const POD = { metadata: { name: 'p' }, spec: { nodeName: 'node-1', containers: CONTAINERS } };

async function createScene(t: ExecutionContext): Promise<Cluster> {
  const cluster = createCluster({ nodes: 3, seed: 7, latency: 2, invariants: true });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  return cluster;
}

/** How far a timestamp is ahead of the present, in whole seconds. */
const aheadS = (cluster: Cluster, timestamp = ''): number =>
  Math.ceil((Date.parse(timestamp) - cluster.epochMs - cluster.nowMs) / 1000);

const readiness = (cluster: Cluster, node: string): string | undefined =>
  cluster.get('Node', node).status.conditions?.find(({ type }) => type === 'Ready')?.status;

test('skewClock › of a node is what its kubelet stamps: conditions, containers, events and its lease', async (t) => {
  const cluster = await createScene(t);
  cluster.faults.inject({ skewClock: { node: 'node-1', by: '-10m' } });
  cluster.create('Pod', POD);
  await cluster.run({ until: { readyPods: 1 }, limit: '1m' });
  const { status, metadata } = cluster.get('Pod', 'p');
  t.is(aheadS(cluster, status.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime), -600);
  t.is(aheadS(cluster, status.containerStatuses?.[0]?.state?.running?.startedAt), -600);
  t.true(Math.abs(aheadS(cluster, metadata.creationTimestamp)) < 20);
  const events = cluster.list('Event').filter(({ involvedObject }) => involvedObject.name === 'p');
  t.true(events.length > 0 && events.every(({ firstTimestamp }) => aheadS(cluster, firstTimestamp) < -590));
  await cluster.run({ limit: '1m' });
  const renewals = ['node-1', 'node-2'].map((node) =>
    aheadS(cluster, cluster.get('Lease', `kube-node-lease/${node}`).spec?.renewTime),
  );
  t.true((renewals[0] as number) <= -600 && (renewals[0] as number) > -611);
  t.true((renewals[1] as number) <= 0 && (renewals[1] as number) > -11);
});

test('skewClock › what was stamped stays as it was, and healed the clock is right again', async (t) => {
  const cluster = await createScene(t);
  cluster.create('Pod', POD);
  await cluster.run({ until: { readyPods: 1 }, limit: '1m' });
  const before = cluster.get('Pod', 'p').status;
  const skew = cluster.faults.skewClock({ node: 'node-1', by: 3_600_000 });
  const more = cluster.faults.skewClock({ node: 'node-1', by: '30m' });
  const qMs = cluster.nowMs;
  cluster.create('Pod', { ...POD, metadata: { name: 'q' } });
  await cluster.run({ until: { readyPods: 2 }, limit: '1m' });
  t.deepEqual(cluster.get('Pod', 'p').status, before);
  t.is(aheadS(cluster, cluster.get('Pod', 'q').status.containerStatuses?.[0]?.state?.running?.startedAt), 5400);
  more.heal();
  skew.heal();
  cluster.create('Pod', { ...POD, metadata: { name: 'r' } });
  await cluster.run({ until: { readyPods: 3 }, limit: '1m' });
  const rightS = aheadS(cluster, cluster.get('Pod', 'r').status.containerStatuses?.[0]?.state?.running?.startedAt);
  t.true(rightS <= 0 && rightS >= -1);
  t.is(aheadS(cluster, cluster.get('Pod', 'q').status.startTime), 5400 - Math.round((cluster.nowMs - qMs) / 1000));
});

test('skewClock › nodes stay ready and leaders lead, however wrong their clocks are', async (t) => {
  const cluster = createCluster({ nodes: 3, seed: 7, latency: 2, schedulers: 2, controllerManagers: 2 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  await cluster.run({ limit: '1m' });
  const holder = (name: string): string | undefined => cluster.get('Lease', `kube-system/${name}`).spec?.holderIdentity;
  const leaders = [holder('kube-scheduler'), holder('kube-controller-manager')];
  cluster.faults.skewClock({ node: 'node-0', by: '-2h' });
  cluster.faults.skewClock({ node: 'node-1', by: '2h' });
  cluster.faults.skewClock({ component: 'kube-controller-manager', by: '-1h' });
  cluster.faults.skewClock({ component: 'kube-scheduler-1', by: '1h' });
  // Their renewals are real ones then.
  cluster.faults.inject({ lossy: { node: 'node-0', requests: 0.1 } });
  cluster.faults.inject({ lossy: { node: 'node-1', requests: 0.1 } });
  await cluster.run({ limit: '10m' });
  t.deepEqual(
    ['node-0', 'node-1', 'node-2'].map((node) => readiness(cluster, node)),
    ['True', 'True', 'True'],
  );
  t.deepEqual([holder('kube-scheduler'), holder('kube-controller-manager')], leaders);
});

const finished = (name: string): Draft => ({
  metadata: { name },
  spec: {
    ttlSecondsAfterFinished: 600,
    template: {
      metadata: { annotations: { 'kubeloom.dev/run-for': '1s' } },
      spec: { restartPolicy: 'Never', containers: CONTAINERS },
    },
  },
});

test('skewClock › of a controller is what it takes the time for: a deadline is over for it', async (t) => {
  const cluster = await createScene(t);
  cluster.create('Job', finished('batch'));
  await cluster.run({ limit: '1m' });
  const skew = cluster.faults.skewClock({ controller: 'ttl-after-finished-controller', by: '1h' });
  await cluster.run({ limit: '1m' });
  t.is(cluster.list('Job').length, 1);
  cluster.create('Job', finished('later'));
  await cluster.run({ limit: '1m' });
  t.deepEqual(
    cluster.list('Job').map(({ metadata }) => metadata.name),
    ['batch'],
  );
  skew.heal();
});

test('skewClock › that cannot be is refused with the path of the field', async (t) => {
  const cluster = await createScene(t);
  const refusals: readonly (readonly [fault: unknown, message: string])[] = [
    [
      { skewClock: { node: 'node-1', by: 'soon' } },
      'fault.skewClock.by must be milliseconds or a duration such as -30s, got "soon"',
    ],
    [{ skewClock: { by: '5s' } }, 'fault.skewClock must name one of a node, a zone, a component or a controller'],
  ];
  for (const [fault, message] of refusals) {
    t.throws(() => cluster.faults.inject(fault as Fault), { instanceOf: FaultError, message });
  }
});
