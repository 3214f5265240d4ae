import { isSameJson } from '../../api/values/canonical-json.js';
import { getCondition } from '../../api/objects/conditions.js';
import type { meta, StringMap } from '../../api/objects/objects.js';
import type { PodDisruptionBudget } from '../../api/objects/workload-objects.js';

type BudgetStatus = PodDisruptionBudget['status'];
type Condition = meta.Condition;

const CONDITION = 'DisruptionAllowed';

/** What a sync has counted. */
export interface BudgetCounts {
  /** Pods that there should be. */
  readonly expected: number;
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptedPods: StringMap;
}

/**
 * The status after a sync; `undefined` when the budget says all that already. A budget without pods
 * allows nothing, so that its first ones are safe until they have been counted.
 *
 * @param now - timestamp for a condition that changes
 */
export function statusAfterSync(
  { metadata, status }: PodDisruptionBudget,
  { expected, desiredHealthy, currentHealthy, disruptedPods }: BudgetCounts,
  now: string,
): BudgetStatus | undefined {
  const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = metadata.generation ?? 0;
  const condition = {
    type: CONDITION,
    status: disruptionsAllowed > 0 ? 'True' : 'False',
    observedGeneration,
    reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  } as const;
  const present = getCondition(status.conditions, CONDITION);
  const isUpToDate =
    status.currentHealthy === currentHealthy &&
    status.desiredHealthy === desiredHealthy &&
    status.expectedPods === expected &&
    status.disruptionsAllowed === disruptionsAllowed &&
    isSameJson(status.disruptedPods ?? {}, disruptedPods) &&
    (status.observedGeneration ?? 0) === observedGeneration &&
    present?.status === condition.status &&
    present.reason === condition.reason;
  if (isUpToDate) return undefined;
  return {
    ...(observedGeneration === 0 ? {} : { observedGeneration }),
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods: expected,
    conditions: withCondition(status.conditions, condition, now),
  };
}

/** The status after a sync that failed: nothing may be disrupted, whatever else is true. */
export function statusAfterFailure({ status }: PodDisruptionBudget, message: string, now: string): BudgetStatus {
  const condition = {
    type: CONDITION,
    status: 'False',
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
    reason: 'SyncFailed',
    message,
  } as const;
  return { ...status, disruptionsAllowed: 0, conditions: withCondition(status.conditions, condition, now) };
}

/** The transition time moves with the status alone. */
function withCondition(
  conditions: readonly Condition[] = [],
  { type, status, observedGeneration, reason, message }: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): Condition[] {
  const present = getCondition(conditions, type);
  const next: Condition = {
    type,
    status,
    ...(observedGeneration === undefined || observedGeneration === 0 ? {} : { observedGeneration }),
    lastTransitionTime: present?.status === status ? present.lastTransitionTime : now,
    reason,
    message,
  };
  if (present === undefined) return [...conditions, next];
  return conditions.map((condition) => (condition === present ? next : condition));
}
