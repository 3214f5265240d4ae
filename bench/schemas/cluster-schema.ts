/** Options of a cluster that plain data can say. */
import {
  DEFAULT_AUTOSCALER_SETTINGS,
  EXPANDERS,
} from '../../src/controllers/cluster-autoscaler/autoscaler-settings.js';
import { CONTROLLER_NAMES } from '../../src/controllers/controller-manager.js';
import { DEFAULT_CONTROLLER_SETTINGS } from '../../src/controllers/runtime/controller-settings.js';
import { SIGNALS } from '../../src/kubelet/configuration/threshold.js';
import { DEFAULT_RUNTIME_PROFILE } from '../../src/kubelet/scripts/runtime-profile.js';
import { AUTOSCALER_DURATIONS, AUTOSCALER_FRACTIONS } from '../../src/options/cluster-autoscaler-options.js';
import { ANYTHING, anyOf, DISTRIBUTION, DURATION_TEXT, fields, FLAG, integer, listOf } from './shape.js';
import { MAPPING, number, oneWord, ref, TEXT, TEXTS, TEXTS_BY_NAME, type Shape, type Shapes } from './shape.js';

const MOST = 2_147_483_647;
const QPS = number(-1_000_000, 1_000_000);
const BURST = integer(0, MOST);
const SECONDS_A_DAY = 86_400;
const SOME_TIME = anyOf(DURATION_TEXT, { type: 'number', exclusiveMinimum: 0 });
const ANY_TIME = anyOf(DURATION_TEXT, { type: 'number', minimum: 0 });

const QUANTITIES: Shape = {
  type: 'object',
  additionalProperties: {
    type: 'string',
    pattern: '^\\+?(\\d+(?:\\.\\d*)?|\\.\\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\\d+)?$',
  },
};

const bySignal = (value: Shape): Shape => fields(Object.fromEntries(SIGNALS.map((signal) => [signal, value])));

const KUBELET: Shape = fields({
  evictionHard: bySignal(TEXT),
  evictionSoft: bySignal(TEXT),
  evictionSoftGracePeriod: bySignal(DURATION_TEXT),
  evictionMinimumReclaim: bySignal(TEXT),
  evictionMaxPodGracePeriod: integer(0, SECONDS_A_DAY),
  evictionPressureTransitionPeriod: DURATION_TEXT,
  mergeDefaultEvictionSettings: FLAG,
  shutdownGracePeriod: DURATION_TEXT,
  shutdownGracePeriodCriticalPods: DURATION_TEXT,
  shutdownGracePeriodByPodPriority: listOf(
    fields({ priority: integer(-MOST - 1, MOST), shutdownGracePeriodSeconds: integer(0, SECONDS_A_DAY) }, [
      'priority',
      'shutdownGracePeriodSeconds',
    ]),
  ),
  maxPods: integer(1, MOST),
  systemReserved: QUANTITIES,
  kubeReserved: QUANTITIES,
  imageGCHighThresholdPercent: integer(0, 100),
  imageGCLowThresholdPercent: integer(0, 100),
  imageMinimumGCAge: DURATION_TEXT,
  allowedUnsafeSysctls: TEXTS,
  kubeAPIQPS: BURST,
  kubeAPIBurst: BURST,
  eventRecordQPS: BURST,
  eventBurst: BURST,
  registryPullQPS: BURST,
  registryBurst: BURST,
  serializeImagePulls: FLAG,
  maxParallelImagePulls: integer(1, MOST),
});

const TAINT = fields(
  {
    key: { type: 'string' },
    value: { type: 'string' },
    effect: oneWord('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
    timeAdded: ANYTHING,
  },
  ['key', 'effect'],
);

const DEVICES = fields(
  { driver: TEXT, count: integer(1, 1024), namePrefix: TEXT, attributes: MAPPING, capacity: MAPPING },
  ['driver', 'count'],
);

const OF_ANY_NODE: Shapes = {
  labels: TEXTS_BY_NAME,
  annotations: TEXTS_BY_NAME,
  taints: listOf(TAINT),
  capacity: QUANTITIES,
  allocatable: QUANTITIES,
  images: listOf(MAPPING),
  kubelet: ref('kubelet'),
  staticPods: listOf(MAPPING),
  devices: listOf(DEVICES),
};

const NODE_GROUP: Shape = {
  description: 'A number of equal machines.',
  ...fields(
    {
      count: integer(0, 100_000),
      namePrefix: { type: 'string' },
      zones: TEXTS,
      region: { type: 'string' },
      provisioningDelay: ANY_TIME,
      autoscaling: fields({ min: integer(0, 100_000), max: integer(0, 100_000), price: number(0, MOST) }, ['max']),
      ...OF_ANY_NODE,
    },
    ['count'],
  ),
};

const NODE: Shape = {
  description: 'One node in detail.',
  ...fields({ name: TEXT, ...OF_ANY_NODE }, ['name', 'labels', 'annotations', 'taints', 'capacity', 'images']),
};

/** Settings that are no whole numbers. */
const MANAGER_SETTINGS: Shapes = {
  kubeAPIQPS: QPS,
  kubeAPIBurst: BURST,
  nodeMonitorPeriod: SOME_TIME,
  nodeMonitorGracePeriod: SOME_TIME,
  nodeStartupGracePeriod: SOME_TIME,
  nodeEvictionRate: number(0, 1000),
  secondaryNodeEvictionRate: number(0, 1000),
  unhealthyZoneThreshold: number(0, 1),
  disableForceDetachOnTimeout: FLAG,
  horizontalPodAutoscalerSyncPeriod: SOME_TIME,
  horizontalPodAutoscalerDownscaleStabilization: ANY_TIME,
  horizontalPodAutoscalerTolerance: number(0, 1),
  horizontalPodAutoscalerCPUInitializationPeriod: ANY_TIME,
  horizontalPodAutoscalerInitialReadinessDelay: ANY_TIME,
};

function controllerManager(): Shape {
  const {
    attachRecords: _ofCluster,
    absentProvisioners: _ofDump,
    discoveryFailure: _toldByDump,
    staleApis: _ofServices,
    optionalKinds: _ofFeatures,
    ...known
  } = DEFAULT_CONTROLLER_SETTINGS;
  const names = Object.keys(known);
  return fields(Object.fromEntries(names.map((name) => [name, MANAGER_SETTINGS[name] ?? integer(0, MOST)])));
}

/** As its defaults say what each setting is. */
function clusterAutoscaler(): Shape {
  const limits = fields({ min: number(0, MOST), max: number(0, MOST) });
  const shapes = Object.entries(DEFAULT_AUTOSCALER_SETTINGS).map(
    ([name, standard]: readonly [string, unknown]): [string, Shape] => {
      const most = (AUTOSCALER_FRACTIONS as Readonly<Record<string, number>>)[name];
      if ((AUTOSCALER_DURATIONS as readonly string[]).includes(name))
        return [name, name === 'scanInterval' ? SOME_TIME : ANY_TIME];
      if (most !== undefined) return [name, number(0, most)];
      if (name === 'expander') return [name, anyOf(oneWord(...EXPANDERS), listOf(oneWord(...EXPANDERS), 1))];
      if (name === 'kubeClientQPS') return [name, number(-MOST, MOST)];
      if (name === 'expendablePodsPriorityCutoff') return [name, integer(-MOST, MOST)];
      if (typeof standard === 'boolean') return [name, FLAG];
      if (Array.isArray(standard)) return [name, listOf(TEXT)];
      return [name, typeof standard === 'object' ? limits : integer(0, MOST)];
    },
  );
  return anyOf(FLAG, fields(Object.fromEntries(shapes)));
}

const FENCING: Shape = anyOf(
  FLAG,
  fields({
    action: oneWord('powerOff', 'powerCycle', 'cutStorage'),
    toleranceSeconds: integer(0, SECONDS_A_DAY),
    patienceSeconds: integer(0, SECONDS_A_DAY),
    confirmSeconds: integer(0, 3600),
    minPriority: integer(-MOST - 1, MOST),
    maxUnreachablePercent: integer(0, 100),
  }),
);

const SCHEDULER: Shape = fields({
  percentageOfNodesToScore: integer(0, 100),
  podInitialBackoffSeconds: integer(1, SECONDS_A_DAY),
  podMaxBackoffSeconds: integer(1, SECONDS_A_DAY),
  clientConnection: fields({ qps: QPS, burst: BURST }),
  cycleMs: integer(0, 60_000),
  minPrefetchWork: integer(1, 1_000_000_000),
});

/** Options whose values are data; those that are functions stay with programs. */
const OPTIONS: Shapes = {
  seed: { description: 'Reproduces the run; 1 unless said.', ...anyOf({ type: 'integer' }, TEXT) },
  nodes: {
    description: 'How many nodes, or groups of nodes in detail; 3 unless said.',
    ...anyOf(integer(0, 100_000), listOf(anyOf(ref('nodeGroup'), ref('node')))),
  },
  from: { description: 'Objects of another cluster, which goes on here.', type: ['string', 'object', 'array'] },
  workers: { description: 'Threads that evaluate pods for the scheduler.', ...integer(0, 64) },
  epoch: {
    description: 'The time of simulated time 0.',
    type: 'string',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
    examples: ['2030-01-01T00:00:00Z'],
  },
  latency: {
    description: 'One-way latency of every link in milliseconds; 1 to 5, drawn, unless said.',
    ...number(0, 3_600_000),
  },
  webhooks: {
    description: 'Where webhooks are, and what calls of them take.',
    ...fields({
      services: { ...TEXTS_BY_NAME, description: 'Addresses of servers, by namespace/name or namespace/name:port.' },
      latency: ANY_TIME,
    }),
  },
  featureGates: {
    description: 'Features that Kubernetes has off by default.',
    ...fields({ MutatingAdmissionPolicy: FLAG }),
  },
  runtimeConfig: {
    description: 'Versions of APIs that Kubernetes does not serve by default.',
    ...fields({ 'admissionregistration.k8s.io/v1beta1': FLAG, 'admissionregistration.k8s.io/v1alpha1': FLAG }),
  },
  stages: {
    description: 'Stages of kwok, as text or objects: what becomes of objects by themselves.',
    ...anyOf({ type: 'string' }, listOf(MAPPING)),
  },
  clientLimits: { description: 'How fast components may send requests.', ...oneWord('upstream', 'unlimited') },
  runtime: {
    description: 'How long images, sandboxes and containers take where scripts are silent.',
    ...fields(Object.fromEntries(Object.keys(DEFAULT_RUNTIME_PROFILE).map((name) => [name, DISTRIBUTION]))),
  },
  kubelet: ref('kubelet'),
  scheduler: SCHEDULER,
  schedulerConfig: { description: 'A KubeSchedulerConfiguration.', type: ['string', 'object'] },
  controllers: { description: 'Those that run; all unless said.', ...listOf(oneWord(...CONTROLLER_NAMES)) },
  without: {
    description: 'Components that are left out.',
    ...listOf(oneWord('kube-scheduler', 'kube-controller-manager')),
  },
  controllerManagers: { description: 'Replicas, of which one leads.', ...integer(1, 9) },
  schedulers: { description: 'Replicas, of which one leads.', ...integer(1, 9) },
  controllerManager: {
    description: "Settings of the controllers, under the names of kube-controller-manager's flags.",
    ...controllerManager(),
  },
  invariants: {
    description: 'Whether promises are checked while the cluster runs.',
    ...anyOf(FLAG, { type: 'array', maxItems: 0 }),
  },
  fencing: { description: 'A fencing controller for nodes without a sign of life.', ...FENCING },
  clusterAutoscaler: {
    description: 'How the cluster autoscaler goes about groups of nodes with autoscaling.',
    ...clusterAutoscaler(),
  },
  attachRecords: { description: 'Whether volumes have a record of which node has them.', ...FLAG },
  defaultStorageClass: { description: 'Whether there is a storage class from the start.', ...FLAG },
  watchHistory: { description: 'Watch events kept per kind.', ...integer(100, 10_000_000) },
  holdWarningAfter: {
    description: 'Real time after which a warning says what holds simulated time.',
    ...anyOf(DURATION_TEXT, number(1, 86_400_000)),
  },
};

/** What {@link clusterShape} refers to. */
export const CLUSTER_DEFINITIONS: Shapes = {
  kubelet: { description: "Under the names of upstream's KubeletConfiguration.", ...KUBELET },
  nodeGroup: NODE_GROUP,
  node: NODE,
};

/** The options of a cluster but those that are said elsewhere. */
export function clusterShape(...elsewhere: readonly string[]): Shape {
  const said = Object.entries(OPTIONS).filter(([name]) => !elsewhere.includes(name));
  return { description: 'Options of createCluster.', ...fields(Object.fromEntries(said)) };
}
