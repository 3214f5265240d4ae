import { isApiError } from '../../api/errors/api-error.js';
import type { Job } from '../../api/objects/batch-objects.js';
import { wallTime } from '../../api/cron/time-zones.js';
import type { Draft } from '../../api/objects/objects.js';
import { controllerOf, controllerReference } from '../../api/objects/owners.js';
import { RetryError } from '../runtime/retry-error.js';
import { isNamespaceTerminating } from '../runtime/session.js';
import type { CronJobRecord } from './cron-job-record.js';
import { deleteJob } from './history.js';

const SCHEDULED_TIMESTAMP = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** Seconds, as upstream's: 1 to 512. */
const SKEW_BUCKETS = Array.from({ length: 10 }, (_, power) => 2 ** power);

/** Under the policy Replace, jobs that still run make room. */
export async function replaceActive(record: CronJobRecord): Promise<void> {
  const { context, cronJob } = record;
  if (cronJob.spec.concurrencyPolicy !== 'Replace') return;
  for (const { namespace, name = '' } of record.active) {
    let job: Job;
    try {
      job = await context.api.get('Job', { namespace, name });
    } catch (error) {
      context.recorder.record(cronJob, 'Warning', 'FailedGet', `Get job: ${(error as Error).message}`);
      throw error;
    }
    if (!(await deleteJob(record, job))) throw new RetryError(`could not replace job ${namespace}/${name}`);
  }
}

/** Makes the job for a time. One that was made before and never got on the list is put there. */
export async function startJob(record: CronJobRecord, timeMs: number): Promise<void> {
  const { context, cronJob } = record;
  const draft = jobDraft(record, timeMs);
  let job: Job;
  try {
    job = await context.api.create('Job', draft);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) {
      if (!isNamespaceTerminating(error)) {
        const text = `Error creating job: ${(error as Error).message}`;
        context.recorder.record(cronJob, 'Warning', 'FailedCreate', text);
      }
      throw error;
    }
    const { namespace } = cronJob.metadata;
    const existing = await context.api.get('Job', { namespace, name: record.jobName(timeMs) });
    const isOurs = controllerOf(existing)?.uid === cronJob.metadata.uid;
    if (isOurs && !record.isActive(existing)) record.started(existing, timeMs);
    return;
  }
  observeSkew(record, job, timeMs);
  context.recorder.record(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
  record.started(job, timeMs);
}

function jobDraft(record: CronJobRecord, timeMs: number): Draft {
  const { cronJob, context } = record;
  const { jobTemplate, timeZone = '' } = cronJob.spec;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const { namespace } = cronJob.metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: record.jobName(timeMs),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [SCHEDULED_TIMESTAMP]: wallTime(timeMs, timeZone, context.kernel.timestamps) },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: jobTemplate.spec,
  };
}

function observeSkew({ context }: CronJobRecord, { metadata }: Job, timeMs: number): void {
  const help = 'Time between when a cronjob is scheduled to be run, and when the corresponding job is created';
  context.metrics
    .histogram('cronjob_controller_job_creation_skew_duration_seconds', help, SKEW_BUCKETS)
    .observe((context.kernel.timestamps.toMs(metadata.creationTimestamp) - timeMs) / 1000);
}
