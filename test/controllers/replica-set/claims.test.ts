import test from 'ava';
import { createHarness, notes, replicaSetDraft, template } from '../harness.js';

const NAME = { namespace: 'default', name: 'r' };
const SPEC = { containers: [{ name: 'c', image: 'i' }] };
const LABELS = { a: 'b' };

test('7.1.1 › neither pods of others, nor those being deleted, nor those of other namespaces are adopted', async (t) => {
  const harness = createHarness({ controllers: ['replicaset-controller'], runs: () => false });
  const { server } = harness;
  server.create('Namespace', { metadata: { name: 'other' } });
  server.create('Pod', { metadata: { name: 'p', namespace: 'other', labels: LABELS }, spec: SPEC });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'x', controller: true };
  server.create('Pod', { metadata: { name: 'taken', labels: LABELS, ownerReferences: [owner] }, spec: SPEC });
  server.create('Pod', { metadata: { name: 'going', labels: LABELS, finalizers: ['example.com/hold'] }, spec: SPEC });
  server.delete('Pod', { namespace: 'default', name: 'going' });
  server.create('Pod', { metadata: { name: 'done', labels: LABELS }, spec: SPEC });
  const done = { namespace: 'default', name: 'done' };
  server.change('Pod', done, (pod) => ({ ...pod, status: { ...pod.status, phase: 'Succeeded' } }), {
    subresource: 'status',
  });
  server.create('ReplicaSet', replicaSetDraft('r', { replicas: 1 }));
  await harness.run(1000);
  const owners = (name: string, namespace = 'default'): unknown =>
    server.get('Pod', { namespace, name }).metadata.ownerReferences?.map(({ uid }) => uid);
  t.deepEqual(
    [owners('p', 'other'), owners('taken'), owners('going'), owners('done')],
    [undefined, ['x'], undefined, undefined],
  );
  t.is(server.get('ReplicaSet', NAME).status.replicas, 1);
  t.is(harness.list('Pod').length, 4);
  harness.dispose();
});

test('7.1.1 › a replica set that is being deleted adopts, creates and deletes nothing, and goes on counting', async (t) => {
  const harness = createHarness({ controllers: ['replicaset-controller'] });
  const { server } = harness;
  const draft = replicaSetDraft('r', { replicas: 2 });
  server.create('ReplicaSet', { ...draft, metadata: { name: 'r', finalizers: ['example.com/hold'] } });
  await harness.run(1000);
  server.delete('ReplicaSet', NAME, { propagationPolicy: 'Orphan' });
  const [first] = harness.list('Pod');
  server.delete('Pod', first?.metadata ?? NAME);
  server.create('Pod', { metadata: { name: 'orphan', labels: LABELS }, spec: SPEC });
  await harness.run(1000);
  t.is(server.get('Pod', { namespace: 'default', name: 'orphan' }).metadata.ownerReferences, undefined);
  t.is(harness.list('Pod').length, 2);
  t.is(server.get('ReplicaSet', NAME).status.replicas, 1);
  harness.dispose();
});

test('7.1.2 › nothing is created in a namespace that is going away, and no event tells of it', async (t) => {
  const harness = createHarness({ controllers: ['replicaset-controller'], runs: () => false });
  const { server } = harness;
  server.create('Namespace', { metadata: { name: 'gone', finalizers: ['example.com/hold'] } });
  server.create('ReplicaSet', { ...replicaSetDraft('r', { replicas: 1 }), metadata: { name: 'r', namespace: 'gone' } });
  await harness.run(1000);
  server.delete('Namespace', { name: 'gone' });
  server.setScale('ReplicaSet', { namespace: 'gone', name: 'r' }, 3);
  await harness.run(10_000);
  t.is(harness.list('Pod', 'gone').length, 1);
  t.is(notes(harness, 'r', 'gone').filter((note) => note.includes('FailedCreate')).length, 0);
  t.is(server.get('ReplicaSet', { namespace: 'gone', name: 'r' }).status.conditions, undefined);
  harness.dispose();
});

test('7.1.4 › the name of a pod begins with that of its replica set, cut to what a name may be', async (t) => {
  const harness = createHarness({ controllers: ['replicaset-controller'], runs: () => false });
  const long = 'r'.repeat(253);
  harness.server.create('ReplicaSet', replicaSetDraft(long, { replicas: 1 }));
  await harness.run(1000);
  const [pod] = harness.list('Pod');
  t.is(pod?.metadata.generateName, long);
  t.regex(pod?.metadata.name ?? '', /^r{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  harness.dispose();
});

test('7.1.5 › pods without all labels of the template count, but not as fully labelled; zero counts are left out', async (t) => {
  const harness = createHarness({
    controllers: ['replicaset-controller'],
    runs: ({ metadata }) => metadata.name !== 'plain',
  });
  const { server } = harness;
  server.create('Pod', { metadata: { name: 'plain', labels: LABELS }, spec: SPEC });
  const labelled = template('i', { a: 'b', tier: 'front' });
  server.create('ReplicaSet', replicaSetDraft('r', { replicas: 2, template: labelled }));
  await harness.run(1000);
  t.deepEqual(server.get('ReplicaSet', NAME).status as object, {
    replicas: 2,
    fullyLabeledReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    observedGeneration: 1,
  });
  server.setScale('ReplicaSet', NAME, 0);
  await harness.run(1000);
  t.deepEqual(server.get('ReplicaSet', NAME).status as object, { replicas: 0, observedGeneration: 2 });
  harness.dispose();
});

function refused(priorityClassName: string): object {
  return { ...template('i'), spec: { ...SPEC, priorityClassName } };
}

test('7.1.6 › the first refusal stays in the condition, whatever refusals follow', async (t) => {
  const harness = createHarness({ controllers: ['replicaset-controller'], runs: () => false });
  const { server } = harness;
  const message = (): string | undefined => server.get('ReplicaSet', NAME).status.conditions?.[0]?.message;
  server.create('ReplicaSet', replicaSetDraft('r', { replicas: 1, template: refused('one') }));
  await harness.run(1000);
  t.regex(message() ?? '', /no PriorityClass with name one was found/);
  server.patch('ReplicaSet', NAME, { type: 'merge', body: { spec: { template: refused('two') } } });
  await harness.run(60_000);
  t.regex(message() ?? '', /no PriorityClass with name one was found/);
  t.true(notes(harness, 'r').some((note) => note.includes('no PriorityClass with name two was found')));
  t.is(harness.list('Pod').length, 0);
  harness.dispose();
});
