import test, { type ExecutionContext } from 'ava';
import { createCluster } from '../../../src/cluster/cluster.js';
import {
  resolveKubeletConfiguration,
  type KubeletConfiguration,
} from '../../../src/kubelet/configuration/kubelet-configuration.js';
import type { NodeGroup } from '../../../src/workload/node-groups.js';
import { createRunningScene, NODE } from '../scene.js';

function refusal(given: unknown): string {
  try {
    resolveKubeletConfiguration(given as KubeletConfiguration);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'accepted';
}

test('a configuration that cannot be used names the field, what it got and what is allowed', (t) => {
  t.deepEqual(
    [
      { evictionHard: { 'memory.available': '-1' } },
      { evictionHard: { 'memory.used': '1Gi' } },
      { evictionHard: { 'nodefs.available': '101%' } },
      { evictionSoft: { 'memory.available': '1Gi' } },
      { evictionPressureTransitionPeriod: 5 },
      { evictionMaxPodGracePeriod: -1 },
      { shutdownGracePeriod: '10s', shutdownGracePeriodCriticalPods: '20s' },
      { shutdownGracePeriodByPodPriority: [{ priority: 0 }] },
      { imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 50 },
      { maxPods: 0 },
      { systemReserved: { cpu: 'many' } },
      { maxpods: 1 },
    ].map((given) => refusal(given).slice(0, 150)),
    [
      'kubelet.evictionHard[\'memory.available\'] must be a positive quantity such as 100Mi or a percentage such as 10%, got "-1"',
      'kubelet.evictionHard must be a map of memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, pid.available, got',
      'kubelet.evictionHard[\'nodefs.available\'] must be a positive quantity such as 100Mi or a percentage such as 10%, got "101%"',
      "kubelet.evictionSoftGracePeriod['memory.available'] must be longer than 0s for a soft threshold, got nothing",
      'kubelet.evictionPressureTransitionPeriod must be a duration such as 30s or 5m, got 5',
      'kubelet.evictionMaxPodGracePeriod must be an integer in 0..86400, got -1',
      'kubelet.shutdownGracePeriodCriticalPods must be at most shutdownGracePeriod, got "20s"',
      'kubelet.shutdownGracePeriodByPodPriority[0].shutdownGracePeriodSeconds must be an integer in 0..86400, got nothing',
      'kubelet.imageGCLowThresholdPercent must be less than imageGCHighThresholdPercent (50), got 50',
      'kubelet.maxPods must be an integer in 1..2147483647, got 0',
      'kubelet.systemReserved.cpu must be a quantity such as 500m or 1Gi, got "many"',
      'kubelet.maxpods must be one of evictionHard, evictionSoft, evictionSoftGracePeriod, evictionMinimumReclaim, evictionMaxPodGracePeriod, evictionPressur',
    ],
  );
});

test('a cluster checks the configuration of its kubelets and of single nodes', (t) => {
  t.throws(() => createCluster({ kubelet: { maxPods: 0 } }), {
    name: 'OptionError',
    message: 'kubelet.maxPods must be an integer in 1..2147483647, got 0',
  });
  t.throws(() => createCluster({ nodes: [{ count: 1, kubelet: { maxPods: -1 } }] }), {
    message: 'nodes[0].kubelet.maxPods must be an integer in 1..2147483647, got -1',
  });
});

test('nodes have what the cluster says, and over it what is said of them', async (t) => {
  const cluster = createCluster({
    kubelet: { maxPods: 20, systemReserved: { cpu: '1' } },
    nodes: [
      { count: 1, namePrefix: 'a' },
      { count: 1, namePrefix: 'b', kubelet: { maxPods: 30 } },
    ],
  });
  await cluster.ready();
  t.deepEqual(
    cluster.list('Node').map(({ status: { allocatable = {} } }) => [allocatable['pods'], allocatable['cpu']]),
    [
      ['20', '31'],
      ['30', '31'],
    ],
  );
  await cluster.dispose();
});

test('allocatable is the capacity less what is reserved and what hard thresholds keep free', async (t) => {
  const { server } = await createRunningScene({
    setup: {
      capacity: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '10' },
      kubelet: { systemReserved: { cpu: '500m', memory: '1Gi' }, kubeReserved: { cpu: '500m' } },
    },
  });
  t.deepEqual(server.get('Node', { name: NODE }).status.allocatable, {
    cpu: '3',
    memory: '7068Mi',
    'ephemeral-storage': '96636764000',
    pods: '10',
  });
});

/** What nodes of one group let pods use. */
async function allocatableOf(t: ExecutionContext, group: Omit<NodeGroup, 'count'>, kubelet: KubeletConfiguration = {}) {
  const cluster = createCluster({ nodes: [{ count: 1, ...group }], kubelet });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  return cluster.get('Node', 'node-0').status.allocatable;
}

test('6.5a › allocatable is the capacity less the default hard thresholds', async (t) => {
  const capacity = { cpu: '4', memory: '32Gi', pods: '110' };
  t.deepEqual(await allocatableOf(t, { capacity }), { cpu: '4', memory: '32668Mi', pods: '110' });
  // The node of kubernetes.io/docs/reference/node/node-status: a share is a 32-bit number there.
  t.deepEqual(await allocatableOf(t, { capacity: { cpu: '4', 'ephemeral-storage': '61255492Ki' } }), {
    cpu: '4',
    'ephemeral-storage': '56453061334',
    pods: '110',
  });
  t.deepEqual(await allocatableOf(t, { capacity }, { evictionHard: { 'nodefs.available': '5%' } }), capacity);
  t.deepEqual(await allocatableOf(t, { capacity: { ...capacity, 'hugepages-2Mi': '1Gi' } }), {
    ...capacity,
    memory: '31644Mi',
    'hugepages-2Mi': '1Gi',
  });
});

test('6.5a › what a group says outright is what pods may use, even if it is the capacity', async (t) => {
  const capacity = { cpu: '4', memory: '32Gi', pods: '110' };
  const reserved = { systemReserved: { cpu: '1', memory: '1Gi' } };
  t.deepEqual(await allocatableOf(t, { capacity, allocatable: capacity }, reserved), capacity);
  t.deepEqual(await allocatableOf(t, { capacity, allocatable: { cpu: '2' } }, reserved), { cpu: '2', pods: '110' });
});

test('6.5a › a Node that is created as an object keeps what it says', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.teardown(() => cluster.dispose());
  const status = { capacity: { cpu: '4', memory: '32Gi' } };
  cluster.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, status });
  await cluster.run({ limit: '1m' });
  t.deepEqual(cluster.get('Node', 'n').status.allocatable, status.capacity);
});

test('6.5a › a machine that has less than its kubelet must keep back is refused, and no other is added then', (t) => {
  const tooSmall = { count: 1, namePrefix: 'small-', capacity: { cpu: '1', memory: '64Mi' } };
  t.throws(() => createCluster({ nodes: [tooSmall] }), {
    name: 'OptionError',
    message:
      'capacity.memory of node small-0 must be at least 100Mi, which is reserved or kept free by a hard eviction threshold, got "64Mi"',
  });
  const cluster = createCluster({ nodes: 1, kubelet: { kubeReserved: { cpu: '2' } } });
  t.teardown(() => cluster.dispose());
  t.throws(
    () =>
      cluster.addNodes([
        { count: 1, namePrefix: 'a-' },
        { ...tooSmall, capacity: { cpu: '1' } },
      ]),
    {
      message:
        'capacity.cpu of node small-0 must be at least 2, which is reserved or kept free by a hard eviction threshold, got "1"',
    },
  );
  t.is(cluster.wantedNodes, 1);
});
