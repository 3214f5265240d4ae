/**
 * The cron job controller: a job at each time of a schedule, as far as deadlines and running jobs allow,
 * and no more ended jobs than the history limits. It never touches pods. Mirrors
 * kube-controller-manager v1.34 pkg/controller/cronjob (ControllerV2).
 *
 * A cron job owns one timer, for its next time, and none while it is suspended.
 */
import type { CronJob } from '../../api/objects/batch-objects.js';
import type { CronTimes } from '../../api/cron/cron-times.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { CronJobMemory } from './cron-job-memory.js';
import { CronJobRecord } from './cron-job-record.js';
import { dueTime, isTooMany, NoTimesError, untilNextMs, type DueTime } from './due-times.js';
import { trimHistory } from './history.js';
import { followJobs } from './known-jobs.js';
import { replaceActive, startJob } from './start-job.js';

/** See the file header. */
export const cronJobController = defineController({
  name: 'cronjob-controller',
  setup: (context) => new CronJobMemory(context),
  reconcile(context, key, memory) {
    const cronJob = memory.cronJobs.getByKey(key);
    if (cronJob !== undefined) return sync(context, memory, key, cronJob);
    context.queue.cancel(key);
    context.queue.drop(key);
    return undefined;
  },
});

/** What was found out is written even if something failed. */
async function sync(context: ControllerContext, memory: CronJobMemory, key: string, cronJob: CronJob): Promise<void> {
  const record = new CronJobRecord(context, cronJob);
  const jobs = memory.jobsOf(cronJob);
  await trimHistory(record, jobs);
  let failure: unknown;
  let waitMs: number | undefined;
  try {
    await followJobs(record, jobs);
    waitMs = await serve(record, memory, key);
  } catch (error) {
    failure = error;
  }
  await record.write();
  if (failure !== undefined) throw failure as Error;
  if (waitMs !== undefined) context.queue.addAfter(key, waitMs);
}

/** Starts the job that is due. @returns milliseconds until the next time; `undefined` when there is none to wait for */
async function serve(record: CronJobRecord, memory: CronJobMemory, key: string): Promise<number | undefined> {
  const { context, cronJob } = record;
  if (cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec.suspend === true) {
    context.queue.cancel(key);
    return undefined;
  }
  const { clock, timestamps } = context.kernel;
  const times = memory.timesOf(cronJob);
  const nowMs = clock.now();
  const due = findDue(record, times, nowMs);
  if (due === undefined) return undefined;
  if (due.timeMs !== undefined && isTooMany(due)) warnOfMissed(record);
  if (due.timeMs !== undefined && mayStart(record, due.timeMs)) {
    await replaceActive(record);
    await startJob(record, due.timeMs);
  }
  return untilNextMs({ ...cronJob, status: record.toStatus() }, times, nowMs, timestamps);
}

/** `undefined` if the schedule has no times: nothing is done then until it is changed. */
function findDue({ context, cronJob }: CronJobRecord, times: CronTimes, nowMs: number): DueTime | undefined {
  const { spec } = cronJob;
  try {
    return dueTime(cronJob, times, nowMs, context.kernel.timestamps, spec.startingDeadlineSeconds);
  } catch (error) {
    if (!(error instanceof NoTimesError)) throw error;
    context.recorder.record(
      cronJob,
      'Warning',
      'InvalidSchedule',
      `invalid schedule: ${spec.schedule} : ${error.message}`,
    );
    return undefined;
  }
}

function warnOfMissed({ context, cronJob }: CronJobRecord): void {
  const text = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
  context.recorder.record(cronJob, 'Warning', 'TooManyMissedTimes', text);
}

/**
 * Whether nothing speaks against a job for that time. Upstream also looks at the deadline here, in vain: times that
 * are past it were never found.
 */
function mayStart(record: CronJobRecord, timeMs: number): boolean {
  const { context, cronJob } = record;
  if (record.hasServed(timeMs)) return false;
  if (cronJob.spec.concurrencyPolicy !== 'Forbid' || record.active.length === 0) return true;
  const text = 'Not starting job because prior execution is running and concurrency policy is Forbid';
  context.recorder.record(cronJob, 'Normal', 'JobAlreadyActive', text);
  return false;
}
