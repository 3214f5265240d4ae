import test from 'ava';
import { createHarness, notes, setReady, template } from '../harness.js';

const NAME = { namespace: 'default', name: 'rc' };
const DRAFT = { metadata: { name: 'rc' }, spec: { replicas: 3, template: template('v1') } };

test('7.1.4 › a replication controller keeps its pods as a replica set does, under a name of its own', async (t) => {
  const harness = createHarness({ controllers: ['replicationcontroller-controller'] });
  const { server } = harness;
  server.create('ReplicationController', DRAFT);
  await harness.run(1000);
  const pods = harness.list('Pod');
  const { uid } = server.get('ReplicationController', NAME).metadata;
  t.deepEqual(pods[0]?.metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'ReplicationController', name: 'rc', uid, controller: true, blockOwnerDeletion: true },
  ]);
  t.deepEqual(server.get('ReplicationController', NAME).status as object, {
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    observedGeneration: 1,
  });
  t.deepEqual(
    notes(harness, 'rc').sort(),
    pods.map(({ metadata }) => `Normal SuccessfulCreate Created pod: ${metadata.name}`).sort(),
  );
  t.deepEqual([...new Set(harness.list('Event').map(({ source }) => source?.component))], ['replication-controller']);
  setReady(harness.kernel, server, pods[1]?.metadata ?? NAME, false);
  t.deepEqual(server.getScale('ReplicationController', NAME).status, { replicas: 3, selector: 'a=b' });
  server.setScale('ReplicationController', NAME, 2);
  await harness.run(1000);
  t.deepEqual(
    harness.list('Pod').map(({ metadata }) => metadata.name),
    [pods[0]?.metadata.name, pods[2]?.metadata.name],
  );
  harness.dispose();
});

test('7.1.1 › a replication controller adopts and releases, and leaves the pods of replica sets alone', async (t) => {
  const harness = createHarness({ controllers: ['replicationcontroller-controller', 'replicaset-controller'] });
  const { server } = harness;
  const spec = { containers: [{ name: 'c', image: 'v1' }] };
  server.create('Pod', { metadata: { name: 'orphan', labels: { a: 'b' } }, spec });
  server.create('ReplicationController', DRAFT);
  await harness.run(1000);
  server.create('ReplicaSet', {
    metadata: { name: 'rs' },
    spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template: template('v1') },
  });
  await harness.run(1000);
  const orphan = { namespace: 'default', name: 'orphan' };
  t.is(server.get('Pod', orphan).metadata.ownerReferences?.[0]?.name, 'rc');
  t.is(harness.list('Pod').length, 5);
  server.patch('Pod', orphan, { type: 'merge', body: { metadata: { labels: { a: 'z' } } } });
  await harness.run(1000);
  t.is(server.get('Pod', orphan).metadata.ownerReferences, undefined);
  t.is(harness.list('Pod').length, 6);
  harness.dispose();
});

test('7.1.6 › pods that are refused show in a replication controller’s conditions until they are not', async (t) => {
  const harness = createHarness({ controllers: ['replicationcontroller-controller'] });
  const { server } = harness;
  const late = { ...template('v1'), spec: { priorityClassName: 'late', containers: [{ name: 'c', image: 'i' }] } };
  server.create('ReplicationController', { metadata: { name: 'rc' }, spec: { replicas: 2, template: late } });
  await harness.run(1000);
  t.deepEqual(
    server
      .get('ReplicationController', NAME)
      .status.conditions?.map(({ type, status, reason }) => [type, status, reason]),
    [['ReplicaFailure', 'True', 'FailedCreate']],
  );
  server.create('PriorityClass', { metadata: { name: 'late' }, value: 11 });
  await harness.run(60_000);
  t.is(server.get('ReplicationController', NAME).status.conditions, undefined);
  t.is(server.get('ReplicationController', NAME).status.availableReplicas, 2);
  harness.dispose();
});
