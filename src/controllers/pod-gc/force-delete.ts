import { ApiError } from '../../api/errors/api-error.js';
import { isPodTerminal, setPodCondition } from '../../api/objects/conditions.js';
import type { Pod, PodCondition } from '../../api/objects/objects.js';
import { LinkDownError } from '../../bus/bus-types.js';
import type { Metrics } from '../../metrics/metrics.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/** Why a pod is collected, as upstream's metrics name it. */
export type CollectionReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

const LABELS = ['namespace', 'reason'] as const;

/**
 * Removes a pod whatever runs of it: one that has not ended is marked Failed first, so that controllers
 * that count pods see its end. A request that fails is counted; the next look tries again.
 *
 * @param condition - written together with the phase
 */
export async function forceDelete(
  context: ControllerContext,
  pod: Pod,
  reason: CollectionReason,
  condition?: PodCondition,
): Promise<void> {
  const labels = { namespace: pod.metadata.namespace ?? '', reason };
  try {
    await remove(context, pod, condition);
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof LinkDownError)) throw error;
    failures(context.metrics).inc(labels);
  }
  deletions(context.metrics).inc(labels);
}

async function remove({ api }: ControllerContext, pod: Pod, condition: PodCondition | undefined): Promise<void> {
  const { metadata } = pod;
  if (!isPodTerminal(pod)) {
    await api.change('Pod', metadata, (current) => failed(current, metadata.generation, condition), {
      subresource: 'status',
      preconditions: { uid: metadata.uid },
    });
  }
  await api.delete('Pod', metadata, { gracePeriodSeconds: 0 });
}

function failed(pod: Pod, generation: number | undefined, condition: PodCondition | undefined): Pod {
  const { status } = pod;
  const conditions = condition === undefined ? status.conditions : setPodCondition(status.conditions, condition);
  return {
    ...pod,
    status: {
      ...status,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      phase: 'Failed',
      ...(conditions === undefined ? {} : { conditions }),
    },
  };
}

function deletions(metrics: Metrics) {
  const help = 'Number of pods that are being forcefully deleted since the Pod GC Controller started.';
  return metrics.counter('pod_gc_collector_force_delete_pods_total', help, LABELS);
}

function failures(metrics: Metrics) {
  const help = 'Number of errors encountered when forcefully deleting the pods since the Pod GC Controller started.';
  return metrics.counter('pod_gc_collector_force_delete_pod_errors_total', help, LABELS);
}
