/**
 * What one sync of a job knows: its pods as the cache shows them, what they come to, and what the sync
 * has changed of that so far. It decides nothing. Mirrors kube-controller-manager v1.34 syncJobCtx.
 */
import type { Job, JobCondition } from '../../api/objects/batch-objects.js';
import { isPodReady } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { isPodActive } from '../shared/pod-state.js';
import { IndexIntervals } from './index-intervals.js';
import {
  completionIndexOf,
  failureCountOf,
  finishTimeOf,
  hasFailed,
  hasLimitPerIndex,
  ignoredFailureCountOf,
  isIndexed,
  isTerminating,
  isTracked,
  validIndexOf,
} from './job-pods.js';
import { NO_FAILURES, type BackoffRecord } from './pod-backoff.js';
import { judgeFailure } from './pod-failure-policy.js';
import type { StatusDraft } from './status-draft.js';

const NO_PODS: ReadonlyMap<number, Pod> = new Map();

/** See the file header. */
export class PodView {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  /** Pods that ended and that the status knows nothing of yet. */
  readonly newSucceeded: readonly Pod[];
  readonly newFailed: readonly Pod[];
  /** Failures that count against the job's limit, including those that the status does not know yet. */
  readonly failed: number;
  /** Indexes that the status says have succeeded, and those with what the pods say. */
  readonly countedIndexes: IndexIntervals;
  readonly succeededIndexes: IndexIntervals;
  /** Only of jobs with a limit per index. */
  readonly failedIndexes: IndexIntervals | undefined;
  /** By index: the failed pod that is kept until its successor has taken over its count of failures. */
  readonly kept: ReadonlyMap<number, Pod>;
  succeeded: number;
  ready: number;
  terminating: number;
  backoff: BackoffRecord = NO_FAILURES;
  /** How the job is to end, if that is decided. */
  finish: JobCondition | undefined;
  readonly #isReleasing: (uid: string) => boolean;

  /** @param isReleasing - whether a pod was let go already and the cache does not show it yet */
  constructor(
    job: Job,
    pods: readonly Pod[],
    status: StatusDraft,
    isReleasing: (uid: string) => boolean,
    timestamps: Timestamps,
  ) {
    this.job = job;
    this.pods = pods;
    this.#isReleasing = isReleasing;
    this.active = pods.filter(isPodActive);
    this.ready = this.active.filter(isPodReady).length;
    this.terminating = pods.filter(isTerminating).length;
    const uncountedSucceeded = new Set(status.uncountedSucceeded);
    const uncountedFailed = new Set(status.uncountedFailed);
    this.newSucceeded = this.#uncounted(uncountedSucceeded).filter((pod) => pod.status.phase === 'Succeeded');
    this.newFailed = this.#uncounted(uncountedFailed).filter((pod) => hasFailed(pod, job));
    const { podFailurePolicy, completions = 0 } = job.spec;
    const counted = this.newFailed.filter((pod) => judgeFailure(podFailurePolicy, pod).isCounted);
    this.failed = status.failed + counted.length + uncountedFailed.size;
    this.succeeded = status.succeeded + this.newSucceeded.length + uncountedSucceeded.size;
    this.countedIndexes = IndexIntervals.EMPTY;
    this.succeededIndexes = IndexIntervals.EMPTY;
    this.kept = NO_PODS;
    if (!isIndexed(job)) return;
    this.countedIndexes = IndexIntervals.parse(status.completedIndexes, completions);
    this.succeededIndexes = this.countedIndexes.merge(this.#indexesOf((pod) => pod.status.phase === 'Succeeded'));
    this.succeeded = this.succeededIndexes.total;
    if (!hasLimitPerIndex(job)) return;
    const failedBefore = IndexIntervals.parse(status.failedIndexes ?? '', completions);
    this.failedIndexes = failedBefore.merge(this.#indexesOf((pod) => this.#hasSpentIndex(pod)));
    this.kept = this.#keptPods(timestamps);
  }

  /** Whether a pod holds its finalizer, as far as this controller knows. */
  holds(pod: Pod): boolean {
    return isTracked(pod) && !this.#isReleasing(pod.metadata.uid);
  }

  /** Indexes of the active pods. */
  get activeIndexes(): IndexIntervals {
    return IndexIntervals.of(indexesOf(this.active));
  }

  /** Indexes of pods that are being deleted. */
  get terminatingIndexes(): IndexIntervals {
    return IndexIntervals.of(indexesOf(this.pods.filter(isTerminating)));
  }

  /** Pods that are held, of an index that the job has, and not among the known uids. */
  #uncounted(known: ReadonlySet<string>): Pod[] {
    return this.pods.filter((pod) => {
      if (!this.holds(pod) || known.has(pod.metadata.uid)) return false;
      return !isIndexed(this.job) || validIndexOf(pod, this.job) !== undefined;
    });
  }

  #indexesOf(isMeant: (pod: Pod) => boolean): IndexIntervals {
    const indexes: number[] = [];
    for (const pod of this.pods) {
      const index = isTracked(pod) && isMeant(pod) ? validIndexOf(pod, this.job) : undefined;
      if (index !== undefined) indexes.push(index);
    }
    return IndexIntervals.of(indexes);
  }

  /** Whether with this pod its index has failed for good. */
  #hasSpentIndex(pod: Pod): boolean {
    const { job } = this;
    if (!hasFailed(pod, job)) return false;
    const { isCounted, action } = judgeFailure(job.spec.podFailurePolicy, pod);
    return action === 'FailIndex' || (isCounted && failureCountOf(pod) >= (job.spec.backoffLimitPerIndex ?? 0));
  }

  #keptPods(timestamps: Timestamps): ReadonlyMap<number, Pod> {
    const kept = new Map<number, Pod>();
    const over = this.activeIndexes.merge(this.succeededIndexes).merge(this.failedIndexes ?? IndexIntervals.EMPTY);
    for (const pod of this.#uncounted(new Set())) {
      const index = hasFailed(pod, this.job) ? validIndexOf(pod, this.job) : undefined;
      if (index === undefined || over.has(index)) continue;
      const other = kept.get(index);
      const isLatest =
        other === undefined ||
        (failuresBefore(other) <= failuresBefore(pod) &&
          finishTimeOf(pod, timestamps) >= finishTimeOf(other, timestamps));
      if (isLatest) kept.set(index, pod);
    }
    return kept;
  }
}

function failuresBefore(pod: Pod): number {
  return failureCountOf(pod) + ignoredFailureCountOf(pod);
}

function indexesOf(pods: readonly Pod[]): number[] {
  return pods.flatMap((pod) => completionIndexOf(pod) ?? []);
}
