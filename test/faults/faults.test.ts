import test, { type ExecutionContext } from 'ava';
import { createCluster, FaultError, hostCluster, type Cluster, type Fault } from '../../src/index.js';

const POD = {
  metadata: { name: 'p' },
  spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'busybox' }] },
};

/** Three nodes, ready, with a pod that runs on node-1. */
async function createScene(t: ExecutionContext): Promise<Cluster> {
  const cluster = createCluster({ nodes: 3, seed: 7, latency: 2 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.create('Pod', POD);
  await cluster.run({ until: { readyPods: 1 }, limit: '1m' });
  return cluster;
}

const renewTime = (cluster: Cluster, node: string): string | undefined =>
  cluster.get('Lease', `kube-node-lease/${node}`).spec?.renewTime;

/** Writes of a pod that do not come from the program itself. */
function writesOf(cluster: Cluster, name: string): string[] {
  const writes: string[] = [];
  cluster.timeline({ namePrefix: name }).subscribe(({ source, by, text }) => {
    if (source !== 'event' && by !== 'user') writes.push(`${by}: ${text[0]}`);
  });
  return writes;
}

test('cut › of a node both ways: its lease stops, deletions are not heard of, and healing lets all of it go on', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.cut({ node: 'node-1' });
  const lastRenewal = renewTime(cluster, 'node-1');
  const writes = writesOf(cluster, 'p');
  cluster.delete('Pod', 'p', { gracePeriodSeconds: 5 });
  await cluster.run({ limit: '40s' });
  t.is(renewTime(cluster, 'node-1'), lastRenewal);
  t.not(renewTime(cluster, 'node-0'), undefined);
  t.is(cluster.list('Pod').length, 1);
  t.deepEqual(
    writes.filter((line) => line.startsWith('node-1')),
    [],
  );
  fault.heal();
  await cluster.run({ limit: '20s' });
  t.is(cluster.list('Pod').length, 0);
  t.not(renewTime(cluster, 'node-1'), lastRenewal);
});

test('cut out › the node hears of a deletion and ends the pod, which is not heard of before the link heals', async (t) => {
  const cluster = await createScene(t);
  const writes = writesOf(cluster, 'p');
  const fault = cluster.faults.cut({ node: 'node-1', direction: 'out' });
  await cluster.run({ limit: '1s' });
  cluster.delete('Pod', 'p', { gracePeriodSeconds: 5 });
  await cluster.run({ limit: '30s' });
  t.deepEqual(
    writes.filter((line) => line.startsWith('node-1: ')),
    ['node-1: SIGTERM to process of c, SIGKILL after 5000 ms', 'node-1: process of c ended: Completed, exit code 0'],
  );
  t.is(cluster.get('Pod', 'p').status.phase, 'Running');
  fault.heal();
  await cluster.run({ limit: '30s' });
  t.is(cluster.list('Pod').length, 0);
});

test('cut in › what the node reports arrives, and it hears of nothing', async (t) => {
  const cluster = await createScene(t);
  const restarting = { metadata: { name: 'q', annotations: { 'kubeloom.dev/crash-after': '20s' } }, spec: POD.spec };
  cluster.create('Pod', restarting);
  await cluster.run({ until: { readyPods: 2 }, limit: '1m' });
  const fault = cluster.faults.cut({ node: 'node-1', direction: 'in' });
  cluster.delete('Pod', 'p', { gracePeriodSeconds: 1 });
  await cluster.run({ limit: '30s' });
  t.is(cluster.get('Pod', 'q').status.containerStatuses?.[0]?.restartCount, 1);
  t.is(cluster.get('Pod', 'p').status.containerStatuses?.[0]?.state?.terminated, undefined);
  fault.heal();
  await cluster.run({ limit: '10s' });
  t.deepEqual(
    cluster.list('Pod').map(({ metadata }) => metadata.name),
    ['q'],
  );
});

test('cut › of the scheduler leaves pods unbound, of the controller manager leaves ReplicaSets without pods', async (t) => {
  const cluster = await createScene(t);
  const scheduler = cluster.faults.cut({ component: 'kube-scheduler' });
  cluster.create('Pod', { metadata: { name: 'unbound' }, spec: { containers: POD.spec.containers } });
  await cluster.run({ limit: '30s' });
  t.is(cluster.get('Pod', 'unbound').spec.nodeName, undefined);
  scheduler.heal();
  await cluster.run({ until: { readyPods: 2 }, limit: '30s' });
  const manager = cluster.faults.cut({ component: 'kube-controller-manager' });
  const labels = { app: 'web' };
  cluster.create('ReplicaSet', {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: POD.spec.containers } },
    },
  });
  await cluster.run({ limit: '30s' });
  t.is(cluster.list('Pod').length, 2);
  manager.heal();
  const { end } = await cluster.run({ until: { readyPods: 4 }, limit: '1m' });
  t.is(end, 'done');
});

test('stopKubelet › containers run on and the lease stops; the new process takes them over', async (t) => {
  const cluster = await createScene(t);
  const id = cluster.get('Pod', 'p').status.containerStatuses?.[0]?.containerID;
  const fault = cluster.faults.stopKubelet('node-1');
  const lastRenewal = renewTime(cluster, 'node-1');
  await cluster.run({ limit: '30s' });
  t.is(renewTime(cluster, 'node-1'), lastRenewal);
  fault.heal();
  await cluster.run({ limit: '30s' });
  t.not(renewTime(cluster, 'node-1'), lastRenewal);
  t.is(cluster.get('Pod', 'p').status.containerStatuses?.[0]?.containerID, id);
  t.is(cluster.get('Pod', 'p').status.containerStatuses?.[0]?.restartCount, 0);
});

test('powerOff › every process ends unseen; after the boot the node says so and the pod runs anew', async (t) => {
  const cluster = await createScene(t);
  const { bootID } = cluster.get('Node', 'node-1').status.nodeInfo ?? {};
  const fault = cluster.faults.powerOff('node-1');
  await cluster.run({ limit: '20s' });
  t.is(cluster.get('Pod', 'p').status.phase, 'Running');
  fault.heal();
  await cluster.run({ limit: '30s' });
  const { nodeInfo } = cluster.get('Node', 'node-1').status;
  t.not(nodeInfo?.bootID, bootID);
  const rebooted = cluster.list('Event').filter(({ reason }) => reason === 'Rebooted');
  t.deepEqual(
    rebooted.map(({ message }) => message),
    [`Node node-1 has been rebooted, boot id: ${nodeInfo?.bootID}`],
  );
  t.is(cluster.get('Pod', 'p').status.containerStatuses?.[0]?.restartCount, 1);
  t.is(cluster.readyPods, 1);
});

test('stopController › its work waits until it runs again', async (t) => {
  const cluster = await createScene(t);
  const labels = { app: 'web' };
  cluster.create('ReplicaSet', {
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: POD.spec.containers } },
    },
  });
  await cluster.run({ until: { readyPods: 2 }, limit: '1m' });
  const fault = cluster.faults.stopController('replicaset-controller');
  cluster.scale('ReplicaSet', 'web', 3);
  await cluster.run({ limit: '1m' });
  t.is(cluster.readyPods, 2);
  fault.heal();
  t.is((await cluster.run({ until: { readyPods: 4 }, limit: '1m' })).end, 'done');
});

test('runTwice › two instances of a controller act on what each of them sees, and healing ends the second one', async (t) => {
  const cluster = await createScene(t);
  const creators = new Set<string>();
  const fault = cluster.faults.runTwice('replicaset-controller');
  await cluster.run({ limit: '1s' });
  cluster.timeline({ namePrefix: 'web-' }).subscribe(({ source, by, text }) => {
    if (source === 'api' && (text[0] ?? '').startsWith('created')) creators.add(by);
  });
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: POD.spec.containers } };
  cluster.create('ReplicaSet', {
    metadata: { name: 'web' },
    spec: { replicas: 3, selector: { matchLabels: labels }, template },
  });
  await cluster.run({ limit: '1m' });
  t.deepEqual([...creators].sort(), ['kube-controller-manager', 'kube-controller-manager/2']);
  t.is(cluster.get('ReplicaSet', 'web').status.readyReplicas, 3);
  fault.heal();
  creators.clear();
  cluster.scale('ReplicaSet', 'web', 6);
  await cluster.run({ limit: '1m' });
  t.deepEqual([...creators], ['kube-controller-manager']);
});

test('faults › heal by themselves when their time is over, and by hand before', async (t) => {
  const cluster = await createScene(t);
  const short = cluster.faults.inject({ cut: { node: 'node-0' }, for: '10s' });
  const long = cluster.faults.inject({ stopKubelet: { node: 'node-2' }, for: 3_600_000 });
  t.deepEqual(
    cluster.faults.active.map(({ id, fault }) => [id, fault]),
    [
      [1, { cut: { node: 'node-0' }, for: '10s' }],
      [2, { stopKubelet: { node: 'node-2' }, for: 3_600_000 }],
    ],
  );
  await cluster.run({ limit: 9999 });
  t.true(short.isActive);
  await cluster.run({ limit: 1 });
  t.false(short.isActive);
  long.heal();
  long.heal();
  t.deepEqual(cluster.faults.active, []);
});

test('faults › that overlap hold a part until the last of them is healed', async (t) => {
  const cluster = await createScene(t);
  const faults = [
    cluster.faults.cut({ node: 'node-1', direction: 'out' }),
    cluster.faults.cut({ node: 'node-1' }),
    cluster.faults.stopKubelet('node-1'),
    cluster.faults.powerOff('node-1'),
  ];
  const before = renewTime(cluster, 'node-1');
  for (const fault of faults) {
    await cluster.run({ limit: '20s' });
    t.is(renewTime(cluster, 'node-1'), before);
    fault.heal();
  }
  await cluster.run({ limit: '20s' });
  t.not(renewTime(cluster, 'node-1'), before);
});

test('faults › of the same seed give the same trace', async (t) => {
  const hashes: string[] = [];
  for (let run = 0; run < 2; run += 1) {
    const cluster = await createScene(t);
    cluster.faults.inject({ cut: { node: 'node-1', direction: 'in' }, for: '30s' });
    cluster.faults.inject({ powerOff: { node: 'node-2' }, for: '1m' });
    await cluster.run({ limit: '2m' });
    hashes.push(cluster.traceHash);
  }
  t.is(hashes[0], hashes[1]);
});

test('faults › that cannot be are refused with the path of the field', async (t) => {
  const cluster = await createScene(t);
  const refusals: readonly (readonly [unknown, string])[] = [
    [
      {},
      'fault must have one of cut, partition, slow, lossy, refuse, delayWatch, coalesceWatch, staleReads, restartApiServer, stopKubelet, powerOff, shutDown, failRuntime, failVolume, failPool, breakAttachment, stopController, runTwice, crashAfterWrites, stopComponent, skewClock',
    ],
    [{ cut: { node: 'node-0' }, powerOff: { node: 'node-0' } }, 'fault must have one verb, got cut and powerOff'],
    [{ cut: 'node-0' }, 'fault.cut must be a mapping with node, zone, component, controller, direction, got "node-0"'],
    [{ cut: {} }, 'fault.cut must name one of a node, a zone, a component or a controller'],
    [
      { cut: { node: 'nod-1' } },
      'fault.cut.node must be a node of the cluster (node-0, node-1, node-2), got "nod-1"; did you mean node-1?',
    ],
    [{ cut: { node: 'node-0', direction: 'up' } }, 'fault.cut.direction must be in or out (absent = both), got "up"'],
    [{ powerOff: { nod: 'node-0' } }, 'fault.powerOff.nod is not known here; known are node, zone; did you mean node?'],
    [
      { stopKubelet: { node: 'node-0' }, for: 'a while' },
      'fault.for must be milliseconds >= 0 or a duration such as 10m, got "a while"',
    ],
  ];
  for (const [fault, message] of refusals) {
    t.throws(() => cluster.faults.inject(fault as Fault), { instanceOf: FaultError, message });
  }
  t.throws(() => cluster.faults.cut({ component: 'kube-sheduler' }), {
    message: /^fault\.cut\.component must be a component of the cluster .*; did you mean kube-scheduler\?$/,
  });
  t.throws(() => cluster.faults.stopController('deployment'), {
    message: /^fault\.stopController\.controller must be/,
  });
  t.throws(() => cluster.faults.heal(1), {
    instanceOf: FaultError,
    message: 'fault.id must be the number of a fault that was injected (none was injected so far), got 1',
  });
  const { id } = cluster.faults.cut({ node: 'node-0' });
  cluster.faults.heal(id);
  t.notThrows(() => cluster.faults.heal(id));
  for (const wrong of [5, 0, -1, 1.5, Number.NaN, '1', undefined, null, 1n, Symbol('one'), {}]) {
    t.throws(() => cluster.faults.heal(wrong as number), {
      instanceOf: FaultError,
      message: /^fault\.id must be the number of a fault that was injected \(in 1\.\.1\), got .+$/,
    });
  }
  t.deepEqual(cluster.faults.active, []);
});

test('faults › act on a hosted cluster, too', async (t) => {
  const hosted = await hostCluster({ nodes: 3 });
  t.teardown(() => hosted.dispose());
  await hosted.ready();
  const fault = await hosted.faults.powerOff('node-1');
  await hosted.create('Pod', POD);
  t.is((await hosted.run({ until: { readyPods: 1 }, limit: '1m' })).end, 'limit');
  await fault.heal();
  t.is((await hosted.run({ until: { readyPods: 1 }, limit: '1m' })).end, 'done');
  await t.throwsAsync(hosted.faults.cut({ node: 'nobody' }), { name: 'FaultError' });
});
