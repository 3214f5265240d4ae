import test from 'ava';
import { parseSchedulerConfig } from '../../src/scheduler/config/parse-scheduler-config.js';
import { SchedulerConfigError } from '../../src/scheduler/config/scheduler-config-error.js';
import type { AnyPlugin, PluginFactory } from '../../src/scheduler/framework/interface.js';
import { Code, createStatus } from '../../src/scheduler/framework/status.js';
import { createScheduledCluster, type ScheduledCluster } from './support/scheduled-cluster.js';
import { testNode, testPod } from './support/objects.js';

interface Setup {
  readonly registry?: Readonly<Record<string, PluginFactory>>;
  readonly workers?: number;
  readonly seed?: string;
}

function clusterWith(configuration: object, { registry, workers = 0, seed }: Setup = {}): ScheduledCluster {
  const options = { configuration: parseSchedulerConfig(configuration, 'test'), registry, workers, minPrefetchWork: 1 };
  return createScheduledCluster(options, seed);
}

const problemsOf = (configuration: object, registry?: Setup['registry']): readonly string[] => {
  try {
    clusterWith(configuration, registry === undefined ? {} : { registry });
  } catch (error) {
    if (error instanceof SchedulerConfigError) return error.problems;
    throw error;
  }
  return [];
};

const TWO_PROFILES = {
  profiles: [
    { schedulerName: 'default-scheduler' },
    {
      schedulerName: 'packer',
      pluginConfig: [{ name: 'NodeResourcesFit', args: { scoringStrategy: { type: 'MostAllocated' } } }],
      plugins: { score: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeResourcesFit' }] } },
    },
  ],
};

const waitingFor = (schedulerName: string, plugin: string): object => ({
  schedulerName,
  plugins: { multiPoint: { enabled: [{ name: plugin }] } },
});
const rejecting = (name: string, resource: 'Node' | 'Pod', actionType: number): AnyPlugin => ({
  name,
  filter: () => createStatus(Code.Unschedulable, name, 'no'),
  eventsToRegister: () => [{ event: { resource, actionType, label: '' } }],
});

const lifoSort = (): AnyPlugin => ({ name: 'Lifo', less: (a, b) => a.timestampMs > b.timestampMs });

test('each pod is decided by the profile that it names, in one queue; others are left alone', async (t) => {
  const cluster = clusterWith(TWO_PROFILES);
  cluster.create(
    testNode('big', { allocatable: { cpu: '8', memory: '16Gi', pods: '110' } }),
    testNode('small', { allocatable: { cpu: '2', memory: '4Gi', pods: '110' } }),
  );
  await cluster.run();
  const requests = { cpu: '1', memory: '2Gi' };
  cluster.create(
    testPod('spread', { requests }),
    testPod('packed', { requests, spec: { schedulerName: 'packer' } }),
    testPod('foreign', { requests, spec: { schedulerName: 'somebody-else' } }),
  );
  await cluster.run();
  t.deepEqual(cluster.placements(), { spread: 'big', packed: 'small' });
  t.like(cluster.scheduler.stats, { attempts: 2, scheduled: 2 });
  await cluster.dispose();
});

test('Events name the profile', async (t) => {
  const cluster = clusterWith(TWO_PROFILES);
  cluster.create(testNode('n1'), testPod('a'), testPod('b', { spec: { schedulerName: 'packer' } }));
  await cluster.run();
  const reporters = cluster.events('Scheduled').map(({ message, reportingComponent, source }) => {
    return [message?.split(' ')[2], reportingComponent ?? source?.component];
  });
  t.deepEqual(reporters, [
    ['default/a', 'default-scheduler'],
    ['default/b', 'packer'],
  ]);
  await cluster.dispose();
});

test('a rejected pod is retried by what its own profile waits for', async (t) => {
  const cluster = clusterWith(
    { profiles: [waitingFor('default-scheduler', 'WantsNodes'), waitingFor('other', 'WantsNothing')] },
    {
      registry: {
        WantsNodes: () => rejecting('WantsNodes', 'Node', 1),
        WantsNothing: () => rejecting('WantsNothing', 'Pod', 2),
      },
    },
  );
  cluster.create(testNode('n1'), testPod('a'), testPod('b', { spec: { schedulerName: 'other' } }));
  await cluster.run();
  const { attempts } = cluster.scheduler.stats;
  cluster.create(testNode('n2'));
  await cluster.run(20_000);
  t.is(cluster.scheduler.stats.attempts, attempts + 1);
  t.is(cluster.scheduler.stats.queue.unschedulable, 2);
  await cluster.dispose();
});

test('the next scan begins where that of the other profile ended', async (t) => {
  // With all scores equal and one node enough, the scan alone chooses.
  const scan = { percentageOfNodesToScore: 1, plugins: { score: { disabled: [{ name: '*' }] } } };
  const cluster = clusterWith({
    profiles: [
      { schedulerName: 'default-scheduler', ...scan },
      { schedulerName: 'other', ...scan },
    ],
  });
  const names = Array.from({ length: 300 }, (_, index) => `n${String(index).padStart(3, '0')}`);
  cluster.create(...names.map((name) => testNode(name)));
  await cluster.run();
  const spans: number[] = [];
  for (const [name, schedulerName] of [
    ['a', 'default-scheduler'],
    ['b', 'other'],
    ['c', 'default-scheduler'],
  ] as const) {
    cluster.create(testPod(name, { spec: { schedulerName } }));
    await cluster.run();
    spans.push(Math.floor(names.indexOf(cluster.pod(name).spec.nodeName ?? '') / 100));
  }
  t.deepEqual(spans, [0, 1, 2], 'the first, the second and the third hundred');
  await cluster.dispose();
});

test('placements and trace of two profiles are the same with 0, 1 and 2 workers', async (t) => {
  const runs = await Promise.all(
    [0, 1, 2].map(async (workers) => {
      const cluster = clusterWith({ ...TWO_PROFILES, percentageOfNodesToScore: 100 }, { workers, seed: 'profiles' });
      for (let index = 0; index < 120; index += 1) {
        const cpu = ['4', '8', '16'][index % 3] ?? '4';
        cluster.create(
          testNode(`n${index}`, { zone: `z${index % 3}`, allocatable: { cpu, memory: '32Gi', pods: '20' } }),
        );
      }
      for (let index = 0; index < 200; index += 1) {
        const spec = index % 2 === 0 ? {} : { schedulerName: 'packer' };
        cluster.create(testPod(`p${index}`, { requests: { cpu: `${100 + Math.floor(index / 2)}m` }, spec }));
      }
      await cluster.run(60_000);
      const result = { placements: cluster.placements(), hash: cluster.kernel.trace.digest() };
      const { judgedAhead } = cluster.scheduler.stats;
      await cluster.dispose();
      return { result, judgedAhead };
    }),
  );
  const [first, ...others] = runs;
  t.is(Object.keys(first?.result.placements ?? {}).length, 200);
  for (const { result, judgedAhead } of others) {
    t.deepEqual(result, first?.result);
    // Those of the default profile: the packer's score is none that walks know.
    t.true(judgedAhead > 50, `${judgedAhead} pods were judged ahead`);
  }
});

test('names that are not registered are refused, defaults and own ones are known', (t) => {
  t.deepEqual(
    problemsOf({
      profiles: [
        {
          plugins: {
            score: { enabled: [{ name: 'NodeAffinity' }, { name: 'Missing' }], disabled: [{ name: 'Whatever' }] },
          },
          pluginConfig: [{ name: 'NodeResourceFit', args: {} }],
        },
      ],
    }),
    [
      'profiles[0].plugins.score.enabled[1]: plugin "Missing" not found',
      'profiles[0].pluginConfig: plugin "NodeResourceFit" not found',
    ],
  );
});

test('a profile without a queue sort or a binder is refused', (t) => {
  t.deepEqual(problemsOf({ profiles: [{ plugins: { multiPoint: { disabled: [{ name: 'PrioritySort' }] } } }] }), [
    'profiles[0].plugins.queueSort: only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0',
  ]);
  t.deepEqual(problemsOf({ profiles: [{ plugins: { multiPoint: { disabled: [{ name: 'DefaultBinder' }] } } }] }), [
    'profiles[0].plugins.bind: at least one bind plugin is needed for profile with scheduler name "default-scheduler"',
  ]);
});

test('profiles that sort the queue by other plugins are refused', (t) => {
  const lifo = { multiPoint: { disabled: [{ name: 'PrioritySort' }], enabled: [{ name: 'Lifo' }] } };
  t.deepEqual(
    problemsOf({ profiles: [{ schedulerName: 'a' }, { schedulerName: 'b', plugins: lifo }] }, { Lifo: lifoSort }),
    ['profile "b": queueSort must be the same for all profiles'],
  );
});

test('an own plugin may not take the name of one of ours', (t) => {
  t.deepEqual(problemsOf({}, { NodeName: () => ({ name: 'NodeName' }) }), ['a plugin named NodeName already exists']);
});

test('an own plugin gets its args and decides with the others', async (t) => {
  const cluster = clusterWith(
    {
      profiles: [
        {
          plugins: { score: { enabled: [{ name: 'NameLength', weight: 100 }] } },
          pluginConfig: [{ name: 'NameLength', args: { wanted: 3 } }],
        },
      ],
    },
    {
      registry: {
        NameLength: (args) => ({
          name: 'NameLength',
          score: (_state, _pod, { name }) => (name.length === (args as { wanted: number }).wanted ? 100 : 0),
        }),
      },
    },
  );
  cluster.create(testNode('a'), testNode('ccc'), testNode('bb'), testPod('web'));
  await cluster.run();
  t.is(cluster.pod('web').spec.nodeName, 'ccc');
  await cluster.dispose();
});
