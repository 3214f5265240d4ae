/** The fields of KubeSchedulerConfiguration and of plugin args, with their types: `kubescheduler.config.k8s.io/v1` of kube-scheduler v1.34. */
import { EXTENSION_POINTS } from '../framework/extension-points.js';
import type { FieldSchema, ObjectSchema } from './decode-fields.js';

const PLUGIN_SET = {
  enabled: [{ name: 'string', weight: 'int32' }],
  disabled: [{ name: 'string', weight: 'int32' }],
} as const satisfies ObjectSchema;

const PROFILE = {
  schedulerName: 'string',
  percentageOfNodesToScore: 'int32',
  plugins: Object.fromEntries(['multiPoint', ...EXTENSION_POINTS].map((point) => [point, PLUGIN_SET])),
  pluginConfig: [{ name: 'string', args: 'any' }],
} as const satisfies ObjectSchema;

/** Fields that a real configuration has and that mean nothing to a simulated scheduler. */
export const IGNORED_FIELDS = [
  'parallelism',
  'leaderElection',
  'healthzBindAddress',
  'metricsBindAddress',
  'enableProfiling',
  'enableContentionProfiling',
  'delayCacheUntilActive',
] as const;

/** Fields of `clientConnection` that say where the API server is and how it is talked to. */
export const IGNORED_CONNECTION_FIELDS = ['kubeconfig', 'acceptContentTypes', 'contentType'] as const;

/** A whole KubeSchedulerConfiguration. */
export const CONFIGURATION_SCHEMA: ObjectSchema = {
  parallelism: 'int32',
  clientConnection: {
    ...Object.fromEntries(IGNORED_CONNECTION_FIELDS.map((name) => [name, 'string' as const])),
    qps: 'float32',
    burst: 'int32',
  },
  ...Object.fromEntries(IGNORED_FIELDS.filter((name) => name !== 'parallelism').map((name) => [name, 'any' as const])),
  apiVersion: 'string',
  kind: 'string',
  percentageOfNodesToScore: 'int32',
  podInitialBackoffSeconds: 'int64',
  podMaxBackoffSeconds: 'int64',
  profiles: [PROFILE],
  extenders: 'any',
};

const RESOURCES = [{ name: 'string', weight: 'int64' }] as const;
const SHAPE = [{ utilization: 'int32', score: 'int32' }] as const;
const REQUIREMENTS = [{ key: 'string', operator: 'string', values: ['string'] }] as const;
const NODE_TERM = { matchExpressions: REQUIREMENTS, matchFields: REQUIREMENTS } as const;

const ARGS = {
  NodeResourcesFit: {
    ignoredResources: ['string'],
    ignoredResourceGroups: ['string'],
    scoringStrategy: { type: 'string', resources: RESOURCES, requestedToCapacityRatio: { shape: SHAPE } },
  },
  NodeResourcesBalancedAllocation: { resources: RESOURCES },
  NodeAffinity: {
    addedAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [NODE_TERM] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 'int32', preference: NODE_TERM }],
    },
  },
  PodTopologySpread: {
    defaultConstraints: [
      {
        maxSkew: 'int32',
        topologyKey: 'string',
        whenUnsatisfiable: 'string',
        labelSelector: 'any',
        minDomains: 'int32',
        nodeAffinityPolicy: 'string',
        nodeTaintsPolicy: 'string',
        matchLabelKeys: ['string'],
      },
    ],
    defaultingType: 'string',
  },
  InterPodAffinity: { hardPodAffinityWeight: 'int32', ignorePreferredTermsOfExistingPods: 'boolean' },
  DefaultPreemption: { minCandidateNodesPercentage: 'int32', minCandidateNodesAbsolute: 'int32' },
  VolumeBinding: { bindTimeoutSeconds: 'int64', shape: SHAPE },
  DynamicResources: { filterTimeout: 'string', bindingTimeout: 'string' },
} as const satisfies Readonly<Record<string, ObjectSchema>>;

/** The args of plugins that have some, by plugin name. */
export const ARGS_SCHEMAS: ReadonlyMap<string, FieldSchema> = new Map(
  Object.entries(ARGS).map(([plugin, fields]) => [plugin, { apiVersion: 'string', kind: 'string', ...fields }]),
);
