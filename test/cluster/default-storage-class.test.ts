/** Claims that name no class, as users of kind and minikube know it. */
import test from 'ava';
import { createCluster } from '../../src/index.js';

const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const SET = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  replicas: 3
  serviceName: db
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec: { containers: [{ name: db, image: postgres, volumeMounts: [{ name: data, mountPath: /data }] }] }
  volumeClaimTemplates: [{ metadata: { name: data }, spec: ${JSON.stringify(CLAIM)} }]
`;

test('a StatefulSet with claims that name no class › comes up, each pod with a volume of its own', async (t) => {
  const cluster = createCluster({ nodes: 3, seed: 1 });
  await cluster.ready();
  cluster.apply(SET);
  const { end } = await cluster.run({ until: () => cluster.readyPods === 3, limit: '10m' });
  t.is(end, 'done');
  const claims = cluster.list('PersistentVolumeClaim');
  t.deepEqual(
    claims.map(({ metadata, spec, status }) => [metadata.name, spec.storageClassName, status.phase]),
    [0, 1, 2].map((ordinal) => [`data-db-${ordinal}`, 'standard', 'Bound']),
  );
  t.is(new Set(claims.map(({ spec }) => spec.volumeName)).size, 3);
  await cluster.dispose();
});

test('the class standard › is the default one, and binds when there is a consumer', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const { metadata, volumeBindingMode, reclaimPolicy } = cluster.get('StorageClass', 'standard');
  t.is(metadata.annotations?.['storageclass.kubernetes.io/is-default-class'], 'true');
  t.is(volumeBindingMode, 'WaitForFirstConsumer');
  t.is(reclaimPolicy, 'Delete');
  await cluster.dispose();
});

test('defaultStorageClass: false › there is none, and claims that name no class keep none', async (t) => {
  const cluster = createCluster({ nodes: 1, defaultStorageClass: false });
  await cluster.ready();
  t.deepEqual(cluster.list('StorageClass'), []);
  t.is(
    cluster.create('PersistentVolumeClaim', { metadata: { name: 'c' }, spec: CLAIM }).spec.storageClassName,
    undefined,
  );
  await cluster.run({ limit: '5s' });
  t.true(
    cluster
      .list('Event')
      .some(({ message }) => message === 'no persistent volumes available for this claim and no storage class is set'),
  );
  await cluster.dispose();
});

test('a claim that says that it wants no class › gets none', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const spec = { ...CLAIM, storageClassName: '' };
  t.is(cluster.create('PersistentVolumeClaim', { metadata: { name: 'c' }, spec }).spec.storageClassName, '');
  await cluster.dispose();
});

test('of several default classes › the newest counts, and of equals the first by name', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  await cluster.run({ limit: '5s' });
  for (const name of ['b', 'a'])
    cluster.create('StorageClass', { metadata: { name, annotations }, provisioner: 'x.y' });
  t.is(cluster.create('PersistentVolumeClaim', { metadata: { name: 'c' }, spec: CLAIM }).spec.storageClassName, 'a');
  await cluster.dispose();
});

test('defaultStorageClass › is true or false', (t) => {
  t.throws(() => createCluster({ defaultStorageClass: 'standard' as unknown as boolean }), {
    message: 'defaultStorageClass must be true or false, got "standard"',
  });
});
