/**
 * What runs unless a user says otherwise: a shop of a dozen Deployments of different shapes, spread over
 * zones, and a rolling update of some of them once all are Ready. Pure data that scales with the
 * number of pods and nodes.
 */
import type { core, Draft, ObjectName, ResourceList, StringMap } from '../api/objects/objects.js';
import { DEFAULT_NODE_GROUP, type NodeGroup } from './node-groups.js';

/** A new image for one container of a Deployment. */
export interface ImageUpdate {
  readonly deployment: ObjectName;
  readonly container: string;
  readonly image: string;
}

/** See the file header. */
export interface Scene {
  readonly nodeGroups: readonly NodeGroup[];
  /** In the order in which they are to be applied. */
  readonly objects: readonly Draft[];
  /** To be made once every pod is Ready. */
  readonly updates: readonly ImageUpdate[];
}

/** The size of the scene. */
export interface SceneSize {
  /** 0..100000. */
  readonly nodes: number;
  /** Pods of all Deployments together, 0 or more. */
  readonly pods: number;
}

interface Tier {
  readonly name: string;
  /** Share of the pods. */
  readonly weight: number;
  readonly cpu: string;
  readonly memory: string;
  readonly port?: number;
  readonly isUpdated?: boolean;
  readonly scheduling?: Partial<Pick<core.PodSpec, 'affinity' | 'tolerations' | 'nodeSelector' | 'initContainers'>>;
}

const NAMESPACE = 'shop';
const DEDICATED = 'kubeloom.dev/dedicated';
const ZONE = 'topology.kubernetes.io/zone';
/** One node in this many belongs to the tainted group; clusters smaller than that have none. */
const NODES_PER_DEDICATED = 20;

const inValues = (key: string, ...values: string[]): core.NodeSelectorTerm => ({
  matchExpressions: [{ key, operator: 'In', values }],
});

const TIERS: readonly Tier[] = [
  { name: 'frontend', weight: 18, cpu: '250m', memory: '256Mi', port: 8080, isUpdated: true },
  { name: 'api', weight: 15, cpu: '500m', memory: '512Mi', port: 8081, isUpdated: true },
  { name: 'cart', weight: 10, cpu: '200m', memory: '256Mi', port: 7070 },
  { name: 'catalog', weight: 10, cpu: '300m', memory: '384Mi', port: 3550 },
  { name: 'checkout', weight: 8, cpu: '400m', memory: '512Mi', port: 5050, isUpdated: true },
  { name: 'currency', weight: 6, cpu: '100m', memory: '128Mi', port: 7000 },
  { name: 'search', weight: 6, cpu: '2', memory: '4Gi', port: 9200 },
  {
    name: 'payment',
    weight: 6,
    cpu: '150m',
    memory: '192Mi',
    port: 50051,
    scheduling: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [inValues(ZONE, 'zone-a')] },
        },
      },
    },
  },
  {
    name: 'cache',
    weight: 6,
    cpu: '250m',
    memory: '2Gi',
    port: 6379,
    scheduling: {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, preference: inValues(ZONE, 'zone-b') }],
        },
      },
    },
  },
  {
    name: 'batch',
    weight: 7,
    cpu: '1',
    memory: '1Gi',
    scheduling: {
      tolerations: [{ key: DEDICATED, operator: 'Equal', value: 'batch', effect: 'NoSchedule' }],
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: inValues(DEDICATED, 'batch') }],
        },
      },
    },
  },
  {
    name: 'recommendation',
    weight: 5,
    cpu: '350m',
    memory: '768Mi',
    port: 8090,
    scheduling: {
      initContainers: [
        {
          name: 'load-model',
          image: 'registry.example/recommendation-model:1.0',
          resources: { requests: { cpu: '500m', memory: '512Mi' } },
        },
      ],
    },
  },
  { name: 'mail', weight: 3, cpu: '50m', memory: '64Mi' },
];

/** Builds the scene; equal sizes give equal scenes. */
export function defaultScene({ nodes, pods }: SceneSize): Scene {
  const replicas = shares(
    pods,
    TIERS.map(({ weight }) => weight),
  );
  const tiers = TIERS.map((tier, index) => ({ tier, replicas: replicas[index] ?? 0 })).filter(
    (each) => each.replicas > 0,
  );
  return {
    nodeGroups: nodeGroups(nodes),
    objects: [
      ...(tiers.length === 0 ? [] : [namespaceDraft()]),
      ...tiers.flatMap(({ tier }) => (tier.port === undefined ? [] : [serviceDraft(tier.name, tier.port)])),
      ...tiers.map((each) => deploymentDraft(each.tier, each.replicas)),
    ],
    updates: tiers
      .filter(({ tier }) => tier.isUpdated === true)
      .map(({ tier: { name } }) => ({
        deployment: { namespace: NAMESPACE, name },
        container: name,
        image: imageOf(name, '2.0'),
      })),
  };
}

function nodeGroups(count: number): NodeGroup[] {
  const dedicated = Math.floor(count / NODES_PER_DEDICATED);
  const groups: NodeGroup[] = [
    { ...DEFAULT_NODE_GROUP, count: count - dedicated },
    {
      ...DEFAULT_NODE_GROUP,
      count: dedicated,
      namePrefix: 'batch-',
      labels: { [DEDICATED]: 'batch' },
      taints: [{ key: DEDICATED, value: 'batch', effect: 'NoSchedule' }],
    },
  ];
  return groups.filter((group) => group.count > 0);
}

/** Whole parts of a total in proportion to the weights; the parts that lost most by rounding get the rest. */
function shares(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const parts = weights.map((weight) => Math.floor((total * weight) / sum));
  const rest = total - parts.reduce((all, part) => all + part, 0);
  const byLoss = weights
    .map((weight, index) => ({ index, loss: ((total * weight) / sum) % 1 }))
    .sort((a, b) => b.loss - a.loss || a.index - b.index);
  for (const { index } of byLoss.slice(0, rest)) parts[index] = (parts[index] ?? 0) + 1;
  return parts;
}

function imageOf(name: string, version: string): string {
  return `registry.example/${name}:${version}`;
}

function namespaceDraft(): Draft {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
}

function serviceDraft(name: string, port: number): Draft {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: NAMESPACE, labels: { app: name } },
    spec: { selector: { app: name }, ports: [{ name: 'main', port: 80, targetPort: port }] },
  };
}

function deploymentDraft({ name, cpu, memory, port, scheduling = {} }: Tier, replicas: number): Draft {
  const labels: StringMap = { app: name };
  const requests: ResourceList = { cpu, memory };
  const container: core.Container = {
    name,
    image: imageOf(name, '1.0'),
    resources: { requests, limits: { memory } },
    ...(port === undefined ? {} : { ports: [{ name: 'main', containerPort: port }] }),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container], ...scheduling } },
    },
  };
}
