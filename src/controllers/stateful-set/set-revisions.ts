import type { ControllerRevision, StatefulSet } from '../../api/objects/objects.js';
import type { PromisedClient } from '../../bus/bus-types.js';
import { isSameRevision, nextRevisionNumber, templateData } from '../history/controller-revisions.js';
import { createRevision, deleteRevision, renumberRevision } from '../history/revision-writes.js';
import { revisionOf, type Seat } from './identity.js';

/** The two revisions that a sync works with; the same one outside of updates. */
export interface SetRevisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  /** Names that were found taken, ever. */
  readonly collisionCount: number;
}

/**
 * The revision of the set's present template, written down if it is new and moved to the end if an older
 * one is the same, and the one that the status calls current.
 *
 * @param history - the set's revisions, in order
 */
export async function resolveRevisions(
  api: PromisedClient,
  set: StatefulSet,
  history: readonly ControllerRevision[],
): Promise<SetRevisions> {
  const { update, collisionCount } = await updateRevision(api, set, history);
  const current = history.find(({ metadata }) => metadata.name === set.status.currentRevision);
  return { current: current ?? update, update, collisionCount };
}

async function updateRevision(
  api: PromisedClient,
  set: StatefulSet,
  history: readonly ControllerRevision[],
): Promise<{ readonly update: ControllerRevision; readonly collisionCount: number }> {
  const { metadata, spec, status } = set;
  const { collisionCount = 0 } = status;
  const data = templateData(spec.template);
  const newest = history.at(-1);
  const equal = history.findLast((revision) => isSameRevision(revision, { data }));
  if (newest !== undefined && equal !== undefined) {
    const isNewest = equal === newest || isSameRevision(equal, newest);
    const update = isNewest ? newest : await renumberRevision(api, equal, nextRevisionNumber(history));
    return { update, collisionCount };
  }
  const written = await createRevision(
    api,
    {
      owner: set,
      data,
      revision: nextRevisionNumber(history),
      labels: spec.template.metadata?.labels,
      annotations: metadata.annotations,
    },
    collisionCount,
  );
  return { update: written.revision, collisionCount: written.collisionCount };
}

/** Deletes unused revisions beyond the set's limit, the oldest first. */
export async function trimHistory(
  api: PromisedClient,
  set: StatefulSet,
  seats: readonly Seat[],
  history: readonly ControllerRevision[],
  revisions: SetRevisions | undefined,
): Promise<void> {
  const limit = set.spec.revisionHistoryLimit ?? 10;
  if (limit < 0 || history.length <= limit) return;
  const live = new Set(seats.map(({ pod }) => revisionOf(pod)));
  if (revisions !== undefined) {
    live.add(revisions.current.metadata.name);
    live.add(revisions.update.metadata.name);
  }
  const idle = history.filter(({ metadata }) => !live.has(metadata.name));
  for (const revision of idle.slice(0, Math.max(0, idle.length - limit))) await deleteRevision(api, revision);
}
