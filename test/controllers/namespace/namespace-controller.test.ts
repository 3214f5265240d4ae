import test from 'ava';
import { createCluster } from '../../../src/index.js';
import type { Namespace } from '../../../src/api/objects/objects.js';
import { createHarness, deploymentDraft, type Harness } from '../harness.js';
import { isApiError } from '../../../src/api/errors/api-error.js';

test('7.7.2 › a namespace is emptied 5 s after its deletion, pods before everything else, and goes', async (t) => {
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

test('7.7.2 › a pod that waits for a finalizer keeps everything else until it is released', async (t) => {
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

/** The conditions of the namespace `x` as `type=status reason: message`. */
function conditionsOf({ server }: Harness): string[] {
  const { status } = server.get('Namespace', { name: 'x' });
  return (status?.conditions ?? []).map(
    ({ type, status: is, reason, message }) => `${type}=${is} ${reason}: ${message}`,
  );
}

const GOOD = {
  discovery: 'NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully discovered',
  parsing:
    'NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types successfully parsed',
  content:
    'NamespaceDeletionContentFailure=False ContentDeleted: All content successfully deleted, may be waiting on finalization',
  remaining: 'NamespaceContentRemaining=False ContentRemoved: All content successfully removed',
  finalizers: 'NamespaceFinalizersRemaining=False ContentHasNoFinalizers: All content-preserving finalizers finished',
};

test('7.7.1 › a deleted namespace is Terminating at once, takes nothing new, and may be changed and deleted again', (t) => {
  const harness = createHarness({ watch: ['Namespace'] });
  const { server } = harness;
  server.create('Namespace', { metadata: { name: 'x' } });
  server.create('ConfigMap', { metadata: { name: 'old', namespace: 'x' } });
  harness.log.length = 0;
  const { status, spec, metadata } = server.delete('Namespace', { name: 'x' });
  t.deepEqual(
    [status?.phase, spec?.finalizers, metadata.finalizers, metadata.generation],
    ['Terminating', ['kubernetes'], undefined, undefined],
  );
  server.delete('Namespace', { name: 'x' });
  t.is(harness.log.length, 1);
  const refused = t.throws(() => server.create('ConfigMap', { metadata: { name: 'late', namespace: 'x' } }));
  t.is(
    refused.message,
    'configmaps "late" is forbidden: unable to create new content in namespace x because it is being terminated',
  );
  t.true(isApiError(refused, 'Forbidden'));
  const patch = { type: 'merge', body: { data: { a: 'b' } } } as const;
  t.deepEqual(server.patch('ConfigMap', { namespace: 'x', name: 'old' }, patch).data, { a: 'b' });
  harness.dispose();
});

test('7.7.3 › while pods are left the two conditions on what remains are good, whatever remains', async (t) => {
  const harness = createHarness({ stopMs: 20_000 });
  const { server } = harness;
  server.create('Namespace', { metadata: { name: 'x' } });
  server.create('Pod', { metadata: { name: 'p', namespace: 'x' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  server.create('ConfigMap', { metadata: { name: 'm', namespace: 'x', finalizers: ['x.y/z'] } });
  await harness.run(1000);
  server.delete('Namespace', { name: 'x' });
  await harness.run(10_000);
  t.deepEqual(conditionsOf(harness), Object.values(GOOD));
  harness.dispose();
});

test('7.7.3 › what waits for finalizers is counted by resource, and looked at again 5 s after that was written', async (t) => {
  const harness = createHarness({ watch: ['Namespace'] });
  const { server } = harness;
  server.create('Namespace', { metadata: { name: 'x' } });
  for (const name of ['a', 'b'])
    server.create('ConfigMap', { metadata: { name, namespace: 'x', finalizers: ['x.y/z'] } });
  const draft = deploymentDraft('d', { replicas: 0 });
  server.create('Deployment', { ...draft, metadata: { name: 'd', namespace: 'x', finalizers: ['x.y/z', 'q.r/s'] } });
  await harness.run(100);
  server.delete('Namespace', { name: 'x' });
  await harness.run(6000);
  t.deepEqual(conditionsOf(harness), [
    GOOD.discovery,
    GOOD.parsing,
    GOOD.content,
    'NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances, deployments.apps has 1 resource instances',
    'NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: q.r/s in 1 resource instances, x.y/z in 3 resource instances',
  ]);
  const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
  for (const name of ['a', 'b']) server.patch('ConfigMap', { namespace: 'x', name }, release);
  server.patch('Deployment', { namespace: 'x', name: 'd' }, release);
  await harness.run(3900);
  t.is(conditionsOf(harness)[3]?.startsWith('NamespaceContentRemaining=True'), true);
  await harness.run(500);
  t.is(server.find('Namespace', { name: 'x' }), undefined);
  harness.dispose();
});

test('9.5 › a pod that is not confirmed dead holds its namespace without limit, and a condition says so', async (t) => {
  const harness = createHarness({ stopMs: 86_400_000, controllers: ['namespace-controller'] });
  const { server } = harness;
  server.create('Namespace', { metadata: { name: 'x' } });
  server.create('Pod', { metadata: { name: 'p', namespace: 'x' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  server.create('ConfigMap', { metadata: { name: 'm', namespace: 'x' } });
  await harness.run(1000);
  server.delete('Namespace', { name: 'x' });
  await harness.run(4 * 3_600_000);
  t.deepEqual(conditionsOf(harness), [
    GOOD.discovery,
    GOOD.parsing,
    'NamespaceDeletionContentFailure=True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: x for gvr: /v1, Resource=pods',
    GOOD.remaining,
    GOOD.finalizers,
  ]);
  t.is(harness.list('ConfigMap', 'x').length, 1);
  server.delete('Pod', { namespace: 'x', name: 'p' }, { gracePeriodSeconds: 0 });
  await harness.run(61_000);
  t.is(server.find('Namespace', { name: 'x' }), undefined);
  harness.dispose();
});

test('7.7.4 › a namespace carries its name as a label, whatever a client writes', (t) => {
  const harness = createHarness();
  const { server } = harness;
  server.create('Namespace', { metadata: { name: 'x', labels: { a: 'b' } } });
  const patch = { type: 'merge', body: { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } } } as const;
  t.deepEqual(server.patch('Namespace', { name: 'x' }, patch).metadata.labels, {
    a: 'b',
    'kubernetes.io/metadata.name': 'x',
  });
  harness.dispose();
});

test('objects of custom kinds go with their namespace; their finalizers hold it up', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
---
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: free, namespace: shop }
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: held, namespace: shop, finalizers: [example.com/held] }
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: elsewhere, namespace: default }`);
  await cluster.run({ limit: '10s' });
  const names = (): readonly string[] => cluster.list('Widget' as 'Clock').map(({ metadata }) => metadata.name);
  cluster.delete('Namespace', 'shop');
  await cluster.run({ limit: '30s' });
  t.deepEqual(names(), ['elsewhere', 'held']);
  const messages = cluster.get('Namespace', 'shop').status?.conditions?.map(({ message }) => message);
  t.true(messages?.includes('Some resources are remaining: widgets.example.com has 1 resource instances'));
  const held = { name: 'held', namespace: 'shop' };
  cluster.patch('Widget' as 'Clock', held, { metadata: { finalizers: null } }, 'merge');
  await cluster.run({ limit: '1m' });
  t.deepEqual(names(), ['elsewhere']);
  t.false(cluster.list('Namespace').some(({ metadata }) => metadata.name === 'shop'));
  await cluster.dispose();
});
