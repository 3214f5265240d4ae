/**
 * A promise of Kubernetes as it is checked while a cluster runs: functions of what was written, of what the nodes
 * really do, and of what stands when all has come to rest. They look and never act, and have no state: what was
 * before, and since when, is in the {@link World}.
 */
import type { Kind, KindMap, ObjectName } from '../../api/objects/objects.js';
import type { Selection } from '../../apiserver/store/server-types.js';
import type { CacheReading } from '../../bus/bus-types.js';
import type { Kubelet } from '../../kubelet/kubelet.js';
import type { ProcessFact } from '../../kubelet/containers/process-facts.js';
import type { SafetyViolation } from '../safety-violation.js';
import type { Span } from '../registers/link-times.js';
import type { NodeMemory } from '../registers/node-register.js';
import type { FormerPod, KnownPod, PodSpan, Taking } from '../registers/pod-register.js';
import type { Written } from '../registers/write-register.js';

/** A write of the API, at the moment at which it is applied. */
export interface Write<K extends Kind = Kind> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: K;
  readonly object: KindMap[K];
  /** The object of that name as it was before; absent when there was none. */
  readonly previous: KindMap[K] | undefined;
  /** The party that made the request, such as `kubelet/node-1`; `user` for calls of the program. */
  readonly by: string;
  /** The resourceVersion that the request said it replaces; absent = it named none. */
  readonly named: string | undefined;
  /** Store-wide version of the write, and of the last write of the kind before it. */
  readonly version: number;
  readonly lastVersion: number;
}

/** What invariants may look at: the API as it is stored, and the machines as they are. */
export interface World {
  /** Simulated time, ms. */
  readonly nowMs: number;
  /** The same as a Kubernetes timestamp. */
  readonly now: string;
  /** Simulated time of a Kubernetes timestamp, ms. */
  msOf(time: string): number;
  find<K extends Kind>(kind: K, name: ObjectName): KindMap[K] | undefined;
  list<K extends Kind>(kind: K, selection?: Selection): readonly KindMap[K][];
  /** The pod of that uid, whatever its name; absent when it is gone. */
  pod(uid: string): KnownPod | undefined;
  /** Pods that name an owner of that uid. */
  podsOf(ownerUid: string): ReadonlySet<KnownPod>;
  /** Pods that wait for a node. */
  readonly pendingPods: ReadonlySet<KnownPod>;
  /** When a pod of an owner that served turned unready or was taken away, but by a controller, ms; absent = never. */
  servingLostMs(ownerUid: string): number | undefined;
  /** When a pod of an owner that served stopped doing so, whatever the cause, ms; absent = never. */
  servingGoneMs(ownerUid: string): number | undefined;
  /** When a pod of an owner came, went or changed in what those that count it have to notice, ms; absent = never. */
  podsAlteredMs(ownerUid: string): number | undefined;
  /** When a pod of an owner was taken away by another than the controller manager, ms; absent = never. */
  takenByOthersMs(ownerUid: string): number | undefined;
  /** When a pod that waited last gave up, or got, room that no other could have for its sake, ms; absent = never. */
  readonly roomClaimedMs: number | undefined;
  /** Of the pods of an owner that are gone, the time of the one that came last; absent = none has gone. */
  podPassed(ownerUid: string): PodSpan | undefined;
  /** What asked for a pod's deletion first, whether it is there still or not; absent = it is to stay. */
  taking(podUid: string): Taking | undefined;
  /** When a pod of that name last went from a node with a NoExecute taint that it did not tolerate at all, ms. */
  unwelcomeMs(podKey: string): number | undefined;
  /** The pod that had a key before and is gone; absent = there was none. */
  formerPod(key: string): FormerPod | undefined;
  /** How an object came to be as it is; absent = it is not there. */
  written(uid: string): Written | undefined;
  /** From when to when the last claim of a name that is gone was on its way out, ms; absent = none is gone. */
  claimGoing(key: string): Span | undefined;
  /** When a service was last written, ms. */
  serviceWrittenMs(key: string): number | undefined;
  /** What components hold in their caches; of one, or of all. */
  caches(party?: string): readonly CacheReading[];
  /** Since when each request of a party has been heard and answered, ms, as far as is known; absent = it is not so. */
  steadySinceMs(party: string): number | undefined;
  /** Since when a controller has worked, alone, and nothing was in the way of any message of it, ms; absent = it is not so. */
  calmSinceMs(controller: string): number | undefined;
  /** How long the last thing lasted that was in its way, ms: what failed meanwhile is put off for as long again. */
  disturbedMs(controller: string): number;
  /** The same as {@link calmSinceMs} of the scheduler. */
  readonly schedulerCalmSinceMs: number | undefined;
  /** The last time that nothing which a node sent got through, ms; absent = it always has. */
  silenceOf(node: string): Span | undefined;
  /** What is remembered of nodes of a name; absent = there was none. */
  node(name: string): NodeMemory | undefined;
  /** Since when no node is Ready though there are some, ms; absent = one is. */
  readonly allNodesLostSinceMs: number | undefined;
  /** Changes that were told since the cluster began, of all kinds, and how many there were. */
  readonly told: { readonly told: number; readonly written: number };
  /** How long a node may be silent before it is given up, ms. */
  readonly nodeMonitorGraceMs: number;
  /** Since when the clock of a party has been right, ms; absent = it is not. */
  clockRightSinceMs(party: string): number | undefined;
  /** Since when a controller has worked in one run, ms; absent = it does not work. */
  workingSinceMs(controller: string): number | undefined;
  /** Names of the nodes that have a machine. */
  readonly machines: Iterable<string>;
  /** The machine of a node: what its runtime holds and what is mounted, whatever the API shows. */
  machine(node: string): Pick<Kubelet, 'runtime' | 'mounts' | 'runningSinceMs'> | undefined;
}

/** What does not hold. */
export interface Finding {
  /** What it is about, such as `Pod default/web-0`. */
  readonly object: string;
  /** What was promised and what is the case instead. */
  readonly text: string;
  /**
   * The party that accepted the risk of it by its request, such as `user` for a forced deletion: the finding is
   * counted and named, and no fault of any component.
   */
  readonly asked?: string;
}

/** Functions by kind that look at each write. */
export type WriteChecks = { readonly [K in Kind]?: (write: Write<K>, world: World) => Finding | undefined };

/**
 * A promise. Add your own to those of the program by `createCluster({ invariants: [...INVARIANTS, mine] })`.
 *
 * @example
 * ```ts
 * const smallFleet: Invariant = {
 *   name: 'small-fleet',
 *   promise: 'there are never more than 100 pods',
 *   onWrite: {
 *     Pod: ({ type, object }, world) =>
 *       type === 'ADDED' && world.list('Pod').length > 100
 *         ? { object: `Pod ${object.metadata.name}`, text: 'is the 101st' }
 *         : undefined,
 *   },
 * };
 * ```
 */
export interface Invariant {
  /** Unique; such as `terminal-phase`. */
  readonly name: string;
  /** In one sentence. */
  readonly promise: string;
  readonly onWrite?: WriteChecks;
  /** Something has happened on a machine. */
  readonly onProcess?: (fact: ProcessFact, world: World) => Finding | undefined;
  /** Objects and processes were parted, as the nodes' truth tells. */
  readonly onParting?: (parting: SafetyViolation, world: World) => Finding | undefined;
  /** What must hold once nothing is wrong any more and all controllers have caught up. */
  readonly atRest?: (world: World) => Iterable<Finding>;
}
