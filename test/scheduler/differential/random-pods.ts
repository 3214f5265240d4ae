/** Random pod templates: a few of each cluster's templates are shared by most of its pods. */
import type { core, LabelSelector, PodSpec, ResourceList, StringMap } from '../../../src/api/objects/objects.js';
import { present, type Dice } from './dice.js';
import type { Template } from './operations.js';
import { GPU, HOST, IMAGES, REGION, TAINT_KEYS, ZONE } from './random-nodes.js';

export const NAMESPACES = ['default', 'team-a', 'team-b'] as const;
export const APPS = ['web', 'db', 'cache'] as const;
const TOPOLOGIES = [HOST, ZONE, ZONE, REGION, 'rack', 'nowhere'] as const;
const POLICIES = ['Honor', 'Ignore'] as const;

/** How likely pods of a cluster are to have what, in percent. */
export interface PodTraits {
  readonly nodeRules: number;
  readonly spread: number;
  readonly interPod: number;
  readonly ports: number;
  /** Resources besides cpu and memory, overhead, init containers, requests of the whole pod. */
  readonly oddities: number;
  readonly volumes: number;
  readonly priorities: readonly (number | undefined)[];
  /** Names of the schedulers that pods choose among. */
  readonly schedulerNames: readonly string[];
  /** Node names that terms may mention. */
  readonly nodeNames: readonly string[];
}

/** Labels of a pod. */
export function randomPodLabels(dice: Dice): StringMap {
  return present<Record<string, string>>({
    app: dice.maybe(90, () => dice.pick(APPS)),
    tier: dice.maybe(50, () => dice.pick(['front', 'back'])),
    version: dice.maybe(50, () => dice.pick(['v1', 'v2'])),
  });
}

/** What a pod asks for. */
export function randomRequests(dice: Dice, oddities: number): ResourceList {
  return present<Record<string, string>>({
    cpu: dice.maybe(75, () => `${dice.int(1, 40) * 50}m`),
    memory: dice.maybe(70, () => `${dice.int(1, 24) * 128}Mi`),
    ...(dice.chance(oddities) ? randomOddity(dice) : {}),
  });
}

function randomOddity(dice: Dice): ResourceList {
  return dice.pick<ResourceList>([
    { 'ephemeral-storage': '4Gi' },
    { [GPU]: '1' },
    { [GPU]: '2' },
    { 'hugepages-2Mi': '4Mi' },
  ]);
}

/** A template. */
export function randomTemplate(dice: Dice, traits: PodTraits): Template {
  const labels = randomPodLabels(dice);
  return present<Template>({
    namespace: dice.pick([...NAMESPACES, 'default']),
    labels,
    ownerReferences: dice.maybe(15, () => [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: dice.pick(APPS), uid: 'owner', controller: true },
    ]),
    spec: randomSpec(dice, traits, labels),
  });
}

/** A template that shares all but one field with another. */
export function withOtherField(dice: Dice, traits: PodTraits, template: Template): Template {
  const { spec } = template;
  const other = randomTemplate(dice, traits);
  switch (dice.pick(['namespace', 'labels', 'priority', 'spec', 'spec', 'container'])) {
    case 'namespace':
      return { ...template, namespace: other.namespace };
    case 'labels':
      return { ...template, labels: other.labels };
    case 'container': {
      const [first, ...others] = spec.containers as [core.Container, ...core.Container[]];
      const changed = { ...first, ...randomContainer(dice, traits), name: first.name };
      return { ...template, spec: { ...spec, containers: [changed, ...others] } };
    }
    case 'priority':
      return {
        ...template,
        spec: present<PodSpec & Record<string, unknown>>({ ...spec, priority: other.spec.priority }),
      };
    default: {
      const field = dice.pick([
        'overhead',
        'resources',
        'tolerations',
        'nodeSelector',
        'affinity',
        'topologySpreadConstraints',
        'initContainers',
        'volumes',
      ] as const);
      const changed = { ...spec, [field]: other.spec[field] ?? EXTRAS[field] };
      return { ...template, spec: present<PodSpec & Record<string, unknown>>(changed) };
    }
  }
}

/** A template that differs from another in nothing but what its pods request. */
export function withOtherRequests(dice: Dice, template: Template): Template {
  const { spec } = template;
  const containers = spec.containers.map((container) => ({
    ...container,
    resources: { requests: { cpu: `${dice.int(1, 400) * 5}m`, memory: `${dice.int(1, 300) * 10}Mi` } },
  }));
  return { ...template, spec: { ...spec, containers } };
}

/** What a template gets where a random one has nothing. */
const EXTRAS: Readonly<Partial<Record<keyof PodSpec, unknown>>> = {
  overhead: { cpu: '300m' },
  resources: { requests: { memory: '900Mi' } },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ operator: 'Exists' }],
};

function randomSpec(dice: Dice, traits: PodTraits, labels: StringMap): PodSpec {
  const affinity = present<core.Affinity>({
    nodeAffinity: dice.maybe(traits.nodeRules / 2, () => randomNodeAffinity(dice, traits)),
    podAffinity: dice.maybe(traits.interPod / 2, () => randomPodAffinity(dice, labels)),
    podAntiAffinity: dice.maybe(traits.interPod / 2, () => randomPodAffinity(dice, labels)),
  });
  const schedulerName = dice.pick(traits.schedulerNames);
  return present<PodSpec & Record<string, unknown>>({
    containers: dice
      .several(1, 2, () => randomContainer(dice, traits))
      .map((each, index) => ({ ...each, name: `c${index}` })),
    initContainers: dice.maybe(traits.oddities, () => [
      present<core.Container>({
        ...randomContainer(dice, { ...traits, ports: 0 }),
        name: 'init',
        restartPolicy: dice.maybe(50, () => 'Always'),
      }),
    ]),
    schedulerName: schedulerName === 'default-scheduler' ? undefined : schedulerName,
    priority: dice.pick(traits.priorities),
    preemptionPolicy: dice.maybe(10, () => 'Never'),
    overhead: dice.maybe(traits.oddities / 2, () => ({ cpu: '250m', memory: '120Mi' })),
    resources: dice.maybe(traits.oddities / 2, () => ({ requests: { cpu: '700m' } })),
    nodeSelector: dice.maybe(traits.nodeRules / 3, () => ({ disk: dice.pick(['ssd', 'hdd']) })),
    tolerations: dice.maybe(40, () => dice.several(1, 2, () => randomToleration(dice))),
    affinity: Object.keys(affinity).length === 0 ? undefined : affinity,
    topologySpreadConstraints: dice.maybe(traits.spread, () => randomSpread(dice, labels)),
    volumes: dice.maybe(traits.volumes, () => dice.several(1, 2, () => randomVolume(dice)).map(named)),
  });
}

function randomContainer(dice: Dice, { ports, oddities }: PodTraits): core.Container {
  const requests = randomRequests(dice, oddities);
  return present<core.Container>({
    name: '',
    image: dice.pick([...IMAGES, 'unknown']),
    resources: dice.maybe(85, () => ({ requests: { ...requests } })),
    ports: dice.maybe(ports, () => [
      present<core.ContainerPort>({
        containerPort: 80,
        hostPort: dice.pick([8080, 8080, 9090]),
        protocol: dice.maybe(30, () => 'UDP'),
        hostIP: dice.maybe(30, () => dice.pick(['10.0.0.1', '0.0.0.0'])),
      }),
    ]),
  });
}

function randomToleration(dice: Dice): core.Toleration {
  const operator = dice.pick(['Exists', 'Equal', undefined]);
  return present<core.Toleration>({
    key: operator === 'Exists' && dice.chance(30) ? undefined : dice.pick(TAINT_KEYS),
    operator,
    value: operator === 'Exists' ? undefined : dice.pick(['a', 'b', '']),
    effect: dice.pick([undefined, 'NoSchedule', 'PreferNoSchedule', 'NoExecute']),
  });
}

function randomNodeTerm(dice: Dice, { nodeNames }: PodTraits): core.NodeSelectorTerm {
  if (dice.chance(12)) {
    const values = dice.several(1, 1, () => dice.pick(nodeNames));
    return { matchFields: [{ key: 'metadata.name', operator: dice.pick(['In', 'In', 'NotIn']), values }] };
  }
  const requirement = (): core.NodeSelectorRequirement => {
    const operator = dice.pick(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
    if (operator === 'Gt' || operator === 'Lt') return { key: 'size', operator, values: [String(dice.int(2, 7))] };
    const [key, values] = dice.pick([
      ['disk', ['ssd', 'hdd']],
      [ZONE, ['z1', 'z2', 'z3']],
      ['rack', ['rack-1', 'rack-2', 'rack-3']],
    ] as const);
    if (operator === 'Exists' || operator === 'DoesNotExist') return { key, operator };
    return { key, operator, values: dice.several(1, 2, () => dice.pick(values)) };
  };
  return { matchExpressions: dice.several(1, 2, requirement) };
}

function randomNodeAffinity(dice: Dice, traits: PodTraits): core.NodeAffinity {
  return present<core.NodeAffinity>({
    requiredDuringSchedulingIgnoredDuringExecution: dice.maybe(55, () => ({
      nodeSelectorTerms: dice.several(1, 2, () => randomNodeTerm(dice, traits)),
    })),
    preferredDuringSchedulingIgnoredDuringExecution: dice.maybe(65, () =>
      dice.several(1, 3, () => ({
        weight: dice.int(1, 100),
        preference: randomNodeTerm(dice, { ...traits, nodeNames: ['n1', 'n2'] }),
      })),
    ),
  });
}

function randomSelector(dice: Dice, labels: StringMap): LabelSelector {
  const own = labels['app'];
  switch (dice.weighted({ own: own === undefined ? 0 : 5, app: 3, expression: 3, empty: 1 })) {
    case 'own':
      return { matchLabels: { app: own ?? '' } };
    case 'app':
      return { matchLabels: { app: dice.pick(APPS) } };
    case 'empty':
      return {};
    case 'expression':
      return {
        matchExpressions: [
          dice.pick([
            { key: 'app', operator: 'In', values: ['web', 'db'] },
            { key: 'tier', operator: 'NotIn', values: ['back'] },
            { key: 'version', operator: 'Exists' },
            { key: 'tier', operator: 'DoesNotExist' },
          ]),
        ],
      };
  }
}

function randomPodTerm(dice: Dice, labels: StringMap): core.PodAffinityTerm {
  return present<core.PodAffinityTerm>({
    topologyKey: dice.pick(TOPOLOGIES),
    labelSelector: dice.maybe(95, () => randomSelector(dice, labels)),
    namespaces: dice.maybe(25, () => dice.several(1, 2, () => dice.pick(NAMESPACES))),
    namespaceSelector: dice.maybe(40, () =>
      dice.pick<LabelSelector>([
        {},
        { matchLabels: { team: 'a' } },
        { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['b'] }] },
      ]),
    ),
  });
}

function randomPodAffinity(dice: Dice, labels: StringMap): core.PodAffinity {
  return present<core.PodAffinity>({
    requiredDuringSchedulingIgnoredDuringExecution: dice.maybe(50, () =>
      dice.several(1, 2, () => randomPodTerm(dice, labels)),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: dice.maybe(60, () =>
      dice.several(1, 2, () => ({ weight: dice.int(1, 100), podAffinityTerm: randomPodTerm(dice, labels) })),
    ),
  });
}

function randomSpread(dice: Dice, labels: StringMap): core.TopologySpreadConstraint[] {
  return dice.several(1, 2, () => {
    const isHard = dice.chance(55);
    return present<core.TopologySpreadConstraint>({
      topologyKey: dice.pick([HOST, ZONE, ZONE, REGION, 'rack']),
      maxSkew: dice.int(1, 3),
      whenUnsatisfiable: isHard ? 'DoNotSchedule' : 'ScheduleAnyway',
      labelSelector: dice.maybe(95, () => randomSelector(dice, labels)),
      minDomains: isHard ? dice.maybe(30, () => dice.int(1, 5)) : undefined,
      nodeAffinityPolicy: dice.maybe(35, () => dice.pick(POLICIES)),
      nodeTaintsPolicy: dice.maybe(50, () => dice.pick(POLICIES)),
      matchLabelKeys: dice.maybe(25, () => ['version']),
    });
  });
}

function randomVolume(dice: Dice): Omit<core.Volume, 'name'> {
  switch (dice.weighted({ claim: 6, disk: 2, scratch: 1, ephemeral: 1 })) {
    case 'claim':
      return { persistentVolumeClaim: { claimName: `claim-${dice.int(0, 7)}` } };
    case 'disk':
      return { gcePersistentDisk: { pdName: dice.pick(['pd-1', 'pd-2']), readOnly: dice.chance(40) } };
    case 'scratch':
      return { emptyDir: {} };
    case 'ephemeral':
      return { ephemeral: { volumeClaimTemplate: { spec: {} } } };
  }
}

function named(volume: Omit<core.Volume, 'name'>, index: number): core.Volume {
  return { name: `v${index}`, ...volume };
}
