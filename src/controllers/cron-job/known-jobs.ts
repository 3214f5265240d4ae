import { isApiError } from '../../api/errors/api-error.js';
import type { Job } from '../../api/objects/batch-objects.js';
import { endOf } from '../job/job-conditions.js';
import type { CronJobRecord } from './cron-job-record.js';

/** Brings the list of active jobs in line with the jobs that there are. */
export async function followJobs(record: CronJobRecord, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    const end = endOf(job.status)?.type;
    const isActive = record.isActive(job);
    if (!isActive && end === undefined) await findUnexpected(record, job);
    else if (isActive && end !== undefined) {
      record.ended(job.metadata.uid);
      tell(record, 'SawCompletedJob', `Saw completed job: ${job.metadata.name}, condition: ${end}`);
    } else if (end === 'Complete' && job.status.completionTime !== undefined) {
      record.succeeded(job.status.completionTime);
    }
  }
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  for (const { namespace, name = '', uid = '' } of record.active) {
    if (known.has(uid) || (await isThere(record, { namespace, name }))) continue;
    tell(record, 'MissingJob', `Active job went missing: ${name}`);
    record.ended(uid);
  }
}

/** A job that runs and is not on the list: the cache may be behind, or the controller crashed before it wrote the list. */
async function findUnexpected(record: CronJobRecord, job: Job): Promise<void> {
  const { context, cronJob } = record;
  const fresh = await context.api.get('CronJob', cronJob.metadata);
  if (fresh.status.active?.some(({ uid }) => uid === job.metadata.uid) === true) {
    record.refresh(fresh);
    return;
  }
  const text = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
  context.recorder.record(cronJob, 'Warning', 'UnexpectedJob', text);
}

/** Asks the API and not the cache, which may not have heard of the job yet. */
async function isThere(
  { context }: CronJobRecord,
  name: { readonly namespace: string | undefined; readonly name: string },
): Promise<boolean> {
  try {
    await context.api.get('Job', name);
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

function tell({ context, cronJob }: CronJobRecord, reason: string, message: string): void {
  context.recorder.record(cronJob, 'Normal', reason, message);
}
