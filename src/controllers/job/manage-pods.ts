/**
 * Brings the number of a job's active pods to what it wants: deletes or creates, never both in one sync,
 * and creates nothing while the back-off runs. Mirrors kube-controller-manager v1.34 manageJob, which knows of no
 * active pods while it waits: as long as one of the others is ready the API server refuses that status, and the
 * failure that led to the back-off is not told before it is over.
 */
import type { Draft, Pod } from '../../api/objects/objects.js';
import { keyOf } from '../../api/objects/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { excessPods } from './excess-pods.js';
import { countCreations, type SyncAction } from './job-metrics.js';
import type { JobMemory } from './job-memory.js';
import { hasLimitPerIndex, isIndexed, replacesEndedOnly } from './job-pods.js';
import { indexRemainingMs, remainingMs } from './pod-backoff.js';
import { createPods, deletePods } from './pod-control.js';
import { PodDrafts } from './pod-drafts.js';
import type { PodView } from './pod-view.js';

/** Pods that one sync creates or deletes at most. */
const MAX_PODS_PER_SYNC = 500;

/** What came of it. */
export interface Managed {
  /** Active pods afterwards; 0 while the job waits for a back-off. */
  readonly active: number;
  readonly action: SyncAction;
  /** The first refusal. */
  readonly error?: Error | undefined;
}

/** See the file header. Only to be called when nothing is expected any more. */
export async function managePods(context: ControllerContext, memory: JobMemory, view: PodView): Promise<Managed> {
  const { job } = view;
  const { mapOrder } = context;
  const active = view.active.length;
  if (job.spec.suspend === true)
    return deleteExcess(context, memory, view, excessPods(job, view.active, active, mapOrder));
  const wanted = wantedActive(view);
  const excess = excessPods(job, view.active, Math.max(0, active - wanted), mapOrder).slice(0, MAX_PODS_PER_SYNC);
  if (excess.length > 0) return deleteExcess(context, memory, view, excess);
  const missing = wanted - active - (replacesEndedOnly(job) ? view.terminating : 0);
  if (missing <= 0) return { active, action: 'tracking' };
  const drafts = draftsOf(context, view, Math.min(missing, MAX_PODS_PER_SYNC));
  if (typeof drafts === 'number') {
    memory.addLater(keyOf(job), drafts);
    return { active: 0, action: 'pods_created' };
  }
  return createMissing(context, memory, view, drafts);
}

/** A job without a number of completions leaves its pods alone once one of them has succeeded. */
function wantedActive({ job, active, succeeded }: PodView): number {
  const { completions, parallelism = 1 } = job.spec;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

async function deleteExcess(
  context: ControllerContext,
  { expectations }: JobMemory,
  view: PodView,
  pods: readonly Pod[],
): Promise<Managed> {
  const key = keyOf(view.job);
  expectations.expectDeletions(key, pods.map(keyOf));
  const onFailure = (pod: Pod): void => expectations.deletionObserved(key, keyOf(pod));
  const { done, ready, error } = await deletePods(context, view.job, pods, { isCounted: false, onFailure });
  view.terminating += done;
  view.ready -= ready;
  return { active: view.active.length - done, action: 'pods_deleted', error };
}

/** The pods to make now, or the milliseconds until some may be made. */
function draftsOf({ kernel }: ControllerContext, view: PodView, count: number): Draft[] | number {
  const { job } = view;
  const nowMs = kernel.clock.now();
  if (!hasLimitPerIndex(job)) {
    const waitMs = remainingMs(view.backoff, nowMs);
    if (waitMs > 0) return waitMs;
  }
  const drafts = new PodDrafts(job);
  if (!isIndexed(job)) return Array.from({ length: count }, () => drafts.plain);
  const pending = pendingIndexes(view, count);
  if (!hasLimitPerIndex(job)) return pending.map((index) => drafts.indexed(index, undefined));
  const waits = pending.map((index) => indexRemainingMs(view.kept.get(index), nowMs, kernel.timestamps));
  const due = pending.filter((_index, at) => waits[at] === 0);
  if (due.length === 0 && waits.length > 0) return Math.min(...waits);
  return due.map((index) => drafts.indexed(index, view.kept.get(index)));
}

/** The lowest indexes that neither run nor have succeeded or failed. */
function pendingIndexes(view: PodView, count: number): number[] {
  let busy = view.succeededIndexes.merge(view.activeIndexes);
  if (replacesEndedOnly(view.job)) busy = busy.merge(view.terminatingIndexes);
  if (view.failedIndexes !== undefined) busy = busy.merge(view.failedIndexes);
  return busy.firstMissing(count, view.job.spec.completions ?? 0);
}

async function createMissing(
  context: ControllerContext,
  { expectations }: JobMemory,
  view: PodView,
  drafts: readonly Draft[],
): Promise<Managed> {
  const { job } = view;
  const key = keyOf(job);
  expectations.expectCreations(key, drafts.length);
  const { done, error } = await createPods(context, job, drafts);
  if (done < drafts.length) expectations.creationObserved(key, drafts.length - done);
  countCreations(context.metrics, creationReason(view), 'succeeded', done);
  countCreations(context.metrics, creationReason(view), 'failed', error === undefined ? 0 : 1);
  return { active: view.active.length + done, action: 'pods_created', error };
}

function creationReason({ job, failed, terminating }: PodView): string {
  if (job.spec.podReplacementPolicy === 'Failed' && failed > 0) return 'recreate_failed';
  return failed > 0 || terminating > 0 ? 'recreate_terminating_or_failed' : 'new';
}
