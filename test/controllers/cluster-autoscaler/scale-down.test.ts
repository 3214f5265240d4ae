import test from 'ava';
import type { Cluster } from '../../../src/index.js';
import { autoscaled, deploy, nodesOf, told } from './autoscaled-cluster.js';

/** The machines have registered. */
async function registered(cluster: Cluster): Promise<void> {
  await cluster.run({ limit: '5s' });
}

test('cluster autoscaler › empty nodes go once they have not been needed for ten minutes', async (t) => {
  const cluster = autoscaled(t, [{ count: 3 }]);
  deploy(cluster, 'a', 1, '1');
  await cluster.run({ limit: '10m' });
  t.is(nodesOf(cluster).length, 3);
  const marked = cluster
    .list('Node')
    .filter(({ spec }) => spec.taints?.some(({ key }) => key === 'DeletionCandidateOfClusterAutoscaler'));
  t.is(marked.length, 2);
  await cluster.run({ limit: '2m' });
  t.is(nodesOf(cluster).length, 1);
  t.is(cluster.readyPods, 1);
  t.is(told(cluster, 'ScaleDownEmpty').length, 4);
  // Upstream's recorder tells one event of an object and a reason in five minutes: of the removal nothing.
  t.deepEqual(told(cluster, 'ScaleDown'), ['marked the node as toBeDeleted/unschedulable']);
});

test('cluster autoscaler › a node that is hardly used is drained, one at a time, as budgets let it', async (t) => {
  const cluster = autoscaled(t, [{ count: 3 }]);
  const apart = {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { app: 'a' } },
      },
    ],
  };
  await registered(cluster);
  deploy(cluster, 'a', 3, '1', apart);
  const spec = { minAvailable: 2, selector: { matchLabels: { app: 'a' } } };
  cluster.create('PodDisruptionBudget', { metadata: { name: 'a' }, spec });
  await cluster.run({ limit: '40m' });
  t.is(nodesOf(cluster).length, 1);
  t.is(cluster.readyPods, 3);
  t.true(
    told(cluster, 'ScaleDown').some((text) => /^Scale-down: removing node web-\d, utilization: \{0\.25 /.test(text)),
  );
  t.true(told(cluster, 'ScaleDown').some((text) => /^Scale-down: node web-\d removed with drain$/.test(text)));
  t.true(told(cluster, 'ScaleDown').includes('deleting pod for node scale down'));
});

const BARE = { containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '100m' } } }] };
const BLOCKERS: readonly (readonly [string, (cluster: Cluster, nodeName: string) => void])[] = [
  [
    'a pod of no controller',
    (cluster, nodeName) => void cluster.create('Pod', { metadata: { name: 'bare' }, spec: { ...BARE, nodeName } }),
  ],
  [
    'a pod that no other node would take',
    (cluster, nodeName) => deploy(cluster, 'b', 1, '100m', { nodeSelector: { 'kubernetes.io/hostname': nodeName } }),
  ],
  [
    'a note on the node',
    (cluster, nodeName) =>
      void cluster.patch(
        'Node',
        { name: nodeName },
        {
          metadata: { annotations: { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' } },
        },
      ),
  ],
];

for (const [what, block] of BLOCKERS) {
  test(`cluster autoscaler › ${what} keeps a node`, async (t) => {
    const cluster = autoscaled(t, [{ count: 3 }]);
    await registered(cluster);
    block(cluster, 'web-1');
    await cluster.run({ limit: '15m' });
    t.deepEqual(nodesOf(cluster), ['web-1']);
  });
}

function pinned(index: number): object {
  return { nodeSelector: { 'kubernetes.io/hostname': `web-${index}` } };
}

test('cluster autoscaler › pods with local storage, of the system, or with a note keep their nodes, until they may go', async (t) => {
  const cluster = autoscaled(t, [{ count: 4, autoscaling: { min: 0, max: 5 } }]);
  await registered(cluster);
  const owned = (name: string, namespace: string, spec: object, annotations = {}): void => {
    const labels = { app: name };
    const template = { metadata: { labels, annotations }, spec: { ...BARE, ...spec } };
    cluster.create('ReplicaSet', {
      metadata: { name, namespace },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
  };
  owned('scratch', 'default', { ...pinned(0), volumes: [{ name: 'tmp', emptyDir: {} }] });
  owned('dns', 'kube-system', {});
  const SAFE = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
  owned('careful', 'default', pinned(2), { [SAFE]: 'false' });
  owned('harmless', 'default', { volumes: [{ name: 'tmp', emptyDir: {} }] }, { [SAFE]: 'true' });
  await cluster.run({ limit: '50m' });
  const system = cluster.list('Pod', { namespace: 'kube-system' })[0]?.spec.nodeName ?? '';
  t.deepEqual(nodesOf(cluster), [...new Set(['web-0', 'web-2', system])].toSorted());
  await cluster.run({ limit: '30m' });
  t.deepEqual(nodesOf(cluster), ['web-0', 'web-2'], 'pods of the system are moved after an hour');
});

test('cluster autoscaler › an autoscaler that was cut off takes back the marks of the one before', async (t) => {
  const cluster = autoscaled(t, [{ count: 2 }], { clusterAutoscaler: { nodeDeleteDelayAfterTaint: '2m' } });
  deploy(cluster, 'a', 1, '1');
  const isMarked = (): boolean =>
    cluster.list('Node').some(({ spec }) => spec.taints?.some(({ key }) => key === 'ToBeDeletedByClusterAutoscaler'));
  t.is((await cluster.run({ until: isMarked, limit: '15m' })).end, 'done');
  cluster.faults.inject({ cut: { component: 'cluster-autoscaler' }, for: '1m' });
  await cluster.run({ limit: '3m' });
  t.is(nodesOf(cluster).length, 2, 'what it had begun ended with it');
  t.true(
    told(cluster, 'ClusterAutoscalerCleanup').some((text) => text.startsWith('removed ToBeDeletedByClusterAutoscaler')),
  );
  await cluster.run({ limit: '15m' });
  t.is(nodesOf(cluster).length, 1);
});

test('cluster autoscaler › nothing is done while too many nodes are unready', async (t) => {
  const cluster = autoscaled(t, [{ count: 6, autoscaling: { min: 1, max: 20 } }]);
  await cluster.run({ limit: '20m', until: () => cluster.nowMs > 9 * 60_000 });
  for (const node of ['web-0', 'web-1', 'web-2', 'web-3']) cluster.faults.powerOff(node);
  await cluster.run({ limit: '16m' });
  t.true(told(cluster, 'ClusterUnhealthy').includes('Cluster is unhealthy'));
});

test('cluster autoscaler › what it knows of nodes stays with them while most others go, and new ones come', async (t) => {
  const cluster = autoscaled(t, [{ count: 120, autoscaling: { min: 2, max: 200 } }], {
    clusterAutoscaler: { scaleDownUnneededTime: '2m', scaleDownDelayAfterAdd: '1m', maxScaleDownParallelism: 25 },
  });
  const used = (): readonly string[] =>
    [...new Set(cluster.list('Pod').map(({ spec }) => spec.nodeName ?? ''))].toSorted();
  const counts = (): string | undefined =>
    /nodeGroups:[^]*registered:\n +total: (\d+)\n +ready: (\d+)/
      .exec(cluster.get('ConfigMap', 'kube-system/cluster-autoscaler-status')?.data?.['status'] ?? '')
      ?.slice(1)
      .join(' of ');
  deploy(cluster, 'a', 20, '2500m');
  await cluster.run({ limit: '6m' });
  t.deepEqual(nodesOf(cluster), used());
  t.is(counts(), '20 of 20');
  cluster.scale('Deployment', { namespace: 'default', name: 'a' }, 45);
  await cluster.run({ limit: '3m' });
  t.is(nodesOf(cluster).length, 45);
  t.is(cluster.readyPods, 45);
  const [kept = ''] = nodesOf(cluster);
  const annotations = { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' };
  cluster.patch('Node', kept, { metadata: { annotations } });
  cluster.scale('Deployment', { namespace: 'default', name: 'a' }, 5);
  await cluster.run({ limit: '6m' });
  t.deepEqual(nodesOf(cluster), [...new Set([kept, ...used()])].toSorted());
  t.is(counts(), `${nodesOf(cluster).length} of ${nodesOf(cluster).length}`);
});

test('cluster autoscaler › nodes that are there count from when their pool is autoscaled', async (t) => {
  const cluster = autoscaled(t, [{}], { clusterAutoscaler: { scaleDownUnneededTime: '1m' } });
  const shape = { namePrefix: 'own-', capacity: { cpu: '4', memory: '16Gi', pods: '110' } };
  cluster.create('NodePool', { metadata: { name: 'own' }, spec: { ...shape, count: 4 } });
  await cluster.run({ limit: '5m' });
  t.is(nodesOf(cluster).length, 5);
  cluster.patch('NodePool', 'own', { spec: { autoscaling: { min: 1, max: 5 } } });
  await cluster.run({ limit: '5m' });
  t.deepEqual(nodesOf(cluster), ['own-0', 'web-0']);
});

test('cluster autoscaler › the same seed gives the same trace', async (t) => {
  const hashes: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const cluster = autoscaled(t, [{}], { seed: 'again' });
    deploy(cluster, 'a', 6, '1500m');
    await cluster.run({ limit: '5m' });
    cluster.scale('Deployment', { namespace: 'default', name: 'a' }, 1);
    await cluster.run({ limit: '25m' });
    hashes.push(cluster.traceHash);
  }
  t.is(hashes[0], hashes[1]);
});
