import type { DaemonSet, Pod } from '../../api/objects/objects.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import { isPodReady } from '../../api/objects/conditions.js';
import { updateTest } from './daemon-pod.js';
import type { DaemonSetSync } from './daemon-set-sync.js';
import { oldestFirst } from './manage-daemons.js';

type Status = DaemonSet['status'];
/** A second by which looks are late on purpose, and one that the times of conditions are cut by. */
const MADE_UP_MS = 2000;

type Counts = Omit<Status, 'observedGeneration' | 'collisionCount' | 'conditions'>;

/** The counts, and when to look again at what changes by the passing of time alone. */
interface Findings {
  readonly counts: Counts;
  readonly nextInMs: number | undefined;
}

/**
 * Writes what the cache shows now; a refusal is answered by one more attempt on the fresh object.
 *
 * @param observes - `generation`: the set was acted on as it is specified now
 * @throws the refusal of the second attempt
 */
export async function reportStatus(
  sync: DaemonSetSync,
  hash: string,
  observes: 'generation' | 'counts',
): Promise<void> {
  const { context, key, set } = sync;
  const { counts, nextInMs } = count(sync, hash);
  const { generation = 0 } = set.metadata;
  if (!isSameJson(countsOf(set.status), counts) || (set.status.observedGeneration ?? 0) < generation) {
    const update = (current: DaemonSet): DaemonSet => ({
      ...current,
      status: statusWith(current, counts, observes === 'generation' ? generation : undefined),
    });
    await write(sync, update);
  }
  if (nextInMs !== undefined) context.queue.addAfter(key, sync.nowMs + nextInMs - context.kernel.clock.now());
}

async function write(
  { context: { api }, set }: DaemonSetSync,
  update: (current: DaemonSet) => DaemonSet,
): Promise<void> {
  const put = async ({ metadata }: DaemonSet): Promise<void> => {
    const { uid, resourceVersion } = metadata;
    await api.change('DaemonSet', metadata, update, { subresource: 'status', preconditions: { uid, resourceVersion } });
  };
  try {
    await put(set);
  } catch {
    await put(await api.get('DaemonSet', set.metadata));
  }
}

/** A node counts by its oldest pod. */
function count(sync: DaemonSetSync, hash: string): Findings {
  const isUpdated = updateTest(sync.set, hash);
  let [desired, current, misscheduled, ready, updated, available] = [0, 0, 0, 0, 0, 0];
  let nextInMs: number | undefined;
  for (const { fit, pods } of sync.nodes) {
    if (fit === undefined) continue;
    if (!fit.shouldRun) {
      if (pods.length > 0) misscheduled += 1;
      continue;
    }
    desired += 1;
    const pod = pods.length < 2 ? pods[0] : oldestFirst(pods)[0];
    if (pod === undefined) continue;
    current += 1;
    if (isPodReady(pod)) ready += 1;
    if (sync.isAvailable(pod)) available += 1;
    if (isUpdated(pod)) updated += 1;
    if (pods.length > 1) for (const other of pods) nextInMs = earlier(nextInMs, unseenInMs(sync, other));
  }
  // As upstream (updateDaemonSetStatus): that long after this look, not when a pod becomes available.
  const { minReadySeconds = 0 } = sync.set.spec;
  if (minReadySeconds > 0 && ready !== available) nextInMs = earlier(nextInMs, minReadySeconds * 1000);
  const counts = {
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: desired - available,
  };
  return { counts, nextInMs };
}

function earlier(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}

/**
 * When to look again for a pod that its node is not counted by. The queue keeps only the earliest of the looks that
 * pods have asked for as they became ready: this one makes up for one that was dropped, and comes after it otherwise.
 */
function unseenInMs(sync: DaemonSetSync, pod: Pod): number | undefined {
  const inMs = sync.availableInMs(pod);
  return inMs === undefined || inMs === 0 ? undefined : inMs + MADE_UP_MS;
}

function countsOf(status: Status): Counts {
  const { currentNumberScheduled, numberMisscheduled, desiredNumberScheduled, numberReady } = status;
  const { updatedNumberScheduled = 0, numberAvailable = 0, numberUnavailable = 0 } = status;
  return {
    currentNumberScheduled,
    numberMisscheduled,
    desiredNumberScheduled,
    numberReady,
    updatedNumberScheduled,
    numberAvailable,
    numberUnavailable,
  };
}

/** The last three counts are left out when they are zero. */
function statusWith({ status }: DaemonSet, counts: Counts, generation: number | undefined): Status {
  const { updatedNumberScheduled: _u, numberAvailable: _a, numberUnavailable: _n, ...rest } = status;
  const { updatedNumberScheduled = 0, numberAvailable = 0, numberUnavailable = 0, ...always } = counts;
  return {
    ...rest,
    ...always,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(updatedNumberScheduled === 0 ? {} : { updatedNumberScheduled }),
    ...(numberAvailable === 0 ? {} : { numberAvailable }),
    ...(numberUnavailable === 0 ? {} : { numberUnavailable }),
  };
}
