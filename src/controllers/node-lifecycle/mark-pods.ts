import { isApiError } from '../../api/errors/api-error.js';
import { getCondition } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/** Whether the pod says that it is ready, or does not know. */
export function isMarkable({ status }: Pod): boolean {
  const ready = getCondition(status.conditions, 'Ready');
  return ready !== undefined && ready.status !== 'False';
}

/**
 * Says of a lost node's pods that they are not ready, one after the other; what else is written of them
 * stays. A request that fails does not keep the others from being sent.
 *
 * @throws the first failure, when all were tried
 */
export async function markPodsNotReady(context: ControllerContext, pods: readonly Pod[]): Promise<void> {
  let failure: Error | undefined;
  for (const pod of pods) {
    try {
      await markNotReady(context, pod);
    } catch (error) {
      // Upstream tells of the pod even so; only one that is gone is passed over.
      if (isApiError(error, 'NotFound')) continue;
      if (!(error instanceof Error)) throw error;
      failure ??= error;
    }
    context.recorder.record(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
  }
  if (failure !== undefined) throw failure;
}

function markNotReady(context: ControllerContext, { metadata }: Pod): Promise<Pod> {
  const { resourceVersion } = metadata;
  const options = { subresource: 'status', preconditions: { resourceVersion } } as const;
  return context.api.change('Pod', metadata, (pod) => notReady(pod, context.timestamp()), options);
}

function notReady(pod: Pod, lastTransitionTime: string): Pod {
  const conditions = (pod.status.conditions ?? []).map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'False' as const, lastTransitionTime } : condition,
  );
  return { ...pod, status: { ...pod.status, conditions } };
}
