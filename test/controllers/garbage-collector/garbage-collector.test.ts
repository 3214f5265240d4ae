import test from 'ava';
import { createHarness, deploymentDraft, notes, type Harness } from '../harness.js';

const NAME = { namespace: 'default', name: 'd' };

async function running(): Promise<Harness> {
  const harness = createHarness({ watch: ['Deployment', 'ReplicaSet', 'Pod'], stopMs: 300 });
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 3 }));
  await harness.run(2000);
  harness.log.length = 0;
  return harness;
}

function ends(harness: Harness): string[] {
  return harness.log.flatMap((event) => (event.type === 'DELETED' ? [event.kind] : []));
}

test('garbage collector › Background: the owner goes at once, then its replica sets, then the pods', async (t) => {
  const harness = await running();
  harness.server.delete('Deployment', NAME);
  await harness.run(2000);
  t.deepEqual(ends(harness), ['Deployment', 'ReplicaSet', 'Pod', 'Pod', 'Pod']);
  t.is(harness.list('Pod').length, 0);
  harness.dispose();
});

test('garbage collector › Foreground: dependents go depth first, the owner last', async (t) => {
  const harness = await running();
  harness.server.delete('Deployment', NAME, { propagationPolicy: 'Foreground' });
  await harness.run(100);
  const { metadata } = harness.server.get('Deployment', NAME);
  t.deepEqual(metadata.finalizers, ['foregroundDeletion']);
  t.is(metadata.generation, 2);
  t.deepEqual(harness.list('ReplicaSet')[0]?.metadata.finalizers, ['foregroundDeletion']);
  t.true(harness.list('Pod').every((pod) => pod.metadata.deletionTimestamp !== undefined));
  await harness.run(2000);
  t.deepEqual(ends(harness), ['Pod', 'Pod', 'Pod', 'ReplicaSet', 'Deployment']);
  harness.dispose();
});

test('garbage collector › Orphan: dependents lose their owner and live on', async (t) => {
  const harness = await running();
  harness.manager.controller('replicaset-controller').stop();
  harness.server.delete('Deployment', NAME, { propagationPolicy: 'Orphan' });
  await harness.run(2000);
  t.deepEqual(ends(harness), ['Deployment']);
  t.is(harness.list('ReplicaSet')[0]?.metadata.ownerReferences, undefined);
  t.is(harness.list('Pod').length, 3);
  harness.dispose();
});

test('garbage collector › collects an object whose owner never was, and keeps one with another owner', async (t) => {
  const harness = createHarness({ runs: () => false });
  const node = harness.server.create('Node', { metadata: { name: 'n' } });
  const ghost = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'ghost', uid: 'no-such-uid' };
  const solid = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: node.metadata.uid };
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  harness.server.create('Pod', { metadata: { name: 'lost', ownerReferences: [ghost] }, spec });
  harness.server.create('Pod', { metadata: { name: 'kept', ownerReferences: [ghost, solid] }, spec });
  await harness.run(1000);
  const pods = harness.list('Pod');
  t.deepEqual(
    pods.map(({ metadata }) => [metadata.name, metadata.ownerReferences]),
    [['kept', [solid]]],
  );
  harness.dispose();
});

test('garbage collector › an owner in another namespace is none, and an event says so', async (t) => {
  const harness = createHarness({ runs: () => false });
  const owner = harness.server.create('Service', {
    metadata: { name: 's', namespace: 'kube-system' },
    spec: { ports: [{ port: 80 }] },
  });
  await harness.run(100);
  const reference = { apiVersion: 'v1', kind: 'Service', name: 's', uid: owner.metadata.uid };
  harness.server.create('Pod', {
    metadata: { name: 'p', ownerReferences: [reference] },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  await harness.run(1000);
  t.is(harness.list('Pod').length, 0);
  t.deepEqual(notes(harness, 'p'), [
    `Warning OwnerRefInvalidNamespace ownerRef [v1/Service, namespace: default, name: s, uid: ${owner.metadata.uid}] does not exist in namespace "default"`,
  ]);
  harness.dispose();
});
