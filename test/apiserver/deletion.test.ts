import test from 'ava';
import type { Pod } from '../../src/api/objects/objects.js';
import type { DeleteOptions } from '../../src/apiserver/store/server-types.js';
import { createFixture, heard, podDraft, refusal, take, type Fixture } from './fixtures.js';

const P = { namespace: 'default', name: 'p' };

function withBoundPod(spec: object = {}, metadata: object = {}): Fixture {
  const fixture = createFixture();
  fixture.server.create('Pod', podDraft('p', { nodeName: 'n1', ...spec }, metadata));
  return fixture;
}

function marks({ metadata }: Pod): object {
  const { generation, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  return { generation, deletionTimestamp, deletionGracePeriodSeconds };
}

test('delete › an unscheduled pod goes at once: MODIFIED, then DELETED, each with its own version', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('p'));
  const { version } = server;
  const lines = heard(server, 'Pod', { resourceVersion: String(version) });
  const last = server.delete('Pod', P);
  t.deepEqual(lines, [`MODIFIED p ${version + 1}`, `DELETED p ${version + 2}`]);
  t.is(last.metadata.resourceVersion, String(version + 2));
  t.deepEqual(marks(last), { generation: 2, deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 });
  t.is(server.find('Pod', P), undefined);
});

test('delete › a scheduled pod gets its grace: the timestamp is the end of it', async (t) => {
  const { server, at } = withBoundPod();
  await at(10_900);
  t.deepEqual(marks(server.delete('Pod', P)), {
    generation: 2,
    deletionTimestamp: '2030-01-01T00:00:40Z',
    deletionGracePeriodSeconds: 30,
  });
});

test('delete › of a pod that has ended there is nothing to wait for', (t) => {
  for (const phase of ['Succeeded', 'Failed'] as const) {
    const { server } = withBoundPod();
    server.change('Pod', P, (pod) => ({ ...pod, status: { ...pod.status, phase } }), { subresource: 'status' });
    server.delete('Pod', P);
    t.is(server.count('Pod'), 0);
  }
});

test('delete › a negative grace is one second', (t) => {
  const { server } = withBoundPod();
  t.is(server.delete('Pod', P, { gracePeriodSeconds: -1 }).metadata.deletionGracePeriodSeconds, 1);
});

test('delete › a later request only ever shortens', async (t) => {
  const { server, at } = withBoundPod();
  await at(10_000);
  const first = server.delete('Pod', P);
  await at(12_000);
  t.is(server.delete('Pod', P), first);
  t.is(server.delete('Pod', P, { gracePeriodSeconds: 30 }), first);
  t.is(server.delete('Pod', P, { gracePeriodSeconds: 31 }), first);
  t.deepEqual(marks(server.delete('Pod', P, { gracePeriodSeconds: 5 })), {
    generation: 2,
    deletionTimestamp: '2030-01-01T00:00:15Z',
    deletionGracePeriodSeconds: 5,
  });
});

test('delete › an end that would lie in the past is now, with a second of grace', async (t) => {
  const { server, at } = withBoundPod();
  await at(10_000);
  server.delete('Pod', P);
  await at(15_000);
  const onTime = server.delete('Pod', P, { gracePeriodSeconds: 5 });
  t.deepEqual(marks(onTime), {
    generation: 2,
    deletionTimestamp: '2030-01-01T00:00:15Z',
    deletionGracePeriodSeconds: 5,
  });
  await at(16_000);
  t.deepEqual(marks(server.delete('Pod', P, { gracePeriodSeconds: 4 })), {
    generation: 2,
    deletionTimestamp: '2030-01-01T00:00:16Z',
    deletionGracePeriodSeconds: 1,
  });
});

test('delete › grace 0 ends it, even when its end lies in the past', async (t) => {
  const { server, at } = withBoundPod();
  server.delete('Pod', P);
  await at(5000);
  const { version } = server;
  const lines = heard(server, 'Pod', { resourceVersion: String(version) });
  const last = server.delete('Pod', P, { gracePeriodSeconds: 0 });
  t.deepEqual(lines, [`MODIFIED p ${version + 1}`, `DELETED p ${version + 2}`]);
  t.deepEqual(marks(last), { generation: 2, deletionTimestamp: '2030-01-01T00:00:05Z', deletionGracePeriodSeconds: 0 });
});

test('delete › finalizers hold a pod beyond its grace; taking the last one away ends it', (t) => {
  const { server } = withBoundPod({}, { finalizers: ['x.y/z'] });
  server.delete('Pod', P);
  const held = server.delete('Pod', P, { gracePeriodSeconds: 0 });
  t.deepEqual([held.metadata.deletionGracePeriodSeconds, server.count('Pod')], [0, 1]);
  t.deepEqual(
    refusal(t, () => server.patch('Pod', P, { type: 'merge', body: { metadata: { finalizers: ['x.y/z', 'x.y/q'] } } })),
    {
      code: 422,
      reason: 'Invalid',
      message:
        'Pod "p" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.y/q"}',
    },
  );
  const lines = heard(server, 'Pod', { resourceVersion: String(server.version) });
  const answer = server.patch('Pod', P, { type: 'merge', body: { metadata: { finalizers: null } } });
  t.is(answer.metadata.resourceVersion, held.metadata.resourceVersion);
  t.deepEqual(take(lines), [`DELETED p ${server.version}`]);
  t.is(server.count('Pod'), 0);
});

test('delete › without its finalizers a pod still has its grace', (t) => {
  const { server } = withBoundPod({}, { finalizers: ['x.y/z'] });
  server.delete('Pod', P);
  server.patch('Pod', P, { type: 'merge', body: { metadata: { finalizers: null } } });
  t.is(server.count('Pod'), 1);
  server.delete('Pod', P, { gracePeriodSeconds: 0 });
  t.is(server.count('Pod'), 0);
});

test('delete › Foreground and Orphan leave a finalizer for the garbage collector, Background removes', (t) => {
  const { server } = createFixture();
  const draft = {
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const remove = (name: string, options: DeleteOptions, finalizers?: string[]): object => {
    server.create('ReplicaSet', { ...draft, metadata: { name, ...(finalizers === undefined ? {} : { finalizers }) } });
    const { metadata } = server.delete('ReplicaSet', { namespace: 'default', name }, options);
    const isStored = server.find('ReplicaSet', { namespace: 'default', name }) !== undefined;
    const { generation, deletionGracePeriodSeconds } = metadata;
    return { generation, deletionGracePeriodSeconds, finalizers: metadata.finalizers, isStored };
  };
  const waits = { generation: 2, deletionGracePeriodSeconds: 0, isStored: true };
  t.deepEqual(remove('a', { propagationPolicy: 'Foreground' }), { ...waits, finalizers: ['foregroundDeletion'] });
  t.deepEqual(remove('b', { propagationPolicy: 'Orphan' }), { ...waits, finalizers: ['orphan'] });
  t.deepEqual(remove('c', {}, ['orphan']), { ...waits, finalizers: ['orphan'] });
  t.deepEqual(remove('d', { propagationPolicy: 'Foreground' }, ['x.y/z', 'orphan']), {
    ...waits,
    finalizers: ['x.y/z', 'foregroundDeletion'],
  });
  const gone = { generation: 1, deletionGracePeriodSeconds: undefined, isStored: false };
  t.deepEqual(remove('e', {}), { ...gone, finalizers: undefined });
  t.deepEqual(remove('f', { propagationPolicy: 'Background' }, ['orphan']), { ...gone, finalizers: ['orphan'] });
});

test('delete › an object without grace is DELETED without a MODIFIED', (t) => {
  const { server } = createFixture();
  server.create('Node', { metadata: { name: 'n' } });
  const lines = heard(server, 'Node', { resourceVersion: String(server.version) });
  server.delete('Node', { name: 'n' });
  t.deepEqual(lines, [`DELETED n ${server.version}`]);
});

test('delete › preconditions name the kind', (t) => {
  const { server } = withBoundPod();
  const { uid, resourceVersion } = server.get('Pod', P).metadata;
  t.deepEqual(
    refusal(t, () => server.delete('Pod', P, { preconditions: { uid: 'nope' } })),
    {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on Pod "p": the UID in the precondition (nope) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    },
  );
  t.deepEqual(
    refusal(t, () => server.delete('Pod', P, { preconditions: { resourceVersion: '1' } })),
    {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on Pod "p": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    },
  );
  t.is(server.get('Pod', P).metadata.deletionTimestamp, undefined);
});

test('delete › a policy that does not exist is refused', (t) => {
  const { server } = withBoundPod();
  t.is(
    refusal(t, () => server.delete('Pod', P, { propagationPolicy: 'Foo' as 'Orphan' })).message,
    'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil"',
  );
});

test('deleteCollection › deletes what is selected, in key order', (t) => {
  const { server } = createFixture();
  for (const name of ['c', 'a', 'b'])
    server.create('Pod', podDraft(name, {}, { labels: { app: name === 'c' ? 'db' : 'web' } }));
  const deleted = server.deleteCollection('Pod', { namespace: 'default', labelSelector: 'app=web' });
  t.deepEqual(
    deleted.map(({ metadata }) => metadata.name),
    ['a', 'b'],
  );
  t.deepEqual(
    server.list('Pod').items.map(({ metadata }) => metadata.name),
    ['c'],
  );
});

test('namespace › one on its way out takes neither bindings nor evictions of its pods', (t) => {
  const { server } = createFixture();
  server.create('Namespace', { metadata: { name: 'x' } });
  server.create('Pod', podDraft('p', {}, { namespace: 'x' }));
  server.delete('Namespace', { name: 'x' });
  const message = 'pods "p" is forbidden: unable to create new content in namespace x because it is being terminated';
  const metadata = { namespace: 'x', name: 'p' };
  for (const request of [
    () => server.bind({ metadata, target: { kind: 'Node', name: 'n' } }),
    () => server.evict({ metadata }),
  ])
    t.deepEqual(refusal(t, request), { code: 403, reason: 'Forbidden', message });
  t.is(server.get('Pod', metadata).spec.nodeName, undefined);
});

test('namespace › is Terminating at once, takes nothing new, and goes when it is finalized', (t) => {
  const { server } = createFixture();
  server.create('Namespace', { metadata: { name: 'x' } });
  const marked = server.delete('Namespace', { name: 'x' });
  t.deepEqual(marked.status, { phase: 'Terminating' });
  t.deepEqual(marked.spec, { finalizers: ['kubernetes'] });
  t.false('deletionGracePeriodSeconds' in marked.metadata);
  t.is(server.delete('Namespace', { name: 'x' }), marked);
  const error = refusal(t, () => server.create('Pod', podDraft('late', {}, { namespace: 'x' })));
  t.deepEqual(error, {
    code: 403,
    reason: 'Forbidden',
    message: 'pods "late" is forbidden: unable to create new content in namespace x because it is being terminated',
  });
  const lines = heard(server, 'Namespace', { resourceVersion: String(server.version) });
  server.finalizeNamespace('x');
  t.deepEqual(lines, [`DELETED x ${server.version}`]);
  t.is(
    refusal(t, () => server.create('Pod', podDraft('late', {}, { namespace: 'x' }))).message,
    'namespaces "x" not found',
  );
});

test('namespace › its own finalizers hold it too', (t) => {
  const { server } = createFixture();
  server.create('Namespace', { metadata: { name: 'x', finalizers: ['a.b/c'] } });
  server.delete('Namespace', { name: 'x' });
  server.finalizeNamespace('x');
  t.deepEqual(server.get('Namespace', { name: 'x' }).spec, { finalizers: [] });
  server.patch('Namespace', { name: 'x' }, { type: 'merge', body: { metadata: { finalizers: null } } });
  t.is(server.find('Namespace', { name: 'x' }), undefined);
});
