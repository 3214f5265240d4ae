/**
 * The numbers of a rolling update: how many pods may be too many, how many may be missing, how a change
 * of scale is shared between replica sets. Pure. Mirrors kube-controller-manager v1.34
 * pkg/controller/deployment/util.
 */
import type { Deployment, ReplicaSet } from '../../api/objects/objects.js';
import { desiredReplicasOf, maxReplicasOf } from './annotations.js';

/** Wished replicas; the API's default is 1. */
export function replicasOf({ spec }: Deployment | ReplicaSet): number {
  return spec.replicas ?? 1;
}

/** Whether pods are replaced a few at a time. */
export function isRollingUpdate({ spec }: Deployment): boolean {
  return spec.strategy?.type !== 'Recreate';
}

/** Pods allowed beyond the wish: a percentage is rounded up. */
export function maxSurgeOf(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fencepostsOf(deployment).surge : 0;
}

/** Pods that may be missing: a percentage is rounded down; never more than there are. */
export function maxUnavailableOf(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  if (!isRollingUpdate(deployment) || replicas === 0) return 0;
  return Math.min(fencepostsOf(deployment).unavailable, replicas);
}

/** When both round to nothing, one pod may be missing, or nothing could ever move. */
function fencepostsOf(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge, maxUnavailable } = deployment.spec.strategy?.rollingUpdate ?? {};
  const replicas = replicasOf(deployment);
  const surge = Math.ceil(scaled(maxSurge ?? 0, replicas));
  const unavailable = Math.floor(scaled(maxUnavailable ?? 0, replicas));
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

/** A number, or a percentage of `total`. */
function scaled(value: number | string, total: number): number {
  if (typeof value === 'number') return value;
  return (Number.parseInt(value, 10) * total) / 100;
}

/** Replica sets that are wished to have pods. */
export function activeOf(replicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  return replicaSets.filter((replicaSet) => replicasOf(replicaSet) > 0);
}

/** Sum of the wishes of some replica sets. */
export function sumOfWishes(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + replicasOf(replicaSet), 0);
}

/** Sum of the pods that some replica sets report. */
export function sumOfPods(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, { status }) => sum + status.replicas, 0);
}

/** Sum of the ready pods that some replica sets report. */
export function sumOfReady(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, { status }) => sum + (status.readyReplicas ?? 0), 0);
}

/** Sum of the available pods that some replica sets report. */
export function sumOfAvailable(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, { status }) => sum + (status.availableReplicas ?? 0), 0);
}

/** What the new replica set may grow to, given what all of them, itself included, are wished to have. */
export function newReplicasOf(deployment: Deployment, wishesOfAll: number, wishOfNew: number): number {
  const replicas = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return replicas;
  const room = replicas + maxSurgeOf(deployment) - wishesOfAll;
  return room <= 0 ? wishOfNew : wishOfNew + Math.min(room, replicas - wishOfNew);
}

/** Pods of old replica sets that may go now, counted over wishes; none when not positive. */
export function maxScaledDownOf(deployment: Deployment, wishesOfAll: number, newReplicaSet: ReplicaSet): number {
  const minAvailable = replicasOf(deployment) - maxUnavailableOf(deployment);
  const unavailableOfNew = replicasOf(newReplicaSet) - (newReplicaSet.status.availableReplicas ?? 0);
  return wishesOfAll - minAvailable - unavailableOfNew;
}

/** Whether a replica set carries the whole deployment by itself, and did before the scale changed. */
export function isSaturated(deployment: Deployment, replicaSet: ReplicaSet | undefined): boolean {
  if (replicaSet === undefined) return false;
  const replicas = replicasOf(deployment);
  return (
    replicasOf(replicaSet) === replicas &&
    desiredReplicasOf(replicaSet) === replicas &&
    (replicaSet.status.availableReplicas ?? 0) === replicas
  );
}

/** One replica set's new size after a change of scale. */
export interface Share {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
}

/**
 * Shares a change of scale between the active replica sets of a rolling update, each in proportion to
 * its size; what rounding leaves goes to the first. Larger ones come first, among equals the newer when
 * growing and the older when shrinking.
 */
export function proportionalShares(deployment: Deployment, active: readonly ReplicaSet[]): Share[] {
  const replicas = replicasOf(deployment);
  const allowed = replicas > 0 ? replicas + maxSurgeOf(deployment) : 0;
  const toAdd = allowed - sumOfWishes(active);
  const ordered = [...active];
  if (toAdd > 0) ordered.sort((left, right) => replicasOf(right) - replicasOf(left) || byCreation(right, left));
  if (toAdd < 0) ordered.sort((left, right) => replicasOf(right) - replicasOf(left) || byCreation(left, right));
  let added = 0;
  const shares = ordered.map((replicaSet) => {
    const part = proportionOf(deployment, replicaSet, toAdd, added);
    added += part;
    return { replicaSet, replicas: replicasOf(replicaSet) + part };
  });
  return shares.map((share, index) =>
    index === 0 && toAdd !== 0 ? { ...share, replicas: Math.max(0, share.replicas + toAdd - added) } : share,
  );
}

function proportionOf(deployment: Deployment, replicaSet: ReplicaSet, toAdd: number, added: number): number {
  if (replicasOf(replicaSet) === 0 || toAdd === 0 || toAdd === added) return 0;
  const part = fractionOf(deployment, replicaSet);
  const rest = toAdd - added;
  return toAdd > 0 ? Math.min(part, rest) : Math.max(part, rest);
}

/** How far a replica set is from its share of the new total. */
function fractionOf(deployment: Deployment, replicaSet: ReplicaSet): number {
  const size = replicasOf(replicaSet);
  const replicas = replicasOf(deployment);
  if (replicas === 0) return -size;
  const marked = maxReplicasOf(replicaSet) ?? 0;
  const totalBefore = marked === 0 ? (deployment.status.replicas ?? 0) : marked;
  if (totalBefore === 0) return 0;
  return roundAwayFromZero((size * (replicas + maxSurgeOf(deployment))) / totalBefore) - size;
}

function roundAwayFromZero(value: number): number {
  return value < 0 ? Math.ceil(value - 0.5) : Math.floor(value + 0.5);
}

/** Older first, then by name. */
export function byCreation({ metadata: left }: ReplicaSet, { metadata: right }: ReplicaSet): number {
  if (left.creationTimestamp !== right.creationTimestamp)
    return left.creationTimestamp < right.creationTimestamp ? -1 : 1;
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}
