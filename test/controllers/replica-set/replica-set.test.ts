import test from 'ava';
import type { ReplicaSet } from '../../../src/api/objects/objects.js';
import { createHarness, notes, replicaSetDraft, setReady, template } from '../harness.js';

const NAME = { namespace: 'default', name: 'r' };

test('7.1.4 and 7.1.5 › a replica set creates its pods with shared parts and reports what it saw, in that order', async (t) => {
  const harness = createHarness({ controllers: ['replicaset-controller'], watch: ['ReplicaSet'], runs: () => false });
  harness.server.create('ReplicaSet', replicaSetDraft('r', { replicas: 9 }));
  await harness.run(1000);
  const pods = harness.list('Pod');
  const replicaSet = harness.server.get('ReplicaSet', NAME);
  t.is(pods.length, 9);
  const [first, second] = pods;
  t.is(first?.metadata.ownerReferences, second?.metadata.ownerReferences);
  t.is(first?.metadata.labels, second?.metadata.labels);
  t.is(first?.spec.containers, replicaSet.spec.template.spec.containers);
  t.deepEqual(first?.metadata.ownerReferences, [
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'r',
      uid: replicaSet.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  t.true(pods.every(({ metadata }) => /^r-[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(metadata.name)));
  const statuses = harness.log.flatMap((event) =>
    event.type === 'MODIFIED' && event.kind === 'ReplicaSet' ? [(event.object as ReplicaSet).status] : [],
  );
  t.deepEqual(statuses, [
    { replicas: 0, observedGeneration: 1 },
    { replicas: 9, fullyLabeledReplicas: 9, observedGeneration: 1 },
  ]);
  t.deepEqual(
    notes(harness, 'r').sort(),
    pods.map(({ metadata }) => `Normal SuccessfulCreate Created pod: ${metadata.name}`).sort(),
  );
  harness.dispose();
});

test('7.1.5 › a replica set replaces a pod as soon as it is marked for deletion', async (t) => {
  const harness = createHarness({ stopMs: 60_000 });
  harness.server.create('ReplicaSet', replicaSetDraft('r', { replicas: 3 }));
  await harness.run(1000);
  const [victim] = harness.list('Pod');
  harness.server.delete('Pod', victim?.metadata ?? NAME);
  await harness.run(1000);
  t.is(harness.list('Pod').length, 4);
  t.deepEqual(harness.server.get('ReplicaSet', NAME).status as object, {
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    observedGeneration: 1,
  });
  harness.dispose();
});

test('7.1.2 › a replica set creates at most 500 pods in one sync and reaches any size', async (t) => {
  const harness = createHarness({ controllers: ['replicaset-controller'], runs: () => false });
  harness.server.create('ReplicaSet', replicaSetDraft('r', { replicas: 1201 }));
  await harness.run(20_000);
  t.is(harness.list('Pod').length, 1201);
  t.is(harness.server.get('ReplicaSet', NAME).status.replicas, 1201);
  harness.dispose();
});

test('7.1.5 › a pod that turns unready is counted out', async (t) => {
  const harness = createHarness();
  harness.server.create('ReplicaSet', replicaSetDraft('r', { replicas: 3 }));
  await harness.run(1000);
  const [pod] = harness.list('Pod');
  setReady(harness.kernel, harness.server, pod?.metadata ?? NAME, false);
  await harness.run(1000);
  const { replicas, readyReplicas, availableReplicas } = harness.server.get('ReplicaSet', NAME).status;
  t.deepEqual([replicas, readyReplicas, availableReplicas], [3, 2, 2]);
  harness.dispose();
});

test('7.1.3 › a replica set scales down by rank: unready first, then by deletion cost', async (t) => {
  const harness = createHarness();
  harness.server.create('ReplicaSet', replicaSetDraft('r', { replicas: 5 }));
  await harness.run(1000);
  const [cheap, unready] = harness.list('Pod');
  harness.server.patch('Pod', cheap?.metadata ?? NAME, {
    type: 'merge',
    body: { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-10' } } },
  });
  setReady(harness.kernel, harness.server, unready?.metadata ?? NAME, false);
  const names = (): string[] => harness.list('Pod').map(({ metadata }) => metadata.name);
  harness.server.setScale('ReplicaSet', NAME, 4);
  await harness.run(1000);
  t.false(names().includes(unready?.metadata.name ?? ''));
  t.true(names().includes(cheap?.metadata.name ?? ''));
  harness.server.setScale('ReplicaSet', NAME, 3);
  await harness.run(1000);
  t.false(names().includes(cheap?.metadata.name ?? ''));
  t.is(names().length, 3);
  harness.dispose();
});

test('7.1.1 › a replica set adopts matching orphans, and releases what no longer matches', async (t) => {
  const harness = createHarness();
  harness.server.create('Pod', {
    metadata: { name: 'orphan', labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  await harness.run(100);
  harness.server.create('ReplicaSet', replicaSetDraft('r', { replicas: 2 }));
  await harness.run(1000);
  t.is(harness.list('Pod').length, 2);
  const { uid } = harness.server.get('ReplicaSet', NAME).metadata;
  t.is(harness.server.get('Pod', { namespace: 'default', name: 'orphan' }).metadata.ownerReferences?.[0]?.uid, uid);
  harness.server.patch(
    'Pod',
    { namespace: 'default', name: 'orphan' },
    { type: 'merge', body: { metadata: { labels: { a: 'z' } } } },
  );
  await harness.run(1000);
  t.is(harness.server.get('Pod', { namespace: 'default', name: 'orphan' }).metadata.ownerReferences, undefined);
  t.is(harness.list('Pod').length, 3);
  t.is(harness.server.get('ReplicaSet', NAME).status.replicas, 2);
  harness.dispose();
});

test('7.1.4 › a replica set counts pods as available once they were ready for minReadySeconds, and not before', async (t) => {
  const harness = createHarness();
  harness.server.create('ReplicaSet', replicaSetDraft('r', { replicas: 2, minReadySeconds: 10 }));
  await harness.run(9900);
  const before = harness.server.get('ReplicaSet', NAME).status;
  t.is(before.readyReplicas, 2);
  t.is(before.availableReplicas, undefined);
  await harness.run(200);
  t.is(harness.server.get('ReplicaSet', NAME).status.availableReplicas, 2);
  harness.dispose();
});

test('7.1.6 › a replica set tells of pods that are refused, backs off, and recovers', async (t) => {
  const harness = createHarness();
  harness.server.create('PriorityClass', { metadata: { name: 'high' }, value: 10 });
  harness.server.create(
    'ReplicaSet',
    replicaSetDraft('r', {
      replicas: 2,
      template: { ...template('pause'), spec: { priorityClassName: 'late', containers: [{ name: 'c', image: 'i' }] } },
    }),
  );
  await harness.run(1000);
  const { status } = harness.server.get('ReplicaSet', NAME);
  t.is(status.replicas, 0);
  t.deepEqual(
    status.conditions?.map(({ type, status: state, reason }) => [type, state, reason]),
    [['ReplicaFailure', 'True', 'FailedCreate']],
  );
  t.true(notes(harness, 'r')[0]?.startsWith('Warning FailedCreate Error creating: pods "r-'));
  harness.server.create('PriorityClass', { metadata: { name: 'late' }, value: 11 });
  await harness.run(60_000);
  t.is(harness.list('Pod').length, 2);
  t.is(harness.server.get('ReplicaSet', NAME).status.conditions, undefined);
  harness.dispose();
});
