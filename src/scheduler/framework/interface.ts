/**
 * The extension points. A plugin, ours or a user's, implements as many of these interfaces as it has
 * something to say at. Mirrors kube-scheduler v1.34 `framework/interface.go`; verdicts are `Status`
 * values, `undefined` is Success, and methods are pure unless their point says otherwise.
 *
 * Filter and Score exist in two forms. The plain form judges one node and is the reference. A plugin
 * may also compile itself for a pod into a column form, which judges many nodes in one loop over the
 * snapshot's columns; it must give exactly what the plain form gives.
 */
import type { AnyObject, Pod } from '../../api/objects/objects.js';
import type { Clock } from '../../kernel/engine/clock.js';
import type { ChangeLog } from './change-log.js';
import type { ClusterEvent, ClusterEventWithHint } from './cluster-event.js';
import type { CycleState } from './cycle-state.js';
import type { NodeColumns } from './node-columns.js';
import type { GroupFilter, GroupScore } from './node-groups.js';
import type { NodeInfo } from './node-info.js';
import type { PodInfo } from './pod-info.js';
import type { PodShape } from './pod-shape.js';
import type { Code, Status } from './status.js';

export { PodInfo } from './pod-info.js';

/** The best score of a node after normalisation; the worst is 0. */
export const MAX_NODE_SCORE = 100;

/** What every plugin has. */
export interface Plugin {
  /** Upstream's name, such as `NodeResourcesFit`. */
  readonly name: string;
  /** Events that may make a pod schedulable that this plugin rejected; absent = every event. */
  eventsToRegister?(): readonly ClusterEventWithHint[];
  /**
   * For plugins with PreFilter or PreScore: whether these say the same of every pod of the shape, whatever
   * happens in the cluster, and what they write into the state for one pod serves for all. Then they are
   * called for some of the pods only. @defaultValue no shape
   */
  answersByShape?(shape: PodShape): boolean;
  /**
   * For plugins with PreFilter or PreScore: whether both would skip the pod now. It is asked in their place
   * where that is all that matters, for every pod, and has to be cheap. @defaultValue not known
   */
  isIdle?(pod: PodInfo): boolean;
}

/** A pod in the scheduling queue with the history of its attempts. Changed by the queue and the failure handler only. */
export interface QueuedPodInfo {
  podInfo: PodInfo;
  /** Milliseconds of simulated time: first added, then when the last attempt failed. */
  timestampMs: number;
  /** Raised at each pop. */
  attempts: number;
  /** Rises when an attempt ends with a rejecting plugin. */
  unschedulableCount: number;
  /** Rises when an attempt ends in an error, falls to 0 with a rejection. */
  consecutiveErrorsCount: number;
  /** Simulated time at which the back-off ends; 0 = not computed. */
  backoffExpirationMs: number;
  /** When the first attempt began; absent until the first pop. */
  initialAttemptTimestampMs: number | undefined;
  /** Plugins that rejected the pod as Unschedulable(AndUnresolvable) in its last attempt. */
  unschedulablePlugins: Set<string>;
  /** Plugins that rejected the pod as Pending in its last attempt. */
  pendingPlugins: Set<string>;
  /** The PreEnqueue plugin that keeps the pod out of the active queue, if one does. */
  gatingPlugin: string | undefined;
  /** Events registered by the gating plugin. */
  gatingPluginEvents: readonly ClusterEvent[];
}

/** May keep a pod from entering the active queue at all. */
export interface PreEnqueuePlugin extends Plugin {
  preEnqueue(pod: Pod): Status | undefined;
  /**
   * Uids of pods that were kept out and may be let in, though they have not changed themselves: for all
   * others the answer is the same as before, and the queue does not ask again. Absent = any pod may be
   * let in at any time. It must be there from the start, or never.
   */
  readonly openings?: ChangeLog | undefined;
}

/** Orders the active queue; exactly one per scheduler. */
export interface QueueSortPlugin extends Plugin {
  /** Whether `a` goes before `b`. */
  less(a: QueuedPodInfo, b: QueuedPodInfo): boolean;
}

/** The outcome of PreFilter besides rejection. */
export interface PreFilterResult {
  /** The only nodes worth a look, or all of them when absent. */
  readonly nodeNames?: ReadonlySet<string> | undefined;
  /** Skip, or a rejection. */
  readonly status?: Status | undefined;
}

/** Keeps PreFilter's state right while pods are added to and removed from a node in a dry run. */
export interface PreFilterExtensions {
  addPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined;
  removePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined;
}

/** Computes what Filter needs once per pod, and may reject the pod or narrow the nodes. */
export interface PreFilterPlugin extends Plugin {
  /** `undefined` is success for all nodes. */
  preFilter(state: CycleState, pod: PodInfo, snapshot: Snapshot): PreFilterResult | undefined;
  readonly preFilterExtensions?: PreFilterExtensions | undefined;
}

/**
 * What a column form depends on besides configuration. `node`: only the pod's shape, the columns of
 * the node itself, and the number of nodes, so that a result may be kept until that node changes and
 * used for every pod of the shape. `cluster`: anything else; evaluated anew for every pod.
 */
export type ColumnScope = 'node' | 'cluster';

/** A filter compiled for one pod. */
export interface ColumnFilter {
  /**
   * For each slot in `slots[0..count)` with `verdicts[slot] === 0` that the plugin rejects, writes
   * `base + code` into `verdicts[slot]`, where `code` is in 1..65535. A code means the same in every
   * compilation for the same shape over the same layout of the columns, on any thread.
   */
  filter(slots: Int32Array, count: number, verdicts: Int32Array, base: number): void;
  /** The verdict behind a code; the plain form's status with equal content. */
  statusOf(code: number): Status;
  /** Whether a verdict may be an internal fault instead of a rejection. @defaultValue false */
  readonly mayFail?: boolean;
}

/** What a pod asks of a node's free resources; amounts of 0 are not looked at. */
export interface ResourceDemand {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
  /** Amounts above 0. */
  readonly scalars: readonly (readonly [name: string, amount: number])[];
}

/** Judges whether a pod fits a node. */
export interface FilterPlugin extends Plugin {
  filter(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** @defaultValue `cluster` */
  readonly filterScope?: ColumnScope;
  /**
   * Whether the verdict on a node may change as pods come to it and leave it; where it does not, a dry
   * run asks but once. @defaultValue true
   */
  readonly heedsPods?: boolean;
  /**
   * For a filter of scope `node`: whether the verdict goes by the pod's outline, which is all of its shape
   * but what it requests and which volumes of a kind it has, and by the node's name, labels, taints and
   * cordon, and by nothing else.
   * @defaultValue false
   */
  readonly goesByOutline?: boolean;
  /**
   * For a filter that rejects a node exactly if the node has no place for one more pod, or less of a
   * resource free than this: a dry run then adds amounts up and asks the filter no more.
   */
  demandOf?(pod: PodInfo): ResourceDemand;
  /**
   * Whether the filter rejects no node of the snapshot, after PreFilter: where no pod is nominated, it is
   * then not asked about single nodes. It has to be cheap. @defaultValue not known
   */
  passesAll?(state: CycleState, pod: PodInfo): boolean;
  /** The column form after PreFilter; `undefined` when this pod needs the plain form. */
  compileFilter?(state: CycleState, pod: PodInfo, columns: NodeColumns): ColumnFilter | undefined;
  /** The form for groups of nodes, after PreFilter, with the codes of the column form; `undefined` when groups would not be few. */
  groupFilter?(state: CycleState, pod: PodInfo): GroupFilter | undefined;
}

/** What a pod's attempt knows of each node when nothing fits. It may be asked until the attempt is over. */
export interface NodeToStatus {
  /** The rejecting status, or that of all nodes that were not visited. */
  get(nodeName: string): Status;
  /** Status of nodes that have none of their own. */
  readonly absentStatus: Status;
  /** Number of nodes with a status of their own. */
  readonly size: number;
  /** Nodes with a status of their own, in the order in which they were visited. */
  entries(): Iterable<readonly [nodeName: string, status: Status]>;
  /**
   * The nodes that have this code in a status of their own, in the order in which they were visited.
   *
   * @param buffer - where they may be written; room for all nodes
   */
  findSlots(code: Code, snapshot: Snapshot, buffer: Int32Array): NodeSlots;
}

/** Nodes by slot; the first `count` count. */
export interface NodeSlots {
  readonly slots: Int32Array;
  readonly count: number;
}

/** The outcome of PostFilter. */
export interface PostFilterResult {
  /** Node to nominate, `''` to clear a nomination, absent to leave it. */
  readonly nominatedNodeName?: string | undefined;
  readonly status?: Status | undefined;
  /** What was considered, for explanations; changes nothing. */
  readonly explanation?: PreemptionExplanation | PreemptionAccount | undefined;
}

/** A node on which the pod would fit without the victims. */
export interface PreemptionCandidate {
  readonly node: string;
  /** `namespace/name`, most important first. */
  readonly victims: readonly string[];
  /** Victims that are evicted against a disruption budget. */
  readonly pdbViolations: number;
}

/** What a preemption considered, and what decided. Plain data. */
export interface PreemptionExplanation {
  /** The node for which the pod was nominated; absent when no candidate was found. */
  readonly nominated?: string | undefined;
  readonly candidates: readonly PreemptionCandidate[];
  /** The criterion that left one candidate, such as `victim-count`; empty when there was none. */
  readonly decidedBy: string;
  /** Nodes that no criterion told apart; empty when one was best. */
  readonly ties: readonly string[];
}

/**
 * Spells a preemption out on request.
 *
 * @param scope - which candidates are told of: all, or that on the nominated node alone
 */
export type PreemptionAccount = (scope: 'all' | 'nominated') => PreemptionExplanation;

/** Called when no node fits; may make room. */
export interface PostFilterPlugin extends Plugin {
  postFilter(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): PostFilterResult;
}

/** The nodes that passed the filters, in the order of the scan. */
export interface NodeList {
  readonly count: number;
  /** Slots of the nodes; entries from `count` on are meaningless. */
  readonly slots: Int32Array;
  /** The nodes themselves; built when first asked for. */
  readonly nodes: readonly NodeInfo[];
}

/** Computes what Score needs once per pod; Skip takes the plugin out of the scoring. */
export interface PreScorePlugin extends Plugin {
  preScore(state: CycleState, pod: PodInfo, nodes: NodeList): Status | undefined;
}

/** A score compiled for one pod. */
export interface ColumnScore {
  /** Writes the raw score of each slot in `slots[0..count)` to `raw[slot]`. */
  score(slots: Int32Array, count: number, raw: Float64Array): void;
}

/**
 * A score that is a formula over cpu and memory (resource-scores.ts); amounts are those of the pod.
 *
 * `least-allocated`: the mean, by weight, of what would be left of each, with defaults counted for pods
 * that request nothing. `balanced`: how alike the used parts of both would be.
 */
export type ResourceScore =
  | {
      readonly formula: 'least-allocated';
      readonly cpuMillis: number;
      readonly memoryBytes: number;
      readonly cpuWeight: number;
      readonly memoryWeight: number;
    }
  | { readonly formula: 'balanced'; readonly cpuMillis: number; readonly memoryBytes: number };

/** Ranks a node that passed the filters. */
export interface ScorePlugin extends Plugin {
  /** The raw score, a whole number; or an error. Without NormalizeScore in 0..100. */
  score(state: CycleState, pod: PodInfo, node: NodeInfo): number | Status;
  /** @defaultValue `cluster` */
  readonly scoreScope?: ColumnScope;
  /** The column form after PreScore; `undefined` when this pod needs the plain form. */
  compileScore?(state: CycleState, pod: PodInfo, columns: NodeColumns): ColumnScore | undefined;
  /** The form for groups of nodes, after PreScore; `undefined` when groups would not be few. */
  groupScore?(state: CycleState, pod: PodInfo): GroupScore | undefined;
  /**
   * Whether NormalizeScore goes by each raw score and by the lowest and the highest of them, and by nothing
   * else: then raw scores that are all equal are worked out once for all nodes. @defaultValue false
   */
  readonly normalizesByExtremes?: boolean;
  /**
   * For a score of scope `node`: whether the raw one goes by the pod's outline, which is all of its shape but
   * what it requests and which volumes of a kind it has, by the node's name, labels, taints, cordon and
   * images, by the number of nodes, and by nothing else. @defaultValue false
   */
  readonly goesByOutline?: boolean;
  /** The formula that gives the score where it is one, and not normalised; absent where PreScore skips. */
  resourceScore?(pod: PodInfo): ResourceScore | undefined;
  /** Brings raw scores to 0..100, in place; `scores[i]` belongs to `nodes.slots[i]`. */
  normalizeScore?(state: CycleState, pod: PodInfo, scores: Float64Array, nodes: NodeList): Status | undefined;
}

/** Claims things for the pod before it is bound. */
export interface ReservePlugin extends Plugin {
  reserve(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined;
  /** Takes everything back; called in reverse order, also for plugins after the one that failed to reserve. */
  unreserve(state: CycleState, pod: PodInfo, nodeName: string): void;
}

/** A Wait verdict's patience. */
export interface PermitResult {
  readonly status?: Status | undefined;
  /** Milliseconds, at most 15 minutes; only with code Wait. */
  readonly timeoutMs?: number | undefined;
}

/** Approves, refuses or delays the binding. */
export interface PermitPlugin extends Plugin {
  permit(state: CycleState, pod: PodInfo, nodeName: string): PermitResult | undefined;
}

/** Told once when work that takes simulated time has ended. */
export type StatusCallback = (status: Status | undefined) => void;

/** Work to be done before the pod is bound. */
export interface PreBindPlugin extends Plugin {
  /** Must call `done` exactly once, now or in a later tick. */
  preBind(state: CycleState, pod: PodInfo, nodeName: string, done: StatusCallback): void;
}

/** Binds the pod; Skip leaves it to the next one. */
export interface BindPlugin extends Plugin {
  /** Must call `done` exactly once, now or in a later tick. */
  bind(state: CycleState, pod: PodInfo, nodeName: string, done: StatusCallback): void;
}

/** Told of each binding. */
export interface PostBindPlugin extends Plugin {
  postBind(state: CycleState, pod: PodInfo, nodeName: string): void;
}

/** A pod that waits on Permit. */
export interface WaitingPod {
  readonly pod: Pod;
  readonly pendingPlugins: readonly string[];
  /** Takes back the Wait of one plugin; the last one lets the pod go on. */
  allow(plugin: string): void;
  reject(plugin: string, message: string): void;
}

/** The nodes as one attempt sees them. Fixed while a pod is decided. */
export interface Snapshot {
  /** Number of nodes. */
  readonly size: number;
  /** Slots of the nodes in scan order (zones round-robin); entries from `size` on are meaningless. */
  readonly order: Int32Array;
  readonly columns: NodeColumns;
  /** Nodes in scan order; built when first asked for after the node set changed. */
  readonly nodes: readonly NodeInfo[];
  get(nodeName: string): NodeInfo | undefined;
  nodeAt(slot: number): NodeInfo;
}

/** A request to bind, as DefaultBinder makes it. */
export interface BindRequest {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly nodeName: string;
}

/** What the framework offers to plugins. */
export interface FrameworkHandle {
  readonly clock: Clock;
  readonly snapshot: Snapshot;
  /** Sends the binding to the API server. */
  bind(request: BindRequest, answer: (error: Error | undefined) => void): void;
  waitingPod(uid: string): WaitingPod | undefined;
  /** Objects of a kind as the scheduler's informers know them; empty for kinds that it does not watch. */
  objects(kind: string): Iterable<AnyObject>;
}

/** Any plugin, for registration: the framework asks for its methods. */
export type AnyPlugin = Plugin &
  Partial<
    Omit<PreEnqueuePlugin, keyof Plugin> &
      Omit<QueueSortPlugin, keyof Plugin> &
      Omit<PreFilterPlugin, keyof Plugin> &
      Omit<FilterPlugin, keyof Plugin> &
      Omit<PostFilterPlugin, keyof Plugin> &
      Omit<PreScorePlugin, keyof Plugin> &
      Omit<ScorePlugin, keyof Plugin> &
      Omit<ReservePlugin, keyof Plugin> &
      Omit<PermitPlugin, keyof Plugin> &
      Omit<PreBindPlugin, keyof Plugin> &
      Omit<BindPlugin, keyof Plugin> &
      Omit<PostBindPlugin, keyof Plugin>
  >;

/** Builds a plugin from its `pluginConfig` args. */
export type PluginFactory = (args: unknown, handle: FrameworkHandle) => AnyPlugin;
