/** Cron jobs (pkg/registry/batch/cronjob, pkg/apis/batch/v1/defaults.go and validation, v1.34). */
import type { CronJob, CronJobSpec, JobTemplateSpec } from '../../objects/batch-objects.js';
import { CronScheduleError, parseCronSchedule } from '../../cron/cron-schedule.js';
import { isTimeZone } from '../../cron/time-zones.js';
import { invalid, notSupported, required } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import type { Draft } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled } from '../rules/filling.js';
import { validateJobSpec } from './job-spec-validation.js';
import { defaultedJobTemplate } from './job.js';
import { nonNegative } from '../rules/number-validation.js';

const NO_JOB: JobTemplateSpec = { spec: { template: { spec: { containers: [] } } } };
const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'];
/** A job's name is at most 63 characters, 11 of which say for which minute it is. */
const MAX_NAME_LENGTH = 52;
const SCHEDULE = 'spec.schedule';
const TIME_ZONE = 'spec.timeZone';
const TIME_ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** The description of cron jobs. */
export const cronJobKind = describeKind({
  kind: 'CronJob',
  group: 'batch',
  plural: 'cronjobs',
  shortNames: ['cj'],
  hasStatus: true,
  generation: 'spec',
  applyDefaults(draft: Draft): Draft {
    const spec = defaultedSpec((draft['spec'] ?? {}) as CronJobSpec);
    return spec === draft['spec'] ? draft : { ...draft, spec };
  },
  prepareForCreate: (cronJob) => ({ ...cronJob, status: {} }),
  validate: ({ spec }) => [
    ...validateScheduleText(spec.schedule),
    ...nonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'),
    ...validateConcurrency(spec.concurrencyPolicy),
    ...validateJobTemplate(spec.jobTemplate, 'spec.jobTemplate'),
    ...nonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit'),
    ...nonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit'),
  ],
  refusedAsNew: ({ spec }) => validateZoneInSchedule(spec, false),
  validateNew: ({ metadata, spec }) => [
    ...validateTimeZone(spec.timeZone),
    ...(metadata.name.length > MAX_NAME_LENGTH
      ? [invalid('metadata.name', metadata.name, `must be no more than ${MAX_NAME_LENGTH} characters`)]
      : []),
  ],
  validateChange: (next, previous) => [
    ...validateZoneInSchedule(next.spec, hasZone(previous.spec.schedule)),
    ...(next.spec.timeZone === previous.spec.timeZone ? [] : validateTimeZone(next.spec.timeZone)),
  ],
});

function defaultedSpec(spec: CronJobSpec): CronJobSpec {
  const complete = filled(spec, {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    jobTemplate: NO_JOB,
  });
  return changedField(complete, 'jobTemplate', (template) =>
    changedField(filled(template, { metadata: {}, spec: NO_JOB.spec }), 'spec', defaultedJobTemplate),
  );
}

function validateScheduleText(schedule = ''): FieldError[] {
  if (schedule === '') return [required(SCHEDULE)];
  try {
    parseCronSchedule(schedule);
    return [];
  } catch (error) {
    if (!(error instanceof CronScheduleError)) throw error;
    return [invalid(SCHEDULE, schedule, error.message)];
  }
}

/** A time zone before the times is kept where it was, but not taken in any more. */
function validateZoneInSchedule({ schedule, timeZone }: CronJobSpec, isAllowed: boolean): FieldError[] {
  if (!hasZone(schedule)) return [];
  if (!isAllowed) {
    return [invalid(SCHEDULE, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  }
  if (timeZone === undefined) return [];
  return [invalid(SCHEDULE, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')];
}

function hasZone(schedule = ''): boolean {
  return schedule.includes('TZ');
}

function validateTimeZone(timeZone: string | undefined): FieldError[] {
  if (timeZone === undefined) return [];
  if (timeZone === '') return [invalid(TIME_ZONE, timeZone, 'timeZone must be nil or non-empty string')];
  const unknown = invalid(TIME_ZONE, timeZone, `unknown time zone ${timeZone}`);
  const isNamed = timeZone
    .split('/')
    .every((part) => part !== '.' && part !== '..' && !part.startsWith('-') && TIME_ZONE_PART.test(part));
  if (!isNamed) return [unknown];
  const errors: FieldError[] = [];
  if (timeZone.toLowerCase() === 'local') {
    const text = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    errors.push(invalid(TIME_ZONE, timeZone, text));
  }
  return timeZone === 'Local' || isTimeZone(timeZone) ? errors : [...errors, unknown];
}

function validateConcurrency(policy = ''): FieldError[] {
  if (policy === '') return [required('spec.concurrencyPolicy')];
  if (CONCURRENCY_POLICIES.includes(policy)) return [];
  return [notSupported('spec.concurrencyPolicy', policy, CONCURRENCY_POLICIES)];
}

function validateJobTemplate({ spec }: CronJob['spec']['jobTemplate'], field: string): FieldError[] {
  const errors = validateJobSpec(spec, `${field}.spec`);
  if (spec.selector !== undefined) {
    errors.push(
      invalid(`${field}.spec.selector`, asGo('*LabelSelector', spec.selector), '`selector` will be auto-generated'),
    );
  }
  if (spec.manualSelector === true) {
    errors.push(notSupported(`${field}.spec.manualSelector`, true, ['nil', 'false']));
  }
  return errors;
}
