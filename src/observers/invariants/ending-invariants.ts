/** What is promised of the ends of jobs: they come when all is done, and what has ended is kept as long as is asked. */
import { getCondition, isPodTerminal } from '../../api/objects/conditions.js';
import { keyOf, type Job, type Pod } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { isOfManager } from './calm.js';
import type { Invariant, World, Write } from './invariant.js';

const HELD = 'batch.kubernetes.io/job-tracking';
const ENDS = ['Complete', 'Failed'] as const;
/** A cron job looks at its jobs when one of them changes; what it writes may be put off a little. */
const SEEN_MS = 60_000;
const SECOND_MS = 1000;
const CRON_CONTROLLER = 'cronjob-controller';
const TTL_CONTROLLER = 'kube-controller-manager/ttl-after-finished-controller';

/** Judged by the pods that the controller sees, and by what it counts itself. */
const jobsEndWhole: Invariant = {
  name: 'jobs-end-whole',
  promise:
    'a job is complete once as many pods have succeeded as it asks for, has failed for a reason, and then none runs',
  onWrite: {
    Job: (write, world) => {
      const { object, previous, by } = write;
      if (previous === undefined || !isOfManager(by) || object.status === previous.status) return undefined;
      const text = untimely(write, world);
      return text === undefined ? undefined : { object: `Job ${keyOf(object)}`, text };
    },
  },
};

/** By the clock that has stamped the end. */
const endedJobsKept: Invariant = {
  name: 'ended-jobs-kept',
  promise: 'a job is taken away for its age no sooner than its time to live after its end',
  onWrite: {
    Job: ({ object, previous, by }, world) => {
      const { ttlSecondsAfterFinished: seconds } = object.spec;
      if (previous === undefined || !isOfManager(by) || seconds === undefined) return undefined;
      if (previous.metadata.deletionTimestamp !== undefined || object.metadata.deletionTimestamp === undefined)
        return undefined;
      // A cron job takes those away that are more than it is to keep.
      if (controllerOf(object) !== undefined) return undefined;
      const end = ENDS.map((type) => getCondition(object.status.conditions, type)).find(
        (each) => each?.status === 'True',
      );
      if (end === undefined) return { object: `Job ${keyOf(object)}`, text: 'is taken away, and has not ended' };
      const endedMs = world.written(object.metadata.uid)?.endedMs ?? 0;
      const ageMs = world.nowMs - endedMs;
      // Timestamps are cut to seconds, and may be those of clocks that are wrong.
      const isWrong = Math.abs(world.msOf(end.lastTransitionTime ?? '') - endedMs) > 2 * SECOND_MS;
      if (
        ageMs >= (seconds - 2) * SECOND_MS ||
        isWrong ||
        (world.clockRightSinceMs(TTL_CONTROLLER) ?? world.nowMs) > endedMs
      )
        return undefined;
      const text = `is taken away ${Math.round(ageMs / 1000)} s after its end, and is to stay for ${seconds} s`;
      return { object: `Job ${keyOf(object)}`, text };
    },
  },
};

/** The lists and the history of a cron job. */
const historyKept: Invariant = {
  name: 'cron-history-kept',
  promise: 'at rest a cron job lists the jobs that run, and keeps as many that have ended as it is asked to',
  *atRest(world) {
    // A sync that was refused comes again when its back-off is over, which may be as long as the disturbance was.
    const calmMs = world.calmSinceMs(CRON_CONTROLLER);
    if (calmMs === undefined || world.nowMs - calmMs < SEEN_MS + world.disturbedMs(CRON_CONTROLLER)) return;
    for (const { metadata, spec, status } of world.list('CronJob')) {
      const object = `CronJob ${metadata.namespace}/${metadata.name}`;
      const jobs = world
        .list('Job', { namespace: metadata.namespace })
        .filter((job) => controllerOf(job)?.uid === metadata.uid);
      const isNews = ({ metadata: { uid } }: Job): boolean => world.nowMs - (world.written(uid)?.atMs ?? 0) < SEEN_MS;
      const byUid = new Map(jobs.map((job) => [job.metadata.uid, job]));
      for (const { uid = '', name } of status.active ?? []) {
        const job = byUid.get(uid);
        if (job !== undefined && (isNews(job) || endOf(job) === undefined)) continue;
        yield { object, text: `lists ${name ?? ''}, which ${job === undefined ? 'is gone' : 'has ended'}` };
      }
      const limits = [spec.successfulJobsHistoryLimit ?? 3, spec.failedJobsHistoryLimit ?? 1];
      for (const [index, type] of ENDS.entries()) {
        const ended = jobs.filter((job) => endOf(job) === type && !isNews(job));
        const limit = limits[index] ?? 0;
        if (ended.length > limit)
          yield { object, text: `keeps ${ended.length} jobs that are ${type}, and is to keep ${limit}` };
      }
    }
  },
};

/** Every invariant of ends. */
export const ENDING_INVARIANTS: readonly Invariant[] = [jobsEndWhole, endedJobsKept, historyKept];

function endOf({ status }: Job): (typeof ENDS)[number] | undefined {
  return ENDS.find((type) => getCondition(status.conditions, type)?.status === 'True');
}

/** Why a job should not have come to its end, or near it. */
function untimely({ object: job, previous, by }: Write<'Job'>, world: World): string | undefined {
  const isNew = (type: string): boolean =>
    getCondition(job.status.conditions, type)?.status === 'True' &&
    getCondition(previous?.status.conditions, type)?.status !== 'True';
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: waiting, conditions } = job.status;
  const { completions, completionMode, backoffLimit = 6, successPolicy } = job.spec;
  const isIndexed = completionMode === 'Indexed';
  if ((isNew('Complete') || isNew('SuccessCriteriaMet')) && completions !== undefined && successPolicy === undefined) {
    const all = isNew('Complete') || isIndexed ? succeeded : succeeded + (waiting?.succeeded?.length ?? 0);
    // Of indexed jobs those that have just succeeded are counted with the next write.
    const isToldLater = isIndexed && !isNew('Complete');
    if (all < completions && !isToldLater) return `is complete with ${all} of ${completions} pods that have succeeded`;
  }
  if (isNew('Failed') || isNew('FailureTarget')) {
    const reason = ['Failed', 'FailureTarget'].map((type) => getCondition(conditions, type)?.reason).find(Boolean);
    const all = failed + (waiting?.failed?.length ?? 0);
    // Restarts in place count as well.
    const isOfPods = job.spec.template.spec?.restartPolicy === 'Never';
    if (reason === 'BackoffLimitExceeded' && isOfPods && all < backoffLimit) {
      return `has failed for its back-off limit of ${backoffLimit} with ${all} pods that have failed`;
    }
  }
  const isEnd = isNew('Complete') || isNew('Failed');
  const isQueueDone = completions === undefined && isNew('SuccessCriteriaMet');
  if (!isEnd && !isQueueDone) return undefined;
  const running = shownOf(job, by, world).find((pod) => !isPodTerminal(pod) && isHeld(pod));
  return running === undefined ? undefined : `has ended, and ${running.metadata.name} has not`;
}

/** The pods of a job that its controller sees. */
function shownOf({ metadata: { uid, namespace } }: Job, by: string, world: World): readonly Pod[] {
  const cache = world.caches(by).find(({ kind }) => kind === 'Pod')?.objects;
  return ((cache?.list(namespace) ?? []) as readonly Pod[]).filter((pod) => controllerOf(pod)?.uid === uid);
}

function isHeld({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(HELD) === true;
}
