/** What every namespace has, and what the pods in it get by it. */
import test from 'ava';
import { createCluster, keyOf, type Cluster, type ClusterOptions, type KindMap } from '../../src/index.js';

const POD = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The object, if it is there. */
function find<K extends 'ServiceAccount' | 'ConfigMap' | 'Service' | 'EndpointSlice' | 'Namespace'>(
  cluster: Cluster,
  kind: K,
  key: string,
): KindMap[K] | undefined {
  return cluster.list(kind).find((object) => keyOf(object) === key);
}

async function readyCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = createCluster({ nodes: 1, seed: 1, ...options });
  await cluster.ready();
  return cluster;
}

test('every namespace › has its account and the certificate of the API server, those of the system from the start', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const namesIn = (kind: 'ServiceAccount' | 'ConfigMap'): readonly string[] =>
    cluster.list(kind).map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
  const system = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
  t.deepEqual(
    namesIn('ServiceAccount'),
    system.map((name) => `${name}/default`),
  );
  t.deepEqual(
    namesIn('ConfigMap'),
    system.map((name) => `${name}/kube-root-ca.crt`),
  );
  cluster.create('Namespace', { metadata: { name: 'team' } });
  await cluster.run({ limit: '1s' });
  t.true(namesIn('ServiceAccount').includes('team/default'));
  t.true(namesIn('ConfigMap').includes('team/kube-root-ca.crt'));
  await cluster.dispose();
});

test('every namespace › gets back what was deleted, and what was changed', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const before = cluster.get('ConfigMap', 'kube-root-ca.crt').data;
  cluster.delete('ServiceAccount', 'default');
  cluster.delete('ConfigMap', 'kube-root-ca.crt');
  cluster.patch('ConfigMap', 'kube-public/kube-root-ca.crt', { data: { 'ca.crt': 'mine', more: 'x' } });
  await cluster.run({ limit: '1s' });
  t.truthy(find(cluster, 'ServiceAccount', 'default/default'));
  t.deepEqual(find(cluster, 'ConfigMap', 'default/kube-root-ca.crt')?.data, before);
  t.deepEqual(cluster.get('ConfigMap', 'kube-public/kube-root-ca.crt').data, before);
  await cluster.dispose();
});

test('a namespace that is deleted › goes with what it had from the start', async (t) => {
  const cluster = await readyCluster();
  cluster.create('Namespace', { metadata: { name: 'team' } });
  await cluster.run({ limit: '1s' });
  cluster.delete('Namespace', 'team');
  await cluster.run({ limit: '1m' });
  t.is(find(cluster, 'Namespace', 'team'), undefined);
  t.is(find(cluster, 'ConfigMap', 'team/kube-root-ca.crt'), undefined);
  t.is(find(cluster, 'ServiceAccount', 'team/default'), undefined);
  await cluster.dispose();
});

test('the service kubernetes › is there with its slice, and comes back within 10 s', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const { spec } = cluster.get('Service', 'kubernetes');
  t.is(spec.clusterIP, '10.96.0.1');
  t.deepEqual(
    spec.ports?.map(({ name, port, targetPort }) => [name, port, targetPort]),
    [['https', 443, 6443]],
  );
  t.is(cluster.get('EndpointSlice', 'kubernetes').endpoints[0]?.addresses.length, 1);
  await cluster.run({ limit: '3s' });
  cluster.delete('Service', 'kubernetes');
  cluster.delete('EndpointSlice', 'kubernetes');
  await cluster.run({ limit: '6s' });
  t.is(find(cluster, 'Service', 'default/kubernetes'), undefined);
  await cluster.run({ limit: '2s' });
  t.is(find(cluster, 'Service', 'default/kubernetes')?.spec.clusterIP, '10.96.0.1');
  t.truthy(find(cluster, 'EndpointSlice', 'default/kubernetes'));
  await cluster.dispose();
});

test('a pod › acts as the account of its namespace, and each container mounts what proves it', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const own = { name: 'own', mountPath: TOKEN_PATH };
  const { spec } = cluster.create('Pod', {
    metadata: { name: 'p' },
    spec: {
      initContainers: [{ name: 'i', image: 'x' }],
      containers: [
        { name: 'c', image: 'x' },
        { name: 'd', image: 'x', volumeMounts: [own] },
      ],
      volumes: [{ name: 'own', emptyDir: {} }],
    },
  });
  t.is(spec.serviceAccountName, 'default');
  const [, volume] = spec.volumes ?? [];
  const name = volume?.name ?? '';
  t.regex(name, /^kube-api-access-[a-z0-9]{5}$/);
  t.deepEqual(volume?.projected, {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
  });
  const mount = { name, readOnly: true, mountPath: TOKEN_PATH };
  t.deepEqual(spec.initContainers?.[0]?.volumeMounts, [mount]);
  t.deepEqual(
    spec.containers.map(({ volumeMounts }) => volumeMounts),
    [[mount], [own]],
  );
  await cluster.dispose();
});

test('automountServiceAccountToken › of the pod counts more than that of its account', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.create('ServiceAccount', { metadata: { name: 'quiet' }, automountServiceAccountToken: false });
  const hasVolume = (name: string, spec: object): boolean =>
    cluster.create('Pod', { metadata: { name }, spec: { ...POD.spec, ...spec } }).spec.volumes !== undefined;
  t.false(hasVolume('a', { automountServiceAccountToken: false }));
  t.false(hasVolume('b', { serviceAccountName: 'quiet' }));
  t.true(hasVolume('c', { serviceAccountName: 'quiet', automountServiceAccountToken: true }));
  await cluster.dispose();
});

test('imagePullSecrets of an account › are those of its pods that name none', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.patch('ServiceAccount', 'default', { imagePullSecrets: [{ name: 'registry' }] });
  const secretsOf = (name: string, spec: object): unknown =>
    cluster.create('Pod', { metadata: { name }, spec: { ...POD.spec, ...spec } }).spec.imagePullSecrets;
  t.deepEqual(secretsOf('a', {}), [{ name: 'registry' }]);
  t.deepEqual(secretsOf('b', { imagePullSecrets: [{ name: 'mine' }] }), [{ name: 'mine' }]);
  await cluster.dispose();
});

test('an account that is not there › its pods are refused, and let in once it is', async (t) => {
  const cluster = await readyCluster();
  t.throws(() => cluster.create('Pod', { ...POD, spec: { ...POD.spec, serviceAccountName: 'runner' } }), {
    name: 'ApiError',
    message:
      'pods "p" is forbidden: error looking up service account default/runner: serviceaccount "runner" not found',
  });
  cluster.create('ReplicaSet', {
    metadata: { name: 'r' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { ...POD.spec, serviceAccountName: 'runner' } },
    },
  });
  await cluster.run({ limit: '30s' });
  t.true(
    cluster
      .list('Event')
      .some(({ reason, message = '' }) => reason === 'FailedCreate' && message.includes('"runner" not found')),
  );
  cluster.create('ServiceAccount', { metadata: { name: 'runner' } });
  const { end } = await cluster.run({ until: () => cluster.readyPods === 1, limit: '5m' });
  t.is(end, 'done');
  await cluster.dispose();
});

test('a new namespace › takes pods before its account is there, as a request would wait for it', async (t) => {
  const cluster = await readyCluster();
  cluster.apply([
    { apiVersion: 'v1', kind: 'Pod', ...POD, metadata: { name: 'p', namespace: 'team' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
  ]);
  const { end } = await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' });
  t.is(end, 'done');
  await cluster.dispose();
});

test('without the service account controller › a namespace of its own takes no pods, two seconds after it was made', async (t) => {
  const cluster = await readyCluster();
  cluster.faults.stopController('serviceaccount-controller');
  cluster.create('Namespace', { metadata: { name: 'team' } });
  await cluster.run({ limit: '3s' });
  t.throws(() => cluster.create('Pod', { ...POD, metadata: { name: 'p', namespace: 'team' } }), {
    message: 'pods "p" is forbidden: error looking up service account team/default: serviceaccount "default" not found',
  });
  await cluster.dispose();
});

test('without the certificate of the API server › a pod cannot start, and says so', async (t) => {
  const cluster = await readyCluster();
  cluster.faults.stopController('root-ca-certificate-publisher-controller');
  cluster.delete('ConfigMap', 'kube-root-ca.crt');
  cluster.create('Pod', POD);
  await cluster.run({ limit: '30s' });
  t.is(cluster.get('Pod', 'p').status.containerStatuses?.[0]?.state?.waiting?.reason, 'ContainerCreating');
  t.true(
    cluster
      .list('Event')
      .some(({ message = '' }) =>
        /^MountVolume\.SetUp failed for volume "kube-api-access-\w+" : configmap "kube-root-ca\.crt" not found$/.test(
          message,
        ),
      ),
  );
  await cluster.dispose();
});

test('a cluster that does not run the service account controller › has no accounts, and pods get no volume', async (t) => {
  const cluster = createCluster({ nodes: 0, controllers: ['replicaset-controller'] });
  t.deepEqual(cluster.list('ServiceAccount'), []);
  t.deepEqual(cluster.list('ConfigMap'), []);
  cluster.create('Namespace', { metadata: { name: 'team' } });
  await cluster.run({ limit: '5s' });
  const { spec } = cluster.create('Pod', { ...POD, metadata: { name: 'p', namespace: 'team' } });
  t.is(spec.volumes, undefined);
  t.is(spec.serviceAccountName, 'default');
  await cluster.dispose();
});
