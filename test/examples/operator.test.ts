import test from 'ava';
import { fleetOperator } from '../../examples/operator/fleet-operator.js';
import { createCluster, type Cluster, type Draft } from '../../src/index.js';

const READY = 'example.com/ready';

function fleet(data: Readonly<Record<string, string>>): Draft {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'shop', labels: { 'example.com/fleet': 'nginx' } },
    data,
  };
}

function replicas(cluster: Cluster): Record<string, number | undefined> {
  return Object.fromEntries(cluster.list('Deployment').map(({ metadata, spec }) => [metadata.name, spec.replicas]));
}

function readiness(cluster: Cluster): string | undefined {
  return cluster.get('ConfigMap', 'shop').metadata.annotations?.[READY];
}

test('examples/operator › a fleet follows its config map, and tells how many pods are ready', async (t) => {
  const cluster = createCluster({ nodes: 2 });
  cluster.addController(fleetOperator);
  await cluster.ready();
  cluster.apply(fleet({ web: '3', worker: '1', odd: 'three' }));
  const all = 'shop-web 3/3, shop-worker 1/1';
  t.is((await cluster.run({ until: () => readiness(cluster) === all, limit: '5m' })).end, 'done');
  t.deepEqual(
    cluster
      .list('Event', { fieldSelector: 'reason=BadEntry' })
      .map(({ message, source }) => [message, source?.component]),
    [['shop-odd must be a number of pods, got three', 'fleet-operator']],
  );
  cluster.apply(fleet({ web: '5' }));
  t.is((await cluster.run({ until: () => readiness(cluster) === 'shop-web 5/5', limit: '5m' })).end, 'done');
  t.deepEqual(replicas(cluster), { 'shop-web': 5 });
  cluster.delete('ConfigMap', 'shop');
  t.is((await cluster.run({ until: () => cluster.pods.total === 0, limit: '5m' })).end, 'done');
  t.deepEqual(replicas(cluster), {});
  await cluster.dispose();
});

test('examples/operator › crashed in the middle of its work and started again, it makes what is missing and nothing twice', async (t) => {
  const entries = Array.from({ length: 20 }, (_, index) => [`part-${index}`, '1'] as const);
  const cluster = createCluster({ nodes: 3 });
  await cluster.ready();
  const operator = cluster.addController(fleetOperator);
  const created: string[] = [];
  cluster.watch('Deployment').subscribe((event) => {
    if (event.type === 'ADDED') created.push(event.object.metadata.name);
  });
  cluster.apply(fleet(Object.fromEntries(entries)));
  await cluster.run({ until: () => cluster.list('Deployment').length === 7, limit: '1m' });
  operator.crash();
  t.false(operator.isRunning);
  await cluster.run({ limit: '5m' });
  const half = cluster.list('Deployment').length;
  t.true(half >= 7 && half < 20, `${half} deployments`);
  operator.start();
  t.is((await cluster.run({ until: () => cluster.readyPods === 20, limit: '5m' })).end, 'done');
  t.deepEqual(created.toSorted(), entries.map(([entry]) => `shop-${entry}`).toSorted());
  await cluster.dispose();
});

test('examples/operator › asked to end, it finishes what it is at, and then takes up nothing more', async (t) => {
  const cluster = createCluster({ nodes: 2 });
  await cluster.ready();
  const operator = cluster.addController(fleetOperator);
  cluster.apply(fleet({ a: '1', b: '1', c: '1' }));
  await cluster.run({ until: () => cluster.list('Deployment').length === 1, limit: '1m' });
  operator.stop();
  t.true(operator.isRunning);
  await cluster.run({ until: () => !operator.isRunning, limit: '1m' });
  t.deepEqual(replicas(cluster), { 'shop-a': 1, 'shop-b': 1, 'shop-c': 1 });
  cluster.apply(fleet({ a: '2' }));
  await cluster.run({ limit: '1m' });
  t.deepEqual(replicas(cluster), { 'shop-a': 1, 'shop-b': 1, 'shop-c': 1 });
  operator.start();
  t.is((await cluster.run({ until: () => readiness(cluster) === 'shop-a 2/2', limit: '5m' })).end, 'done');
  await cluster.dispose();
});

test('examples/operator › started again while it ends, it begins anew', async (t) => {
  const cluster = createCluster({ nodes: 2 });
  await cluster.ready();
  const operator = cluster.addController(fleetOperator);
  cluster.apply(fleet({ a: '1', b: '1' }));
  await cluster.run({ until: () => cluster.list('Deployment').length === 1, limit: '1m' });
  operator.stop();
  operator.start();
  t.is((await cluster.run({ until: () => cluster.readyPods === 2, limit: '5m' })).end, 'done');
  await cluster.dispose();
});

test('Cluster.addController › refuses what is no controller, and a name that is taken', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const operator = cluster.addController(fleetOperator);
  t.is(
    t.throws(() => cluster.addController(fleetOperator)).message,
    'controller.name must be a name that no other controller has, got "fleet-operator"',
  );
  t.throws(() => cluster.addController({ ...fleetOperator, name: 'job-controller' }), { name: 'OptionError' });
  t.is(
    t.throws(() => cluster.addController({ ...fleetOperator, name: '' })).message,
    'controller.name must be a non-empty text, got ""',
  );
  t.regex(
    t.throws(() => cluster.addController({ name: 'x' } as never)).message,
    /^controller\.setup must be a function, got /,
  );
  operator.remove();
  const again = cluster.addController(fleetOperator);
  t.is(t.throws(() => operator.start()).message, 'controller must be one that was not removed, got "fleet-operator"');
  again.remove();
  await cluster.dispose();
});

test('examples/operator › behind a cut link it does nothing, and catches up', async (t) => {
  const cluster = createCluster({ nodes: 2 });
  await cluster.ready();
  cluster.addController(fleetOperator);
  const partition = cluster.faults.cut({ component: 'operator/fleet-operator' });
  cluster.apply(fleet({ web: '2' }));
  await cluster.run({ limit: '5m' });
  t.deepEqual(replicas(cluster), {});
  partition.heal();
  t.is((await cluster.run({ until: () => cluster.readyPods === 2, limit: '5m' })).end, 'done');
  await cluster.dispose();
});
