/**
 * The job controller: pods that run until enough of them have succeeded, or too many have failed, and a
 * status that counts each of them exactly once. It never looks at schedules, and leaves what has ended
 * alone. Mirrors kube-controller-manager v1.34 pkg/controller/job.
 *
 * Beside jobs its queue holds pods that have lost their job and still carry its finalizer.
 */
import type { Pod } from '../../api/objects/objects.js';
import type { Job } from '../../api/objects/batch-objects.js';
import { isApiError } from '../../api/errors/api-error.js';
import { controllerOf } from '../../api/objects/owners.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import { adoptAndRelease } from '../shared/adoption.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { endOf, trueCondition, withCondition } from './job-conditions.js';
import { decideEnd, untilDeadlineMs, type DecisionMoment } from './job-decision.js';
import { JobMemory } from './job-memory.js';
import { countSync, type SyncAction } from './job-metrics.js';
import { isTracked, TRACKING_FINALIZER, untracked } from './job-pods.js';
import { JobWriter } from './job-writer.js';
import { managePods } from './manage-pods.js';
import { deletePods } from './pod-control.js';
import { nextRecord, NO_FAILURES } from './pod-backoff.js';
import { trackPods } from './pod-tracking.js';
import { PodView } from './pod-view.js';

const CONTROLLER_NAME = 'kubernetes.io/job-controller';

/** See the file header. */
export const jobController = defineController({
  name: 'job-controller',
  retryDelays: { baseDelayMs: 1000, maxDelayMs: 60_000 },
  setup: (context) => new JobMemory(context),
  reconcile(context, key, memory) {
    const orphan = JobMemory.orphanKey(key);
    if (orphan !== undefined) return releaseOrphan(context, memory, memory.pods.getByKey(orphan));
    const left = memory.leftPods(key);
    if (left !== undefined) return releaseLeft(context, memory, left);
    const job = memory.jobs.getByKey(key);
    if (job === undefined || endOf(job.status) !== undefined) {
      memory.forget(key);
      return undefined;
    }
    return isOurs(job) ? syncAndCount(context, memory, key, job) : undefined;
  },
});

function isOurs({ spec }: Job): boolean {
  return spec.managedBy === undefined || spec.managedBy === CONTROLLER_NAME;
}

/** Takes the finalizer off a pod that no job is going to count. */
async function releaseOrphan({ api }: ControllerContext, memory: JobMemory, pod: Pod | undefined): Promise<void> {
  if (pod === undefined || !isTracked(pod)) return;
  const controller = controllerOf(pod);
  if (controller !== undefined) {
    if (controller.kind !== 'Job' || controller.apiVersion !== 'batch/v1') return;
    const job = memory.ownerOf(pod.metadata.namespace, controller);
    if (job !== undefined && (!isOurs(job) || endOf(job.status) === undefined)) return;
  }
  try {
    await api.change('Pod', pod.metadata, untracked, { preconditions: { uid: pod.metadata.uid } });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

/** Those that a job has left, one after the other (syncOrphanPodsBySelector, v1.34). */
async function releaseLeft(context: ControllerContext, memory: JobMemory, pods: readonly Pod[]): Promise<void> {
  let failure: unknown;
  for (const pod of pods) {
    // A pod that is refused holds up none of the others.
    await releaseOrphan(context, memory, pod).catch((error: unknown) => (failure ??= error));
  }
  if (failure instanceof Error) throw failure;
}

async function syncAndCount(context: ControllerContext, memory: JobMemory, key: string, job: Job): Promise<void> {
  const sync = new JobSync(context, memory, key, job);
  try {
    await sync.run();
    countSync(context.metrics, job, 'success', sync.action);
  } catch (error) {
    countSync(context.metrics, job, 'error', sync.action);
    throw error;
  }
}

/** One sync of one job. */
class JobSync {
  action: SyncAction = 'reconciling';
  readonly #context: ControllerContext;
  readonly #memory: JobMemory;
  readonly #key: string;
  readonly #job: Job;
  readonly #writer: JobWriter;

  constructor(context: ControllerContext, memory: JobMemory, key: string, job: Job) {
    this.#context = context;
    this.#memory = memory;
    this.#key = key;
    this.#job = job;
    this.#writer = new JobWriter(context, memory, key, job);
  }

  /** Everything is written before the first refusal of a creation or deletion is told. */
  async run(): Promise<void> {
    const { currency } = this.#memory;
    if (!currency.isSure(this.#key, this.#job)) await currency.confirm(this.#context, this.#key, this.#job);
    const { status } = this.#writer;
    const isFree = this.#memory.expectations.isSatisfied(this.#key);
    const view = await this.#look();
    if (status.startTime === undefined && this.#job.spec.suspend !== true) status.startTime = this.#context.timestamp();
    const moment = this.#moment();
    view.finish = decideEnd(view, moment);
    if (view.finish === undefined) this.#watchDeadline(moment);
    const { active, error, isTold } =
      view.finish === undefined ? await this.#goOn(view, isFree) : await this.#wind(view, isFree);
    const isChanged =
      isTold || active !== status.active || view.ready !== status.ready || view.terminating !== status.terminating;
    status.active = active;
    status.ready = view.ready;
    status.terminating = view.terminating;
    await trackPods(this.#writer, view, isChanged);
    if (error !== undefined) throw error;
  }

  async #look(): Promise<PodView> {
    const { timestamps } = this.#context.kernel;
    const { releases, backoffs } = this.#memory;
    const pods = await this.#adoptedPods();
    const isReleasing = (uid: string): boolean => releases.isExpected(this.#key, uid);
    const view = new PodView(this.#job, pods, this.#writer.status, isReleasing, timestamps);
    const record = backoffs.get(this.#key) ?? NO_FAILURES;
    view.backoff = nextRecord(record, view.newSucceeded, view.newFailed, timestamps);
    return view;
  }

  /** Pods that are the job's, with those that it adopts and without those that it gives away. */
  async #adoptedPods(): Promise<Pod[]> {
    const selector = compileLabelSelector(this.#job.spec.selector);
    const own: Pod[] = [];
    const others: Pod[] = [...this.#memory.orphansOf(this.#job)];
    for (const pod of this.#memory.podsOf(this.#job)) {
      if (selector.matches(pod.metadata.labels)) own.push(pod);
      else others.push(pod);
    }
    if (others.length === 0) return own;
    const { api } = this.#context;
    const finalizer = TRACKING_FINALIZER;
    const adoption = { api, owner: this.#job, ownerKind: 'Job', kind: 'Pod', selector, finalizer } as const;
    return [...own, ...(await adoptAndRelease(adoption, others))];
  }

  #moment(): DecisionMoment {
    const { clock, timestamps } = this.#context.kernel;
    const { startTime } = this.#writer.status;
    const nowMs = clock.now();
    const startMs = startTime === undefined ? undefined : timestamps.toMs(startTime);
    return { nowMs, timestamp: this.#context.timestamp(), startMs };
  }

  #watchDeadline(moment: DecisionMoment): void {
    const leftMs = untilDeadlineMs(this.#job, moment);
    if (leftMs !== undefined) this.#context.queue.addAfter(this.#key, leftMs);
  }

  /** The job is to end: nothing of it may run on. It cannot be said to have ended before that is sure. */
  async #wind(view: PodView, isFree: boolean): Promise<Step> {
    const outcome = await deletePods(this.#context, this.#job, view.active, { isCounted: true });
    if (outcome.done !== view.active.length || !isFree) view.finish = undefined;
    view.terminating += outcome.done;
    view.ready -= outcome.ready;
    return { active: view.active.length - outcome.done, error: outcome.error, isTold: false };
  }

  async #goOn(view: PodView, isFree: boolean): Promise<Step> {
    const { spec, metadata } = this.#job;
    let active = view.active.length;
    let error: Error | undefined;
    const isManaged = isFree && metadata.deletionTimestamp === undefined;
    if (isManaged) ({ active, error, action: this.action } = await managePods(this.#context, this.#memory, view));
    const { succeeded } = view;
    const isComplete = active === 0 && (spec.completions === undefined ? succeeded > 0 : succeeded >= spec.completions);
    if (isComplete) {
      const text = 'Reached expected number of succeeded pods';
      view.finish = trueCondition('SuccessCriteriaMet', 'CompletionsReached', text, this.#context.timestamp());
    }
    return { active, error, isTold: isManaged && !isComplete && this.#tellSuspension(spec.suspend === true) };
  }

  /** Says that the job was suspended or goes on again; its time begins anew then. */
  #tellSuspension(isSuspended: boolean): boolean {
    const { status } = this.#writer;
    const nowText = this.#context.timestamp();
    const [value, reason, message] = isSuspended
      ? ['True', 'JobSuspended', 'Job suspended']
      : ['False', 'JobResumed', 'Job resumed'];
    const next = withCondition(status.conditions, { type: 'Suspended', status: value, reason, message }, nowText);
    if (next === undefined) return false;
    status.conditions = next;
    if (!isSuspended) status.startTime = nowText;
    this.#context.recorder.record(this.#job, 'Normal', isSuspended ? 'Suspended' : 'Resumed', message);
    return true;
  }
}

interface Step {
  readonly active: number;
  readonly error: Error | undefined;
  /** Whether a condition tells something new. */
  readonly isTold: boolean;
}
