import test from 'ava';
import { createCluster, type Draft } from '../../../src/index.js';
import { autoscaled, CAPACITY, deploy, nodesOf, told } from './autoscaled-cluster.js';

test('cluster autoscaler › pods without a place get as many nodes as they need, and say which', async (t) => {
  const cluster = autoscaled(t, [{}, { namePrefix: 'none-', count: 0, autoscaling: { max: 0 } }]);
  deploy(cluster, 'a', 6, '1500m');
  await cluster.run({ limit: '20s' });
  t.deepEqual(nodesOf(cluster), ['web-0'], 'machines take their time');
  t.deepEqual(told(cluster, 'TriggeredScaleUp'), ['pod triggered scale-up: [{web 1->3 (max: 5)}]']);
  t.deepEqual(told(cluster, 'ScaledUpGroup'), [
    'Scale-up: group web size set to 3 instead of 1 (max: 5)',
    'Scale-up: setting group web size to 3 instead of 1 (max: 5)',
  ]);
  t.is((await cluster.run({ until: () => cluster.readyPods === 6, limit: '2m' })).end, 'done');
  await cluster.run({ limit: '2m' });
  t.deepEqual(
    nodesOf(cluster),
    ['web-0', 'web-1', 'web-2'],
    'pods that wait for machines on their way ask for no more',
  );
  const { data } = cluster.get('ConfigMap', { namespace: 'kube-system', name: 'cluster-autoscaler-status' });
  t.regex(data?.['status'] ?? '', /^time: 2030-01-01 00:0\d:\d\d(\.\d+)? \+0000 UTC\nautoscalerStatus: Running\n/);
  t.regex(data?.['status'] ?? '', /cloudProviderTarget: 3\n {4}minSize: 1\n {4}maxSize: 5\n/);
  const ofNone =
    /name: none\n {2}health:\n {4}status: Healthy\n {4}cloudProviderTarget: 0\n {4}minSize: 0\n {4}maxSize: 0\n {2}scaleUp:\n {4}status: NoActivity\n {2}scaleDown:\n {4}status: NoCandidates\n {4}lastProbeTime/;
  t.regex(data?.['status'] ?? '', ofNone, 'nothing is dated of a group without nodes');
  t.truthy(cluster.list('Lease').find(({ metadata }) => metadata.name === 'cluster-autoscaler'));
});

test('cluster autoscaler › pods that no node of a group would take say why, as the scheduler does', async (t) => {
  const cluster = autoscaled(t, [
    {},
    { namePrefix: 'gpu-', taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] },
  ]);
  deploy(cluster, 'large', 1, '8');
  deploy(cluster, 'picky', 1, '1', { nodeSelector: { disk: 'ssd' } });
  await cluster.run({ limit: '30s' });
  t.deepEqual(told(cluster, 'NotTriggerScaleUp'), [
    "pod didn't trigger scale-up: 1 Insufficient cpu, 1 node(s) had untolerated taint {gpu: yes}",
    "pod didn't trigger scale-up: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {gpu: yes}",
  ]);
  t.deepEqual(nodesOf(cluster), ['gpu-0', 'web-0']);
});

test('cluster autoscaler › a group at its largest is skipped, and stays so large', async (t) => {
  const cluster = autoscaled(t, [{ autoscaling: { min: 1, max: 2 } }]);
  deploy(cluster, 'a', 8, '1500m');
  await cluster.run({ limit: '3m' });
  t.deepEqual(nodesOf(cluster), ['web-0', 'web-1']);
  t.is(cluster.readyPods, 4);
  t.deepEqual(told(cluster, 'NotTriggerScaleUp'), ["pod didn't trigger scale-up: 1 max node group size reached"]);
});

function apart(app: string): object {
  return {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } },
        ],
      },
    },
  };
}

test('cluster autoscaler › pods that keep from each other, or are to be spread, get nodes of their own', async (t) => {
  const cluster = autoscaled(t, [{ autoscaling: { min: 1, max: 10 } }]);
  deploy(cluster, 'a', 4, '100m', apart('a'));
  await cluster.run({ until: () => cluster.readyPods === 4, limit: '2m' });
  t.is(nodesOf(cluster).length, 4);
  const spread = {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'b' } },
      },
    ],
  };
  deploy(cluster, 'b', 6, '2', spread);
  await cluster.run({ until: () => cluster.readyPods === 10, limit: '3m' });
  t.is(nodesOf(cluster).length, 5, 'one on each of the four, on which there is no room for two, and two on a new one');
});

test('cluster autoscaler › daemon sets take their part of the nodes that it thinks of', async (t) => {
  const cluster = autoscaled(t, [{ count: 0, autoscaling: { min: 0, max: 5 } }]);
  const labels = { app: 'agent' };
  const containers = [{ name: 'main', image: 'x', resources: { requests: { cpu: '2' } } }];
  const template = { metadata: { labels }, spec: { containers } };
  cluster.create('DaemonSet', { metadata: { name: 'agent' }, spec: { selector: { matchLabels: labels }, template } });
  deploy(cluster, 'a', 3, '1500m');
  await cluster.run({ until: () => cluster.readyPods === 6, limit: '3m' });
  t.deepEqual(told(cluster, 'TriggeredScaleUp'), ['pod triggered scale-up: [{web 0->3 (max: 5)}]']);
});

const TWO_SIZES = [
  { namePrefix: 'small-', count: 0, autoscaling: { min: 0, max: 9, price: 1 } },
  {
    namePrefix: 'large-',
    count: 0,
    capacity: { ...CAPACITY, cpu: '16', memory: '64Gi' },
    autoscaling: { min: 0, max: 9, price: 8 },
  },
];

for (const [expander, chosen] of [
  ['least-waste', 'small'],
  ['least-nodes', 'large'],
  ['price', 'small'],
  [['most-pods', 'least-nodes'], 'large'],
] as const) {
  test(`cluster autoscaler › the expander ${String(expander)} chooses ${chosen} machines`, async (t) => {
    const cluster = autoscaled(t, TWO_SIZES, { clusterAutoscaler: { expander } });
    deploy(cluster, 'a', 2, '3');
    await cluster.run({ until: () => cluster.readyPods === 2, limit: '2m' });
    t.true(nodesOf(cluster).every((name) => name.startsWith(chosen)));
  });
}

test('cluster autoscaler › the expander priority goes by its ConfigMap, and complains of a group that it lacks', async (t) => {
  const cluster = autoscaled(t, TWO_SIZES, { clusterAutoscaler: { expander: 'priority' } });
  const metadata = { namespace: 'kube-system', name: 'cluster-autoscaler-priority-expander' };
  cluster.create('ConfigMap', { metadata, data: { priorities: '50:\n  - ^large$\n' } });
  deploy(cluster, 'a', 2, '3');
  await cluster.run({ until: () => cluster.readyPods === 2, limit: '2m' });
  t.deepEqual(nodesOf(cluster), ['large-0']);
  t.deepEqual(told(cluster, 'PriorityConfigMapNotMatchedGroup'), [
    "Priority expander: node group small not found in priority expander configuration. The group won't be used.",
  ]);
});

test('cluster autoscaler › similar groups grow together where that is asked for', async (t) => {
  const groups = ['a', 'b', 'c'].map((zone) => ({ namePrefix: `${zone}-`, zones: [zone] }));
  const cluster = autoscaled(t, groups, { clusterAutoscaler: { balanceSimilarNodeGroups: true } });
  deploy(cluster, 'x', 9, '3');
  await cluster.run({ until: () => cluster.readyPods === 9, limit: '3m' });
  t.deepEqual(nodesOf(cluster), ['a-0', 'a-1', 'a-2', 'b-0', 'b-1', 'b-2', 'c-0', 'c-1', 'c-2']);
});

test('cluster autoscaler › no more nodes come than the cluster may have', async (t) => {
  const cluster = autoscaled(t, [{}], { clusterAutoscaler: { maxNodesTotal: 2 } });
  deploy(cluster, 'a', 8, '1500m');
  await cluster.run({ limit: '3m' });
  t.deepEqual(nodesOf(cluster), ['web-0', 'web-1']);
  t.deepEqual(told(cluster, 'MaxNodesTotalReached'), ['Max total nodes in cluster reached: 2']);
  t.deepEqual(told(cluster, 'NotTriggerScaleUp'), ["pod didn't trigger scale-up: max total nodes in cluster reached"]);
});

test('cluster autoscaler › a group of which no machine comes is left alone for a while, and another one helps', async (t) => {
  const groups = [
    { namePrefix: 'spot-', autoscaling: { min: 1, max: 9, price: 1 } },
    { namePrefix: 'sure-', autoscaling: { min: 1, max: 9, price: 5 } },
  ];
  const cluster = autoscaled(t, groups, { clusterAutoscaler: { expander: 'price' } });
  cluster.faults.inject({ failPool: { pool: 'spot', operation: 'create', error: 'no capacity in this zone' } });
  deploy(cluster, 'a', 4, '3');
  await cluster.run({ until: () => cluster.readyPods === 4, limit: '3m' });
  t.deepEqual(nodesOf(cluster), ['spot-0', 'sure-0', 'sure-1', 'sure-2']);
  t.deepEqual(told(cluster, 'ScaleUpFailed'), [
    'Failed adding 2 nodes to group spot due to OutOfResource.RESOURCE_POOL_EXHAUSTED; source errors: no capacity in this zone',
  ]);
  const { data } = cluster.get('ConfigMap', { namespace: 'kube-system', name: 'cluster-autoscaler-status' });
  t.regex(data?.['status'] ?? '', /status: Backoff\n {4}backoffInfo:\n {6}errorCode: RESOURCE_POOL_EXHAUSTED\n/);
});

test('cluster autoscaler › a cloud that refuses is told of, and tried again once the back-off is over', async (t) => {
  const cluster = autoscaled(t, [{}]);
  const fault = cluster.faults.inject({ failPool: { pool: 'web', operation: 'resize', error: 'quota exceeded' } });
  deploy(cluster, 'a', 4, '1500m');
  await cluster.run({ limit: '30s' });
  t.deepEqual(told(cluster, 'FailedToScaleUpGroup'), ['Scale-up failed for group web: quota exceeded']);
  fault.heal();
  await cluster.run({ limit: '4m' });
  t.deepEqual(nodesOf(cluster), ['web-0']);
  t.deepEqual(told(cluster, 'NotTriggerScaleUp'), ["pod didn't trigger scale-up: 1 in backoff after failed scale-up"]);
  await cluster.run({ until: () => cluster.readyPods === 4, limit: '3m' });
  t.is(cluster.readyPods, 4);
});

test('cluster autoscaler › machines that do not come in time are given up', async (t) => {
  const cluster = autoscaled(t, [{}]);
  cluster.faults.inject({ failPool: { pool: 'web', operation: 'create', by: '1h' } });
  deploy(cluster, 'a', 4, '1500m');
  await cluster.run({ limit: '17m' });
  t.regex(told(cluster, 'ScaleUpTimedOut').join('\n'), /^Nodes added to group web failed to register within 15m/);
  t.deepEqual(told(cluster, 'DeleteUnregistered'), ['Removed unregistered node web-1']);
  t.deepEqual(cluster.get('NodePool', 'web').spec, {
    ...cluster.get('NodePool', 'web').spec,
    count: 1,
  });
});

function pool(autoscaling: object): Draft {
  return {
    apiVersion: 'kubeloom.dev/v1alpha1',
    kind: 'NodePool',
    metadata: { name: 'web' },
    spec: { capacity: CAPACITY, provisioningDelay: '20s', autoscaling },
  };
}

test('cluster autoscaler › NodePools that are autoscaled are enough, and their bounds are checked', async (t) => {
  const cluster = createCluster({ nodes: 0, invariants: true });
  t.teardown(() => cluster.dispose());
  t.throws(() => cluster.apply([pool({ min: 3, max: 2 })]), {
    message: /spec\.autoscaling\.max: .*an integer in 3\.\.100000/,
  });
  cluster.apply([pool({ min: 1, max: 4 })]);
  deploy(cluster, 'a', 4, '1500m');
  await cluster.run({ until: () => cluster.readyPods === 4, limit: '3m' });
  t.deepEqual(nodesOf(cluster), ['web-0', 'web-1']);
  t.like(cluster.get('NodePool', 'web'), { spec: { count: 2 }, status: { count: 2 } });
});

test('cluster autoscaler › settings and groups that cannot be are refused by name', (t) => {
  const refused = (options: object): string => {
    const { message } = t.throws(() => createCluster(options));
    return message;
  };
  t.regex(refused({ clusterAutoscaler: { scanIntervall: 1 } }), /clusterAutoscaler\.scanIntervall/);
  t.regex(
    refused({ clusterAutoscaler: { expander: 'cheapest' } }),
    /clusterAutoscaler\.expander must be one of random/,
  );
  t.regex(refused({ clusterAutoscaler: { scaleDownUtilizationThreshold: 2 } }), /must be a number in 0\.\.1, got 2/);
  t.regex(
    refused({ nodes: [{ count: 1, autoscaling: { min: 2, max: 1 } }] }),
    /autoscaling\.max must be an integer in 2\.\.100000, got 1/,
  );
  t.regex(
    refused({ nodes: [{ count: 1, provisioningDelay: '1m' }] }),
    /provisioningDelay is for groups with autoscaling/,
  );
});
