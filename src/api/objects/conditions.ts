/** Conditions of a status: reading, and writing without touching what others wrote. */
import type { Pod, PodCondition } from './objects.js';

/** What all kinds' conditions have. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | undefined;
}

/** The condition of that type. */
export function getCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: C['type'],
): C | undefined {
  if (conditions === undefined) return undefined;
  for (const condition of conditions) if (condition.type === type) return condition;
  return undefined;
}

/**
 * The list with `condition` in the place of the one of its type, or at the end. The old transition
 * time stays while the status stays. Returns the argument itself when nothing changes.
 */
export function setCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  condition: C,
): readonly C[] {
  if (conditions === undefined) return [condition];
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const previous = conditions[index];
  if (previous === undefined) return [...conditions, condition];
  const next =
    previous.status === condition.status && previous.lastTransitionTime !== undefined
      ? { ...condition, lastTransitionTime: previous.lastTransitionTime }
      : condition;
  if (isSameCondition(previous, next)) return conditions;
  return [...conditions.slice(0, index), next, ...conditions.slice(index + 1)];
}

/**
 * {@link setCondition} for a pod: one that differs in the generation alone which its writer has seen is no other one.
 * Mirrors UpdatePodCondition, pkg/api/v1/pod (v1.34).
 */
export function setPodCondition(
  conditions: readonly PodCondition[] | undefined,
  condition: PodCondition,
): readonly PodCondition[] {
  const previous = getCondition(conditions, condition.type);
  if (previous !== undefined && conditions !== undefined) {
    const { observedGeneration: _seen, ...said } = condition;
    const { observedGeneration } = previous;
    const aligned = observedGeneration === undefined ? said : { ...said, observedGeneration };
    if (setCondition(conditions, aligned) === conditions) return conditions;
  }
  return setCondition(conditions, condition);
}

function isSameCondition<C extends ConditionLike>(left: C, right: C): boolean {
  const fields = new Set([...Object.keys(left), ...Object.keys(right)]) as Set<keyof C>;
  for (const field of fields) if (left[field] !== right[field]) return false;
  return true;
}

/** Whether a pod's Ready condition is True. */
export function isPodReady(pod: Pod): boolean {
  return getCondition(pod.status.conditions, 'Ready')?.status === 'True';
}

/** Whether a pod has to go for another reason than what keeps it has: an eviction, a taint, a lost node. */
export function isDisrupted(pod: Pod): boolean {
  return getCondition(pod.status.conditions, 'DisruptionTarget')?.status === 'True';
}

/** Whether a pod has finished for good: Succeeded or Failed. */
export function isPodTerminal(pod: Pod): boolean {
  const { phase } = pod.status;
  return phase === 'Succeeded' || phase === 'Failed';
}

/**
 * Whether a pod has been ready for `minReadySeconds`.
 *
 * @param nowMs - simulated time
 * @param toMs - timestamp to simulated time
 */
export function isPodAvailable(
  pod: Pod,
  minReadySeconds: number,
  nowMs: number,
  toMs: (time: string) => number,
): boolean {
  const ready = getCondition(pod.status.conditions, 'Ready');
  if (ready?.status !== 'True') return false;
  if (minReadySeconds === 0) return true;
  return ready.lastTransitionTime !== undefined && toMs(ready.lastTransitionTime) + minReadySeconds * 1000 <= nowMs;
}
