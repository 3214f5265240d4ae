/** Whether a job is to end, and how: the first reason that applies. Mirrors the middle of kube-controller-manager v1.34 syncJob. */
import type { Job, JobCondition } from '../../api/objects/batch-objects.js';
import type { Pod } from '../../api/objects/objects.js';
import { trueCondition, trueConditionOf } from './job-conditions.js';
import { hasFailed } from './job-pods.js';
import { judgeFailure } from './pod-failure-policy.js';
import type { PodView } from './pod-view.js';
import { metSuccessRule } from './success-policy.js';

/** What the decision depends on besides the pods. */
export interface DecisionMoment {
  readonly nowMs: number;
  readonly timestamp: string;
  /** Simulated milliseconds at which the job started; absent while it has not. */
  readonly startMs: number | undefined;
}

/** The condition that ends the job; `undefined` as long as it goes on. */
export function decideEnd(view: PodView, moment: DecisionMoment): JobCondition | undefined {
  const { job } = view;
  const success = trueConditionOf(job.status, 'SuccessCriteriaMet');
  if (success !== undefined) return success;
  const failure = trueConditionOf(job.status, 'FailureTarget');
  const decide = (type: string, reason: string, message: string): JobCondition =>
    trueCondition(type, reason, message, moment.timestamp);
  if (failure !== undefined) return decide('Failed', failure.reason ?? '', failure.message ?? '');
  const reason = failureReason(view, moment);
  if (reason !== undefined) return decide('FailureTarget', ...reason);
  const rule = metSuccessRule(job.spec, view.succeededIndexes);
  return rule === undefined ? undefined : decide('SuccessCriteriaMet', 'SuccessPolicy', rule);
}

/** Milliseconds until the job's time is over; `undefined` while no such time runs. */
export function untilDeadlineMs({ spec }: Job, { nowMs, startMs }: DecisionMoment): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || startMs === undefined || spec.suspend === true) return undefined;
  return startMs + spec.activeDeadlineSeconds * 1000 - nowMs;
}

function failureReason(view: PodView, moment: DecisionMoment): [reason: string, message: string] | undefined {
  const { job, failedIndexes } = view;
  const { backoffLimit = 0, completions = 0, maxFailedIndexes } = job.spec;
  const message = failJobMessage(view);
  if (message !== undefined) return ['PodFailurePolicy', message];
  if (view.failed > backoffLimit || hasTooManyRestarts(job, view.pods)) {
    return ['BackoffLimitExceeded', 'Job has reached the specified backoff limit'];
  }
  if ((untilDeadlineMs(job, moment) ?? 1) <= 0) {
    return ['DeadlineExceeded', 'Job was active longer than specified deadline'];
  }
  if (failedIndexes === undefined) return undefined;
  const failures = failedIndexes.total;
  if (maxFailedIndexes !== undefined && failures > maxFailedIndexes) {
    return ['MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes'];
  }
  if (failures > 0 && failures + view.succeeded >= completions) return ['FailedIndexes', 'Job has failed indexes'];
  return undefined;
}

function failJobMessage({ job, pods }: PodView): string | undefined {
  const { podFailurePolicy } = job.spec;
  if (podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const message = hasFailed(pod, job) ? judgeFailure(podFailurePolicy, pod).failJobMessage : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Containers that are restarted in place never make their pod fail: their restarts count instead. */
function hasTooManyRestarts({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status.phase !== 'Running' && status.phase !== 'Pending') continue;
    for (const { restartCount } of status.initContainerStatuses ?? []) restarts += restartCount;
    for (const { restartCount } of status.containerStatuses ?? []) restarts += restartCount;
  }
  const { backoffLimit = 0 } = spec;
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}
