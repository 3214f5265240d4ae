import type { AnyObject, Pod } from '../../api/objects/objects.js';
import type { Clock } from '../../kernel/engine/clock.js';
import type { ClusterEvent, QueueingHintMap } from '../framework/cluster-event.js';
import type { PodInfo, PreEnqueuePlugin, QueuedPodInfo, QueueSortPlugin } from '../framework/interface.js';
import type { ChangeLog } from '../framework/change-log.js';

/** What the queue must know of a profile. */
export interface QueueProfile {
  /** Asked in this order; a plugin that gates a pod already is asked first. */
  readonly preEnqueue: readonly PreEnqueuePlugin[];
  /** Which plugin wants to hear of which events. */
  readonly hints: QueueingHintMap;
}

/** What a queue is made of. */
export interface SchedulingQueueOptions {
  readonly clock: Clock;
  /** One for all profiles. */
  readonly queueSort: Pick<QueueSortPlugin, 'less'>;
  /** By scheduler name; a pod asks the plugins of its own profile only. */
  readonly profiles: ReadonlyMap<string, QueueProfile>;
  /** First back-off, seconds. @defaultValue 1 */
  readonly podInitialBackoffSeconds?: number | undefined;
  /** Longest back-off, seconds; 0 = no back-off. @defaultValue 10 */
  readonly podMaxBackoffSeconds?: number | undefined;
  /** The newest known state of a pod by `namespace/name`; pods that are gone or bound are not nominated. */
  readonly findPod?: ((key: string) => Pod | undefined) | undefined;
}

/** How many pods wait where. */
export interface QueueDepths {
  readonly active: number;
  readonly backoff: number;
  /** Gated pods are not among them. */
  readonly unschedulable: number;
  readonly gated: number;
  /** Popped, and not done yet. */
  readonly inFlight: number;
}

/** The pods of the queue by pool. */
export interface PendingPods {
  readonly active: readonly Pod[];
  readonly backoff: readonly Pod[];
  /** Gated pods too. */
  readonly unschedulable: readonly Pod[];
}

/** The scheduling queue, with the methods of kube-scheduler v1.34 `SchedulingQueue`. */
export interface SchedulingQueue {
  /** A new pod that is neither bound nor finished. */
  add(pod: Pod): void;
  /** A pod that is not bound has changed. The caller leaves out updates of equal versions and of assumed pods. */
  update(oldPod: Pod | undefined, newPod: Pod): void;
  /** A pod is gone, was bound, or belongs to another scheduler now. */
  delete(pod: Pod): void;
  /**
   * Takes the first pod of the active queue; if that is empty, the first rejected pod that backs off,
   * but only one of these in a millisecond. The pod is in flight until {@link SchedulingQueue.done} or
   * {@link SchedulingQueue.addUnschedulableIfNotPresent}.
   */
  pop(): QueuedPodInfo | undefined;
  /** The pods of the active queue that are popped next if nothing happens, at most `limit`; they stay there. */
  peek(limit: number): readonly QueuedPodInfo[];
  /**
   * A failed attempt: the pod comes back, with the plugins that rejected it in `unschedulablePlugins`
   * and `pendingPlugins` (none = an error), and with its newest state in `podInfo`. Done is implied.
   * Returns `false`, and changes nothing but that, when the queue already holds the pod.
   */
  addUnschedulableIfNotPresent(info: QueuedPodInfo): boolean;
  /** The attempt is over, and the pod does not come back. */
  done(uid: string): void;
  /**
   * Something happened in the cluster: pods that it may help leave the unschedulable ones.
   *
   * @param preCheck - pods for which it is false are left where they are
   */
  moveAllToActiveOrBackoffQueue(
    event: ClusterEvent,
    oldObject: AnyObject | undefined,
    newObject: AnyObject | undefined,
    preCheck?: (pod: Pod) => boolean,
  ): void;
  /** A pod was bound: pods with affinity or spread constraints may fit now. */
  assignedPodAdded(pod: Pod): void;
  /** A bound pod changed; call it once for each event of {@link podUpdateEvents}. */
  assignedPodUpdated(oldPod: Pod, newPod: Pod, event: ClusterEvent): void;
  /** Moves pods to the active queue whatever their back-off; pods in flight are retried when they come back. */
  activate(pods: Iterable<Pod>): void;
  pendingPods(): PendingPods;
  depths(): QueueDepths;
  /** A pod of one of the pools, by `namespace/name`; pods in flight are in none. */
  get(key: string): QueuedPodInfo | undefined;
  /** Called whenever a pod may have become poppable, often more than once; must not call the queue back. */
  setOnReady(onReady: () => void): void;
  /** Nominates a pod to a node; `''` takes the nomination back; absent = what the pod's status says. */
  addNominatedPod(podInfo: PodInfo, nodeName?: string): void;
  /** The pod changed without going through {@link SchedulingQueue.update}. */
  updateNominatedPod(oldPod: Pod | undefined, podInfo: PodInfo): void;
  deleteNominatedPodIfExists(pod: Pod): void;
  /** Pods nominated to a node, in order of nomination; the array never changes. */
  nominatedPodsForNode(nodeName: string): readonly PodInfo[];
  /** Names of the nodes to which pods are nominated. */
  nominatedNodes(): Iterable<string>;
  /** The node that a pod is nominated to. */
  nominatedNodeOf(uid: string): string | undefined;
  /** Number of nominations: while it is 0 no node has any. */
  readonly nominatedCount: number;
  /** On which nodes nominations have changed. */
  readonly nominations: ChangeLog;
  /** Forgets every pod and timer. */
  close(): void;
}
