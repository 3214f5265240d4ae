/** What the job controller promises of its counts. */
import { keyOf, type Job } from '../../api/objects.js';
import type { Invariant, World } from './invariant.js';

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
        const text = miscount(previous, object, outcome, world);
        if (text !== undefined) return { object: `Job ${keyOf(object)}`, text };
      }
      return undefined;
    },
  },
};

/** Every invariant of jobs' counts. */
export const JOB_INVARIANTS: readonly Invariant[] = [countedOnce];

function miscount(
  previous: Job,
  { spec, status }: Job,
  outcome: (typeof OUTCOMES)[number],
  world: World,
): string | undefined {
  if (outcome === 'succeeded' && spec.completionMode === 'Indexed') return undefined;
  const waiting = new Set(status.uncountedTerminatedPods?.[outcome]);
  const counted = (previous.status.uncountedTerminatedPods?.[outcome] ?? []).filter((uid) => !waiting.has(uid));
  const rise = (status[outcome] ?? 0) - (previous.status[outcome] ?? 0);
  if (rise !== counted.length)
    return `counts ${rise} more that have ${outcome}, and ${counted.length} have waited for it`;
  for (const uid of counted) {
    const pod = world.pod(uid)?.pod;
    if (pod?.metadata.finalizers?.includes(TRACKING_FINALIZER) === true) {
      return `counts pod ${pod.metadata.name} as ${outcome} before it has lost its finalizer`;
    }
  }
  return undefined;
}
