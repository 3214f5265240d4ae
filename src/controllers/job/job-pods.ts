/** What a job reads off its pods: their index, their failures, whether they count as failed. */
import type { Job } from '../../api/objects/batch-objects.js';
import { getCondition } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { MAX_INT32 } from '../../api/values/int32.js';

/** Holds a pod until its job has counted it. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
/** Annotation and label with the completion index of a pod of an indexed job. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
/** Annotation with the failures of a pod's predecessors in its index. */
export const FAILURE_COUNT = 'batch.kubernetes.io/job-index-failure-count';
/** Annotation with those failures that the pod failure policy ignored. */
export const IGNORED_FAILURE_COUNT = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** Whether a pod has not been counted yet. */
export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) === true;
}

/** The pod without its tracking finalizer. */
export function untracked(pod: Pod): Pod {
  if (!isTracked(pod)) return pod;
  const { finalizers = [], ...metadata } = pod.metadata;
  const others = finalizers.filter((name) => name !== TRACKING_FINALIZER);
  return { ...pod, metadata: others.length === 0 ? metadata : { ...metadata, finalizers: others } };
}

/** Whether a job's pods have indexes. */
export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

/** Whether a job counts the failures of each index by itself. */
export function hasLimitPerIndex({ spec }: Job): boolean {
  return spec.backoffLimitPerIndex !== undefined;
}

/** Whether a pod is replaced only once it has ended, and not as soon as it is told to. */
export function replacesEndedOnly({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
}

/** Whether a pod counts as failed: one that is being deleted may never come to say so itself. */
export function hasFailed({ metadata, status }: Pod, job: Job): boolean {
  if (status.phase === 'Failed') return true;
  return !replacesEndedOnly(job) && metadata.deletionTimestamp !== undefined && status.phase !== 'Succeeded';
}

/** Whether a pod is being deleted and has not ended yet. */
export function isTerminating({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && status.phase !== 'Succeeded' && status.phase !== 'Failed';
}

/** The index of a pod; `undefined` when it has none that makes sense. */
export function completionIndexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[COMPLETION_INDEX];
  return text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

/** The index of a pod of an indexed job, if the job has it. */
export function validIndexOf(pod: Pod, { spec }: Job): number | undefined {
  const index = completionIndexOf(pod);
  return index !== undefined && index < (spec.completions ?? 0) ? index : undefined;
}

/** Failures of a pod's predecessors that count against the limit of its index. */
export function failureCountOf(pod: Pod): number {
  return countOf(pod, FAILURE_COUNT);
}

/** Failures of a pod's predecessors that the policy ignored. */
export function ignoredFailureCountOf(pod: Pod): number {
  return countOf(pod, IGNORED_FAILURE_COUNT);
}

function countOf({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation];
  const count = text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : 0;
  return count <= MAX_INT32 ? count : 0;
}

/**
 * When a pod ended, in simulated milliseconds: when its last container did, else when it stopped being
 * ready, else when it was told to stop, else when it was made.
 */
export function finishTimeOf({ metadata, status }: Pod, timestamps: Timestamps): number {
  const ended = containersEndedAt(status, timestamps);
  if (ended !== undefined) return ended;
  const ready = getCondition(status.conditions, 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime !== undefined)
    return timestamps.toMs(ready.lastTransitionTime);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return timestamps.toMs(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return timestamps.toMs(creationTimestamp);
}

function containersEndedAt({ containerStatuses = [] }: Pod['status'], timestamps: Timestamps): number | undefined {
  let latest: number | undefined;
  for (const { state } of containerStatuses) {
    const finishedAt = state?.terminated?.finishedAt;
    if (finishedAt === undefined) return undefined;
    latest = Math.max(latest ?? Number.NEGATIVE_INFINITY, timestamps.toMs(finishedAt));
  }
  return latest;
}
