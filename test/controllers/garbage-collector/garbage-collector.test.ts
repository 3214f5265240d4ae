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

test('7.8.3 › Background: the owner goes at once, then its replica sets, then the pods', async (t) => {
  const harness = await running();
  harness.server.delete('Deployment', NAME);
  await harness.run(2000);
  t.deepEqual(ends(harness), ['Deployment', 'ReplicaSet', 'Pod', 'Pod', 'Pod']);
  t.is(harness.list('Pod').length, 0);
  harness.dispose();
});

test('7.8.3 › Foreground: dependents go depth first, the owner last', async (t) => {
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

test('7.8.1 › Orphan: dependents lose their owner and live on', async (t) => {
  const harness = await running();
  harness.manager.controller('replicaset-controller').stop();
  harness.server.delete('Deployment', NAME, { propagationPolicy: 'Orphan' });
  await harness.run(2000);
  t.deepEqual(ends(harness), ['Deployment']);
  t.is(harness.list('ReplicaSet')[0]?.metadata.ownerReferences, undefined);
  t.is(harness.list('Pod').length, 3);
  harness.dispose();
});

test('7.8.1 › collects an object whose owner never was, and keeps one with another owner', async (t) => {
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

test('7.8.1 › an owner in another namespace is none, and an event says so', async (t) => {
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
  t.like(harness.list('Event')[0]?.involvedObject, { kind: 'Pod', apiVersion: 'v1', name: 'p' });
  harness.dispose();
});

interface Owned {
  readonly owners?: readonly string[];
  readonly finalizers?: readonly string[];
  readonly blocks?: boolean;
}

/** A config map that belongs to others; the garbage collector alone looks at it. */
function own({ server }: Harness, name: string, { owners = [], finalizers = [], blocks = true }: Owned = {}): void {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner,
    uid: server.get('ConfigMap', { name: owner }).metadata.uid,
    blockOwnerDeletion: blocks,
  }));
  server.create('ConfigMap', { metadata: { name, ownerReferences, finalizers } });
}

/** What is left, each with its owners. */
function left(harness: Harness): Record<string, string[]> {
  return Object.fromEntries(
    harness
      .list('ConfigMap')
      .map(({ metadata }) => [metadata.name, (metadata.ownerReferences ?? []).map(({ name }) => name)]),
  );
}

test('7.8.1 › an owner that is made anew under its name is another one', async (t) => {
  const harness = createHarness({ controllers: ['garbage-collector-controller'] });
  own(harness, 'a');
  own(harness, 'b', { owners: ['a'] });
  await harness.run(100);
  harness.manager.stop();
  harness.server.delete('ConfigMap', { name: 'a' });
  own(harness, 'a');
  harness.manager.start();
  await harness.run(1000);
  t.deepEqual(left(harness), { a: [] });
  harness.dispose();
});

test('7.8.1 › of several owners one that lives is enough, and only the others are taken off', async (t) => {
  const harness = createHarness({ controllers: ['garbage-collector-controller'] });
  for (const name of ['a', 'b', 'c']) own(harness, name);
  own(harness, 'd', { owners: ['a', 'b', 'c'] });
  await harness.run(100);
  harness.server.delete('ConfigMap', { name: 'a' });
  await harness.run(1000);
  t.deepEqual(left(harness)['d'], ['b', 'c']);
  harness.server.delete('ConfigMap', { name: 'b' }, { propagationPolicy: 'Foreground' });
  await harness.run(1000);
  t.deepEqual(left(harness), { c: [], d: ['c'] });
  harness.server.delete('ConfigMap', { name: 'c' });
  await harness.run(1000);
  t.deepEqual(left(harness), {});
  harness.dispose();
});

test('7.8.1 › Foreground waits for dependents that block it, and for no others', async (t) => {
  const harness = createHarness({ controllers: ['garbage-collector-controller'] });
  own(harness, 'a');
  own(harness, 'blocking', { owners: ['a'], finalizers: ['x.y/z'] });
  own(harness, 'other', { owners: ['a'], finalizers: ['x.y/z'], blocks: false });
  await harness.run(100);
  harness.server.delete('ConfigMap', { name: 'a' }, { propagationPolicy: 'Foreground' });
  await harness.run(1000);
  t.deepEqual(Object.keys(left(harness)), ['a', 'blocking', 'other']);
  t.true(harness.list('ConfigMap').every(({ metadata }) => metadata.deletionTimestamp !== undefined));
  const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
  harness.server.patch('ConfigMap', { name: 'blocking' }, release);
  await harness.run(1000);
  t.deepEqual(Object.keys(left(harness)), ['other']);
  harness.dispose();
});

test('7.8.1 › what comes while its owner waits stays until that one is looked at again', async (t) => {
  const harness = createHarness({ controllers: ['garbage-collector-controller'] });
  own(harness, 'a');
  own(harness, 'first', { owners: ['a'], finalizers: ['x.y/first'] });
  own(harness, 'second', { owners: ['a'], finalizers: ['x.y/second'] });
  await harness.run(100);
  harness.server.delete('ConfigMap', { name: 'a' }, { propagationPolicy: 'Foreground' });
  await harness.run(1000);
  own(harness, 'late', { owners: ['a'] });
  await harness.run(60_000);
  t.deepEqual(Object.keys(left(harness)), ['a', 'first', 'late', 'second']);
  const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
  harness.server.patch('ConfigMap', { name: 'first' }, release);
  await harness.run(1000);
  t.deepEqual(Object.keys(left(harness)), ['a', 'second']);
  harness.dispose();
});

test('7.8.1 › two objects that own each other and block each other go all the same', async (t) => {
  const harness = createHarness({ controllers: ['garbage-collector-controller'] });
  own(harness, 'a');
  own(harness, 'b', { owners: ['a'] });
  const { uid } = harness.server.get('ConfigMap', { name: 'b' }).metadata;
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid, blockOwnerDeletion: true };
  harness.server.patch(
    'ConfigMap',
    { name: 'a' },
    { type: 'merge', body: { metadata: { ownerReferences: [reference] } } },
  );
  await harness.run(100);
  harness.server.delete('ConfigMap', { name: 'a' }, { propagationPolicy: 'Foreground' });
  await harness.run(2000);
  t.deepEqual(left(harness), {});
  harness.dispose();
});

test('7.8.1 › a finalizer that is there decides how an orphan goes: its own dependents stay', async (t) => {
  const harness = createHarness({ controllers: ['garbage-collector-controller'] });
  own(harness, 'a');
  own(harness, 'b', { owners: ['a'], finalizers: ['orphan'] });
  own(harness, 'c', { owners: ['b'] });
  await harness.run(100);
  harness.server.delete('ConfigMap', { name: 'a' });
  await harness.run(1000);
  t.deepEqual(left(harness), { c: [] });
  harness.dispose();
});

test('7.8.1 › an object that is already on its way out is left alone', async (t) => {
  const harness = createHarness({ controllers: ['garbage-collector-controller'] });
  own(harness, 'a');
  own(harness, 'b', { owners: ['a'], finalizers: ['x.y/z'] });
  harness.server.delete('ConfigMap', { name: 'b' });
  await harness.run(100);
  const before = harness.server.get('ConfigMap', { name: 'b' }).metadata.resourceVersion;
  harness.server.delete('ConfigMap', { name: 'a' });
  await harness.run(1000);
  t.is(harness.server.get('ConfigMap', { name: 'b' }).metadata.resourceVersion, before);
  harness.dispose();
});

test('7.8.1 › an object of the whole cluster cannot belong to one of a namespace, and stays', async (t) => {
  const harness = createHarness({ controllers: ['garbage-collector-controller'] });
  own(harness, 'a');
  const { uid } = harness.server.get('ConfigMap', { name: 'a' }).metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid }];
  harness.server.create('PriorityClass', { metadata: { name: 'p', ownerReferences }, value: 1 });
  await harness.run(1000);
  t.truthy(harness.server.find('PriorityClass', { name: 'p' }));
  t.deepEqual(notes(harness, 'p'), [
    `Warning OwnerRefInvalidNamespace ownerRef [v1/ConfigMap, namespace: , name: a, uid: ${uid}] does not exist in namespace ""`,
  ]);
  harness.dispose();
});

test('7.8.2 › a replication controller leaves its pods behind unless the request says otherwise', async (t) => {
  const harness = createHarness({ controllers: ['garbage-collector-controller'], watch: ['ReplicationController'] });
  const { server } = harness;
  const draft = { metadata: { name: 'rc' }, spec: { replicas: 0, ...templateOfOne() } };
  const { metadata } = server.create('ReplicationController', draft);
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'ReplicationController', name: 'rc', uid: metadata.uid, controller: true },
  ];
  server.create('Pod', { metadata: { name: 'p', ownerReferences }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await harness.run(100);
  harness.log.length = 0;
  server.delete('ReplicationController', { name: 'rc' });
  await harness.run(1000);
  t.is(server.get('Pod', { name: 'p' }).metadata.ownerReferences, undefined);
  t.deepEqual(
    harness.log.flatMap((event) =>
      event.type === 'BOOKMARK'
        ? []
        : [[event.type, event.object.metadata.finalizers, event.object.metadata.deletionGracePeriodSeconds]],
    ),
    [
      ['MODIFIED', ['orphan'], 0],
      ['DELETED', ['orphan'], 0],
    ],
  );
  harness.dispose();
});

function templateOfOne(): object {
  return {
    selector: { a: 'b' },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  };
}

test('7.8.1 › an owner that the caches have not heard of yet is asked for before anything is collected', async (t) => {
  const harness = createHarness({ controllers: ['garbage-collector-controller'], runs: () => false });
  await harness.run(100);
  const link = harness.bus.link('kube-controller-manager');
  link?.cut();
  own(harness, 'a');
  const { uid } = harness.server.get('ConfigMap', { name: 'a' }).metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid }];
  harness.server.create('Pod', {
    metadata: { name: 'p', ownerReferences },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  // Pods are heard of first when the link heals, and config maps long after them.
  let delayMs = 0;
  if (link !== undefined) link.latency = () => (delayMs += 5);
  link?.restore();
  await harness.run(60_000);
  t.deepEqual(harness.list('Pod')[0]?.metadata.ownerReferences, ownerReferences);
  harness.dispose();
});
