import test, { type ExecutionContext } from 'ava';
import { createCluster, FaultError, type Cluster, type Fault } from '../../src/index.js';

const CONTAINERS = [{ name: 'c', image: 'busybox' }];
const LABELS = { app: 'web' };
const REPLICA_SET = {
  metadata: { name: 'web' },
  spec: {
    replicas: 5,
    selector: { matchLabels: LABELS },
    template: { metadata: { labels: LABELS }, spec: { containers: CONTAINERS } },
  },
};
const POD = { metadata: { name: 'p' }, spec: { nodeName: 'node-1', containers: CONTAINERS } };

async function createScene(t: ExecutionContext): Promise<Cluster> {
  const cluster = createCluster({ nodes: 3, seed: 7, latency: 2 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  return cluster;
}

const reasonsOf = (cluster: Cluster, reason: string): string[] =>
  cluster
    .list('Event')
    .filter((event) => event.reason === reason)
    .map(({ message = '' }) => message);

test('crashAfterWrites › the writes are applied and nothing follows until it is healed', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({ crashAfterWrites: { controller: 'replicaset-controller', writes: 2 } });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '1m' });
  t.is(cluster.list('Pod').length, 2);
  fault.heal();
  await cluster.run({ until: { readyPods: 5 }, limit: '1m' });
  t.is(cluster.list('Pod').length, 5);
  await cluster.run({ limit: '1m' });
  t.is(cluster.list('Pod').length, 5);
});

test('crashAfterWrites › healed before that it does nothing, and it counts on over restarts', async (t) => {
  const cluster = await createScene(t);
  const controller = 'replicaset-controller';
  cluster.faults.inject({ crashAfterWrites: { controller, writes: 1 } }).heal();
  cluster.faults.inject({ crashAfterWrites: { controller, writes: 3 }, for: '5m' });
  const first = cluster.faults.inject({ crashAfterWrites: { controller, writes: 1 } });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '30s' });
  t.is(cluster.list('Pod').length, 1);
  first.heal();
  await cluster.run({ limit: '30s' });
  t.true(cluster.list('Pod').length < 5);
  await cluster.run({ until: { readyPods: 5 }, limit: '5m' });
  t.is(cluster.list('Pod').length, 5);
});

test('stopComponent › of the scheduler leaves pods unbound; it starts anew and finds them', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({ stopComponent: { component: 'kube-scheduler' } });
  const again = cluster.faults.inject({ stopComponent: { component: 'kube-scheduler' } });
  cluster.create('ReplicaSet', REPLICA_SET);
  await cluster.run({ limit: '1m' });
  fault.heal();
  await cluster.run({ limit: '1m' });
  t.is(cluster.list('Pod').filter(({ spec }) => spec.nodeName !== undefined).length, 0);
  again.heal();
  await cluster.run({ until: { readyPods: 5 }, limit: '1m' });
  t.is(cluster.readyPods, 5);
});

test('stopComponent › a controller that was stopped by itself stays so when its manager is back', async (t) => {
  const cluster = await createScene(t);
  const manager = cluster.faults.inject({ stopComponent: { component: 'kube-controller-manager' } });
  const controller = cluster.faults.stopController('replicaset-controller');
  cluster.create('ReplicaSet', REPLICA_SET);
  manager.heal();
  await cluster.run({ limit: '1m' });
  t.is(cluster.list('Pod').length, 0);
  controller.heal();
  await cluster.run({ until: { readyPods: 5 }, limit: '1m' });
  t.is(cluster.readyPods, 5);
});

test('failRuntime › images, sandboxes and stops fail with what the runtime says, until it is healed', async (t) => {
  const cluster = await createScene(t);
  const error = 'rpc error: code = Unknown desc = no';
  const pull = cluster.faults.inject({ failRuntime: { node: 'node-1', operation: 'pullImage', error } });
  const sandbox = cluster.faults.inject({ failRuntime: { node: 'node-1', operation: 'createSandbox' } });
  cluster.create('Pod', POD);
  await cluster.run({ limit: '1m' });
  t.true(
    reasonsOf(cluster, 'FailedCreatePodSandBox').every(
      (text) =>
        text === 'Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    ),
  );
  t.deepEqual(reasonsOf(cluster, 'Pulling'), []);
  sandbox.heal();
  await cluster.run({ limit: '1m' });
  t.true(reasonsOf(cluster, 'Failed').includes(`Failed to pull image "busybox": ${error}`));
  pull.heal();
  await cluster.run({ until: { readyPods: 1 }, limit: '10m' });
  t.is(cluster.readyPods, 1);
  const stop = cluster.faults.inject({ failRuntime: { node: 'node-1', operation: 'stopContainer', error } });
  cluster.delete('Pod', 'p', { gracePeriodSeconds: 1 });
  await cluster.run({ limit: '1m' });
  t.is(cluster.list('Pod').length, 1);
  stop.heal();
  await cluster.run({ limit: '5m' });
  t.is(cluster.list('Pod').length, 0);
});

test('process faults › that cannot be are refused with the path of the field', async (t) => {
  const cluster = await createScene(t);
  const refusals: readonly (readonly [fault: unknown, message: string])[] = [
    [
      { crashAfterWrites: { controller: 'replicaset-controller', writes: 0 } },
      'fault.crashAfterWrites.writes must be an integer >= 1, got 0',
    ],
    [
      { stopComponent: { component: 'kubelet' } },
      'fault.stopComponent.component must be kube-scheduler, kube-controller-manager or cluster-autoscaler, got "kubelet"',
    ],
    [
      { failRuntime: { node: 'node-1', operation: 'pull' } },
      'fault.failRuntime.operation must be pullImage, createSandbox or stopContainer, got "pull"',
    ],
    [
      { failRuntime: { node: 'node-1', operation: 'pullImage', error: 5 } },
      'fault.failRuntime.error must be a text, got 5',
    ],
  ];
  for (const [fault, message] of refusals) {
    t.throws(() => cluster.faults.inject(fault as Fault), { instanceOf: FaultError, message });
  }
});
