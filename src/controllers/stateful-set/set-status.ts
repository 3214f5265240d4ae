import type { StatefulSet } from '../../api/objects/objects.js';
import type { PromisedClient } from '../../bus/bus-types.js';
import { replicasOf, revisionOf, type Seat } from './identity.js';
import { isRunningAndReady, isTerminating, type Availability } from './pod-health.js';
import type { SetRevisions } from './set-revisions.js';

type Status = StatefulSet['status'];

/** The numbers of a status. */
export interface SetCounts {
  replicas: number;
  ready: number;
  available: number;
  current: number;
  updated: number;
}

/** Counts pods that exist; those on their way out belong to no revision any more. */
export function countsOf(seats: readonly Seat[], revisions: SetRevisions, availability: Availability): SetCounts {
  const counts: SetCounts = { replicas: 0, ready: 0, available: 0, current: 0, updated: 0 };
  const [current, update] = [revisions.current.metadata.name, revisions.update.metadata.name];
  for (const { pod } of seats) {
    counts.replicas += 1;
    if (isRunningAndReady(pod)) {
      counts.ready += 1;
      if (availability.isAvailable(pod)) counts.available += 1;
    }
    if (isTerminating(pod)) continue;
    const revision = revisionOf(pod);
    if (revision === current) counts.current += 1;
    if (revision === update) counts.updated += 1;
  }
  return counts;
}

/** The status that a set should have; a rolling update that has reached every pod ends in it. */
export function statusOf(set: StatefulSet, revisions: SetRevisions, counts: SetCounts): Status {
  const { generation } = set.metadata;
  const isDone = isRolledOut(set, counts);
  const current = isDone ? counts.updated : counts.current;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    replicas: counts.replicas,
    ...(counts.ready === 0 ? {} : { readyReplicas: counts.ready }),
    ...(current === 0 ? {} : { currentReplicas: current }),
    ...(counts.updated === 0 ? {} : { updatedReplicas: counts.updated }),
    currentRevision: (isDone ? revisions.update : revisions.current).metadata.name,
    updateRevision: revisions.update.metadata.name,
    collisionCount: revisions.collisionCount,
    availableReplicas: counts.available,
  };
}

function isRolledOut(set: StatefulSet, { updated, ready, replicas }: SetCounts): boolean {
  const wanted = replicasOf(set);
  return (
    set.spec.updateStrategy?.type === 'RollingUpdate' && updated === wanted && ready === wanted && replicas === wanted
  );
}

/**
 * Writes a status that says something new.
 *
 * @throws the API's refusal; a conflict is settled by the next sync
 */
export async function writeStatus(api: PromisedClient, set: StatefulSet, status: Status): Promise<void> {
  if (!isNews(set.status, status)) return;
  const { uid, resourceVersion } = set.metadata;
  await api.change('StatefulSet', set.metadata, (current) => ({ ...current, status }), {
    subresource: 'status',
    preconditions: { uid, resourceVersion },
  });
}

function isNews(before: Status, after: Status): boolean {
  return (
    (after.observedGeneration ?? 0) > (before.observedGeneration ?? 0) ||
    after.replicas !== before.replicas ||
    (after.currentReplicas ?? 0) !== (before.currentReplicas ?? 0) ||
    (after.readyReplicas ?? 0) !== (before.readyReplicas ?? 0) ||
    (after.updatedReplicas ?? 0) !== (before.updatedReplicas ?? 0) ||
    after.currentRevision !== before.currentRevision ||
    (after.availableReplicas ?? 0) !== (before.availableReplicas ?? 0) ||
    after.updateRevision !== before.updateRevision
  );
}
