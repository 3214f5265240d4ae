/**
 * Faults as plain data: what goes wrong, with which party, and for how long. The same shape is used in code, in
 * scenario files and in plans; nothing here does anything.
 */
import type { LinkDirection } from '../bus/bus-types.js';
import type { RequestVerb } from '../bus/disturbance.js';
import type { Kind } from '../api/objects/objects.js';

/** How long a fault lasts unless it is healed before. */
interface Lasting {
  /** Milliseconds, or text such as `10m`. @defaultValue until healed */
  readonly for?: number | string;
}

/**
 * A node, or in its place every node that has the label `topology.kubernetes.io/zone` of a zone and a machine when the
 * fault begins.
 */
export type NodeTarget = { readonly node: string } | { readonly zone: string };

/**
 * A party: a node with its kubelet, those of a zone, a component by its name, or one controller. The store behind the
 * API server is the component `etcd`: what befalls its link befalls every request of every party.
 */
export type PartyTarget = NodeTarget | SingleParty;

/** A party that is one. */
export type SingleParty = { readonly node: string } | { readonly component: string } | { readonly controller: string };

/**
 * The party of a link to the API server. A controller of the controller manager shares the link and the informers of
 * all of them until a fault is about its own: then it starts anew as a process of its own, and stays so.
 */
export type LinkTarget = PartyTarget;

/** Which way nothing gets through: `out` = what the party sends, `in` = what it should hear; absent = both. */
interface CutSide {
  readonly direction?: LinkDirection;
}

/** Nothing gets through a link, one way or both ways. */
export interface CutFault extends Lasting {
  readonly cut: LinkTarget & CutSide;
}

/** A kubelet's process ends; what runs on its node goes on. Healed, it starts anew. */
export interface StopKubeletFault extends Lasting {
  readonly stopKubelet: NodeTarget;
}

/** A machine goes dark: its kubelet and every process on it end at once. Healed, it boots, with its images. */
export interface PowerOffFault extends Lasting {
  readonly powerOff: NodeTarget;
}

/**
 * A machine is shut down in good order: its kubelet is told, and ends the node's pods in the time that
 * `shutdownGracePeriod` or `shutdownGracePeriodByPodPriority` gives them; then, or at once without them, the machine
 * goes dark. Healed, it boots; one that is still on stays on.
 */
export interface ShutDownFault extends Lasting {
  readonly shutDown: NodeTarget;
}

/** A controller ends as in a crash. Healed, it starts anew and lists everything. */
export interface StopControllerFault extends Lasting {
  readonly stopController: { readonly controller: string };
}

/** A second instance of a controller runs beside the first, with a link and informers of its own. */
export interface RunTwiceFault extends Lasting {
  readonly runTwice: { readonly controller: string };
}

/** Each message over a link needs that long, one way: milliseconds, or text such as `200ms` or `uniform(10ms, 2s)`. */
export interface SlowFault extends Lasting {
  readonly slow: LinkTarget & { readonly latency: number | string };
}

/** Requests get no answer, and fail once they have timed out. */
export interface LossyFault extends Lasting {
  readonly lossy: LinkTarget & {
    /** The share of requests that it happens to, 0..1. */
    readonly requests: number;
    /** Whether they are lost before they are applied, or their answers after that. @defaultValue either, by lot */
    readonly when?: 'before' | 'after' | 'either';
  };
}

/** What a request is refused with. */
export type RefusalReason = 'Conflict' | 'InternalError' | 'TooManyRequests' | 'ServerTimeout';

/** The API server refuses requests in place of applying them. */
export interface RefuseFault extends Lasting {
  readonly refuse: LinkTarget & {
    /** @defaultValue all */
    readonly kinds?: readonly Kind[];
    /** @defaultValue all; of Conflict `update` and `patch` */
    readonly verbs?: readonly RequestVerb[];
    /** The share of these requests that it happens to, 0..1. @defaultValue 1 */
    readonly share?: number;
    readonly with: RefusalReason;
  };
}

/** What lags, and by how much: milliseconds, or text such as `5s`. */
interface Lag {
  /** Absent = all but leases: their renewals are not told one by one. */
  readonly kind?: Kind;
  readonly by: number | string;
}

/** Watch events come that much later than the changes that they tell, in their order within one watch. */
export interface DelayWatchFault extends Lasting {
  readonly delayWatch: LinkTarget & Lag;
}

/** As `delayWatch`, and what waits is told at once, each object as it is then: some are never seen, as after a relist. */
export interface CoalesceWatchFault extends Lasting {
  readonly coalesceWatch: LinkTarget & Lag;
}

/** The API server that is asked lags behind: what informers list, also after a restart, and what they are told, is old. */
export interface StaleReadsFault extends Lasting {
  readonly staleReads: LinkTarget & {
    /** As in `delayWatch`. */
    readonly kind?: Kind;
    /** By how much: milliseconds, or text such as `5s`. Required unless pinned; @defaultValue 0 */
    readonly by?: number | string;
    /** Time stands still for what is read: it stays as old as it was when the fault began. @defaultValue false */
    readonly isPinned?: boolean;
  };
}

/**
 * A controller, or all replicas of a component, end as in a crash once that many more writes were sent; they are
 * applied, and what would have been sent behind them is not. Healed, it starts anew.
 */
export interface CrashAfterWritesFault extends Lasting {
  readonly crashAfterWrites: ({ readonly controller: string } | { readonly component: ReplicatedComponent }) & {
    readonly writes: number;
    /** All of them in one reconcile of a controller, which reconciles one key at a time meanwhile. @defaultValue false */
    readonly inOneReconcile?: boolean;
  };
}

/** A party's own clock is wrong: what it stamps, and what it takes others' timestamps for. Durations stay right. */
export interface SkewClockFault extends Lasting {
  readonly skewClock: PartyTarget & {
    /** How far it goes ahead, or behind where it is less than 0: milliseconds, or text such as `-30s`. */
    readonly by: number | string;
  };
}

/** All replicas of a component of the control plane end as in a crash. Healed, they start anew. */
export interface StopComponentFault extends Lasting {
  readonly stopComponent: { readonly component: ReplicatedComponent };
}

/** Components of the control plane that stand for election. */
export type ReplicatedComponent = 'kube-scheduler' | 'kube-controller-manager' | 'cluster-autoscaler';

/** The API server goes away, and every connection breaks. Healed, it is there again. */
export interface RestartApiServerFault extends Lasting {
  readonly restartApiServer: {
    /** Watches cannot resume then, and list anew. @defaultValue false */
    readonly forgetsHistory?: boolean;
  };
}

/** What a container runtime is asked to do. */
export type RuntimeOperation = 'pullImage' | 'createSandbox' | 'stopContainer';

/** A node's container runtime fails what it is asked to do, or takes its time. */
export interface FailRuntimeFault extends Lasting {
  readonly failRuntime: NodeTarget & {
    readonly operation: RuntimeOperation;
    /** What it says. @defaultValue that the deadline is exceeded */
    readonly error?: string;
    /** In place of an error: how much longer it takes than it would, milliseconds or text such as `30s`. */
    readonly by?: number | string;
  };
}

/** What storage and machine do with a volume, in the order of its life on a node. */
export type VolumeOperation = 'attach' | 'mount' | 'unmount' | 'detach';

/** A node's volumes fail to be attached, mounted, unmounted or detached, or take their time. */
export interface FailVolumeFault extends Lasting {
  readonly failVolume: NodeTarget & {
    readonly operation: VolumeOperation;
    /** What the driver says. @defaultValue that the deadline is exceeded */
    readonly error?: string;
    /** In place of an error: how much longer it takes than it would, milliseconds or text such as `30s`. */
    readonly by?: number | string;
  };
}

/** What a cloud is asked to do for a pool of nodes. */
export type PoolOperation = 'resize' | 'create';

/** A pool of nodes is not resized when the cluster autoscaler asks, or its machines cannot be made, or take their time. */
export interface FailPoolFault extends Lasting {
  readonly failPool: {
    readonly pool: string;
    /** `resize`: the request is refused. `create`: it is taken, and no machine comes of it. */
    readonly operation: PoolOperation;
    /** What the cloud says. @defaultValue that the deadline is exceeded */
    readonly error?: string;
    /** Of `create`, in place of an error: how much longer it takes, milliseconds or text such as `10m`. */
    readonly by?: number | string;
  };
}

/**
 * Pods of some machines no longer reach those of others; the links of their kubelets to the API server are whole.
 * Containers with scripts that need others notice it.
 */
export interface PartitionFault extends Lasting {
  readonly partition: PartitionTarget;
}

/** One side, or several, that are cut off from each other and from all other machines. */
export type PartitionTarget = (
  | { readonly node: string }
  /** These reach each other. */
  | { readonly nodes: readonly string[] }
  /** The nodes with that label `topology.kubernetes.io/zone`; they reach each other. */
  | { readonly zone: string }
  /** Nodes by their names, each group cut off from every other one, and from those that are in none. */
  | { readonly groups: readonly (readonly string[])[] }
) & {
  /** Cut off from these alone; others reach both. Not beside groups. @defaultValue all other nodes */
  readonly from?: readonly string[];
};

/**
 * Storage takes a volume away from a node, even one in use: its mounts are lost, its VolumeAttachment is deleted
 * and its attach record given up; processes run on. Until it is healed that node is not given the volume again.
 */
export interface BreakAttachmentFault extends Lasting {
  readonly breakAttachment: VolumeChoice & { readonly node: string };
}

/** A PersistentVolume, by its name or by the claim that it is bound to: `name`, or `namespace/name`. */
export type VolumeChoice = { readonly volume: string } | { readonly claim: string };

/** See the file header. */
export type Fault =
  | CutFault
  | PartitionFault
  | SlowFault
  | LossyFault
  | RefuseFault
  | DelayWatchFault
  | CoalesceWatchFault
  | StaleReadsFault
  | RestartApiServerFault
  | StopKubeletFault
  | PowerOffFault
  | ShutDownFault
  | FailRuntimeFault
  | FailVolumeFault
  | FailPoolFault
  | BreakAttachmentFault
  | StopControllerFault
  | RunTwiceFault
  | CrashAfterWritesFault
  | StopComponentFault
  | SkewClockFault;

/** The field that names a fault. */
export type FaultVerb =
  | 'cut'
  | 'partition'
  | 'slow'
  | 'lossy'
  | 'refuse'
  | 'delayWatch'
  | 'coalesceWatch'
  | 'staleReads'
  | 'restartApiServer'
  | 'stopKubelet'
  | 'powerOff'
  | 'shutDown'
  | 'failRuntime'
  | 'failVolume'
  | 'failPool'
  | 'breakAttachment'
  | 'stopController'
  | 'runTwice'
  | 'crashAfterWrites'
  | 'stopComponent'
  | 'skewClock';
