/** Manifests with parts that name each other, as users apply them: in any order, and some of it later. */
import test from 'ava';
import { createCluster, type Cluster } from '../../src/index.js';

const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: team }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      serviceAccountName: runner
      imagePullSecrets: [{ name: registry }]
      containers:
        - name: web
          image: nginx
          envFrom: [{ configMapRef: { name: settings } }]
          env: [{ name: PASSWORD, valueFrom: { secretKeyRef: { name: keys, key: password } } }]
          volumeMounts: [{ name: keys, mountPath: /keys }]
      volumes: [{ name: keys, secret: { secretName: keys } }]
`;
const KEYS = '{apiVersion: v1, kind: Secret, metadata: {name: keys, namespace: team}, stringData: {password: x}}';
const SETTINGS = '{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: team}, data: {a: b}}';
const ACCOUNT = '{apiVersion: v1, kind: ServiceAccount, metadata: {name: runner, namespace: team}}';
const NAMESPACE = '{apiVersion: v1, kind: Namespace, metadata: {name: team}}';

/** A cluster with such a manifest, after some time. */
async function played(documents: readonly string[], limit: string): Promise<Cluster> {
  const cluster = createCluster({ nodes: 3, seed: 1 });
  await cluster.ready();
  cluster.apply(documents.join('\n---\n'));
  await cluster.run({ until: () => cluster.readyPods === 2, limit: limit as '1m' });
  return cluster;
}

/** What the containers wait for, each reason once. */
function waiting(cluster: Cluster): readonly string[] {
  const reasons = cluster
    .list('Pod', { namespace: 'team' })
    .flatMap(({ status }) => status.containerStatuses ?? [])
    .map(({ state }) => `${state?.waiting?.reason ?? 'none'}: ${state?.waiting?.message ?? ''}`);
  return [...new Set(reasons)];
}

function warnings(cluster: Cluster): ReadonlySet<string> {
  const events = cluster.list('Event', { namespace: 'team' }).filter(({ type }) => type === 'Warning');
  return new Set(events.map(({ reason, message }) => `${reason ?? ''}: ${message ?? ''}`));
}

test('a manifest that is whole › comes up in any order', async (t) => {
  const cluster = await played([WEB, SETTINGS, KEYS, ACCOUNT, NAMESPACE], '2m');
  t.is(cluster.readyPods, 2);
  t.deepEqual(
    [...warnings(cluster)],
    [
      'FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (registry); attempting to pull the image may not succeed.',
    ],
  );
  await cluster.dispose();
});

test('a manifest without its secret and its config map › waits for the one, then for the other, and says so', async (t) => {
  const cluster = await played([WEB, ACCOUNT, NAMESPACE], '1m');
  t.deepEqual(waiting(cluster), ['ContainerCreating: ']);
  t.true(warnings(cluster).has('FailedMount: MountVolume.SetUp failed for volume "keys" : secret "keys" not found'));
  cluster.apply(KEYS);
  await cluster.run({ limit: '3m' });
  t.deepEqual(waiting(cluster), ['CreateContainerConfigError: configmap "settings" not found']);
  t.true(warnings(cluster).has('Failed: Error: configmap "settings" not found'));
  cluster.apply(SETTINGS);
  const { end } = await cluster.run({ until: () => cluster.readyPods === 2, limit: '30s' });
  t.is(end, 'done');
  await cluster.dispose();
});

test('a secret without the key of a variable › CreateContainerConfigError names it', async (t) => {
  const keys = KEYS.replace('password: x', 'other: x');
  const cluster = await played([WEB, SETTINGS, keys, ACCOUNT, NAMESPACE], '1m');
  t.deepEqual(waiting(cluster), ["CreateContainerConfigError: couldn't find key password in Secret team/keys"]);
  await cluster.dispose();
});
