import test from 'ava';
import type { Namespace } from '../../../src/api/objects.js';
import { createHarness, deploymentDraft } from '../harness.js';

test('namespace › is emptied 5 s after its deletion, pods before everything else, and goes', async (t) => {
  const harness = createHarness({ watch: ['Namespace', 'Pod', 'ReplicaSet', 'Deployment'], stopMs: 300 });
  const { server } = harness;
  server.create('Namespace', { metadata: { name: 'x' } });
  const draft = deploymentDraft('d', { replicas: 2 });
  server.create('Deployment', { ...draft, metadata: { ...draft.metadata, namespace: 'x' } });
  await harness.run(2000);
  harness.log.length = 0;
  server.delete('Namespace', { name: 'x' });
  await harness.run(4900);
  t.is(harness.list('Pod', 'x').filter((pod) => pod.metadata.deletionTimestamp !== undefined).length, 0);
  await harness.run(300);
  t.is(harness.list('Pod', 'x').filter((pod) => pod.metadata.deletionTimestamp !== undefined).length, 2);
  t.is(harness.list('ReplicaSet', 'x').length, 1);
  await harness.run(20_000);
  t.is(server.find('Namespace', { name: 'x' }), undefined);
  const ends = harness.log.flatMap((event) => (event.type === 'DELETED' ? [event.kind] : []));
  t.deepEqual(ends.slice(0, 2), ['Pod', 'Pod']);
  t.is(ends.at(-1), 'Namespace');
  const conditions = harness.log.flatMap((event) =>
    event.type === 'MODIFIED' && event.kind === 'Namespace' ? [(event.object as Namespace).status?.conditions] : [],
  );
  t.deepEqual(
    conditions.at(-1)?.map(({ type, status }) => `${type}=${status}`),
    [
      'NamespaceDeletionDiscoveryFailure=False',
      'NamespaceDeletionGroupVersionParsingFailure=False',
      'NamespaceDeletionContentFailure=False',
      'NamespaceContentRemaining=False',
      'NamespaceFinalizersRemaining=False',
    ],
  );
  harness.dispose();
});

test('namespace › a pod that waits for a finalizer keeps everything else until it is released', async (t) => {
  const harness = createHarness();
  const { server } = harness;
  server.create('Namespace', { metadata: { name: 'x' } });
  server.create('Pod', {
    metadata: { name: 'p', namespace: 'x', finalizers: ['x.y/z'] },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  server.create('Service', { metadata: { name: 's', namespace: 'x' }, spec: { ports: [{ port: 80 }] } });
  await harness.run(1000);
  server.delete('Namespace', { name: 'x' });
  await harness.run(60_000);
  t.is(harness.list('Service', 'x').length, 1);
  server.patch('Pod', { namespace: 'x', name: 'p' }, { type: 'merge', body: { metadata: { finalizers: null } } });
  await harness.run(60_000);
  t.is(server.find('Namespace', { name: 'x' }), undefined);
  harness.dispose();
});
