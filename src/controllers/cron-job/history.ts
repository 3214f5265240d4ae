import type { Job } from '../../api/objects/batch-objects.js';
import type { CronJobRecord } from './cron-job-record.js';
import { endOf } from '../job/job-conditions.js';

/** Deletes ended jobs beyond those that are kept, oldest first, successful and failed ones each by themselves. */
export async function trimHistory(record: CronJobRecord, jobs: readonly Job[]): Promise<void> {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = record.cronJob.spec;
  await trim(
    record,
    jobs.filter((job) => endOf(job.status)?.type === 'Complete'),
    successfulJobsHistoryLimit,
  );
  await trim(
    record,
    jobs.filter((job) => endOf(job.status)?.type === 'Failed'),
    failedJobsHistoryLimit,
  );
}

async function trim(record: CronJobRecord, jobs: Job[], limit = Number.POSITIVE_INFINITY): Promise<void> {
  if (jobs.length <= limit) return;
  const oldestFirst = jobs.sort(compareStart);
  for (const job of oldestFirst.slice(0, jobs.length - limit)) await deleteJob(record, job);
}

/** Those that never started come last. */
function compareStart(left: Job, right: Job): number {
  const [leftTime, rightTime] = [left.status.startTime ?? '~', right.status.startTime ?? '~'];
  if (leftTime !== rightTime) return leftTime < rightTime ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

/** Deletes a job with its pods; says whether that was possible. */
export async function deleteJob(record: CronJobRecord, { metadata }: Job): Promise<boolean> {
  const { context, cronJob } = record;
  try {
    await context.api.delete('Job', metadata, { propagationPolicy: 'Background' });
  } catch (error) {
    const text = `Deleted job: ${(error as Error).message}`;
    context.recorder.record(cronJob, 'Warning', 'FailedDelete', text);
    return false;
  }
  record.ended(metadata.uid);
  context.recorder.record(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${metadata.name}`);
  return true;
}
