import type { Deployment } from '../../api/objects/objects.js';

/** A condition of a Deployment. */
export type DeploymentCondition = NonNullable<Deployment['status']['conditions']>[number];
/** The status of a Deployment. */
export type DeploymentStatus = Deployment['status'];

/** A condition that begins now. */
export function newCondition(
  type: 'Progressing' | 'Available' | 'ReplicaFailure',
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
  timestamp: string,
): DeploymentCondition {
  return { type, status, lastUpdateTime: timestamp, lastTransitionTime: timestamp, reason, message };
}

/** The condition of a type. */
export function conditionOf({ conditions }: DeploymentStatus, type: string): DeploymentCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** A status without the conditions of a type; the argument itself when there is none. */
export function withoutCondition(status: DeploymentStatus, type: string): DeploymentStatus {
  const { conditions, ...rest } = status;
  if (conditions === undefined || !conditions.some((condition) => condition.type === type)) return status;
  const others = conditions.filter((condition) => condition.type !== type);
  return others.length === 0 ? rest : { ...rest, conditions: others };
}

/**
 * Puts a condition at the end of the list, keeping the time of its last transition while its status
 * stays; one that has the same status and reason already is left alone.
 */
export function withCondition(status: DeploymentStatus, condition: DeploymentCondition): DeploymentStatus {
  const current = conditionOf(status, condition.type);
  if (current?.status === condition.status && current.reason === condition.reason) return status;
  const { lastTransitionTime } = current ?? {};
  const kept =
    current?.status === condition.status && lastTransitionTime !== undefined
      ? { ...condition, lastTransitionTime }
      : condition;
  return { ...status, conditions: [...(withoutCondition(status, condition.type).conditions ?? []), kept] };
}
