/**
 * Counts pods that have ended, each exactly once: first the status names their uids, then they lose their
 * finalizer, then they move into the counts. Whatever of this is undone when the controller crashes is
 * done by the next one, from the status and the finalizers alone. Mirrors kube-controller-manager v1.34
 * trackJobStatusAndRemoveFinalizers.
 */
import type { Pod } from '../../api/objects/objects.js';
import { countPolicyAction } from './job-metrics.js';
import { withCondition, trueCondition, trueConditionOf } from './job-conditions.js';
import { completionIndexOf, hasFailed, isIndexed, validIndexOf } from './job-pods.js';
import type { JobWriter } from './job-writer.js';
import { IndexIntervals } from './index-intervals.js';
import { judgeFailure } from './pod-failure-policy.js';
import { releasePods } from './pod-control.js';
import type { PodView } from './pod-view.js';

/** Uids in a status at most, so that it does not grow too big. */
const MAX_UNCOUNTED = 500;

/** Writes what the sync found. @param isChanged - whether the status differs already */
export async function trackPods(writer: JobWriter, view: PodView, isChanged: boolean): Promise<void> {
  const { status, memory, key } = writer;
  const held = new Set(view.pods.filter((pod) => view.holds(pod)).map(({ metadata }) => metadata.uid));
  const hasCounted = status.count((uid) => held.has(uid));
  const tally = tallyPods(writer, view);
  const hasIndexes = isIndexed(view.job) && writeIndexes(writer, view, tally.newIndexes);
  const hasDecided = writeDecision(writer, view);
  if (isChanged || hasCounted || tally.isChanged || hasIndexes || hasDecided) {
    await writer.write();
    memory.backoffs.set(key, view.backoff);
  }
  await release(writer, view, tally.pods, held);
  const isFinished = !tally.isFull && enactEnd(writer, view);
  if (isFinished || writer.isDirty) await writer.write();
  if (isFinished) writer.recordEnd(view.finish);
}

interface Tally {
  /** Pods that may go once the status is written. */
  readonly pods: readonly Pod[];
  readonly newIndexes: readonly number[];
  readonly isChanged: boolean;
  /** Whether there may be more pods to count: the next sync will. */
  readonly isFull: boolean;
}

/** Puts pods that have ended on the lists. */
function tallyPods({ status, context }: JobWriter, view: PodView): Tally {
  const { job } = view;
  const pods: Pod[] = [];
  const newIndexes: number[] = [];
  const succeeded = new Set(status.uncountedSucceeded);
  const failed = new Set(status.uncountedFailed);
  const before = succeeded.size + failed.size;
  const isFull = (): boolean => newIndexes.length + succeeded.size + failed.size >= MAX_UNCOUNTED;
  for (const pod of inOrder(view)) {
    if (!view.holds(pod) || !canRelease(view, pod)) continue;
    pods.push(pod);
    const { uid } = pod.metadata;
    const index = validIndexOf(pod, job);
    const isValid = !isIndexed(job) || index !== undefined;
    if (pod.status.phase === 'Succeeded' && !failed.has(uid)) {
      if (index === undefined || !isIndexed(job)) {
        if (!isIndexed(job)) succeeded.add(uid);
      } else if (!view.countedIndexes.has(index)) newIndexes.push(index);
    } else if (isValid && !failed.has(uid) && countsAsFailed(view, pod)) {
      const { isCounted, action } = judgeFailure(job.spec.podFailurePolicy, pod);
      if (action !== undefined) countPolicyAction(context.metrics, action);
      if (isCounted) failed.add(uid);
    }
    if (isFull()) break;
  }
  status.uncountedSucceeded = [...succeeded];
  status.uncountedFailed = [...failed];
  const isChanged = newIndexes.length > 0 || succeeded.size + failed.size > before;
  return { pods, newIndexes, isChanged, isFull: isFull() };
}

/** Completed indexes are told in order. */
function inOrder({ job, pods }: PodView): readonly Pod[] {
  if (!isIndexed(job)) return pods;
  return [...pods].sort((left, right) => orderOf(left) - orderOf(right));
}

function orderOf(pod: Pod): number {
  return completionIndexOf(pod) ?? -1;
}

/** A failed pod stays while it alone holds the number of failures of its index: its successor copies it. */
function canRelease(view: PodView, pod: Pod): boolean {
  const { job, finish, kept } = view;
  if (job.metadata.deletionTimestamp !== undefined || finish !== undefined) return true;
  if (pod.status.phase === 'Succeeded') return true;
  if (!hasFailed(pod, job)) return false;
  const index = completionIndexOf(pod);
  return index === undefined || kept.get(index)?.metadata.uid !== pod.metadata.uid;
}

/** When a job fails, pods that are still running fail with it; when it succeeds early, they do not count. */
function countsAsFailed({ job, finish }: PodView, pod: Pod): boolean {
  return hasFailed(pod, job) || (finish !== undefined && finish.type !== 'SuccessCriteriaMet');
}

function writeIndexes({ status }: JobWriter, view: PodView, newIndexes: readonly number[]): boolean {
  const succeeded = view.succeededIndexes.merge(IndexIntervals.of(newIndexes));
  const completedIndexes = succeeded.toString();
  const failedIndexes = view.failedIndexes?.toString();
  const isChanged = completedIndexes !== status.completedIndexes || failedIndexes !== status.failedIndexes;
  status.succeeded = succeeded.total;
  status.completedIndexes = completedIndexes;
  status.failedIndexes = failedIndexes;
  return isChanged;
}

/** Writes how the job will end before its pods are let go: a later run, which finds them gone, keeps to it. */
function writeDecision({ status, job, timestamp }: JobWriter, view: PodView): boolean {
  const { finish } = view;
  if (finish?.type === 'FailureTarget') {
    status.conditions = [...status.conditions, finish];
    view.finish = trueCondition('Failed', finish.reason ?? '', finish.message ?? '', timestamp());
    return true;
  }
  if (finish?.type !== 'SuccessCriteriaMet') return false;
  const isNew = trueConditionOf(job.status, 'SuccessCriteriaMet') === undefined;
  if (isNew) status.conditions = [...status.conditions, finish];
  view.finish = trueCondition('Complete', finish.reason ?? '', finish.message ?? '', timestamp());
  return isNew;
}

/** Takes the finalizers off; what was let go moves into the counts, in memory for now. */
async function release(writer: JobWriter, view: PodView, pods: readonly Pod[], held: Set<string>): Promise<void> {
  const { memory, key, status, context } = writer;
  let error: Error | undefined;
  if (pods.length > 0) {
    memory.releases.expect(
      key,
      pods.map(({ metadata }) => metadata.uid),
    );
    const outcome = await releasePods(context, pods, ({ metadata }) => memory.releases.observed(key, metadata.uid));
    for (const { metadata } of outcome.released) held.delete(metadata.uid);
    ({ error } = outcome);
  }
  if (status.count((uid) => held.has(uid))) writer.isDirty = true;
  if (error === undefined) return;
  if (writer.isDirty) await writer.write();
  throw error;
}

/** Ends the job, unless pods are left to count or to stop. Says whether it did. */
function enactEnd({ status, timestamp }: JobWriter, { finish, terminating }: PodView): boolean {
  if (finish === undefined || status.uncounted > 0 || terminating > 0) return false;
  const nowText = timestamp();
  status.conditions = withCondition(status.conditions, finish, nowText) ?? status.conditions;
  if (finish.type === 'Complete') status.completionTime = finish.lastTransitionTime;
  return true;
}
