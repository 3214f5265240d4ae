import test from 'ava';
import { createCluster } from '../../src/index.js';

const pod = (name: string, image = 'busybox'): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec: { containers: [{ name: c, image: ${JSON.stringify(image)} }] }
`;

const service = (labels: string, ports: string): string =>
  `{apiVersion: v1, kind: Service, metadata: {name: s, labels: ${labels}}, spec: {selector: {a: b}, ports: ${ports}}}`;

test('Cluster.apply › creates, leaves alone what is the same, and configures what differs', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const actions = (text: string): readonly string[] => cluster.apply(text).map(({ action }) => action);
  t.deepEqual(actions(pod('a')), ['created']);
  t.deepEqual(actions(pod('a')), ['unchanged']);
  t.deepEqual(actions(pod('a', 'busybox:2')), ['configured']);
  t.is(cluster.get('Pod', 'a').spec.containers[0]?.image, 'busybox:2');
  await cluster.dispose();
});

test('Cluster.apply › removes what the last manifest had and this one has not', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply(service('{one: "1", two: "2"}', '[{name: x, port: 1}, {name: z, port: 2}]'));
  cluster.patch('Service', 's', { metadata: { labels: { mine: 'kept' } } });
  cluster.apply(service('{two: "2"}', '[{name: z, port: 2}]'));
  const { metadata, spec } = cluster.get('Service', 's');
  t.deepEqual(metadata.labels, { two: '2', mine: 'kept' });
  t.deepEqual(
    spec.ports?.map(({ port }) => port),
    [2],
  );
  await cluster.dispose();
});

test('Cluster.apply › lists kinds that are not simulated instead of failing', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const applied = cluster.apply(
    `${pod('a')}---\n{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: m}}\n`,
  );
  t.deepEqual(
    applied.map((result) =>
      result.action === 'ignored' ? [result.action, result.ignored.kind, result.ignored.name] : result.action,
    ),
    ['created', ['ignored', 'Gateway', 'm']],
  );
  await cluster.dispose();
});

test('Cluster.apply › writes nothing when one of several objects is refused', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const before = cluster.traceHash;
  const error = t.throws(() => cluster.apply(`${pod('a')}---${pod('b', '')}`));
  t.is(error.message, 'Pod "b" is invalid: spec.containers[0].image: Required value');
  t.deepEqual(cluster.list('Pod'), []);
  t.is(cluster.traceHash, before);
  await cluster.dispose();
});

test('Cluster.apply › creates a namespace before what lives in it, whatever their order', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply(
    `${pod('a').replace('name: a', 'name: a, namespace: team')}---\n{apiVersion: v1, kind: Namespace, metadata: {name: team}}\n`,
  );
  t.is(cluster.get('Pod', 'team/a').metadata.namespace, 'team');
  await cluster.dispose();
});

test('Cluster.apply › with dryRun says what would happen and writes nothing', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const before = cluster.traceHash;
  t.deepEqual(
    cluster.apply(pod('a'), { dryRun: true }).map(({ action }) => action),
    ['created'],
  );
  t.deepEqual(cluster.list('Pod'), []);
  t.is(cluster.traceHash, before);
  t.throws(() => cluster.apply(pod('b', ''), { dryRun: true }), { name: 'ApiError' });
  await cluster.dispose();
});

test('Cluster.create › freezes the draft that it shares', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const draft = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };
  cluster.create('Pod', draft);
  t.throws(
    () => {
      draft.spec.containers[0] = { name: 'c', image: 'other' };
    },
    { instanceOf: TypeError },
  );
  t.is(cluster.get('Pod', 'a').spec.containers[0]?.image, 'busybox');
  await cluster.dispose();
});

test('Cluster.apply › takes what others name first, wherever it stands in the manifest', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const documents = [
    `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: team}, spec: {serviceAccountName: runner,
      priorityClassName: high, containers: [{name: c, image: x}]}}`,
    '{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d, namespace: team}, spec: {accessModes: [ReadWriteOnce], storageClassName: disk, resources: {requests: {storage: 1Gi}}}}',
    '{apiVersion: v1, kind: ServiceAccount, metadata: {name: runner, namespace: team}}',
    '{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: disk.example.com}',
    '{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}',
    '{apiVersion: v1, kind: Namespace, metadata: {name: team}}',
  ];
  t.deepEqual(
    cluster.apply(documents.join('\n---\n')).map((result) => (result.action === 'ignored' ? '' : result.object.kind)),
    ['Namespace', 'StorageClass', 'PriorityClass', 'ServiceAccount', 'PersistentVolumeClaim', 'Pod'],
  );
  t.is(cluster.get('Pod', 'team/p').spec.priority, 7);
  await cluster.dispose();
});
