/**
 * Takes back the announcement of a disruption that did not happen: a pod that still runs two minutes
 * after it was marked as DisruptionTarget. The kubelet's own announcements stay, since it may take any
 * time to stop a pod. Mirrors the second queue of kube-controller-manager v1.34 pkg/controller/disruption.
 */
import { getCondition, isPodTerminal, setPodCondition } from '../../api/objects/conditions.js';
import { isApiError } from '../../api/errors/api-error.js';
import type { Pod } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/** Milliseconds after which an announced disruption is not expected any more. */
const STALE_DISRUPTION_MS = 2 * 60_000;

const CONDITION = 'DisruptionTarget';

/** Milliseconds until a pod's announced disruption is stale, 0 if it is; `undefined` when nothing is announced. */
export function staleDisruptionInMs(pod: Pod, nowMs: number, timestamps: Pick<Timestamps, 'toMs'>): number | undefined {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const condition = getCondition(status.conditions, CONDITION);
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
  if (isPodTerminal(pod)) return undefined;
  const sinceMs =
    condition.lastTransitionTime === undefined
      ? Number.NEGATIVE_INFINITY
      : timestamps.toMs(condition.lastTransitionTime);
  return Math.max(0, sinceMs + STALE_DISRUPTION_MS - nowMs);
}

/** Resets the announcement on a pod as the cache shows it; a pod that has changed meanwhile is looked at anew. */
export async function resetStaleDisruption(context: ControllerContext, pod: Pod): Promise<void> {
  const { name, namespace, resourceVersion, generation } = pod.metadata;
  const condition = {
    type: CONDITION,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: context.timestamp(),
  } as const;
  try {
    await context.api.change(
      'Pod',
      { name, namespace },
      (current) => ({
        ...current,
        status: { ...current.status, conditions: setPodCondition(current.status.conditions, condition) },
      }),
      { subresource: 'status', preconditions: { resourceVersion } },
    );
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}
