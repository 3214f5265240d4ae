import type { RandomStream } from '../../kernel/random.js';

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
}

type Drawer = (random: RandomStream, nodes: number) => DrawnWorkload;

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

/** Two workloads at least, each kind at most once. */
export function drawWorkloads(random: RandomStream, nodes: number): readonly DrawnWorkload[] {
  const drawn = DRAWERS.filter(() => random.int(0, 1) === 1);
  const chosen = drawn.length < 2 ? DRAWERS.slice(0, 2) : drawn;
  return chosen.map((draw) => draw(random, nodes));
}

function deployment(random: RandomStream, nodes: number): DrawnWorkload {
  const replicas = random.int(1, 2 * nodes);
  const strategy = random.int(0, 3) === 0 ? { strategy: { type: 'Recreate' } } : {};
  const set = object('apps/v1', 'Deployment', 'web', {
    replicas,
    ...strategy,
    selector: { matchLabels: { app: 'web' } },
    template: template(random, 'web'),
  });
  const objects = random.int(0, 1) === 1 ? [set, budget(random, 'web'), service('web')] : [set];
  return { ref: 'deployment/web', objects, isScalable: true, isUpdatable: true, pod: undefined };
}

function statefulSet(random: RandomStream): DrawnWorkload {
  const replicas = random.int(1, 4);
  const management = random.int(0, 1) === 1 ? { podManagementPolicy: 'Parallel' } : {};
  const set = object('apps/v1', 'StatefulSet', 'db', {
    replicas,
    ...management,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: template(random, 'db'),
  });
  const objects = random.int(0, 1) === 1 ? [set, budget(random, 'db')] : [set];
  const pod = `db-${random.int(0, replicas - 1)}`;
  return { ref: 'statefulset/db', objects, isScalable: true, isUpdatable: true, pod };
}

function daemonSet(random: RandomStream): DrawnWorkload {
  const set = object('apps/v1', 'DaemonSet', 'agent', {
    selector: { matchLabels: { app: 'agent' } },
    template: template(random, 'agent'),
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
    template: ending(random, 'batch'),
  });
  return { ref: 'job/batch', objects: [set], isScalable: false, isUpdatable: false, pod: undefined };
}

/** Pods on several nodes that need the same volume, of which one node at a time can have it. */
function sharingJob(random: RandomStream): DrawnWorkload {
  const volume = object('v1', 'PersistentVolume', 'ledger', {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: '',
    csi: { driver: 'disk.example.com', volumeHandle: 'ledger' },
  });
  const claim = object('v1', 'PersistentVolumeClaim', 'ledger', {
    accessModes: ['ReadWriteOnce'],
    storageClassName: '',
    resources: { requests: { storage: '1Gi' } },
  });
  const { metadata, spec } = ending(random, 'ledger');
  const containers = spec.containers.map((each) => ({ ...each, volumeMounts: [{ name: 'data', mountPath: '/data' }] }));
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'ledger' } }];
  const set = object('batch/v1', 'Job', 'ledger', {
    completions: random.int(2, 6),
    parallelism: random.int(2, 3),
    backoffLimit: 100,
    template: { metadata, spec: { ...spec, containers, volumes } },
  });
  // Without records nothing in Kubernetes keeps two controllers, or a timeout, from giving it to two nodes.
  const cluster = { attachRecords: true };
  const objects = [volume, claim, set];
  return { ref: 'job/ledger', objects, isScalable: false, isUpdatable: false, pod: undefined, cluster };
}

function cronJob(random: RandomStream): DrawnWorkload {
  const set = object('batch/v1', 'CronJob', 'tick', {
    schedule: `*/${random.int(1, 5)} * * * *`,
    concurrencyPolicy: ['Allow', 'Forbid', 'Replace'][random.int(0, 2)],
    jobTemplate: { spec: { backoffLimit: 100, template: ending(random, 'tick') } },
  });
  return { ref: 'cronjob/tick', objects: [set], isScalable: false, isUpdatable: false, pod: undefined };
}

function replicaSet(random: RandomStream, nodes: number): DrawnWorkload {
  const set = object('apps/v1', 'ReplicaSet', 'cache', {
    replicas: random.int(1, nodes),
    selector: { matchLabels: { app: 'cache' } },
    template: template(random, 'cache'),
  });
  return { ref: 'replicaset/cache', objects: [set], isScalable: true, isUpdatable: false, pod: undefined };
}

function replicationController(random: RandomStream, nodes: number): DrawnWorkload {
  const set = object('v1', 'ReplicationController', 'old', {
    replicas: random.int(1, nodes),
    selector: { app: 'old' },
    template: template(random, 'old'),
  });
  return { ref: 'replicationcontroller/old', objects: [set], isScalable: true, isUpdatable: false, pod: undefined };
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

function template(random: RandomStream, app: string): object {
  const container = {
    name: 'app',
    image: `${app}:1`,
    resources: { requests: { cpu: `${random.int(1, 5) * 100}m`, memory: '64Mi' } },
    ...(random.int(0, 2) === 0 ? { readinessProbe: { httpGet: { port: 80 }, periodSeconds: 5 } } : {}),
  };
  return {
    metadata: {
      labels: { app },
      annotations: random.int(0, 1) === 1 ? { 'kubeloom.dev/shutdown': `${random.int(1, 20)}s` } : {},
    },
    spec: { terminationGracePeriodSeconds: random.int(1, 40), containers: [container] },
  };
}

/** Pods that end by themselves. */
function ending(random: RandomStream, app: string) {
  return {
    metadata: { labels: { app }, annotations: { 'kubeloom.dev/run-for': `uniform(1s, ${random.int(10, 120)}s)` } },
    spec: {
      restartPolicy: random.int(0, 1) === 1 ? 'Never' : 'OnFailure',
      containers: [{ name: 'app', image: `${app}:1`, resources: { requests: { cpu: '100m' } } }],
    },
  };
}

function object(apiVersion: string, kind: string, name: string, spec: object): Readonly<Record<string, unknown>> {
  return { apiVersion, kind, metadata: { name }, spec };
}
