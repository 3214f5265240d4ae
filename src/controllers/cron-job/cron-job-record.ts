import type { CronJob, Job } from '../../api/objects/batch-objects.js';
import type { core } from '../../api/objects/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/** What one sync finds out about a cron job, and its status as it changes with that. */
export class CronJobRecord {
  readonly context: ControllerContext;
  #cronJob: CronJob;
  active: readonly core.ObjectReference[] = [];
  lastScheduleTime: string | undefined;
  lastSuccessfulTime: string | undefined;
  #isChanged = false;

  constructor(context: ControllerContext, cronJob: CronJob) {
    this.context = context;
    this.#cronJob = cronJob;
    this.refresh(cronJob);
  }

  get cronJob(): CronJob {
    return this.#cronJob;
  }

  /** The cache was behind: this is how the cron job really is. */
  refresh(cronJob: CronJob): void {
    this.#cronJob = cronJob;
    this.active = cronJob.status.active ?? [];
    this.lastScheduleTime = cronJob.status.lastScheduleTime;
    this.lastSuccessfulTime = cronJob.status.lastSuccessfulTime;
  }

  /** Whether a job is among the active ones. */
  isActive({ metadata }: Job): boolean {
    return this.active.some(({ uid }) => uid === metadata.uid);
  }

  /** The name of the job for a time: one name a minute, so that no time is served twice. */
  jobName(timeMs: number): string {
    const { timestamps } = this.context.kernel;
    const minutes = Math.floor((timeMs - timestamps.toMs('1970-01-01T00:00:00Z')) / 60_000);
    return `${this.#cronJob.metadata.name}-${minutes}`;
  }

  /** Whether a time has had its job. */
  hasServed(timeMs: number): boolean {
    const name = this.jobName(timeMs);
    const { timestamps } = this.context.kernel;
    return this.lastScheduleTime === timestamps.toTime(timeMs) || this.active.some((each) => each.name === name);
  }

  /** A job runs for a time of the schedule. */
  started({ apiVersion, kind, metadata }: Job, timeMs: number): void {
    const { namespace, name, uid, resourceVersion } = metadata;
    const own = namespace === undefined ? {} : { namespace };
    this.active = [...this.active, { kind, ...own, name, uid, apiVersion, resourceVersion }];
    this.lastScheduleTime = this.context.kernel.timestamps.toTime(timeMs);
    this.#isChanged = true;
  }

  /** A job is not active any more. */
  ended(uid: string | undefined): void {
    this.active = this.active.filter((reference) => reference.uid !== uid);
    this.#isChanged = true;
  }

  /** A job has succeeded; the latest such time is kept. */
  succeeded(completionTime: string): void {
    if (this.lastSuccessfulTime !== undefined && completionTime <= this.lastSuccessfulTime) return;
    this.lastSuccessfulTime = completionTime;
    this.#isChanged = true;
  }

  /** As it is stored. */
  toStatus(): CronJob['status'] {
    const { active, lastScheduleTime, lastSuccessfulTime } = this;
    return {
      ...(active.length === 0 ? {} : { active: [...active] }),
      ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
      ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
    };
  }

  /** Writes the status, if it has changed. @throws ApiError Conflict if the cron job was written since it was read */
  async write(): Promise<void> {
    if (!this.#isChanged) return;
    const { uid, resourceVersion } = this.#cronJob.metadata;
    const status = this.toStatus();
    await this.context.api.change('CronJob', this.#cronJob.metadata, (current) => ({ ...current, status }), {
      subresource: 'status',
      preconditions: { uid, resourceVersion },
    });
  }
}
