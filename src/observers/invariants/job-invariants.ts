/** What the controllers of jobs and cron jobs promise: of counts, and of when a job starts. */
import { getCondition } from '../../api/objects/conditions.js';
import { keyOf, type CronJob, type Job, type Pod } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { SECOND_MS } from '../../kernel/time-units.js';
import { isOfManager } from './calm.js';
import type { Invariant, World } from './invariant.js';
import type { KnownPod } from '../registers/pod-register.js';

const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
const OUTCOMES = ['succeeded', 'failed'] as const;

/**
 * A pod is counted once: its uid waits in the status until its finalizer is gone, and then becomes one in a count.
 * Of indexed jobs the indexes that have succeeded are told, whichever pods those were.
 */
const countedOnce: Invariant = {
  name: 'counted-once',
  promise: "a job's counts rise by the pods that have waited for it in its status and have lost their finalizer",
  onWrite: {
    Job: ({ object, previous, by }, world) => {
      if (previous === undefined || previous.metadata.uid !== object.metadata.uid) return undefined;
      if (previous.status === object.status || by === 'user') return undefined;
      for (const outcome of OUTCOMES) {
        const text = miscount(previous, object, outcome, { world, by });
        if (text !== undefined) return { object: `Job ${keyOf(object)}`, text };
      }
      return undefined;
    },
  },
};

/** A pod is let go once it was counted, and a job that has ended counts no more. */
const podsLetGo: Invariant = {
  name: 'job-pods-let-go',
  promise: 'no pod of a job that has ended or is gone keeps the finalizer of the job controller',
  *atRest(world) {
    for (const pod of world.list('Pod')) {
      if (!isTracked(pod)) continue;
      const owner = controllerOf(pod);
      const job = owner && world.find('Job', { namespace: pod.metadata.namespace, name: owner.name });
      if (job !== undefined && job.metadata.uid === owner?.uid && !hasEnded(job)) continue;
      const state = job === undefined ? 'is gone' : 'has ended';
      yield { object: `Pod ${keyOf(pod)}`, text: `keeps the finalizer of job ${owner?.name ?? ''}, which ${state}` };
    }
  },
};

/**
 * What another than the controller has written of a cron job may have come while a sync of it was under way, which
 * waits for its client's rate limit before each request.
 */
const SYNC_MS = 30 * SECOND_MS;
const SCHEDULED_TIMESTAMP = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/**
 * Judged by the list of active jobs as it is stored, where the controller's cache shows that state: what a lost write
 * has kept off the list is no fault.
 */
const startsKeepPolicy: Invariant = {
  name: 'cron-policy-kept',
  promise:
    'a cron job starts one job a time, under Forbid none beside another, and under Replace none before the others went',
  onWrite: {
    Job: ({ type, object, by }, world) => {
      const cronJob = type === 'ADDED' && isOfManager(by) ? cronJobOf(object, by, world) : undefined;
      if (cronJob === undefined) return undefined;
      const text = overlap(object, cronJob, world);
      return text === undefined ? undefined : { object: `CronJob ${keyOf(cronJob)}`, text };
    },
  },
};

/** Every invariant of jobs. */
export const JOB_INVARIANTS: readonly Invariant[] = [countedOnce, podsLetGo, startsKeepPolicy];

function hasEnded({ status }: Job): boolean {
  return ['Complete', 'Failed'].some((type) => getCondition(status.conditions, type)?.status === 'True');
}

/** The cron job that has started a job; `undefined` where its controller sees it otherwise than it is. */
function cronJobOf(job: Job, by: string, world: World): CronJob | undefined {
  const owner = controllerOf(job);
  if (owner?.kind !== 'CronJob') return undefined;
  const cronJob = world.find('CronJob', { namespace: job.metadata.namespace, name: owner.name });
  if (cronJob?.metadata.uid !== owner.uid) return undefined;
  const written = world.written(owner.uid);
  if (written !== undefined && written.by !== by && world.nowMs - written.atMs < SYNC_MS) return undefined;
  const shown = world
    .caches(by)
    .find(({ kind }) => kind === 'CronJob')
    ?.objects.get(cronJob.metadata);
  return shown?.metadata.resourceVersion === cronJob.metadata.resourceVersion ? cronJob : undefined;
}

function overlap(job: Job, { spec, status }: CronJob, world: World): string | undefined {
  const { name, annotations } = job.metadata;
  const time = annotations?.[SCHEDULED_TIMESTAMP];
  for (const { namespace, name: activeName = '', uid } of status.active ?? []) {
    const other = world.find('Job', { namespace, name: activeName });
    if (other === undefined || other.metadata.uid !== uid || other.metadata.uid === job.metadata.uid) continue;
    if (time !== undefined && other.metadata.annotations?.[SCHEDULED_TIMESTAMP] === time) {
      return `starts ${name} for ${time}, which ${activeName} was started for`;
    }
    if (spec.concurrencyPolicy === 'Forbid' && !hasEnded(other)) return `starts ${name} while ${activeName} runs`;
    const isToGo = spec.concurrencyPolicy === 'Replace' && other.metadata.deletionTimestamp === undefined;
    if (isToGo && !hasEnded(other)) return `starts ${name}, and ${activeName} was not taken away`;
  }
  return undefined;
}

function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) === true;
}

/** A count that is judged: its writer, and the world that it is judged in. */
interface Counting {
  readonly world: World;
  readonly by: string;
}

/**
 * Whether a controller can know that a pod was let go: it has done so itself in this run, or its cache shows it. A
 * cache may be older than what a run before it has seen: to go by it is no fault (uidTrackingExpectations of
 * upstream's v1.34 end with their process).
 */
function knowsRelease({ pod, freed }: KnownPod, { world, by }: Counting): boolean {
  const sinceMs = world.workingSinceMs('job-controller');
  if (freed?.by === by && sinceMs !== undefined && freed.atMs >= sinceMs) return true;
  const cache = world.caches(by).find(({ kind }) => kind === 'Pod');
  const shown = cache?.objects.get(pod.metadata) as Pod | undefined;
  return shown?.metadata.uid === pod.metadata.uid && !isTracked(shown);
}

function miscount(
  previous: Job,
  { spec, status }: Job,
  outcome: (typeof OUTCOMES)[number],
  { world, by }: Counting,
): string | undefined {
  if (outcome === 'succeeded' && spec.completionMode === 'Indexed') return undefined;
  const waiting = new Set(status.uncountedTerminatedPods?.[outcome]);
  const counted = (previous.status.uncountedTerminatedPods?.[outcome] ?? []).filter((uid) => !waiting.has(uid));
  const known = new Set(previous.status.uncountedTerminatedPods?.[outcome]);
  for (const uid of waiting) {
    const held = known.has(uid) ? undefined : world.pod(uid);
    if (held !== undefined && !isTracked(held.pod) && knowsRelease(held, { world, by })) {
      const { pod } = held;
      return `is to count pod ${pod.metadata.name} as ${outcome}, which it has let go of already`;
    }
  }
  const rise = (status[outcome] ?? 0) - (previous.status[outcome] ?? 0);
  if (rise !== counted.length)
    return `counts ${rise} more that have ${outcome}, and ${counted.length} have waited for it`;
  for (const uid of counted) {
    const pod = world.pod(uid)?.pod;
    if (pod !== undefined && isTracked(pod)) {
      return `counts pod ${pod.metadata.name} as ${outcome} before it has lost its finalizer`;
    }
  }
  return undefined;
}
