/** Counters of the job controller under Kubernetes' names. */
import type { Job } from '../../api/objects/batch-objects.js';
import type { Metrics } from '../../metrics/metrics.js';
import { isIndexed } from './job-pods.js';

/** What a sync of a job was about. */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

type Outcome = 'succeeded' | 'failed';

/** A sync has ended. */
export function countSync(metrics: Metrics, job: Job, result: 'success' | 'error', action: SyncAction): void {
  const labelNames = ['completion_mode', 'result', 'action'] as const;
  metrics
    .counter('job_controller_job_syncs_total', 'The number of job syncs', labelNames)
    .inc({ completion_mode: modeOf(job), result, action });
}

/** A job has ended. */
export function countFinished(metrics: Metrics, job: Job, result: Outcome, reason: string): void {
  const labelNames = ['completion_mode', 'result', 'reason'] as const;
  metrics
    .counter('job_controller_jobs_finished_total', 'The number of finished jobs', labelNames)
    .inc({ completion_mode: modeOf(job), result, reason });
}

/** Pods are in the counts of a job's status. */
export function countPods(metrics: Metrics, job: Job, result: Outcome, count: number): void {
  if (count <= 0) return;
  const help = 'The number of finished Pods that are fully tracked';
  metrics
    .counter('job_controller_job_pods_finished_total', help, ['completion_mode', 'result'] as const)
    .inc({ completion_mode: modeOf(job), result }, count);
}

/** A rule of a pod failure policy has decided about a failed pod. */
export function countPolicyAction(metrics: Metrics, action: string): void {
  const help = 'The number of failed Pods handled by failure policy with respect to the failure policy action applied';
  metrics
    .counter('job_controller_pod_failures_handled_by_failure_policy_total', help, ['action'] as const)
    .inc({ action });
}

/** Pods were made, or could not be. */
export function countCreations(metrics: Metrics, reason: string, status: Outcome, count: number): void {
  if (count <= 0) return;
  const help = 'The number of Pods created by the Job controller labelled with a reason for the Pod creation';
  metrics
    .counter('job_controller_job_pods_creation_total', help, ['reason', 'status'] as const)
    .inc({ reason, status }, count);
}

function modeOf(job: Job): string {
  return isIndexed(job) ? 'Indexed' : 'NonIndexed';
}
