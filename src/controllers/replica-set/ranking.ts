/**
 * Which pods go first when there are too many. Mirrors kube-controller-manager v1.34
 * controller.ActivePodsWithRanks with logarithmic scale-down.
 */
import { isPodReady } from '../../api/conditions.js';
import type { Pod } from '../../api/objects.js';
import { podReadySince } from '../pod-state.js';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const MAX_INT32 = 2_147_483_647;
const NS_PER_MS = 1e6;
const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** How many active pods of one controller a node has; shared by the ranks of all of them. */
export interface NodeCrowd {
  pods: number;
}

/** What the order of two pods depends on. */
export interface Rank {
  readonly pod: Pod;
  /** Unassigned, phase and readiness in one number; the lowest goes first. */
  readonly tier: number;
  readonly deletionCost: number;
  readonly crowd: NodeCrowd;
  /** NaN when not ready, or when the time is not known. */
  readonly readyMs: number;
  readonly createdMs: number;
  /** Most restarts of a regular container, and of a sidecar. */
  readonly restarts: number;
  readonly sidecarRestarts: number;
  /** Order of arrival: what is left when all else is equal. */
  readonly arrival: number;
}

/** What a pod's place depends on besides the pod. */
export interface RankContext {
  readonly crowd: NodeCrowd;
  readonly arrival: number;
  /** Timestamp to simulated milliseconds. */
  readonly toMs: (timestamp: string) => number;
}

/** What is known of an active pod's place in the order. */
export function rankOf(pod: Pod, { crowd, arrival, toMs }: RankContext): Rank {
  const readySince = podReadySince(pod);
  const isReady = readySince !== undefined || isPodReady(pod);
  return {
    pod,
    tier: (isAssigned(pod) ? 6 : 0) + 2 * (PHASE_ORDER[pod.status.phase] ?? 0) + (isReady ? 1 : 0),
    deletionCost: deletionCostOf(pod),
    crowd,
    readyMs: readySince === undefined ? Number.NaN : toMs(readySince),
    createdMs: toMs(pod.metadata.creationTimestamp),
    restarts: maxRestarts(pod.status.containerStatuses),
    sidecarRestarts: maxRestarts(sidecarStatuses(pod)),
    arrival,
  };
}

/** Whether a pod has a node. */
export function isAssigned({ spec: { nodeName } }: Pod): boolean {
  return nodeName !== undefined && nodeName !== '';
}

/** The `count` pods to delete, first to go first. Without a choice to make nothing is ranked. */
export function podsToDelete(ranks: readonly Rank[], count: number, nowMs: number): Pod[] {
  if (count >= ranks.length) return ranks.map(({ pod }) => pod);
  const compare = (left: Rank, right: Rank): number => compareRanks(left, right, nowMs) || left.arrival - right.arrival;
  const first = count > ranks.length >> 3 ? [...ranks].sort(compare).slice(0, count) : firstOf(ranks, count, compare);
  return first.map(({ pod }) => pod);
}

/** A 32-bit integer; anything else counts as 0. */
function deletionCostOf({ metadata: { annotations } }: Pod): number {
  const text = annotations?.[DELETION_COST];
  if (text === undefined || !/^(0|-?[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -MAX_INT32 - 1 && cost <= MAX_INT32 ? cost : 0;
}

/** Negative when `left` goes first, 0 when upstream leaves the order open. */
function compareRanks(left: Rank, right: Rank, nowMs: number): number {
  if (left.tier !== right.tier) return left.tier - right.tier;
  if (left.deletionCost !== right.deletionCost) return left.deletionCost - right.deletionCost;
  if (left.crowd.pods !== right.crowd.pods) return right.crowd.pods - left.crowd.pods;
  const isReady = left.tier % 2 === 1;
  return (
    (isReady ? compareTimes(left.readyMs, right.readyMs, left, right, nowMs) : 0) ||
    right.restarts - left.restarts ||
    right.sidecarRestarts - left.sidecarRestarts ||
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
  return left.pod.metadata.uid < right.pod.metadata.uid ? -1 : 1;
}

function magnitude(ageMs: number): number {
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * NS_PER_MS)) : -1;
}

function maxRestarts(statuses: Pod['status']['containerStatuses']): number {
  let most = 0;
  if (statuses !== undefined) for (const { restartCount } of statuses) most = Math.max(most, restartCount);
  return most;
}

function sidecarStatuses({ spec, status }: Pod): Pod['status']['containerStatuses'] {
  const { initContainers } = spec;
  const { initContainerStatuses } = status;
  if (initContainers === undefined || initContainerStatuses === undefined) return undefined;
  const sidecars = new Set(
    initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  return initContainerStatuses.filter(({ name }) => sidecars.has(name));
}

/** The `count` smallest, in order, by a heap of that size: for few out of many. */
function firstOf<T>(items: readonly T[], count: number, compare: (left: T, right: T) => number): T[] {
  const worstFirst: T[] = [];
  for (const item of items) {
    if (worstFirst.length < count) {
      worstFirst.push(item);
      if (worstFirst.length === count) worstFirst.sort((left, right) => compare(right, left));
      continue;
    }
    const worst = worstFirst[0];
    if (worst === undefined || compare(item, worst) >= 0) continue;
    worstFirst[0] = item;
    siftDown(worstFirst, compare);
  }
  return worstFirst.sort(compare);
}

function siftDown<T>(heap: T[], compare: (left: T, right: T) => number): void {
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    let worst = index;
    for (const child of [left, left + 1]) {
      if (child < heap.length && compare(heap[child] as T, heap[worst] as T) > 0) worst = child;
    }
    if (worst === index) return;
    const moved = heap[index] as T;
    heap[index] = heap[worst] as T;
    heap[worst] = moved;
    index = worst;
  }
}
