/**
 * Draws faults: each kind that there is, with parties, amounts and times within the bounds of the plan, and what users
 * do meanwhile so that they meet some work.
 */
import type { FaultVerb } from '../../faults/fault.js';
import type { Kind } from '../../api/objects/objects.js';
import { STORE } from '../../faults/fault-seams.js';
import type { RandomStream } from '../../kernel/random.js';
import { stirring } from './draw-stirs.js';
import type { DrawnWorkload } from './draw-workloads.js';
import type { PlanBounds, PlannedAction, Range } from './plan-document.js';

const DIRECTIONS = ['in', 'out', undefined] as const;
const COMPONENTS = ['kube-scheduler', 'kube-controller-manager'] as const;
const LATENCIES = ['200ms', 'uniform(10ms, 2s)', 'exponential(1s)'] as const;
const LOSSES = ['before', 'after', 'either'] as const;
const REFUSALS = ['Conflict', 'InternalError', 'TooManyRequests', 'ServerTimeout'] as const;
const OPERATIONS = ['pullImage', 'createSandbox', 'stopContainer'] as const;
const VOLUME_OPERATIONS = ['attach', 'mount', 'unmount', 'detach'] as const;
/**
 * Which view of what lags. Not of jobs: a job that is older than its pods gets one too many, from upstream's controller
 * as well.
 */
const LAGGING = {
  'cronjob-controller': ['CronJob', 'Job'],
  'daemonset-controller': ['DaemonSet', 'Pod', 'Node'],
  'deployment-controller': ['Deployment', 'ReplicaSet', 'Pod'],
  'disruption-controller': ['PodDisruptionBudget', 'Pod'],
  'endpointslice-controller': ['EndpointSlice', 'Pod', 'Node'],
  'garbage-collector-controller': ['ReplicaSet', 'Pod'],
  'job-controller': ['Pod'],
  'node-lifecycle-controller': ['Node', 'Pod'],
  'persistentvolume-attach-detach-controller': ['Pod', 'Node'],
  'persistentvolume-binder-controller': ['PersistentVolume', 'PersistentVolumeClaim'],
  'pod-garbage-collector-controller': ['Node', 'Pod'],
  'replicaset-controller': ['ReplicaSet', 'Pod'],
  'replicationcontroller-controller': ['ReplicationController', 'Pod'],
  'statefulset-controller': ['StatefulSet', 'Pod'],
  'taint-eviction-controller': ['Node', 'Pod'],
  'ttl-after-finished-controller': ['Job'],
} as const satisfies Readonly<Record<string, readonly Kind[]>>;
const SHARED_LAGGING = ['Pod', 'Node', 'ReplicaSet'] as const;

const MOST_WRITES_AT_ONCE = 3;
/** What writes when a workload changes, by the kinds of its objects. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['deployment-controller', 'replicaset-controller'],
  StatefulSet: ['statefulset-controller'],
  DaemonSet: ['daemonset-controller'],
  ReplicaSet: ['replicaset-controller'],
  ReplicationController: ['replicationcontroller-controller'],
  Job: ['job-controller'],
  CronJob: ['cronjob-controller', 'job-controller'],
  PodDisruptionBudget: ['disruption-controller'],
  Service: ['endpointslice-controller'],
};

type Fields = Readonly<Record<string, unknown>>;
type Party = { readonly node: string } | { readonly component: string } | { readonly controller: string };

/** What faults may befall, and what there is to do for them. */
export interface Victims {
  readonly nodes: readonly string[];
  /** Pools of nodes that are autoscaled. */
  readonly pools: readonly string[];
  readonly controllers: readonly string[];
  /** Of the user's own. */
  readonly ownControllers: readonly string[];
  readonly workloads: readonly DrawnWorkload[];
  /** Whether users do anything. */
  readonly areStirred: boolean;
}

/** Workloads that a fault is to meet; every one where it is about none. */
type Meeting = { readonly workload?: DrawnWorkload; readonly isLively: boolean };

const ANYTHING: Meeting = { isLively: false };

/** See the file header. */
export class FaultDraw {
  readonly #random: RandomStream;
  readonly #bounds: Required<PlanBounds>;
  readonly #victims: Victims;
  /** Those that something can meet. */
  readonly #kinds: readonly FaultVerb[];
  /** Of the fault that is being drawn. */
  #meeting = ANYTHING;

  constructor(random: RandomStream, bounds: Required<PlanBounds>, victims: Victims) {
    this.#random = random;
    this.#bounds = bounds;
    this.#victims = victims;
    this.#kinds = bounds.kinds.filter((kind) => kind !== 'failPool' || victims.pools.length > 0);
  }

  /** A fault that begins then, with what makes it felt. */
  fault(atMs: number): readonly PlannedAction[] {
    const lastsSeconds = this.#within(this.#bounds.lastSeconds);
    if (this.#kinds.length === 0) return [];
    const verb = this.#oneOf(this.#kinds);
    this.#meeting = ANYTHING;
    const action = { at: `${atMs}ms`, for: `${lastsSeconds}s`, mayFail: true, [verb]: this.#drawers[verb]() };
    return [action, ...this.#stirs(action, atMs, lastsSeconds * 1000)];
  }

  /** What users do while it lasts. */
  #stirs(fault: PlannedAction, atMs: number, lastsMs: number): readonly PlannedAction[] {
    const { workloads, areStirred } = this.#victims;
    if (!areStirred || workloads.length === 0) return [];
    const { workload, isLively } = this.#meeting;
    if (!isLively && this.#random.int(0, 2) > 0) return [];
    const soonMs = atMs + this.#random.int(1, Math.max(1, Math.min(20_000, Math.floor(lastsMs / 3))));
    const about = workload ?? this.#oneOf(workloads);
    return stirring(this.#random, about, { fault, atMs, soonMs, endMs: atMs + lastsMs });
  }

  readonly #drawers: Readonly<Record<FaultVerb, () => Fields>> = {
    cut: () => {
      const direction = this.#oneOf(DIRECTIONS);
      // A node that is cut off is what most else follows from.
      const party = this.#random.int(0, 2) === 0 ? this.#party() : this.#node();
      return { ...party, ...(direction === undefined ? {} : { direction }) };
    },
    partition: () => ({ nodes: this.#half() }),
    slow: () => ({ ...this.#party(), latency: this.#oneOf(LATENCIES) }),
    lossy: () => ({ ...this.#party(), requests: this.#share(), when: this.#oneOf(LOSSES) }),
    refuse: () => ({ ...this.#party(), share: this.#share(), with: this.#oneOf(REFUSALS) }),
    delayWatch: () => this.#lag(),
    coalesceWatch: () => this.#lag(),
    staleReads: () => (this.#random.int(0, 3) === 0 ? { ...this.#lag(), isPinned: true } : this.#lag()),
    restartApiServer: () => ({ forgetsHistory: this.#random.int(0, 1) === 1 }),
    stopKubelet: () => this.#node(),
    powerOff: () => this.#node(),
    shutDown: () => this.#node(),
    failRuntime: () => {
      const operation = this.#oneOf(OPERATIONS);
      const isSlow = operation !== 'stopContainer' && this.#random.int(0, 1) === 1;
      return { ...this.#busyNode(), operation, ...(isSlow ? { by: this.#seconds(this.#bounds.lagSeconds) } : {}) };
    },
    failVolume: () => {
      const slowness = this.#random.int(0, 1) === 1 ? { by: this.#seconds(this.#bounds.lagSeconds) } : {};
      return { ...this.#busyNode(), operation: this.#oneOf(VOLUME_OPERATIONS), ...slowness };
    },
    failPool: () => this.#failingPool(),
    breakAttachment: () => this.#attachment(),
    stopController: () => this.#controller(),
    runTwice: () => this.#controller(),
    crashAfterWrites: () => {
      const [least, most] = this.#bounds.writes;
      const kind = this.#random.int(0, 3);
      if (kind === 0) {
        this.#meeting = { isLively: true };
        return { component: this.#oneOf(COMPONENTS), writes: this.#within([least, most]) };
      }
      // Few controllers write much for one change, and few reconciles.
      const writes = this.#within([least, Math.max(least, Math.min(most, MOST_WRITES_AT_ONCE))]);
      return { ...this.#writer(), writes, ...(kind === 1 ? { inOneReconcile: true } : {}) };
    },
    stopComponent: () => ({ component: this.#oneOf(COMPONENTS) }),
    skewClock: () => {
      const party = this.#oneOf([
        () => this.#node(),
        () => this.#controller(),
        () => ({ component: this.#oneOf(COMPONENTS) }),
      ]);
      return { ...party(), by: this.#seconds(this.#bounds.skewSeconds) };
    },
  };

  /** The party of the link that a fault is about: a node's more often than another. */
  #party(): Party {
    const kind = this.#random.int(0, 7);
    if (kind < 4) return this.#node();
    if (kind < 6) return { component: this.#oneOf(COMPONENTS) };
    return kind === 6 ? this.#controller() : { component: STORE };
  }

  #node(): { readonly node: string } {
    return { node: this.#oneOf(this.#victims.nodes) };
  }

  #controller(): { readonly controller: string } {
    return { controller: this.#oneOf(this.#victims.controllers) };
  }

  /** A controller that has something to write when one of the workloads changes. */
  #writer(): { readonly controller: string } {
    const { workloads, ownControllers } = this.#victims;
    this.#meeting = { isLively: true };
    if (ownControllers.length > 0 && this.#random.int(0, 1) === 1) return { controller: this.#oneOf(ownControllers) };
    const workload = workloads.length === 0 ? undefined : this.#oneOf(workloads);
    const writers = workload?.objects.flatMap(({ kind }) => WRITERS[String(kind)] ?? []) ?? [];
    if (workload === undefined || writers.length === 0) return this.#controller();
    this.#meeting = { workload, isLively: true };
    return { controller: this.#oneOf(writers) };
  }

  /** A node with a pod that comes back to it. */
  #busyNode(): { readonly node: string } {
    const pinned = this.#victims.workloads.find(({ node }) => node !== undefined);
    if (pinned?.node === undefined || this.#random.int(0, 4) === 0) return this.#node();
    this.#meeting = { workload: pinned, isLively: true };
    return { node: pinned.node };
  }

  /** Nodes that are parted from the others: half of them. */
  #half(): readonly string[] {
    const others = [...this.#victims.nodes];
    const count = Math.max(1, Math.floor(others.length / 2));
    return Array.from({ length: count }, () => others.splice(this.#random.int(0, others.length - 1), 1)[0] ?? '');
  }

  /** A volume that is in use on its node, or that of a job, wherever that is. */
  #attachment(): Fields {
    const pinned = this.#victims.workloads.find(({ node }) => node !== undefined);
    if (pinned?.node === undefined) return { ...this.#node(), claim: 'ledger' };
    return { node: pinned.node, claim: `data-${pinned.pod ?? ''}` };
  }

  /** No machine comes, or late, or the cloud refuses. */
  #failingPool(): Fields {
    const { workloads, pools } = this.#victims;
    const workload = workloads.find(({ isPooled }) => isPooled === true);
    this.#meeting = workload === undefined ? { isLively: true } : { workload, isLively: true };
    const pool = this.#oneOf(pools);
    const kind = this.#random.int(0, 2);
    if (kind === 0) return { pool, operation: 'create', by: this.#seconds(this.#bounds.lagSeconds) };
    return { pool, operation: kind === 1 ? 'create' : 'resize', error: 'out of stock' };
  }

  #lag(): Fields {
    this.#meeting = { isLively: true };
    return { ...this.#viewer(), by: this.#seconds(this.#bounds.lagSeconds) };
  }

  /** Which component sees what too late. */
  #viewer(): Fields {
    const { ownControllers } = this.#victims;
    const kind = this.#random.int(0, 9);
    if (kind === 0) return { ...this.#node(), kind: 'Pod' };
    if (kind === 1) return { component: STORE, kind: this.#oneOf(SHARED_LAGGING) };
    if (kind < 4) return { component: this.#oneOf(COMPONENTS), kind: this.#oneOf(SHARED_LAGGING) };
    if (ownControllers.length > 0 && kind < 7) {
      return { controller: this.#oneOf(ownControllers), kind: this.#oneOf(SHARED_LAGGING) };
    }
    const controller = this.#oneOf(Object.keys(LAGGING) as readonly (keyof typeof LAGGING)[]);
    return { controller, kind: this.#oneOf<Kind>(LAGGING[controller]) };
  }

  /** In tenths. */
  #share(): number {
    const [least, most] = this.#bounds.shares;
    return this.#random.int(Math.round(least * 10), Math.round(most * 10)) / 10;
  }

  #seconds(bounds: Range): string {
    return `${this.#within(bounds)}s`;
  }

  #within([least, most]: Range): number {
    return this.#random.int(least, most);
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[this.#random.int(0, values.length - 1)] as T;
  }
}
