import test from 'ava';
import type { SchedulerConfiguration } from '../../../src/scheduler/config/configuration.js';
import { readSchedulerConfig as parseSchedulerConfig } from '../../../src/options/scheduler-config.js';
import { SchedulerConfigError } from '../../../src/scheduler/config/scheduler-config-error.js';
import { DEFAULT_PLUGINS } from '../../../src/scheduler/plugins/registry.js';

const HEAD = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';

function parse(body: string | object): SchedulerConfiguration {
  return parseSchedulerConfig(typeof body === 'string' ? HEAD + body : body, 'scheduler.yaml');
}

function problemsOf(body: string | object): readonly string[] {
  try {
    parse(body);
  } catch (error) {
    if (error instanceof SchedulerConfigError) return error.problems;
    throw error;
  }
  return [];
}

function argsProblems(plugin: string, args: object): readonly string[] {
  return problemsOf({ profiles: [{ pluginConfig: [{ name: plugin, args }] }] }).map((problem) =>
    problem.replace('profiles[0].pluginConfig[0].args.', ''),
  );
}

test('an empty configuration is the default one', (t) => {
  const { profiles, ...rest } = parse('');
  t.deepEqual(rest, {
    source: 'scheduler.yaml',
    percentageOfNodesToScore: 0,
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 10,
    ignored: [],
  });
  const [profile] = profiles;
  t.is(profiles.length, 1);
  t.is(profile?.schedulerName, 'default-scheduler');
  t.deepEqual(profile?.plugins.multiPoint, { enabled: DEFAULT_PLUGINS, disabled: [] });
  t.deepEqual(profile?.plugins.points.score, { enabled: [], disabled: [] });
  t.deepEqual(profile?.args, {});
});

test('JSON text and a parsed object say the same as YAML', (t) => {
  const body = { percentageOfNodesToScore: 40, profiles: [{ schedulerName: 'a' }] };
  const fromYaml = parse('percentageOfNodesToScore: 40\nprofiles:\n- schedulerName: a\n');
  t.deepEqual(parse(body), fromYaml);
  const whole = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration', ...body };
  t.deepEqual(parseSchedulerConfig(JSON.stringify(whole), 'scheduler.yaml'), fromYaml);
});

test('fields that mean nothing here are accepted and named', (t) => {
  const { ignored } = parse(`
parallelism: 8
clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf, qps: 100}
leaderElection: {leaderElect: true}
enableProfiling: false
profiles: null
extenders: []
`);
  t.deepEqual(ignored, ['parallelism', 'leaderElection', 'enableProfiling', 'clientConnection.kubeconfig']);
});

test('args may name their type, nulls are absent', (t) => {
  const { profiles } = parse(`
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      ignoredResources: [example.com/gpu]
      scoringStrategy: null
  - name: Mine
    args: {anything: [goes]}
`);
  t.deepEqual(profiles[0]?.args, {
    NodeResourcesFit: { ignoredResources: ['example.com/gpu'] },
    Mine: { anything: ['goes'] },
  });
});

test('a text that cannot be read is refused with its line', (t) => {
  t.throws(() => parseSchedulerConfig('profiles:\n  - {', 'c.yaml'), {
    instanceOf: SchedulerConfigError,
    message: /^c\.yaml:\d: /u,
  });
  t.throws(() => parseSchedulerConfig('', 'c.yaml'), { message: 'c.yaml: holds no KubeSchedulerConfiguration' });
  t.throws(() => parseSchedulerConfig(`${HEAD}---\n${HEAD}`, 'c.yaml'), {
    message: 'c.yaml: must hold one KubeSchedulerConfiguration, got 2 documents',
  });
  t.throws(() => parseSchedulerConfig('[]', 'c.yaml'), { message: 'c.yaml:1: Invalid value: []: must be a mapping' });
  t.throws(() => parseSchedulerConfig(`${HEAD}parallelism: 4\nparallelism: 5\n`, 'c.yaml'), {
    message: 'c.yaml:4: Map keys must be unique',
  });
});

test('another kind or version is refused, and so is a text without', (t) => {
  t.throws(() => parseSchedulerConfig('apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: Policy', 'c.yaml'), {
    message:
      'c.yaml:1: apiVersion: Unsupported value: "kubescheduler.config.k8s.io/v1beta3": supported values: "kubescheduler.config.k8s.io/v1"; c.yaml:2: kind: Unsupported value: "Policy": supported values: "KubeSchedulerConfiguration"',
  });
  t.throws(() => parseSchedulerConfig('profiles: []', 'c.yaml'), {
    message: 'c.yaml:1: apiVersion: Required value; c.yaml:1: kind: Required value',
  });
});

test('every fault of a text is told with its line', (t) => {
  const text = `${HEAD}parallelism: 0
profiles:
- schedulerName: a
- schedulerName: a
  plugins:
    score:
      enabld: []
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy: {type: Best}
`;
  t.throws(() => parseSchedulerConfig(text, 'c.yaml'), {
    message: (message) => {
      const lines = message.split('; c.yaml').map((part) => part.replace(/^c\.yaml/, ''));
      t.deepEqual(
        lines.map((line) => /^:(\d+): ([^:]+)/.exec(line)?.slice(1)),
        [
          ['9', 'profiles[1].plugins.score.enabld'],
          ['13', 'profiles[1].pluginConfig[0].args.scoringStrategy.type'],
          ['3', 'parallelism'],
          ['6', 'profiles[1].schedulerName'],
        ],
      );
      return true;
    },
  });
});

test('every fault is told at once, with its path', (t) => {
  t.deepEqual(
    problemsOf({
      parallelism: 0,
      percentageOfNodesToScore: 101,
      podInitialBackoffSeconds: 0,
      podMaxBackoffSeconds: -1,
      profiles: [{ schedulerName: 'a', percentageOfNodesToScore: -1 }, { schedulerName: 'a' }, {}],
      extenders: [{ urlPrefix: 'http://127.0.0.1' }],
    }),
    [
      'profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]',
      'parallelism: Invalid value: 0: should be an integer value greater than zero',
      'profiles[1].schedulerName: Duplicate value: "a": already at profiles[0].schedulerName',
      'profiles[2].schedulerName: Required value',
      'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]',
      'podInitialBackoffSeconds: Invalid value: 0: must be greater than 0',
      'podMaxBackoffSeconds: Invalid value: -1: must be greater than or equal to PodInitialBackoffSeconds',
      'extenders: Forbidden: extenders are not called here, and would change decisions',
    ],
  );
});

test('values at their limits are taken', (t) => {
  t.deepEqual(
    problemsOf({
      parallelism: 1,
      percentageOfNodesToScore: 100,
      podInitialBackoffSeconds: 1,
      podMaxBackoffSeconds: 1,
      profiles: [{ percentageOfNodesToScore: 0 }],
    }),
    [],
  );
});

test('unknown fields and wrong types are refused', (t) => {
  t.deepEqual(
    problemsOf({
      percentageOfNodesToScore: '50',
      podInitialBackoffSeconds: 1.5,
      profiles: ['x', { schedulerName: 'b', plugins: { scores: {} }, pluginConfig: {} }],
      profile: [],
    }),
    [
      'percentageOfNodesToScore: Invalid value: "50": must be an integer of type int32',
      'podInitialBackoffSeconds: Invalid value: 1.5: must be an integer of type int64',
      'profiles[0]: Invalid value: "x": must be a mapping',
      'profiles[1].plugins.scores: unknown field, known are multiPoint, preEnqueue, queueSort, preFilter, filter, postFilter, preScore, score, reserve, permit, preBind, bind, postBind',
      'profiles[1].pluginConfig: Invalid value: {}: must be a list',
      'profile: unknown field, known are parallelism, clientConnection, leaderElection, healthzBindAddress, metricsBindAddress, enableProfiling, enableContentionProfiling, delayCacheUntilActive, apiVersion, kind, percentageOfNodesToScore, podInitialBackoffSeconds, podMaxBackoffSeconds, profiles, extenders',
      'profiles[0].schedulerName: Required value',
    ],
  );
});

const sorting = (name: string): object => ({ queueSort: { enabled: [{ name }], disabled: [{ name: '*' }] } });

test('all profiles must sort the queue alike', (t) => {
  t.deepEqual(
    problemsOf({
      profiles: [
        { schedulerName: 'a', plugins: sorting('PrioritySort') },
        { schedulerName: 'b', plugins: sorting('PrioritySort') },
        { schedulerName: 'c', plugins: sorting('Mine') },
      ],
    }),
    [
      'profiles[2].plugins.queueSort: Invalid value: {"Enabled":[{"Name":"Mine","Weight":0}],"Disabled":[{"Name":"*","Weight":0}]}: must be the same for all profiles',
    ],
  );
});

test('plugins that upstream has removed, and args that come twice, are refused', (t) => {
  t.deepEqual(
    problemsOf({
      profiles: [
        {
          plugins: { filter: { enabled: [{ name: 'NodeName' }, { name: 'EBSLimits' }] } },
          pluginConfig: [{ name: 'NodeAffinity' }, { name: 'NodeAffinity', args: {} }],
        },
      ],
    }),
    [
      'profiles[0].plugins.filter.enabled[1]: Invalid value: "EBSLimits": was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
      'profiles[0].pluginConfig[1]: Duplicate value: "NodeAffinity"',
    ],
  );
});

test('args of another type than the plugin are refused', (t) => {
  t.deepEqual(
    problemsOf({
      profiles: [{ pluginConfig: [{ name: 'NodeAffinity', args: { kind: 'NodeResourcesFitArgs', x: 1 } }] }],
    }),
    [
      'profiles[0].pluginConfig[0].args.x: unknown field, known are apiVersion, kind, addedAffinity',
      'profiles[0].pluginConfig[0].args.kind: Unsupported value: "NodeResourcesFitArgs": supported values: "NodeAffinityArgs"',
    ],
  );
});

const strategy = (scoringStrategy: object): readonly string[] => argsProblems('NodeResourcesFit', { scoringStrategy });

test('NodeResourcesFitArgs › the scoring strategy', (t) => {
  t.deepEqual(strategy({ type: 'Random' }), [
    'scoringStrategy.type: Unsupported value: "Random": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
  ]);
  t.deepEqual(strategy({}), [
    'scoringStrategy.type: Unsupported value: "": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
  ]);
  const resources = [
    { name: 'cpu', weight: 100 },
    { name: 'memory', weight: 101 },
    { name: 'gpu', weight: -1 },
    { name: 'fpga', weight: 0 },
  ];
  t.deepEqual(strategy({ type: 'MostAllocated', resources }), [
    'scoringStrategy.resources[1].weight: Invalid value: 101: resource weight of memory not in valid range (0, 100]',
    'scoringStrategy.resources[2].weight: Invalid value: -1: resource weight of gpu not in valid range (0, 100]',
  ]);
  t.deepEqual(strategy({ type: 'RequestedToCapacityRatio' }), [
    'scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio',
  ]);
  t.deepEqual(strategy({ type: 'MostAllocated', requestedToCapacityRatio: { shape: [] } }), [
    'scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio',
  ]);
});

const shaped = (shape: readonly object[]): readonly string[] =>
  argsProblems('NodeResourcesFit', {
    scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape } },
  }).map((problem) => problem.replace('scoringStrategy.requestedToCapacityRatio.', ''));

test('NodeResourcesFitArgs › the shape of RequestedToCapacityRatio', (t) => {
  t.deepEqual(shaped([]), ['shape: Required value: at least one point must be specified']);
  t.deepEqual(
    shaped([
      { utilization: 0, score: 0 },
      { utilization: 100, score: 10 },
    ]),
    [],
  );
  t.deepEqual(
    shaped([
      { utilization: 50, score: 11 },
      { utilization: 50, score: -1 },
      { utilization: 101, score: 0 },
    ]),
    [
      'shape[1].utilization: Invalid value: 50: values must be sorted in increasing order',
      'shape[0].score: Invalid value: 11: not in valid range [0, 10]',
      'shape[1].score: Invalid value: -1: not in valid range [0, 10]',
      'shape[2].utilization: Invalid value: 101: not in valid range [0, 100]',
    ],
  );
});

test('NodeResourcesFitArgs › names of ignored resources and groups', (t) => {
  t.deepEqual(
    argsProblems('NodeResourcesFit', {
      ignoredResources: ['example.com/gpu', '-'],
      ignoredResourceGroups: ['example.com', 'example.com/gpu'],
    }).map((problem) => problem.slice(0, problem.indexOf(',') === -1 ? undefined : problem.indexOf(','))),
    [
      'ignoredResources[1]: Invalid value: "-": name part must consist of alphanumeric characters',
      `ignoredResourceGroups[1]: Invalid value: "example.com/gpu": resource group name can't contain '/'`,
    ],
  );
});

test('NodeResourcesBalancedAllocationArgs › weights are 1, names differ', (t) => {
  const resources = [{ name: 'cpu' }, { name: 'cpu', weight: 1 }, { name: 'memory', weight: 2 }];
  t.deepEqual(argsProblems('NodeResourcesBalancedAllocation', { resources }), [
    'resources[1].name: Duplicate value: "cpu"',
    'resources[2].weight: Invalid value: 2: must be 1',
  ]);
});

const required = (...matchExpressions: readonly object[]): object => ({
  addedAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
  },
});

test('NodeAffinityArgs › terms that cannot be read are refused', (t) => {
  const problems = argsProblems(
    'NodeAffinity',
    required(
      { key: 'a', operator: 'Is' },
      { key: 'a', operator: 'In' },
      { key: 'a', operator: 'Exists', values: ['x'] },
      { key: 'a', operator: 'Gt', values: ['one'] },
      { key: 'a', operator: 'Lt', values: ['1', '2'] },
    ),
  ).map((problem) => problem.replace('addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.', ''));
  t.deepEqual(problems, [
    'nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Is": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"',
    "nodeSelectorTerms[0].matchExpressions[1].values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    'nodeSelectorTerms[0].matchExpressions[2].values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    `nodeSelectorTerms[0].matchExpressions[3].values[0]: Invalid value: "one": for 'Gt', 'Lt' operators, the value must be an integer`,
    `nodeSelectorTerms[0].matchExpressions[4].values: Invalid value: ["1","2"]: for 'Gt', 'Lt' operators, exactly one value is required`,
  ]);
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }];
  const preferred = (weight: number): object => ({
    addedAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, preference: { matchFields } }] },
  });
  t.deepEqual(argsProblems('NodeAffinity', preferred(1)), [
    'addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchFields[0].values: Invalid value: ["a","b"]: must have one element',
  ]);
  t.deepEqual(argsProblems('NodeAffinity', preferred(0)), [], 'a term of weight 0 is not looked at');
});
