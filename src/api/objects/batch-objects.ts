/** Work that ends: jobs, and the schedules that make them. */
import type * as batch from 'kubernetes-types/batch/v1.js';
import type { PodTemplateSpec, Stored } from './kube-object.js';

export type { batch };

/** What a job is to do. */
export type JobSpec = Readonly<Omit<batch.JobSpec, 'template'>> & { readonly template: PodTemplateSpec };
export type JobStatus = Readonly<batch.JobStatus>;
export type JobCondition = Readonly<batch.JobCondition>;

/** Pods that run until enough of them have succeeded. */
export type Job = Omit<Stored<batch.Job>, 'spec' | 'status'> & { readonly spec: JobSpec; readonly status: JobStatus };

/** What a cron job makes its jobs of. */
export type JobTemplateSpec = Readonly<Omit<batch.JobTemplateSpec, 'spec'>> & { readonly spec: JobSpec };
export type CronJobSpec = Readonly<Omit<batch.CronJobSpec, 'jobTemplate'>> & { readonly jobTemplate: JobTemplateSpec };

/** A job at each time of a schedule. */
export type CronJob = Omit<Stored<batch.CronJob>, 'spec' | 'status'> & {
  readonly spec: CronJobSpec;
  readonly status: Readonly<batch.CronJobStatus>;
};
