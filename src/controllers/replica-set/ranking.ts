/**
 * Which pods go first when there are too many. Mirrors kube-controller-manager v1.34
 * controller.ActivePodsWithRanks with logarithmic scale-down.
 */
import { deletionCost } from '../../api/pods/deletion-cost.js';
import { isPodReady } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';
import { sortAsGo } from '../../kernel/go-sort.js';
import { moreRestartsFirst, podRestarts, type PodRestarts } from '../shared/pod-restarts.js';
import { podReadySince } from '../shared/pod-state.js';
import { inMapOrder, type MapOrder } from '../runtime/map-order.js';

const NS_PER_MS = 1e6;
/** Values of a word of 32 bits. */
const WORD = 0x1_0000_0000;
const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** How many active pods of one controller a node has; shared by the ranks of all of them. */
export interface NodeCrowd {
  pods: number;
}

/** What the order of two pods depends on. */
export interface Rank extends PodRestarts {
  readonly pod: Pod;
  readonly uid: string;
  /** Unassigned, phase and readiness in one number; the lowest goes first. */
  readonly tier: number;
  readonly deletionCost: number;
  readonly crowd: NodeCrowd;
  /** NaN when not ready, or when the time is not known. */
  readonly readyMs: number;
  readonly createdMs: number;
}

/** What a pod's place depends on besides the pod. */
export interface RankContext {
  readonly crowd: NodeCrowd;
  /** Timestamp to simulated milliseconds. */
  readonly toMs: (timestamp: string) => number;
}

/** What is known of an active pod's place in the order. */
export function rankOf(pod: Pod, { crowd, toMs }: RankContext): Rank {
  const readySince = podReadySince(pod);
  const isReady = readySince !== undefined || isPodReady(pod);
  return {
    pod,
    uid: pod.metadata.uid,
    tier: (isAssigned(pod) ? 6 : 0) + 2 * (PHASE_ORDER[pod.status.phase] ?? 0) + (isReady ? 1 : 0),
    deletionCost: deletionCostOf(pod),
    crowd,
    readyMs: readySince === undefined ? Number.NaN : toMs(readySince),
    createdMs: toMs(pod.metadata.creationTimestamp),
    ...podRestarts(pod),
  };
}

/** Whether a pod has a node. */
export function isAssigned({ spec: { nodeName } }: Pod): boolean {
  return nodeName !== undefined && nodeName !== '';
}

/**
 * The `count` pods to delete, first to go first. Without a choice to make nothing is ranked. Upstream's order is none:
 * of three pods each may go before the next, so that the steps of its sort decide.
 *
 * @param order - of pods that are equal. @defaultValue as they are given
 */
export function podsToDelete(
  ranks: readonly Rank[],
  count: number,
  nowMs: number,
  order?: Pick<MapOrder, 'pods'>,
): Pod[] {
  if (count >= ranks.length) return ranks.map(({ pod }) => pod);
  const compareEquals = (left: Rank, right: Rank): number => order?.pods(left.pod, right.pod) ?? 0;
  const goesFirst = (left: Rank, right: Rank): boolean =>
    (compareRanks(left, right, nowMs) || compareEquals(left, right)) < 0;
  return sortAsGo([...inMapOrder(ranks, order === undefined ? undefined : compareEquals)], goesFirst, count)
    .slice(0, count)
    .map(({ pod }) => pod);
}

/** Anything but a 32-bit integer counts as 0. */
function deletionCostOf({ metadata: { annotations } }: Pod): number {
  return deletionCost(annotations) ?? 0;
}

/** Negative when `left` goes first, 0 when upstream leaves the order open. */
function compareRanks(left: Rank, right: Rank, nowMs: number): number {
  if (left.tier !== right.tier) return left.tier - right.tier;
  if (left.deletionCost !== right.deletionCost) return left.deletionCost - right.deletionCost;
  if (left.crowd.pods !== right.crowd.pods) return right.crowd.pods - left.crowd.pods;
  const isReady = left.tier % 2 === 1;
  return (
    (isReady ? compareTimes(left.readyMs, right.readyMs, left, right, nowMs) : 0) ||
    moreRestartsFirst(left, right) ||
    compareTimes(left.createdMs, right.createdMs, left, right, nowMs)
  );
}

/** Younger goes first, but only if it is by a power of two; times of one magnitude are told apart by uid. */
function compareTimes(leftMs: number, rightMs: number, left: Rank, right: Rank, nowMs: number): number {
  if (leftMs === rightMs || (Number.isNaN(leftMs) && Number.isNaN(rightMs))) return 0;
  if (Number.isNaN(leftMs)) return -1;
  if (Number.isNaN(rightMs)) return 1;
  const difference = magnitude(nowMs - leftMs) - magnitude(nowMs - rightMs);
  if (difference !== 0) return difference;
  return left.uid < right.uid ? -1 : 1;
}

/** The power of two that an age in nanoseconds has reached; -1 for none. */
function magnitude(ageMs: number): number {
  if (!(ageMs > 0)) return -1;
  const ageNs = ageMs * NS_PER_MS;
  const high = Math.floor(ageNs / WORD);
  return high > 0 ? 63 - Math.clz32(high) : 31 - Math.clz32(ageNs);
}
