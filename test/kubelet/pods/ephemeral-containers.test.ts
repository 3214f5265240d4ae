/** Containers that are added to a running pod, as `kubectl debug` does: each runs once, beside those of the pod. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster } from '../../../src/index.js';

const QUICK = { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 0 };

async function withPod(t: ExecutionContext, spec: object = {}): Promise<Cluster> {
  const cluster = createCluster({ nodes: 1, runtime: QUICK });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.create('Pod', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'app' }], ...spec } });
  await cluster.run({ limit: '2s' });
  return cluster;
}

async function debug(cluster: Cluster, ...containers: readonly object[]): Promise<void> {
  const { status } = cluster.request({
    method: 'PATCH',
    path: '/api/v1/namespaces/default/pods/p/ephemeralcontainers',
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: { spec: { ephemeralContainers: containers } },
  });
  if (status !== 200) throw new Error(`the patch must be taken, got ${status}`);
  await cluster.run({ limit: '2s' });
}

const statuses = (cluster: Cluster): readonly object[] =>
  cluster.get('Pod', 'p')?.status.ephemeralContainerStatuses ?? [];

test('an ephemeral container starts beside those that run, and neither restarts nor makes ready', async (t) => {
  const cluster = await withPod(t);
  const before = cluster.get('Pod', 'p')?.status;
  await debug(cluster, { name: 'look', image: 'busybox', command: ['sh', '-c', 'echo seen; sleep 5; exit 3'] });
  const [running] = statuses(cluster);
  t.like(running, { name: 'look', ready: false, restartCount: 0, lastState: {} });
  t.deepEqual(Object.keys((running as { readonly state: object }).state), ['running']);
  t.false('started' in (running as object));
  t.is(cluster.logs('p', { container: 'look' }), 'seen\n');
  await cluster.run({ limit: '1m' });
  t.like(statuses(cluster)[0], { state: { terminated: { exitCode: 3, reason: 'Error' } }, restartCount: 0 });
  const after = cluster.get('Pod', 'p')?.status;
  t.is(after?.phase, 'Running');
  t.deepEqual(after?.containerStatuses, before?.containerStatuses);
  const told = cluster
    .list('Event')
    .filter(({ involvedObject }) => involvedObject.fieldPath === 'spec.ephemeralContainers{look}')
    .map(({ reason }) => reason);
  t.deepEqual(told, ['Pulling', 'Pulled', 'Created', 'Started']);
});

test('ephemeral containers start where init containers do not come to an end', async (t) => {
  const cluster = await withPod(t, { initContainers: [{ name: 'i', image: 'busybox', command: ['sleep', '3600'] }] });
  await debug(cluster, { name: 'look', image: 'busybox', command: ['sleep', '60'] });
  const [running] = statuses(cluster) as { readonly name: string; readonly state: object }[];
  t.deepEqual([running?.name, Object.keys(running?.state ?? {})], ['look', ['running']]);
  t.is(cluster.get('Pod', 'p')?.status.phase, 'Pending');
});

test('a pod that is done, or deleted, takes its ephemeral containers along', async (t) => {
  const cluster = await withPod(t, {
    restartPolicy: 'Never',
    containers: [{ name: 'c', image: 'busybox', command: ['sleep', '10'] }],
  });
  await debug(cluster, { name: 'look', image: 'busybox', command: ['sleep', '3600'] });
  await cluster.run({ limit: '2m' });
  t.is(cluster.get('Pod', 'p')?.status.phase, 'Succeeded');
  t.like(statuses(cluster)[0], { state: { terminated: { exitCode: 137 } } });
  cluster.delete('Pod', 'p');
  await cluster.run({ limit: '1m' });
  t.deepEqual(cluster.list('Pod'), []);
});

test('a kubelet that starts anew finds ephemeral containers as they are', async (t) => {
  const cluster = await withPod(t);
  await debug(cluster, { name: 'one', image: 'busybox', command: ['sleep', '3600'] });
  const [before] = statuses(cluster);
  const stopped = cluster.faults.stopKubelet('node-0');
  await cluster.run({ limit: '5s' });
  stopped.heal();
  await cluster.run({ limit: '1m' });
  t.deepEqual(statuses(cluster), [before]);
  const { spec } = cluster.get('Pod', 'p') ?? {};
  await debug(cluster, ...(spec?.ephemeralContainers ?? []), { name: 'two', image: 'busybox', command: ['true'] });
  t.like(statuses(cluster)[1], { name: 'two', state: { terminated: { exitCode: 0 } } });
});
