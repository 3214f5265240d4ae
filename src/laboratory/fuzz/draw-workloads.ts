import type { RandomStream } from '../../kernel/random.js';
import { CONTAINER, endingTemplate, oneIn, runningTemplate, withClaims } from './draw-templates.js';
import type { PlannedAction } from './plan-document.js';

/** A workload of a plan, with all that belongs to it. */
export interface DrawnWorkload {
  /** As actions name it, such as `deployment/web`. */
  readonly ref: string;
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  readonly isScalable: boolean;
  /** Whether a new template makes new pods. */
  readonly isUpdatable: boolean;
  /** A pod whose name is known. */
  readonly pod: string | undefined;
  /** What it asks of the cluster. */
  readonly cluster?: Readonly<Record<string, unknown>>;
  /** Absent = `default`. */
  readonly namespace?: string;
  /** The node that its pods are on; absent = whichever. */
  readonly node?: string;
  /** Whether it may go for good. @defaultValue true */
  readonly isDeletable?: boolean;
  /** Whether it leaves no room on small nodes while it is there. @defaultValue false */
  readonly fillsNodes?: boolean;
  /** Whether it runs on nodes of the pool. */
  readonly isPooled?: boolean;
  /** What happens to it in any case. */
  readonly actions?: readonly PlannedAction[];
}

/** What workloads are drawn for. */
export interface DrawnSite {
  /** How many. */
  readonly nodes: number;
  /** When everything that happens has begun, simulated ms. */
  readonly endMs: number;
}

type Drawer = (random: RandomStream, site: DrawnSite) => DrawnWorkload;

const MINUTE_MS = 60_000;
/** Nodes of this size are full with two pods of the filler; all other pods that are drawn find room on three. */
export const TIGHT_CAPACITY = { cpu: '6', memory: '128Gi', 'ephemeral-storage': '512Gi', pods: '110' } as const;
const QUORUM = 'quorum';
const FILLING_CPU = '2900m';
const POOLED = 'pooled';
/** Of the pods for it one fits on a node. */
const POOLED_CPU = '2500m';

/** Nodes that the cluster autoscaler makes and takes away. */
export const POOL_NODES = {
  count: 1,
  namePrefix: 'pool-',
  capacity: { cpu: '4', memory: '16Gi', pods: '110' },
  provisioningDelay: '20s',
  autoscaling: { min: 0, max: 8 },
} as const;
/** The pool's name. */
export const POOL = 'pool';

/** Every kind of workload. */
const DRAWERS: readonly Drawer[] = [
  deployment,
  statefulSet,
  daemonSet,
  job,
  replicaSet,
  replicationController,
  cronJob,
  sharingJob,
];
/** Those that not every other plan needs. */
const RARE_DRAWERS: readonly Drawer[] = [filler, guest, holder];

/** Two workloads at least, each kind at most once. */
export function drawWorkloads(random: RandomStream, site: DrawnSite): readonly DrawnWorkload[] {
  const drawn = DRAWERS.filter(() => random.int(0, 1) === 1);
  const rare = RARE_DRAWERS.filter(() => oneIn(random, 4));
  const chosen = drawn.length < 2 ? DRAWERS.slice(0, 2) : drawn;
  return [...chosen, ...rare].map((draw) => draw(random, site));
}

/**
 * A pod that always comes back to the same node, with volumes of its own: what a fault does to that node's runtime and
 * volumes, it meets.
 */
export function pinnedSet(random: RandomStream, node: string): DrawnWorkload {
  const template = withClaims(runningTemplate(random, 'pin'), oneIn(random, 2) ? { data: '', log: '' } : { data: '' });
  // It stops soon, while the fault lasts.
  const stops = { terminationGracePeriodSeconds: random.int(5, 10) };
  const set = object('apps/v1', 'StatefulSet', 'pin', {
    replicas: 1,
    serviceName: 'pin',
    selector: { matchLabels: { app: 'pin' } },
    template: { ...template, spec: { ...template.spec, ...stops, nodeSelector: { 'kubernetes.io/hostname': node } } },
    volumeClaimTemplates: ['data', 'log'].map((name) => claimTemplate(name, 'pinned-disk')),
  });
  const objects = [storageClass('pinned-disk', 'Immediate'), set];
  return {
    ref: 'statefulset/pin',
    objects,
    isScalable: false,
    isUpdatable: true,
    pod: 'pin-0',
    node,
    isDeletable: false,
  };
}

/** Pods that run on nodes of the pool alone: each that comes is in want of a machine. */
export function pooledSet(): DrawnWorkload {
  const labels = { app: POOLED };
  const set = object('apps/v1', 'Deployment', POOLED, {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        nodeSelector: { 'kubeloom.dev/pool': POOL },
        containers: [{ name: CONTAINER, image: `${POOLED}:1`, resources: { requests: { cpu: POOLED_CPU } } }],
      },
    },
  });
  return {
    ref: `deployment/${POOLED}`,
    objects: [set],
    isScalable: true,
    isUpdatable: true,
    pod: undefined,
    isDeletable: false,
    isPooled: true,
    // A machine that goes leaves its daemons to the collector, which may not have come when all is looked at.
    cluster: { clusterAutoscaler: { scaleDownEnabled: false } },
  };
}

/** Three members of which two must reach each other: a partition of the nodes' network is felt by some. */
export function quorum(): DrawnWorkload {
  const labels = { app: QUORUM };
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } };
  const preferred = [{ weight: 100, podAffinityTerm: term }];
  const set = object('apps/v1', 'StatefulSet', QUORUM, {
    replicas: 3,
    podManagementPolicy: 'Parallel',
    serviceName: QUORUM,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels, annotations: { 'kubeloom.dev/needs': `2 of app=${QUORUM}` } },
      spec: {
        terminationGracePeriodSeconds: 5,
        affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
        containers: [
          {
            name: CONTAINER,
            image: `${QUORUM}:1`,
            resources: { requests: { cpu: '100m' } },
            readinessProbe: { httpGet: { port: 2379 }, periodSeconds: 5 },
          },
        ],
      },
    },
  });
  const objects = [set, service(QUORUM)];
  return {
    ref: `statefulset/${QUORUM}`,
    objects,
    isScalable: false,
    isUpdatable: true,
    pod: undefined,
    isDeletable: false,
  };
}

function deployment(random: RandomStream, { nodes }: DrawnSite): DrawnWorkload {
  const replicas = random.int(1, 2 * nodes);
  const set = object('apps/v1', 'Deployment', 'web', {
    replicas,
    ...strategy(random),
    ...(oneIn(random, 4) ? { minReadySeconds: random.int(5, 20) } : {}),
    selector: { matchLabels: { app: 'web' } },
    template: runningTemplate(random, 'web'),
  });
  const objects = random.int(0, 1) === 1 ? [set, budget(random, 'web'), service('web')] : [set];
  return { ref: 'deployment/web', objects, isScalable: true, isUpdatable: true, pod: undefined };
}

function strategy(random: RandomStream): Readonly<Record<string, unknown>> {
  switch (random.int(0, 5)) {
    case 0:
      return { strategy: { type: 'Recreate' } };
    case 1:
      return { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: random.int(1, 2) } } };
    case 2:
      return { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 } } };
    default:
      return {};
  }
}

function statefulSet(random: RandomStream): DrawnWorkload {
  const replicas = random.int(1, 4);
  const management = random.int(0, 1) === 1 ? { podManagementPolicy: 'Parallel' } : {};
  const hasClaims = oneIn(random, 3);
  const template = runningTemplate(random, 'db');
  const set = object('apps/v1', 'StatefulSet', 'db', {
    replicas,
    ...management,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: hasClaims ? withClaims(template, { data: '' }) : template,
    ...(hasClaims ? { volumeClaimTemplates: [claimTemplate('data', 'disk')] } : {}),
  });
  const classes = hasClaims ? [storageClass('disk', oneIn(random, 2) ? 'Immediate' : 'WaitForFirstConsumer')] : [];
  const objects = [...classes, set, ...(random.int(0, 1) === 1 ? [budget(random, 'db')] : [])];
  const pod = `db-${random.int(0, replicas - 1)}`;
  // Without records nothing in Kubernetes keeps a volume from two nodes when a user forces a pod away.
  const cluster = hasClaims ? { cluster: { attachRecords: true } } : {};
  return { ref: 'statefulset/db', objects, isScalable: true, isUpdatable: true, pod, ...cluster };
}

function daemonSet(random: RandomStream): DrawnWorkload {
  const template = runningTemplate(random, 'agent');
  const [container] = template.spec.containers;
  const ports = oneIn(random, 3)
    ? { containers: [{ ...container, ports: [{ containerPort: 9100, hostPort: 9100 }] }] }
    : {};
  const set = object('apps/v1', 'DaemonSet', 'agent', {
    selector: { matchLabels: { app: 'agent' } },
    template: { ...template, spec: { ...template.spec, ...ports } },
  });
  return { ref: 'daemonset/agent', objects: [set], isScalable: false, isUpdatable: true, pod: undefined };
}

function job(random: RandomStream): DrawnWorkload {
  const isIndexed = random.int(0, 1) === 1;
  const set = object('batch/v1', 'Job', 'batch', {
    completions: random.int(1, 12),
    parallelism: random.int(1, 4),
    ...(isIndexed ? { completionMode: 'Indexed' } : {}),
    backoffLimit: 100,
    template: endingTemplate(random, 'batch'),
  });
  return { ref: 'job/batch', objects: [set], isScalable: false, isUpdatable: false, pod: undefined };
}

/** Pods on several nodes that need the same volume, of which one node at a time can have it. */
function sharingJob(random: RandomStream): DrawnWorkload {
  const set = object('batch/v1', 'Job', 'ledger', {
    completions: random.int(2, 6),
    parallelism: random.int(2, 3),
    backoffLimit: 100,
    template: withClaims(endingTemplate(random, 'ledger'), { data: 'ledger' }),
  });
  // Without records nothing in Kubernetes keeps two controllers, or a timeout, from giving it to two nodes.
  const cluster = { attachRecords: true };
  const objects = [...ownVolume('ledger'), set];
  return { ref: 'job/ledger', objects, isScalable: false, isUpdatable: false, pod: undefined, cluster };
}

/** One pod that has a volume for as long as it runs, which is long. */
function holder(random: RandomStream): DrawnWorkload {
  const set = object('apps/v1', 'Deployment', 'holder', {
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: { app: 'holder' } },
    template: withClaims(runningTemplate(random, 'holder'), { data: 'holder' }),
  });
  const objects = [...ownVolume('holder'), set];
  const cluster = { attachRecords: true };
  return { ref: 'deployment/holder', objects, isScalable: false, isUpdatable: true, pod: undefined, cluster };
}

function cronJob(random: RandomStream): DrawnWorkload {
  const set = object('batch/v1', 'CronJob', 'tick', {
    schedule: `*/${random.int(1, 5)} * * * *`,
    concurrencyPolicy: ['Allow', 'Forbid', 'Replace'][random.int(0, 2)],
    jobTemplate: { spec: { backoffLimit: 100, template: endingTemplate(random, 'tick') } },
  });
  return { ref: 'cronjob/tick', objects: [set], isScalable: false, isUpdatable: false, pod: undefined };
}

function replicaSet(random: RandomStream, { nodes }: DrawnSite): DrawnWorkload {
  const set = object('apps/v1', 'ReplicaSet', 'cache', {
    replicas: random.int(1, nodes),
    selector: { matchLabels: { app: 'cache' } },
    template: runningTemplate(random, 'cache'),
  });
  const objects = oneIn(random, 2) ? [set, service('cache')] : [set];
  return { ref: 'replicaset/cache', objects, isScalable: true, isUpdatable: false, pod: undefined };
}

function replicationController(random: RandomStream, { nodes }: DrawnSite): DrawnWorkload {
  const set = object('v1', 'ReplicationController', 'old', {
    replicas: random.int(1, nodes),
    selector: { app: 'old' },
    template: runningTemplate(random, 'old'),
  });
  const objects = oneIn(random, 2) ? [set, service('old')] : [set];
  return { ref: 'replicationcontroller/old', objects, isScalable: true, isUpdatable: false, pod: undefined };
}

/** Fills the nodes for some minutes; others wait, or have to go, as its priority is. */
function filler(random: RandomStream, { nodes, endMs }: DrawnSite): DrawnWorkload {
  const priority = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'filling' },
    value: oneIn(random, 2) ? 1000 : -1000,
  };
  const set = object('apps/v1', 'ReplicaSet', 'filler', {
    replicas: 0,
    selector: { matchLabels: { app: 'filler' } },
    template: {
      metadata: { labels: { app: 'filler' } },
      spec: {
        priorityClassName: 'filling',
        terminationGracePeriodSeconds: random.int(1, 10),
        containers: [{ name: 'app', image: 'filler:1', resources: { requests: { cpu: FILLING_CPU } } }],
      },
    },
  });
  const ref = 'replicaset/filler';
  const fromMs = random.int(MINUTE_MS, Math.max(MINUTE_MS, endMs - 4 * MINUTE_MS));
  const untilMs = fromMs + random.int(2, 5) * MINUTE_MS;
  const actions = [
    { at: `${fromMs}ms`, mayFail: true, scale: { object: ref, replicas: random.int(nodes, 3 * nodes) } },
    { at: `${untilMs}ms`, mayFail: true, scale: { object: ref, replicas: 0 } },
  ];
  const objects = [priority, set];
  return {
    ref,
    objects,
    isScalable: false,
    isUpdatable: false,
    pod: undefined,
    isDeletable: false,
    fillsNodes: true,
    actions,
  };
}

/** A namespace with something in it, which is deleted as it is. */
function guest(random: RandomStream, { endMs }: DrawnSite): DrawnWorkload {
  const namespace = 'guests';
  const inside = (each: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
    ...each,
    metadata: { ...(each['metadata'] as object), namespace },
  });
  const set = object('apps/v1', 'Deployment', 'guest', {
    replicas: random.int(1, 4),
    selector: { matchLabels: { app: 'guest' } },
    template: runningTemplate(random, 'guest', true),
  });
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ...[set, budget(random, 'guest'), service('guest')].map(inside),
  ];
  const atMs = random.int(2 * MINUTE_MS, Math.max(2 * MINUTE_MS, endMs));
  const actions = [{ at: `${atMs}ms`, mayFail: true, delete: `namespace/${namespace}` }];
  const ref = 'deployment/guest';
  return { ref, objects, isScalable: true, isUpdatable: true, pod: undefined, namespace, actions };
}

function budget(random: RandomStream, app: string): Readonly<Record<string, unknown>> {
  return object('policy/v1', 'PodDisruptionBudget', app, {
    maxUnavailable: random.int(1, 2),
    selector: { matchLabels: { app } },
  });
}

function service(app: string): Readonly<Record<string, unknown>> {
  return object('v1', 'Service', app, { selector: { app }, ports: [{ port: 80 }] });
}

function storageClass(name: string, volumeBindingMode: string): Readonly<Record<string, unknown>> {
  const type = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };
  return { ...type, metadata: { name }, provisioner: 'disk.example.com', volumeBindingMode };
}

function claimTemplate(name: string, storageClassName: string): object {
  return {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } },
  };
}

/** A volume that is there already, and a claim for it. */
function ownVolume(name: string): readonly Readonly<Record<string, unknown>>[] {
  const volume = object('v1', 'PersistentVolume', name, {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: '',
    csi: { driver: 'disk.example.com', volumeHandle: name },
  });
  const claim = object('v1', 'PersistentVolumeClaim', name, {
    accessModes: ['ReadWriteOnce'],
    storageClassName: '',
    resources: { requests: { storage: '1Gi' } },
  });
  return [volume, claim];
}

function object(apiVersion: string, kind: string, name: string, spec: object): Readonly<Record<string, unknown>> {
  return { apiVersion, kind, metadata: { name }, spec };
}
