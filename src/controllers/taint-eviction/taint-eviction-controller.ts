/**
 * Taint eviction: deletes the pods of a node that has a taint with effect NoExecute, at once or when
 * what they tolerate is over. Deletions are graceful requests, never forced: on an
 * unreachable node the pod stays Terminating. Mirrors kube-controller-manager v1.34 pkg/controller/tainteviction.
 */
import { ApiError, isApiError } from '../../api/errors/api-error.js';
import { setPodCondition } from '../../api/objects/conditions.js';
import { parseKey, type ObjectName, type Pod, type PodCondition } from '../../api/objects/objects.js';
import { LinkDownError } from '../../bus/bus-types.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { TaintEvictionMemory } from './taint-eviction-memory.js';

/** Upstream's retries of a deletion, and the sleep between them. */
const ATTEMPTS = 5;
const ATTEMPT_GAP_MS = 10;
const DISRUPTION_TARGET = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
} as const;
/** Upper bounds of the histogram, seconds. */
const DURATION_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];

/** See the file header. */
export const taintEvictionController = defineController({
  name: 'taint-eviction-controller',
  concurrentSyncs: Number.POSITIVE_INFINITY,
  setup: (context) => new TaintEvictionMemory(context),
  async reconcile(context, key, memory) {
    const dueMs = memory.taken(key);
    const pod = memory.pods.getByKey(key);
    if (pod !== undefined) {
      context.recorder.record(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${key}`);
    }
    await deletePod(context, parseKey(key));
    count(context, (context.kernel.clock.now() - dueMs) / 1000);
  },
});

/** Tries five times, ten milliseconds apart; whatever is left then is left. */
async function deletePod(context: ControllerContext, name: ObjectName): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await markAndDelete(context, name);
      return;
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof LinkDownError)) throw error;
      if (attempt === ATTEMPTS || isApiError(error, 'NotFound')) return;
      await pause(context, ATTEMPT_GAP_MS);
    }
  }
}

async function markAndDelete(context: ControllerContext, name: ObjectName): Promise<void> {
  const { api } = context;
  const { metadata, status } = await api.get('Pod', name);
  const condition = disruptionTarget(metadata.generation, context.timestamp());
  if (setPodCondition(status.conditions, condition) !== status.conditions) {
    await api.change('Pod', name, (pod) => marked(pod, condition), {
      subresource: 'status',
      preconditions: { uid: metadata.uid },
    });
  }
  await api.delete('Pod', name);
}

/** @param generation - of the pod as it was asked for: what happens to it meanwhile was not seen */
function disruptionTarget(generation: number | undefined, now: string): PodCondition {
  return {
    ...DISRUPTION_TARGET,
    lastProbeTime: null,
    lastTransitionTime: now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

function marked(pod: Pod, condition: PodCondition): Pod {
  return { ...pod, status: { ...pod.status, conditions: setPodCondition(pod.status.conditions, condition) } };
}

function pause({ kernel }: ControllerContext, ms: number): Promise<void> {
  return new Promise((resolve) => {
    kernel.clock.schedule(ms, () => {
      kernel.clock.settle();
      resolve();
    });
  });
}

function count({ metrics }: ControllerContext, seconds: number): void {
  const total = 'Total number of Pods deleted by TaintEvictionController since its start.';
  metrics.counter('taint_eviction_controller_pod_deletions_total', total).inc();
  const duration =
    'Latency, in seconds, between the time when a taint effect has been activated for the Pod and its deletion via TaintEvictionController.';
  metrics
    .histogram('taint_eviction_controller_pod_deletion_duration_seconds', duration, DURATION_BUCKETS)
    .observe(seconds);
}
