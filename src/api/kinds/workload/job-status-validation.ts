/**
 * Validation of updates of jobs' status: a job that has ended stays as it ended, and nothing is counted
 * backwards (pkg/apis/batch/validation and pkg/registry/batch/job getStatusValidationOptions, v1.34 with
 * JobManagedBy). Rules look at what an update changes, so that older faults do not stand in its way.
 */
import type { Job, JobStatus } from '../../objects/batch-objects.js';
import { isSameJson } from '../../values/canonical-json.js';
import { getCondition } from '../../objects/conditions.js';
import { duplicate, invalid, invalidAsWhole, required } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { countIndexes } from './job-policy-validation.js';
import { nonNegative } from '../rules/number-validation.js';

const STATUS = 'status';
const CONDITIONS = `${STATUS}.conditions`;
const COUNTERS = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;
/** Conditions that, once True, stay so. */
const TERMINAL = ['Failed', 'Complete', 'FailureTarget'] as const;

/** What is wrong with a job's new status. */
export function validateJobStatusChange(next: Job, previous: Job): FieldError[] {
  return [
    ...COUNTERS.flatMap((counter) => nonNegative(next.status[counter], `${STATUS}.${counter}`)),
    ...validateUncounted(next.status.uncountedTerminatedPods),
    ...validateEndings(next, previous),
    ...validateCompletion(next, previous),
    ...validateReasons(next, previous),
    ...validateFinished(next, previous),
    ...validateIndexes(next, previous),
    ...validateReady(next, previous),
    ...validateCriteria(next),
    ...validateTerminal(next, previous),
    ...validateCountedOnwards(next, previous),
    ...validateTimesKept(next, previous),
    ...validateCriteriaKept(next, previous),
  ];
}

function isTrue({ conditions }: JobStatus, type: string): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

function isFinished(status: JobStatus): boolean {
  return isTrue(status, 'Complete') || isTrue(status, 'Failed');
}

/** Whether an update changes one of these fields. */
function hasChanged(next: Job, previous: Job, ...fields: readonly (keyof JobStatus)[]): boolean {
  return fields.some((field) => !isSameJson(next.status[field], previous.status[field]));
}

/** Whether an update changes whether one of these conditions is True. */
function hasTurned(next: Job, previous: Job, ...types: readonly string[]): boolean {
  return types.some((type) => isTrue(next.status, type) !== isTrue(previous.status, type));
}

function validateUncounted(uncounted: JobStatus['uncountedTerminatedPods']): FieldError[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((list) =>
    (uncounted?.[list] ?? []).flatMap((uid, index) => {
      const field = `${STATUS}.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === '') return [invalid(field, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** Faults of the conditions as a whole, by what is wrong. */
function refusals(...rules: readonly (readonly [isWrong: boolean, text: string])[]): FieldError[] {
  return rules.flatMap(([isWrong, text]) => (isWrong ? [invalidAsWhole(CONDITIONS, text)] : []));
}

/** A job ends in one way. */
function validateEndings(next: Job, previous: Job): FieldError[] {
  const { status } = next;
  const complete = isTrue(status, 'Complete');
  const hasEnded = hasTurned(next, previous, 'Complete', 'Failed');
  const isAimed = hasTurned(next, previous, 'Complete', 'FailureTarget');
  return refusals(
    [complete && isTrue(status, 'Failed') && hasEnded, 'cannot set Complete=True and Failed=true conditions'],
    [
      complete && isTrue(status, 'FailureTarget') && isAimed,
      'cannot set Complete=True and FailureTarget=true conditions',
    ],
  );
}

function validateCompletion(next: Job, previous: Job): FieldError[] {
  const { status } = next;
  const { startTime, completionTime } = status;
  const errors: FieldError[] = [];
  const field = `${STATUS}.completionTime`;
  if (hasChanged(next, previous, 'completionTime') || hasTurned(next, previous, 'Complete')) {
    if (completionTime !== undefined && !isTrue(status, 'Complete')) {
      const text = 'cannot set completionTime when there is no Complete=True condition';
      errors.push(invalid(field, completionTime, text));
    }
    if (completionTime === undefined && isTrue(status, 'Complete')) {
      errors.push(required(field, 'completionTime is required for Complete jobs'));
    }
  }
  const isAhead = startTime !== undefined && completionTime !== undefined && completionTime < startTime;
  if (isAhead && hasChanged(next, previous, 'startTime', 'completionTime')) {
    errors.push(invalid(field, completionTime, 'must be equal to or after `startTime`'));
  }
  return errors;
}

/** The condition that says why comes before the one that says that it ended. */
function validateReasons(next: Job, previous: Job): FieldError[] {
  const { status } = next;
  const isFailing = hasTurned(next, previous, 'Failed', 'FailureTarget');
  const isDone = hasTurned(next, previous, 'Complete', 'SuccessCriteriaMet');
  return refusals(
    [
      isTrue(status, 'Failed') && !isTrue(status, 'FailureTarget') && isFailing,
      'cannot set Failed=True condition without the FailureTarget=true condition',
    ],
    [
      isTrue(status, 'Complete') && !isTrue(status, 'SuccessCriteriaMet') && isDone,
      'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
    ],
  );
}

function validateCriteria({ status, spec }: Job): FieldError[] {
  const isMet = isTrue(status, 'SuccessCriteriaMet');
  return refusals(
    [isMet && isTrue(status, 'Failed'), 'cannot set SuccessCriteriaMet=True and Failed=true conditions'],
    [isMet && isTrue(status, 'FailureTarget'), 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'],
    [
      spec.successPolicy !== undefined && !isMet && isTrue(status, 'Complete'),
      'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
    ],
  );
}

/** What a job has come to is not taken back. */
function validateTerminal({ status }: Job, { status: before }: Job): FieldError[] {
  return refusals(
    ...TERMINAL.map(
      (type) =>
        [isTrue(before, type) && !isTrue(status, type), `cannot disable the terminal ${type}=True condition`] as const,
    ),
  );
}

function validateTimesKept({ status, spec }: Job, { status: before }: Job): FieldError[] {
  const { startTime, completionTime } = status;
  const errors: FieldError[] = [];
  if (completionTime !== undefined && before.completionTime !== undefined && completionTime !== before.completionTime) {
    errors.push(invalid(`${STATUS}.completionTime`, completionTime, 'field is immutable'));
  }
  const isResumed = isTrue(before, 'Suspended') && !isTrue(status, 'Suspended') && startTime !== undefined;
  if (before.startTime !== undefined && startTime !== before.startTime && spec.suspend !== true && !isResumed) {
    errors.push(required(`${STATUS}.startTime`, 'startTime cannot be removed for unsuspended job'));
  }
  return errors;
}

function validateCriteriaKept({ status }: Job, { status: before }: Job): FieldError[] {
  const [isMet, wasMet] = [status, before].map((each) => isTrue(each, 'SuccessCriteriaMet'));
  return refusals(
    [wasMet === true && isMet === false, 'cannot disable the SuccessCriteriaMet=True condition'],
    [
      isTrue(before, 'Complete') && wasMet === false && isMet === true,
      'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
    ],
  );
}

function validateFinished(next: Job, previous: Job): FieldError[] {
  const { status } = next;
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  const errors: FieldError[] = [];
  if (isFinished(status)) {
    const hasEnded = !isFinished(previous.status);
    const concerns = (field: keyof JobStatus): boolean => hasEnded || hasChanged(next, previous, field);
    if (active > 0 && concerns('active')) {
      errors.push(invalid(`${STATUS}.active`, active, 'active>0 is invalid for finished job'));
    }
    // A suspended job with nothing to do ends without ever having started.
    const isStarted = startTime !== undefined || (next.spec.suspend === true && next.spec.completions === 0);
    if (!isStarted && concerns('startTime')) {
      errors.push(required(`${STATUS}.startTime`, 'startTime is required for finished job'));
    }
    const pods = (uncounted?.succeeded?.length ?? 0) + (uncounted?.failed?.length ?? 0);
    if (pods > 0 && concerns('uncountedTerminatedPods')) {
      const text = 'must be empty for finished job';
      errors.push(invalid(`${STATUS}.uncountedTerminatedPods`, asGo('*UncountedTerminatedPods', uncounted), text));
    }
  }
  return errors;
}

/** Pods that are on their way out, and those that are ready. */
function validateReady(next: Job, previous: Job): FieldError[] {
  const { active = 0, terminating = 0, ready = 0 } = next.status;
  const errors: FieldError[] = [];
  const hasEnded = isFinished(next.status) && !isFinished(previous.status);
  if (isFinished(next.status) && terminating > 0 && (hasEnded || hasChanged(next, previous, 'terminating'))) {
    errors.push(invalid(`${STATUS}.terminating`, terminating, 'terminating>0 is invalid for finished job'));
  }
  if (ready > active && hasChanged(next, previous, 'ready', 'active')) {
    errors.push(invalid(`${STATUS}.ready`, ready, 'cannot set more ready pods than active'));
  }
  return errors;
}

function validateIndexes(next: Job, previous: Job): FieldError[] {
  const { completions, completionMode, backoffLimitPerIndex } = next.spec;
  const { completedIndexes = '', failedIndexes } = next.status;
  const errors: FieldError[] = [];
  const field = `${STATUS}.completedIndexes`;
  if (hasChanged(next, previous, 'completedIndexes')) {
    errors.push(...validateIndexList(completedIndexes, completions, field, 'completedIndexes'));
    if (completedIndexes !== '' && completionMode !== 'Indexed') {
      errors.push(
        invalid(field, completedIndexes, 'cannot set non-empty completedIndexes when non-indexed completion mode'),
      );
    }
  }
  if (failedIndexes === undefined) return errors;
  const own = `${STATUS}.failedIndexes`;
  if (hasChanged(next, previous, 'failedIndexes')) {
    if (backoffLimitPerIndex === undefined) {
      errors.push(invalid(own, failedIndexes, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'));
    } else errors.push(...validateIndexList(failedIndexes, completions, own, 'failedIndexes'));
  }
  if (!hasChanged(next, previous, 'failedIndexes', 'completedIndexes')) return errors;
  const shared = firstShared(completedIndexes, failedIndexes);
  if (shared === undefined) return errors;
  return [...errors, invalid(own, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${shared}`)];
}

function validateIndexList(text: string, completions: number | undefined, field: string, name: string): FieldError[] {
  if (completions === undefined) return [];
  const count = countIndexes(text, completions);
  return typeof count === 'number' ? [] : [invalid(field, text, `error parsing ${name}: ${count}`)];
}

/** The first index that is in both lists, which are in order. */
function firstShared(left: string, right: string): number | undefined {
  const [lefts, rights] = [intervals(left), intervals(right)];
  for (let [at, other] = [0, 0]; at < lefts.length && other < rights.length;) {
    const [first, last] = lefts[at] as Interval;
    const [otherFirst, otherLast] = rights[other] as Interval;
    if (first <= otherLast && otherFirst <= last) return Math.max(first, otherFirst);
    if (first <= otherFirst) at += 1;
    else other += 1;
  }
  return undefined;
}

type Interval = readonly [first: number, last: number];

function intervals(text: string): Interval[] {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const [first = Number.NaN, last = first] = part.split('-').map(Number);
    return [first, last];
  });
}

function validateCountedOnwards(next: Job, previous: Job): FieldError[] {
  const { spec, status } = next;
  const { succeeded = 0, failed = 0 } = status;
  const errors: FieldError[] = [];
  if (failed < (previous.status.failed ?? 0)) {
    errors.push(invalid(`${STATUS}.failed`, failed, 'cannot decrease the failed counter'));
  }
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (succeeded < (previous.status.succeeded ?? 0) && !isElastic) {
    errors.push(invalid(`${STATUS}.succeeded`, succeeded, 'cannot decrease the succeeded counter'));
  }
  return errors;
}
