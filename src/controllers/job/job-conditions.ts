/** Conditions of jobs: what they decide, and how they are written. */
import type { JobCondition, JobStatus } from '../../api/objects/batch-objects.js';
import { getCondition } from '../../api/objects/conditions.js';

/** A condition that is true from now on. */
export function trueCondition(type: string, reason: string, message: string, timestamp: string): JobCondition {
  return condition(type, 'True', reason, message, timestamp);
}

/** The condition of that type, if it is True. */
export function trueConditionOf({ conditions }: JobStatus, type: string): JobCondition | undefined {
  const found = getCondition(conditions, type);
  return found?.status === 'True' ? found : undefined;
}

/** How a job ended: the condition Complete or Failed, if it has. */
export function endOf(status: JobStatus): JobCondition | undefined {
  return trueConditionOf(status, 'Complete') ?? trueConditionOf(status, 'Failed');
}

/**
 * The conditions with one of them set; `undefined` when that changes nothing. A condition keeps its place
 * in the list, and one that was never there does not begin as False.
 */
export function withCondition(
  conditions: readonly JobCondition[],
  next: Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>,
  timestamp: string,
): JobCondition[] | undefined {
  const { type, status, reason = '', message = '' } = next;
  const written = condition(type, status, reason, message, timestamp);
  const index = conditions.findIndex((each) => each.type === type);
  const previous = conditions[index];
  if (previous === undefined) return status === 'False' ? undefined : [...conditions, written];
  if (previous.status === status && (previous.reason ?? '') === reason && (previous.message ?? '') === message) {
    return undefined;
  }
  return conditions.map((each) => (each === previous ? written : each));
}

function condition(type: string, status: string, reason: string, message: string, timestamp: string): JobCondition {
  return { type, status, lastProbeTime: timestamp, lastTransitionTime: timestamp, reason, message };
}
