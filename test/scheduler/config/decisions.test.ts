/** Each field of a configuration, and a decision that it changes. */
import test from 'ava';
import type { Node, Pod, ResourceList } from '../../../src/api/objects/objects.js';
import { parseSchedulerConfig } from '../../../src/scheduler/config/parse-scheduler-config.js';
import { createScheduledCluster, type ScheduledCluster } from '../support/scheduled-cluster.js';
import { testNode, testPod } from '../support/objects.js';

function clusterWith(configuration: object): ScheduledCluster {
  return createScheduledCluster({ configuration: parseSchedulerConfig(configuration, 'test') });
}

/** Where the last of the objects, a pod, goes; `undefined` = nowhere. */
async function placementOf(configuration: object, ...objects: readonly (Node | Pod)[]): Promise<string | undefined> {
  const cluster = clusterWith(configuration);
  for (const object of objects) {
    cluster.create(object);
    await cluster.run(100);
  }
  const [last] = objects.slice(-1);
  const { nodeName } = cluster.pod(last?.metadata.name ?? '').spec;
  await cluster.dispose();
  return nodeName;
}

const withArgs = (name: string, args: object): object => ({ profiles: [{ pluginConfig: [{ name, args }] }] });
const withPlugins = (plugins: object): object => ({ profiles: [{ plugins }] });

const bigAndSmall = [
  testNode('big', { allocatable: { cpu: '8', memory: '16Gi', pods: '110' } }),
  testNode('small', { allocatable: { cpu: '2', memory: '4Gi', pods: '110' } }),
];

/** A pod with limits equal to its requests, as extended resources must have it. */
function limited(requests: ResourceList): Pod {
  const containers = [{ name: 'main', image: 'app', resources: { requests, limits: requests } }];
  return testPod('web', { spec: { containers } });
}

function wanting(label: string, weight: number): Pod {
  return testPod('web', {
    spec: {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight, preference: { matchExpressions: [{ key: label, operator: 'Exists' }] } },
          ],
        },
      },
    },
  });
}

test('percentageOfNodesToScore ends the scan before the best node, the profile goes before the whole', async (t) => {
  const nodes = Array.from({ length: 250 }, (_, index) =>
    testNode(`n${String(index).padStart(3, '0')}`, index === 249 ? { labels: { best: '' } } : {}),
  );
  const place = (configuration: object): Promise<string | undefined> =>
    placementOf(configuration, ...nodes, wanting('best', 100));
  t.is(await place({ percentageOfNodesToScore: 100 }), 'n249');
  t.not(await place({ percentageOfNodesToScore: 50 }), 'n249');
  t.is(await place({ percentageOfNodesToScore: 50, profiles: [{ percentageOfNodesToScore: 100 }] }), 'n249');
});

async function attemptTimes(configuration: object, count: number): Promise<readonly number[]> {
  const cluster = clusterWith(configuration);
  cluster.create(testPod('web'));
  const times: number[] = [];
  while (times.length < count) {
    await cluster.kernel.clock.step();
    if (cluster.scheduler.stats.attempts > times.length) times.push(Math.round(cluster.kernel.clock.now() / 1000));
  }
  await cluster.dispose();
  return times;
}

test('podInitialBackoffSeconds and podMaxBackoffSeconds move the attempts of a pod that no node can take', async (t) => {
  t.deepEqual(await attemptTimes({}, 4), [0, 2, 5, 10]);
  t.deepEqual(await attemptTimes({ podInitialBackoffSeconds: 4 }, 4), [0, 5, 14, 25]);
  t.deepEqual(await attemptTimes({ podMaxBackoffSeconds: 1 }, 4), [0, 2, 4, 6]);
});

test('pods are placed by the scheduler that they name', async (t) => {
  const pod = testPod('web', { spec: { schedulerName: 'mine' } });
  t.is(await placementOf({}, testNode('n1'), pod), undefined);
  t.is(await placementOf({ profiles: [{ schedulerName: 'mine' }] }, testNode('n1'), pod), 'n1');
});

test('a filter that is disabled, at its point or everywhere, rejects no node', async (t) => {
  const objects = [testNode('n1', { unschedulable: true }), testPod('web')];
  const disabled = [{ name: 'NodeUnschedulable' }];
  t.is(await placementOf({}, ...objects), undefined);
  t.is(await placementOf(withPlugins({ filter: { disabled } }), ...objects), 'n1');
  t.is(await placementOf(withPlugins({ multiPoint: { disabled } }), ...objects), 'n1');
  t.is(await placementOf(withPlugins({ score: { disabled } }), ...objects), undefined);
});

const message = async (names: readonly string[]): Promise<string | undefined> => {
  const enabled = names.map((name) => ({ name }));
  const cluster = clusterWith(withPlugins({ filter: { disabled: [{ name: '*' }], enabled } }));
  cluster.create(testNode('n1', { unschedulable: true, taints: [{ key: 'a', effect: 'NoSchedule' }] }), testPod('web'));
  await cluster.run();
  const condition = cluster.pod('web').status.conditions?.find(({ type }) => type === 'PodScheduled');
  await cluster.dispose();
  return condition?.message?.split(':')[1]?.slice(0, 31).trim();
};

test('filters that are enabled anew with * gone judge in their new order', async (t) => {
  t.is(await message(['NodeUnschedulable', 'TaintToleration']), '1 node(s) were unschedulable.');
  t.is(await message(['TaintToleration', 'NodeUnschedulable']), '1 node(s) had untolerated tain');
});

test('the weight of a score, at its point or everywhere, decides between two preferences', async (t) => {
  const nodes = [
    testNode('tainted', { labels: { wanted: '' }, taints: [{ key: 'a', effect: 'PreferNoSchedule' }] }),
    testNode('plain'),
  ];
  const place = (plugins: object): Promise<string | undefined> =>
    placementOf(withPlugins(plugins), ...nodes, wanting('wanted', 1));
  const enabled = [{ name: 'NodeAffinity', weight: 10 }];
  t.is(await place({}), 'plain');
  t.is(await place({ score: { enabled } }), 'tainted');
  t.is(await place({ multiPoint: { enabled } }), 'tainted');
});

test('NodeResourcesFitArgs › what is ignored can be requested where it is not', async (t) => {
  const pod = limited({ 'example.com/gpu': '1' });
  const place = (args: object): Promise<string | undefined> =>
    placementOf(withArgs('NodeResourcesFit', args), testNode('n1'), pod);
  t.is(await place({}), undefined);
  t.is(await place({ ignoredResources: ['example.com/gpu'] }), 'n1');
  t.is(await place({ ignoredResourceGroups: ['example.com'] }), 'n1');
  t.is(await place({ ignoredResources: ['example.com/fpga'], ignoredResourceGroups: ['example.org'] }), undefined);
});

const ratio = (...shape: readonly (readonly [number, number])[]): object => ({
  scoringStrategy: {
    type: 'RequestedToCapacityRatio',
    requestedToCapacityRatio: { shape: shape.map(([utilization, score]) => ({ utilization, score })) },
  },
});

test('NodeResourcesFitArgs › the scoring strategy chooses the emptier node, the fuller one, or one of a shape', async (t) => {
  const pod = testPod('web', { requests: { cpu: '1', memory: '2Gi' } });
  const place = (args: object): Promise<string | undefined> =>
    placementOf(withArgs('NodeResourcesFit', args), ...bigAndSmall, pod);
  t.is(await place({}), 'big');
  t.is(await place({ scoringStrategy: { type: 'MostAllocated' } }), 'small');
  t.is(await place(ratio([0, 10], [100, 0])), 'big');
  t.is(await place(ratio([0, 0], [100, 10])), 'small');
});

test('NodeResourcesFitArgs › weights of resources say which one counts', async (t) => {
  const nodes = [
    testNode('cores', { allocatable: { cpu: '16', memory: '4Gi', pods: '110' } }),
    testNode('memory', { allocatable: { cpu: '4', memory: '16Gi', pods: '110' } }),
  ];
  const pod = testPod('web', { requests: { cpu: '1', memory: '1Gi' } });
  const place = (cpu: number, memory: number): Promise<string | undefined> => {
    const resources = [
      { name: 'cpu', weight: cpu },
      { name: 'memory', weight: memory },
    ];
    const scoringStrategy = { type: 'LeastAllocated', resources };
    return placementOf(withArgs('NodeResourcesFit', { scoringStrategy }), ...nodes, pod);
  };
  t.is(await place(10, 1), 'cores');
  t.is(await place(1, 10), 'memory');
});

test('NodeResourcesBalancedAllocationArgs › resources say what is balanced', async (t) => {
  const nodes = [
    testNode('even-memory', { allocatable: { cpu: '4', memory: '4Gi', 'example.com/gpu': '20', pods: '110' } }),
    testNode('even-gpu', { allocatable: { cpu: '4', memory: '5Gi', 'example.com/gpu': '2', pods: '110' } }),
  ];
  const pod = limited({ cpu: '2', memory: '2Gi', 'example.com/gpu': '1' });
  const name = 'NodeResourcesBalancedAllocation';
  const place = (...resources: readonly string[]): Promise<string | undefined> => {
    const args = { resources: resources.map((resource) => ({ name: resource })) };
    const plugins = { score: { disabled: [{ name: '*' }], enabled: [{ name }] } };
    return placementOf({ profiles: [{ plugins, pluginConfig: [{ name, args }] }] }, ...nodes, pod);
  };
  t.is(await place(), 'even-memory');
  t.is(await place('cpu', 'memory'), 'even-memory');
  t.is(await place('cpu', 'example.com/gpu'), 'even-gpu');
});

test('NodeAffinityArgs › addedAffinity keeps every pod of the profile from nodes, or draws it there', async (t) => {
  const nodes = [testNode('a', { labels: { pool: 'a' } }), testNode('b', { labels: { pool: 'b' } })];
  const matchExpressions = [{ key: 'pool', operator: 'In', values: ['b'] }];
  const place = (addedAffinity: object): Promise<string | undefined> =>
    placementOf(withArgs('NodeAffinity', { addedAffinity }), ...nodes, testPod('web', { spec: { nodeSelector: {} } }));
  t.is(
    await place({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } }),
    'b',
  );
  t.is(
    await place({
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions } }],
    }),
    'b',
  );
  const only = {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['c'] }] }],
  };
  t.is(await place({ requiredDuringSchedulingIgnoredDuringExecution: only }), undefined);
});
