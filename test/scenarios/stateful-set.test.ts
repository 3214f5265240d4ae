/** Stateful sets with real kubelets, the scheduler and partitions, through the public door. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, runScene, type Cluster, type Draft } from '../../src/index.js';

const RUNTIME = { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 1000 };
const LABELS = { app: 'db' };

function setDraft(replicas: number, spec: object = {}): Draft {
  const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'db', image: 'db' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: { serviceName: 'db', replicas, selector: { matchLabels: LABELS }, template, ...spec },
  };
}

/** A set of three on four nodes, and the node of its first pod. */
async function createScene(t: ExecutionContext): Promise<{ readonly cluster: Cluster; readonly node: string }> {
  const cluster = createCluster({ nodes: 4, seed: 9, runtime: RUNTIME });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.create('StatefulSet', setDraft(3));
  await cluster.run({ until: { readyPods: 3 }, limit: '5m' });
  return { cluster, node: cluster.get('Pod', 'db-0').spec.nodeName ?? '' };
}

/** Names of the pods and where they are, those that are on their way out in brackets. */
function pods(cluster: Cluster): string[] {
  return cluster.list('Pod', { labelSelector: 'app=db' }).map(({ metadata }) => {
    return metadata.deletionTimestamp === undefined ? metadata.name : `(${metadata.name})`;
  });
}

test('9.5 › a partition holds up a set without limit: no second pod of a name, and no split brain', async (t) => {
  const { cluster, node } = await createScene(t);
  const { uid } = cluster.get('Pod', 'db-0').metadata;
  const partition = cluster.faults.cut({ node });
  await cluster.run({ limit: '24h' });
  t.true(pods(cluster).includes('(db-0)'));
  t.is(cluster.get('Pod', 'db-0').metadata.uid, uid);
  t.is(cluster.truth.processes('db-0').length, 1);
  cluster.scale('StatefulSet', 'db', 5);
  await cluster.run({ limit: '10m' });
  t.is(cluster.list('Pod').length, 3);
  partition.heal();
  await cluster.run({ until: { readyPods: 5 }, limit: '10m' });
  t.deepEqual(pods(cluster), ['db-0', 'db-1', 'db-2', 'db-3', 'db-4']);
  t.not(cluster.get('Pod', 'db-0').metadata.uid, uid);
  t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 0, splitBrains: 0 });
});

test('9.4 › deleting the node of a partitioned pod lets the set replace it, at the operator’s risk', async (t) => {
  const { cluster, node } = await createScene(t);
  const { uid } = cluster.get('Pod', 'db-0').metadata;
  cluster.faults.cut({ node });
  await cluster.run({ limit: '10m' });
  cluster.delete('Node', node);
  await cluster.run({ until: { readyPods: 3 }, limit: '10m' });
  t.deepEqual(pods(cluster), ['db-0', 'db-1', 'db-2']);
  t.not(cluster.get('Pod', 'db-0').metadata.uid, uid);
  t.not(cluster.get('Pod', 'db-0').spec.nodeName, node);
  t.true(cluster.truth.counts.splitBrains >= 1);
});

test('7.3.1 › the pods of a headless service can be told apart by their host names', async (t) => {
  const { cluster } = await createScene(t);
  cluster.create('Service', {
    metadata: { name: 'db' },
    spec: { clusterIP: 'None', selector: LABELS, ports: [{ port: 5432 }] },
  });
  await cluster.run({ limit: '10s' });
  const [slice] = cluster.list('EndpointSlice', { labelSelector: 'kubernetes.io/service-name=db' });
  const hostnames = (slice?.endpoints ?? []).map(({ hostname }) => hostname);
  t.deepEqual(new Set(hostnames), new Set(['db-0', 'db-1', 'db-2']));
});

test('kubeloom run › waits for stateful sets, and says which of them is not up', async (t) => {
  const cluster = createCluster({ nodes: 2, seed: 9, runtime: RUNTIME });
  t.teardown(() => cluster.dispose());
  const result = await runScene(cluster, { objects: [setDraft(3)] }, { limit: '5m' });
  t.deepEqual(result, { isReached: true, goal: 'every workload is up', missing: [], ignoredKinds: [] });
  t.is(cluster.readyPods, 3);
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nowhere() } };
  const stuck = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'x', image: 'x' }], affinity } };
  const draft = setDraft(2, { selector: { matchLabels: { app: 'x' } }, template: stuck });
  const failed = await runScene(cluster, { objects: [{ ...draft, metadata: { name: 'x' } }] }, { limit: '5m' });
  t.deepEqual([failed.isReached, failed.missing], [false, ['StatefulSet default/x: 0 of 2 replicas available']]);
});

function nowhere(): object {
  return { nodeSelectorTerms: [{ matchExpressions: [{ key: 'nowhere', operator: 'Exists' }] }] };
}
