/**
 * The TTL-after-finished controller: deletes jobs, with their pods, so many seconds after they have ended
 * as they say themselves. It looks at nothing before that. Mirrors kube-controller-manager v1.34
 * pkg/controller/ttlafterfinished.
 */
import { isApiError } from '../../api/errors/api-error.js';
import { keyOf, parseKey, type Job } from '../../api/objects/objects.js';
import type { Metrics } from '../../metrics/metrics.js';
import type { Lister } from '../../bus/bus-types.js';
import { endOf } from '../job/job-conditions.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';

/** Seconds, as upstream's: 0.1 to some 14 hours. */
const DURATION_BUCKETS = Array.from({ length: 20 }, (_, power) => 0.1 * 2 ** power);

/** See the file header. */
export const ttlAfterFinishedController = defineController({
  name: 'ttl-after-finished-controller',
  setup(context): Lister<'Job'> {
    const enqueue = (job: Job): void => {
      if (job.metadata.deletionTimestamp === undefined && expiryMs(context, job) !== undefined) {
        context.queue.add(keyOf(job));
      }
    };
    return context.watch('Job', { onAdd: enqueue, onUpdate: (_previous, job) => enqueue(job) });
  },
  reconcile(context, key, jobs) {
    const job = jobs.getByKey(key);
    if (job !== undefined) return isExpired(context, job) ? deleteExpired(context, key) : undefined;
    context.queue.cancel(key);
    context.queue.drop(key);
    return undefined;
  },
});

/** Simulated milliseconds at which a job is to go; `undefined` while it runs, or if it is to stay. */
function expiryMs({ kernel }: ControllerContext, { spec, status }: Job): number | undefined {
  const endedAt = endOf(status)?.lastTransitionTime;
  if (endedAt === undefined || spec.ttlSecondsAfterFinished === undefined) return undefined;
  return kernel.timestamps.toMs(endedAt) + spec.ttlSecondsAfterFinished * 1000;
}

/** Whether a job is to go now; one that is to go later comes back then. */
function isExpired(context: ControllerContext, job: Job): boolean {
  const dueMs = job.metadata.deletionTimestamp === undefined ? expiryMs(context, job) : undefined;
  if (dueMs === undefined) return false;
  const leftMs = dueMs - context.kernel.clock.now();
  if (leftMs > 0) context.queue.addAfter(keyOf(job), leftMs);
  return leftMs <= 0;
}

/** The cache may be behind: what the API says counts. */
async function deleteExpired(context: ControllerContext, key: string): Promise<void> {
  try {
    const job = await context.api.get('Job', parseKey(key));
    if (!isExpired(context, job)) return;
    const { uid } = job.metadata;
    await context.api.delete('Job', job.metadata, { propagationPolicy: 'Foreground', preconditions: { uid } });
    const lateMs = context.kernel.clock.now() - (expiryMs(context, job) ?? 0);
    durations(context.metrics).observe(lateMs / 1000);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

function durations(metrics: Metrics): ReturnType<Metrics['histogram']> {
  const help = 'The time it took to delete the job since it became eligible for deletion';
  return metrics.histogram('ttl_after_finished_controller_job_deletion_duration_seconds', help, DURATION_BUCKETS);
}
