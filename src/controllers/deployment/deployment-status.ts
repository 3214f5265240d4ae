import type { Deployment, ReplicaSet } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import {
  conditionOf,
  newCondition,
  withCondition,
  withoutCondition,
  type DeploymentCondition,
  type DeploymentStatus,
} from './conditions.js';
import {
  maxUnavailableOf,
  replicasOf,
  sumOfAvailable,
  sumOfPods,
  sumOfReady,
  sumOfWishes,
} from './rolling-arithmetic.js';

/** A deadline of this many seconds means none. */
const NO_DEADLINE_SECONDS = 2_147_483_647;

/** First step of the work queue's back-off. */
const RECHECK_MS = 5;

/** The replica sets of a Deployment: the one of its template, if there is one, and the others. */
export interface ReplicaSets {
  readonly newest: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** Old ones first, then the new one. */
export function allOf({ newest, old }: ReplicaSets): readonly ReplicaSet[] {
  return newest === undefined ? old : [...old, newest];
}

/** Whether progress is watched. */
export function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE_SECONDS;
}

type CountField = 'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas' | 'unavailableReplicas';

/** Counts and the Available condition, out of what the replica sets report; counts of zero are left out. */
export function calculateStatus(deployment: Deployment, sets: ReplicaSets, timestamp: string): DeploymentStatus {
  const all = allOf(sets);
  const available = sumOfAvailable(all);
  const { generation } = deployment.metadata;
  const { collisionCount, conditions } = deployment.status;
  const status: { -readonly [Field in keyof DeploymentStatus]: DeploymentStatus[Field] } = {};
  const count = (field: CountField, value: number): void => {
    if (value > 0) status[field] = value;
  };
  if (generation !== undefined) status.observedGeneration = generation;
  count('replicas', sumOfPods(all));
  count('updatedReplicas', sets.newest?.status.replicas ?? 0);
  count('readyReplicas', sumOfReady(all));
  count('availableReplicas', available);
  count('unavailableReplicas', sumOfWishes(all) - available);
  if (collisionCount !== undefined) status.collisionCount = collisionCount;
  if (conditions !== undefined) status.conditions = conditions;
  const isAvailable = available >= replicasOf(deployment) - maxUnavailableOf(deployment);
  return withCondition(
    status,
    isAvailable
      ? newCondition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.', timestamp)
      : newCondition(
          'Available',
          'False',
          'MinimumReplicasUnavailable',
          'Deployment does not have minimum availability.',
          timestamp,
        ),
  );
}

/** Whether every pod is new and available, and the status knows the present specification. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Whether the new status is nearer to the goal than the one in the object. */
function isProgressing({ status: before }: Deployment, after: DeploymentStatus): boolean {
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    oldPodsOf(after) < oldPodsOf(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function oldPodsOf({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number {
  return replicas - updatedReplicas;
}

function isTimedOut({ spec }: Deployment, status: DeploymentStatus, nowMs: number, timestamps: Timestamps): boolean {
  const condition = conditionOf(status, 'Progressing');
  if (condition === undefined || condition.reason === 'NewReplicaSetAvailable') return false;
  if (condition.reason === 'ProgressDeadlineExceeded') return true;
  return timestamps.toMs(condition.lastUpdateTime ?? '') + (spec.progressDeadlineSeconds ?? 0) * 1000 < nowMs;
}

/** {@link calculateStatus} with what a rollout says about its progress and about failing replica sets. */
export function rolloutStatus(
  deployment: Deployment,
  sets: ReplicaSets,
  nowMs: number,
  timestamps: Timestamps,
): DeploymentStatus {
  const timestamp = timestamps.toTime(nowMs);
  const status = calculateStatus(deployment, sets, timestamp);
  return withReplicaFailure(withProgress(deployment, sets, status, nowMs, timestamps), sets);
}

function withProgress(
  deployment: Deployment,
  { newest }: ReplicaSets,
  status: DeploymentStatus,
  nowMs: number,
  timestamps: Timestamps,
): DeploymentStatus {
  if (!hasDeadline(deployment)) return withoutCondition(status, 'Progressing');
  const current = conditionOf(deployment.status, 'Progressing');
  const isDone =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (isDone) return status;
  const subject =
    newest === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newest.metadata.name}"`;
  const progress = (state: 'True' | 'False', reason: string, text: string): DeploymentCondition =>
    newCondition('Progressing', state, reason, `${subject} ${text}`, timestamps.toTime(nowMs));
  if (isComplete(deployment, status)) {
    return withCondition(status, progress('True', 'NewReplicaSetAvailable', 'has successfully progressed.'));
  }
  if (isProgressing(deployment, status)) {
    // Written anew each time, so that the deadline counts from the latest progress.
    const condition = progress('True', 'ReplicaSetUpdated', 'is progressing.');
    const since = current?.status === 'True' ? current.lastTransitionTime : undefined;
    const kept = since === undefined ? condition : { ...condition, lastTransitionTime: since };
    return withCondition(withoutCondition(status, 'Progressing'), kept);
  }
  if (!isTimedOut(deployment, status, nowMs, timestamps)) return status;
  return withCondition(status, progress('False', 'ProgressDeadlineExceeded', 'has timed out progressing.'));
}

/** The failure of the new replica set, else of any. */
function withReplicaFailure(status: DeploymentStatus, { newest, old }: ReplicaSets): DeploymentStatus {
  for (const replicaSet of newest === undefined ? old : [newest, ...old]) {
    const failure = replicaSet.status.conditions?.find(({ type }) => type === 'ReplicaFailure');
    if (failure !== undefined) return withCondition(status, fromReplicaSet(failure));
  }
  return withoutCondition(status, 'ReplicaFailure');
}

function fromReplicaSet(condition: NonNullable<ReplicaSet['status']['conditions']>[number]): DeploymentCondition {
  const { lastTransitionTime } = condition;
  return { ...condition, ...(lastTransitionTime === undefined ? {} : { lastUpdateTime: lastTransitionTime }) };
}

/**
 * Milliseconds until a rollout that makes no progress must be looked at again; `undefined` when nothing
 * needs to be watched. Upstream looks every few milliseconds once the deadline is less than a second
 * away, and for ever after a finished rollout lost a pod; here the next look is at the deadline.
 */
export function stuckCheckInMs(
  deployment: Deployment,
  status: DeploymentStatus,
  nowMs: number,
  timestamps: Timestamps,
): number | undefined {
  const current = conditionOf(deployment.status, 'Progressing');
  if (!hasDeadline(deployment) || current === undefined) return undefined;
  const { reason } = current;
  if (isComplete(deployment, status) || reason === 'ProgressDeadlineExceeded' || reason === 'NewReplicaSetAvailable')
    return undefined;
  const afterMs =
    timestamps.toMs(current.lastUpdateTime ?? '') + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000 - nowMs;
  return afterMs < 1000 ? Math.max(afterMs + 1, RECHECK_MS) : afterMs + 1000;
}
