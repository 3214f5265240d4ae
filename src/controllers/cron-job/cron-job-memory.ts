import type { CronJob, CronJobSpec, Job } from '../../api/objects/batch-objects.js';
import { parseCronSchedule } from '../../api/cron/cron-schedule.js';
import { CronTimes } from '../../api/cron/cron-times.js';
import { keyOf, nameKey } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import type { Lister } from '../../bus/bus-types.js';
import { BY_OWNER } from '../../bus/object-index.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { NoTimesError, untilNextMs } from './due-times.js';

/** The memory of a run of the cron job controller. */
export class CronJobMemory {
  readonly cronJobs: Lister<'CronJob'>;
  readonly #jobs: Lister<'Job'>;
  readonly #context: ControllerContext;
  readonly #times = new WeakMap<CronJobSpec, CronTimes>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.cronJobs = context.informer('CronJob');
    this.#jobs = context.informer('Job', BY_OWNER);
    context.watch('CronJob', {
      onAdd: (cronJob) => context.queue.add(keyOf(cronJob)),
      onUpdate: (previous, cronJob) => this.#updated(previous, cronJob),
      onDelete: (cronJob) => context.queue.add(keyOf(cronJob)),
    });
    context.watch('Job', {
      onAdd: (job) => this.#jobChanged(job),
      onUpdate: (previous, job) => {
        if (controllerOf(previous)?.uid !== controllerOf(job)?.uid) this.#jobChanged(previous);
        this.#jobChanged(job);
      },
      onDelete: (job) => this.#jobChanged(job),
    });
  }

  /** The jobs that a cron job has made and that are still there. */
  jobsOf({ metadata }: CronJob): Job[] {
    return [...this.#jobs.byIndex('owner', metadata.uid)].filter((job) => controllerOf(job)?.uid === metadata.uid);
  }

  /** The times of a cron job's schedule. */
  timesOf({ spec }: CronJob): CronTimes {
    let times = this.#times.get(spec);
    if (times === undefined) {
      times = new CronTimes(parseCronSchedule(spec.schedule), spec.timeZone ?? '', this.#context.kernel.timestamps);
      this.#times.set(spec, times);
    }
    return times;
  }

  /** With a new schedule there is nothing to do before its first time. */
  #updated(previous: CronJob, cronJob: CronJob): void {
    const { kernel, queue } = this.#context;
    const [before, now] = [previous.spec, cronJob.spec];
    if (before.schedule === now.schedule && before.timeZone === now.timeZone) {
      queue.add(keyOf(cronJob));
      return;
    }
    const { clock, timestamps } = kernel;
    try {
      queue.addAfter(keyOf(cronJob), untilNextMs(cronJob, this.timesOf(cronJob), clock.now(), timestamps));
    } catch (error) {
      if (!(error instanceof NoTimesError)) throw error;
      queue.add(keyOf(cronJob));
    }
  }

  #jobChanged(job: Job): void {
    const controller = controllerOf(job);
    if (controller?.kind !== 'CronJob') return;
    const cronJob = this.cronJobs.getByKey(nameKey(job.metadata.namespace, controller.name));
    if (cronJob?.metadata.uid === controller.uid) this.#context.queue.add(keyOf(cronJob));
  }
}
