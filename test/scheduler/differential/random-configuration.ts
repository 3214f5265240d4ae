/** Random KubeSchedulerConfigurations: strategies, weights, plugins left out, args, percentages. */
import { present, type Dice } from './dice.js';
import { HOST, ZONE } from './random-nodes.js';

/** Plugins that a profile can do without. */
const OPTIONAL = [
  'NodeUnschedulable',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'VolumeZone',
  'PodTopologySpread',
  'InterPodAffinity',
  'DefaultPreemption',
  'NodeResourcesBalancedAllocation',
  'ImageLocality',
] as const;
const SCORES = [
  'TaintToleration',
  'NodeAffinity',
  'NodeResourcesFit',
  'PodTopologySpread',
  'InterPodAffinity',
  'NodeResourcesBalancedAllocation',
  'ImageLocality',
] as const;

/** A configuration with these profiles, each of them the default one or another. */
export function randomConfiguration(
  dice: Dice,
  schedulerNames: readonly string[],
  percentage: number,
  isConfigured: boolean,
): object {
  return {
    percentageOfNodesToScore: percentage,
    profiles: schedulerNames.map((schedulerName) =>
      dice.chance(isConfigured ? 40 : 100)
        ? { schedulerName }
        : present({
            schedulerName,
            percentageOfNodesToScore: dice.maybe(10, () => dice.pick([10, 60, 100])),
            plugins: randomPlugins(dice),
            pluginConfig: randomArgs(dice),
          }),
    ),
  };
}

function randomPlugins(dice: Dice): object {
  const disabled = new Set(dice.chance(35) ? dice.several(1, 2, () => dice.pick(OPTIONAL)) : []);
  const weighted = SCORES.filter((name) => !disabled.has(name as (typeof OPTIONAL)[number]) && dice.chance(30));
  return {
    multiPoint: { disabled: [...disabled].map((name) => ({ name })) },
    score: {
      disabled: weighted.map((name) => ({ name })),
      enabled: weighted.filter(() => dice.chance(85)).map((name) => ({ name, weight: dice.int(1, 9) })),
    },
  };
}

function config(name: string, args: object): object {
  return { name, args };
}

function randomArgs(dice: Dice): object[] {
  return [
    dice.maybe(60, () => config('NodeResourcesFit', randomFitArgs(dice))),
    dice.maybe(25, () =>
      config('NodeResourcesBalancedAllocation', {
        resources: [
          { name: 'cpu', weight: 1 },
          { name: 'example.com/gpu', weight: 1 },
        ],
      }),
    ),
    dice.maybe(25, () => config('NodeAffinity', { addedAffinity: randomAddedAffinity(dice) })),
    dice.maybe(40, () => config('PodTopologySpread', randomSpreadArgs(dice))),
    dice.maybe(35, () =>
      config('InterPodAffinity', {
        hardPodAffinityWeight: dice.pick([0, 1, 50, 100]),
        ignorePreferredTermsOfExistingPods: dice.chance(50),
      }),
    ),
    dice.maybe(50, () =>
      config('DefaultPreemption', {
        minCandidateNodesPercentage: dice.pick([0, 10, 50, 100]),
        minCandidateNodesAbsolute: dice.pick([1, 2, 100]),
      }),
    ),
  ].filter((each) => each !== undefined);
}

function randomFitArgs(dice: Dice): object {
  const resources = dice.pick([
    [
      { name: 'cpu', weight: 1 },
      { name: 'memory', weight: 1 },
    ],
    [
      { name: 'cpu', weight: 5 },
      { name: 'example.com/gpu', weight: 3 },
      { name: 'memory', weight: 1 },
    ],
  ]);
  const shape = [
    { utilization: 0, score: dice.int(0, 10) },
    { utilization: dice.int(20, 80), score: dice.int(0, 10) },
    { utilization: 100, score: dice.int(0, 10) },
  ];
  const type = dice.pick(['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio']);
  return present({
    scoringStrategy: present({
      type,
      resources,
      requestedToCapacityRatio: type === 'RequestedToCapacityRatio' ? { shape } : undefined,
    }),
    ignoredResources: dice.maybe(15, () => ['example.com/gpu']),
    ignoredResourceGroups: dice.maybe(10, () => ['example.com']),
  });
}

function randomAddedAffinity(dice: Dice): object {
  const term = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd', 'hdd'] }] };
  const zone = { matchExpressions: [{ key: ZONE, operator: 'In', values: [dice.pick(['z1', 'z2'])] }] };
  return present({
    requiredDuringSchedulingIgnoredDuringExecution: dice.maybe(50, () => ({ nodeSelectorTerms: [term] })),
    preferredDuringSchedulingIgnoredDuringExecution: dice.maybe(70, () => [{ weight: 30, preference: zone }]),
  });
}

function randomSpreadArgs(dice: Dice): object {
  if (dice.chance(30)) return { defaultingType: 'List' };
  return {
    defaultingType: 'List',
    defaultConstraints: [
      { maxSkew: dice.int(1, 3), topologyKey: ZONE, whenUnsatisfiable: dice.pick(['DoNotSchedule', 'ScheduleAnyway']) },
      { maxSkew: dice.int(1, 3), topologyKey: HOST, whenUnsatisfiable: 'ScheduleAnyway' },
    ],
  };
}
