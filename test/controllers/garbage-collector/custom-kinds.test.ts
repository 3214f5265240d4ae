import test from 'ava';
import { createCluster, defineController, parseKey, type Cluster, type Kind } from '../../../src/index.js';

const WIDGET = 'Widget' as 'Clock';
const FLEET = 'Fleet' as 'Clock';

function definition(kind: string, plural: string, scope: string): string {
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.example.com }
spec:
  group: example.com
  scope: ${scope}
  names: { plural: ${plural}, kind: ${kind} }
  versions:
  - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }
`;
}

const DEFINITIONS = `${definition('Widget', 'widgets', 'Namespaced')}---${definition('Fleet', 'fleets', 'Cluster')}`;

function widget(cluster: Cluster, name: string, metadata: object = {}): { readonly uid: string } {
  return cluster.create(WIDGET, { apiVersion: 'example.com/v1', metadata: { name, ...metadata } }).metadata;
}

function owned(kind: string, name: string, uid: string, blockOwnerDeletion = false): object {
  return { ownerReferences: [{ apiVersion: 'example.com/v1', kind, name, uid, blockOwnerDeletion }] };
}

function names(cluster: Cluster, kind: Kind): readonly string[] {
  return cluster.list(kind).map(({ metadata }) => metadata.name);
}

test('what a custom object owns goes with it, and a custom object goes with its owner', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply(DEFINITIONS);
  await cluster.run({ limit: '1s' });
  const { uid: fleet } = cluster.create(FLEET, { apiVersion: 'example.com/v1', metadata: { name: 'f' } }).metadata;
  const { uid: first } = widget(cluster, 'first', owned('Fleet', 'f', fleet));
  cluster.create('Secret', { metadata: { name: 'of-first', ...owned('Widget', 'first', first) } });
  cluster.create('Secret', { metadata: { name: 'of-none' } });
  await cluster.run({ limit: '5s' });
  t.deepEqual(names(cluster, 'Secret'), ['of-first', 'of-none']);
  cluster.delete(FLEET, 'f');
  await cluster.run({ limit: '5s' });
  t.deepEqual([names(cluster, WIDGET), names(cluster, 'Secret')], [[], ['of-none']]);
  await cluster.dispose();
});

test('a foreground deletion of a custom object waits for what blocks it, orphans live on', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply(DEFINITIONS);
  const { uid } = widget(cluster, 'held');
  const finalizers = ['example.com/held'];
  cluster.create('Secret', { metadata: { name: 'blocks', finalizers, ...owned('Widget', 'held', uid, true) } });
  cluster.delete(WIDGET, 'held', { propagationPolicy: 'Foreground' });
  await cluster.run({ limit: '5s' });
  t.deepEqual(cluster.get(WIDGET, 'held').metadata.finalizers, ['foregroundDeletion']);
  t.not(cluster.get('Secret', 'blocks').metadata.deletionTimestamp, undefined);
  cluster.patch('Secret', 'blocks', { metadata: { finalizers: null } });
  await cluster.run({ limit: '5s' });
  t.deepEqual([names(cluster, WIDGET), names(cluster, 'Secret')], [[], []]);

  const { uid: next } = widget(cluster, 'next');
  cluster.create('Secret', { metadata: { name: 'lives', ...owned('Widget', 'next', next) } });
  cluster.delete(WIDGET, 'next', { propagationPolicy: 'Orphan' });
  await cluster.run({ limit: '5s' });
  t.deepEqual(names(cluster, WIDGET), []);
  t.is(cluster.get('Secret', 'lives').metadata.ownerReferences, undefined);
  await cluster.dispose();
});

test('a kind that goes with its definition and comes again is followed as before', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply(DEFINITIONS);
  const heard: string[] = [];
  cluster.watch(WIDGET).subscribe(({ type, object }) => heard.push(`${type} ${object.metadata.name}`));
  const { uid } = widget(cluster, 'old');
  cluster.create('Secret', { metadata: { name: 'of-old', ...owned('Widget', 'old', uid) } });
  await cluster.run({ limit: '2s' });
  cluster.delete('CustomResourceDefinition', 'widgets.example.com');
  await cluster.run({ limit: '10s' });
  t.deepEqual([names(cluster, 'Secret'), names(cluster, 'CustomResourceDefinition')], [[], ['fleets.example.com']]);

  cluster.apply(DEFINITIONS);
  const { uid: again } = widget(cluster, 'new');
  cluster.create('Secret', { metadata: { name: 'of-new', ...owned('Widget', 'new', again) } });
  await cluster.run({ limit: '40s' });
  cluster.delete(WIDGET, 'new');
  await cluster.run({ limit: '5s' });
  t.deepEqual(names(cluster, 'Secret'), []);
  t.deepEqual(heard, ['ADDED old', 'DELETED old', 'ADDED new', 'DELETED new']);
  await cluster.dispose();
});

test('a controller of a program reconciles custom objects, whose deployments go with them', async (t) => {
  const cluster = createCluster({ nodes: 3 });
  cluster.apply(DEFINITIONS);
  cluster.addController(
    defineController({
      name: 'widgets',
      setup(context) {
        context.watch(WIDGET, {
          onAdd: ({ metadata }) => context.queue.add(`${metadata.namespace}/${metadata.name}`),
          onUpdate: (_previous, { metadata }) => context.queue.add(`${metadata.namespace}/${metadata.name}`),
        });
      },
      async reconcile({ api }, key) {
        const ref = parseKey(key);
        const found = (await api.get(WIDGET, ref)) as { metadata: { uid: string }; spec: { replicas?: number } };
        const { replicas = 0 } = found.spec;
        const labels = { app: ref.name };
        await api.create('Deployment', {
          metadata: {
            namespace: ref.namespace ?? 'default',
            name: ref.name,
            ...owned('Widget', ref.name, found.metadata.uid, true),
          },
          spec: {
            replicas,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
          },
        });
        await api.patch(WIDGET, ref, { type: 'merge', body: { status: { made: replicas } } });
      },
    }),
  );
  cluster.create(WIDGET, { apiVersion: 'example.com/v1', metadata: { name: 'web' }, spec: { replicas: 2 } });
  await cluster.run({ limit: '30s', until: () => cluster.readyPods === 2 });
  t.is(cluster.readyPods, 2);
  t.deepEqual(cluster.get(WIDGET, 'web').status as unknown, { made: 2 });
  cluster.delete(WIDGET, 'web');
  await cluster.run({ limit: '1m' });
  t.deepEqual([names(cluster, 'Deployment'), names(cluster, 'ReplicaSet'), names(cluster, 'Pod')], [[], [], []]);
  await cluster.dispose();
});

test('a custom object is patched by a merge, and refuses a strategic one', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply(DEFINITIONS);
  widget(cluster, 'one');
  cluster.patch(WIDGET, 'one', { spec: { parts: [{ name: 'a' }] } });
  const patched = cluster.patch(WIDGET, 'one', { spec: { parts: [{ name: 'b' }] } });
  t.deepEqual(patched.spec as unknown, { parts: [{ name: 'b' }] });
  const error = t.throws(() => cluster.patch(WIDGET, 'one', {}, 'strategic'), { code: 415 } as object);
  t.regex(error?.message ?? '', /^the body of the request was in an unknown format - accepted media types include: /);
  await cluster.dispose();
});
