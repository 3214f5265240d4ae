/** Objects as users write them, drawn: of each kind now this field is stated and now that one. */
import type { Dealer } from './dealer.js';

/** A node on which the story itself plays the kubelet: pods there fail and turn unready. */
export const OWN_NODE = 'own-1';
/** What every workload's pods may have in common, so that several budgets and services select one pod. */
const TIERS = ['front', 'back'];
/** Priority classes of every story, with their values. */
export const PRIORITIES: Readonly<Record<string, number>> = { 'x-low': -10, 'x-high': 1000, 'x-polite': 500 };
/** A finalizer that keeps what has it until the story takes it away. */
export const HELD = 'example.com/held';
/** The storage class of every story; its volumes are made by hand. */
export const STORAGE_CLASS = 'x-fixed';

type Body = { readonly metadata: object; readonly spec?: object };
type Drawn = (dealer: Dealer, name: string) => object;

/** One body of each resource, by a name for its sort. */
export const DRAWN: Readonly<Record<string, readonly [resource: string, body: Drawn]>> = {
  deployment: [
    'deployments',
    (dealer, name) => workload('apps/v1', 'Deployment', dealer, name, deploymentSpec(dealer)),
  ],
  'replica set': ['replicasets', (dealer, name) => workload('apps/v1', 'ReplicaSet', dealer, name, delays(dealer))],
  'replication controller': ['replicationcontrollers', replicationController],
  'stateful set': ['statefulsets', (dealer, name) => statefulSet(dealer, name, false)],
  'stateful set with claims': ['statefulsets', (dealer, name) => statefulSet(dealer, name, true)],
  'daemon set': ['daemonsets', daemonSet],
  job: ['jobs', (dealer, name) => job(dealer, name, {})],
  'indexed job': ['jobs', (dealer, name) => job(dealer, name, { completionMode: 'Indexed' })],
  'suspended job': ['jobs', (dealer, name) => job(dealer, name, { suspend: true })],
  'job with a time to live': [
    'jobs',
    (dealer, name) => job(dealer, name, { ttlSecondsAfterFinished: dealer.int(0, 3) }),
  ],
  'job that may fail': ['jobs', failingJob],
  'cron job': ['cronjobs', cronJob],
  pod: ['pods', barePod],
  'pod with a claim': ['pods', podWithClaim],
  service: ['services', service],
  budget: ['poddisruptionbudgets', budget],
  'config map': ['configmaps', (_dealer, name) => ({ ...headOf('v1', 'ConfigMap', name), data: { key: name } })],
  claim: [
    'persistentvolumeclaims',
    (dealer, name) => ({ ...headOf('v1', 'PersistentVolumeClaim', name), spec: claimSpec(dealer) }),
  ],
};

const VOLUME_SIZES = [1, 2, 3, 4, 5];

/** Volumes of every story. */
export const VOLUMES: readonly object[] = VOLUME_SIZES.map((size, index) => volumeBody(volumeName(index), size));

/** Paths of what every story makes outside of its namespace. */
export const SHARED_OBJECTS: readonly string[] = [
  ...VOLUME_SIZES.map((_size, index) => `/api/v1/persistentvolumes/${volumeName(index)}`),
  `/apis/storage.k8s.io/v1/storageclasses/${STORAGE_CLASS}`,
  ...Object.keys(PRIORITIES).map((name) => `/apis/scheduling.k8s.io/v1/priorityclasses/${name}`),
];

function volumeName(index: number): string {
  return `x-volume-${index}`;
}

/** A node of a kubelet that reports at once that it runs. */
export function nodeBody(name: string): object {
  const room = { cpu: '8', memory: '32Gi', pods: '110' };
  return {
    metadata: {
      name,
      labels: { type: 'kwok', 'kubernetes.io/hostname': name },
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
    },
    spec: {},
    status: { capacity: room, allocatable: room },
  };
}

/** There before it is claimed. */
function volumeBody(name: string, gibibytes: number): object {
  return {
    metadata: { name },
    spec: {
      capacity: { storage: `${gibibytes}Gi` },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: STORAGE_CLASS,
      hostPath: { path: `/data/${name}` },
    },
  };
}

/** A container's image, one of a few. */
export function drawnImage(dealer: Dealer): string {
  return `app:v${dealer.int(1, 4)}`;
}

function headOf(apiVersion: string, kind: string, name: string): Body & { readonly apiVersion: string } {
  return { apiVersion, kind, metadata: { name } } as Body & { readonly apiVersion: string };
}

/** Half of the pods ask for little, others for much of a machine. */
function containers(dealer: Dealer, extra: object = {}): readonly object[] {
  const cpu = dealer.pick(['100m', '200m', '400m', '1500m']);
  return [{ name: 'c', image: 'app:v1', resources: { requests: { cpu, memory: '64Mi' } }, ...extra }];
}

function template(dealer: Dealer, name: string, spec: object = {}): Body {
  const tier = dealer.isOneOf(2) ? { tier: dealer.pick(TIERS) } : {};
  const priority = dealer.isOneOf(5) ? { priorityClassName: dealer.pick(Object.keys(PRIORITIES)) } : {};
  const grace = dealer.isOneOf(5) ? { terminationGracePeriodSeconds: dealer.int(0, 5) } : {};
  return {
    metadata: { labels: { app: name, ...tier } },
    spec: { containers: containers(dealer), ...priority, ...grace, ...spec },
  };
}

function delays(dealer: Dealer): object {
  return dealer.isOneOf(4) ? { minReadySeconds: dealer.int(1, 2) } : {};
}

function workload(apiVersion: string, kind: string, dealer: Dealer, name: string, spec: object): object {
  const selector = { matchLabels: { app: name } };
  const body = { replicas: dealer.int(0, 6), selector, template: template(dealer, name), ...spec };
  return { ...headOf(apiVersion, kind, name), spec: body };
}

function deploymentSpec(dealer: Dealer): object {
  const strategy = dealer.isOneOf(5)
    ? { type: 'Recreate' }
    : {
        rollingUpdate: dealer.pick([
          {},
          { maxSurge: dealer.int(0, 2), maxUnavailable: dealer.int(1, 2) },
          { maxSurge: '50%', maxUnavailable: '30%' },
        ]),
      };
  return {
    strategy,
    ...delays(dealer),
    ...(dealer.isOneOf(6) ? { paused: true } : {}),
    ...(dealer.isOneOf(4) ? { revisionHistoryLimit: dealer.int(0, 1) } : {}),
    ...(dealer.isOneOf(8) ? { progressDeadlineSeconds: 5 } : {}),
  };
}

function replicationController(dealer: Dealer, name: string): object {
  const spec = { replicas: dealer.int(0, 4), selector: { app: name }, template: template(dealer, name) };
  return { ...headOf('v1', 'ReplicationController', name), spec };
}

function statefulSet(dealer: Dealer, name: string, hasClaims: boolean): object {
  const updateStrategy = dealer.pick([
    {},
    { type: 'OnDelete' },
    { type: 'RollingUpdate', rollingUpdate: { partition: dealer.int(0, 3) } },
  ]);
  const mount = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const claims = {
    replicas: dealer.int(1, 3),
    template: template(dealer, name, { containers: containers(dealer, mount) }),
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec(dealer) }],
    persistentVolumeClaimRetentionPolicy: {
      whenScaled: dealer.pick(['Retain', 'Delete']),
      whenDeleted: dealer.pick(['Retain', 'Delete']),
    },
  };
  return workload('apps/v1', 'StatefulSet', dealer, name, {
    serviceName: name,
    podManagementPolicy: dealer.pick(['Parallel', 'OrderedReady']),
    updateStrategy,
    ...delays(dealer),
    ...(dealer.isOneOf(4) ? { ordinals: { start: dealer.int(1, 3) } } : {}),
    ...(dealer.isOneOf(4) ? { revisionHistoryLimit: dealer.int(0, 1) } : {}),
    ...(hasClaims ? claims : {}),
  });
}

function daemonSet(dealer: Dealer, name: string): object {
  const updateStrategy = dealer.pick([
    {},
    { type: 'OnDelete' },
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: dealer.pick([1, 2, '50%']) } },
    { type: 'RollingUpdate', rollingUpdate: { maxSurge: dealer.pick([1, '50%']), maxUnavailable: 0 } },
  ]);
  const place = dealer.isOneOf(2) ? { nodeSelector: { disk: 'ssd' } } : {};
  const { replicas: _replicas, ...spec } = {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: template(dealer, name, place),
    updateStrategy,
    ...delays(dealer),
  };
  return { ...headOf('apps/v1', 'DaemonSet', name), spec };
}

function job(dealer: Dealer, name: string, spec: object): object {
  const completions = dealer.int(1, 5);
  const parallelism = dealer.int(1, 5);
  const { metadata, spec: pod } = template(dealer, name, { restartPolicy: 'Never' });
  return {
    ...headOf('batch/v1', 'Job', name),
    spec: { parallelism, completions, template: { metadata, spec: pod }, ...spec },
  };
}

/** Its pods run where the story decides how they end. */
function failingJob(dealer: Dealer, name: string): object {
  const indexed = { completionMode: 'Indexed', ...dealer.pick([{}, { backoffLimitPerIndex: dealer.int(0, 1) }]) };
  const failed = [
    { action: dealer.pick(['FailJob', 'Ignore', 'Count']), onExitCodes: { operator: 'In', values: [3] } },
  ];
  const disrupted = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }];
  return job(dealer, name, {
    backoffLimit: dealer.int(0, 3),
    template: template(dealer, name, { restartPolicy: 'Never', ...onOwnNode() }),
    ...dealer.pick([{}, {}, indexed]),
    ...dealer.pick([{}, {}, { podFailurePolicy: { rules: dealer.pick([failed, disrupted]) } }]),
    ...dealer.pick([{}, {}, { podReplacementPolicy: 'Failed' }]),
    ...(dealer.isOneOf(4) ? { activeDeadlineSeconds: dealer.int(3, 8) } : {}),
    ...(dealer.isOneOf(4) ? { ttlSecondsAfterFinished: dealer.int(1, 3) } : {}),
  });
}

/** Every minute; one story sees it once or twice. */
function cronJob(dealer: Dealer, name: string): object {
  const { metadata: _metadata, ...jobTemplate } = job(dealer, name, {}) as {
    readonly metadata: object;
    readonly spec: object;
  };
  const spec = {
    schedule: '* * * * *',
    concurrencyPolicy: dealer.pick(['Allow', 'Forbid', 'Replace']),
    suspend: dealer.isOneOf(4),
    jobTemplate: { spec: jobTemplate.spec },
  };
  return { ...headOf('batch/v1', 'CronJob', name), spec };
}

function onOwnNode(): object {
  return { nodeSelector: { pool: 'own' }, tolerations: [{ key: 'pool', operator: 'Exists' }] };
}

function barePod(dealer: Dealer, name: string): object {
  const place = dealer.pick([{}, {}, onOwnNode(), { nodeName: dealer.firstNode }]);
  const gates = dealer.isOneOf(3) ? { schedulingGates: [{ name: 'example.com/gate' }] } : {};
  const { metadata, spec } = template(dealer, name, { ...place, ...('nodeName' in place ? {} : gates) });
  // Much of a machine, so that some wait and some preempt.
  const large = dealer.isOneOf(2)
    ? { containers: [{ name: 'c', image: 'app:v1', resources: { requests: { cpu: '6' } } }] }
    : {};
  const finalizers = dealer.isOneOf(6) ? { finalizers: [HELD] } : {};
  return { ...headOf('v1', 'Pod', name), metadata: { ...metadata, name, ...finalizers }, spec: { ...spec, ...large } };
}

function podWithClaim(dealer: Dealer, name: string): object {
  const { metadata, spec } = template(dealer, name, {
    containers: containers(dealer, { volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: dealer.nameOf('persistentvolumeclaims') ?? 'missing' } },
    ],
  });
  return { ...headOf('v1', 'Pod', name), metadata: { ...metadata, name }, spec };
}

/** Some for more than there is anywhere. */
function claimSpec(dealer: Dealer): object {
  const storage = dealer.pick(['1Gi', '1Gi', '2Gi', '50Gi']);
  return { accessModes: ['ReadWriteOnce'], storageClassName: STORAGE_CLASS, resources: { requests: { storage } } };
}

/** What a service or a budget selects: one workload's pods, or those of several. */
export function drawnLabels(dealer: Dealer): Readonly<Record<string, string>> {
  return dealer.isOneOf(3) ? { tier: dealer.pick(TIERS) } : { app: dealer.someName() };
}

function service(dealer: Dealer, name: string): object {
  const spec = {
    selector: drawnLabels(dealer),
    ports: [{ port: 80, targetPort: 8080 }],
    ...(dealer.isOneOf(2) ? { clusterIP: 'None' } : {}),
    ...(dealer.isOneOf(4) ? { publishNotReadyAddresses: true } : {}),
  };
  return { ...headOf('v1', 'Service', name), spec };
}

function budget(dealer: Dealer, name: string): object {
  const selector = { matchLabels: drawnLabels(dealer) };
  const policy = dealer.isOneOf(4) ? { unhealthyPodEvictionPolicy: 'AlwaysAllow' } : {};
  return { ...headOf('policy/v1', 'PodDisruptionBudget', name), spec: { ...drawnBudget(dealer), selector, ...policy } };
}

/** What a budget leaves. */
export function drawnBudget(dealer: Dealer): object {
  return dealer.pick([
    { minAvailable: dealer.int(0, 3) },
    { minAvailable: '50%' },
    { maxUnavailable: dealer.int(0, 2) },
    { maxUnavailable: '30%' },
  ]);
}
