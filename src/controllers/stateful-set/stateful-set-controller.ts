/**
 * The stateful set controller: pods with names, ordinals and storage of their own, at most one of each at
 * any time, made, updated and removed in order. It never looks inside containers, never schedules, and
 * deletes pods gracefully only. Mirrors kube-controller-manager v1.34 pkg/controller/statefulset.
 *
 * One deliberate difference: a set that waits for the end of a claim is brought back by it; upstream leaves
 * that to whatever happens to the set next.
 */
import type { ControllerRevision, Pod, StatefulSet } from '../../api/objects/objects.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import { adoptAndRelease } from '../shared/adoption.js';
import { sortedRevisions } from '../history/controller-revisions.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { ordinalOf, selectorOf, type Seat } from './identity.js';
import { Availability } from './pod-health.js';
import { PodWriter } from './pod-writer.js';
import { SetPass } from './set-pass.js';
import { resolveRevisions, trimHistory, type SetRevisions } from './set-revisions.js';
import { statusOf, writeStatus } from './set-status.js';
import { StatefulSetMemory } from './stateful-set-memory.js';
import { SECOND_MS } from '../../kernel/time-units.js';

/** See the file header. */
export const statefulSetController = defineController({
  name: 'statefulset-controller',
  setup: (context) => new StatefulSetMemory(context),
  reconcile(context, key, memory) {
    const set = memory.sets.getByKey(key);
    if (set === undefined) return context.queue.drop(key);
    memory.begin(key, set);
    return syncSet(context, memory, key, set).finally(() => memory.end(key, set));
  },
});

async function syncSet(
  context: ControllerContext,
  memory: StatefulSetMemory,
  key: string,
  set: StatefulSet,
): Promise<void> {
  const history = await historyOf(context, memory, set);
  const seats = await seatsOf(context, memory, set);
  let revisions: SetRevisions | undefined;
  try {
    revisions = await resolveRevisions(context.api, set, history);
    await bringInOrder(context, memory, key, set, seats, revisions);
  } finally {
    await trimHistory(context.api, set, seats, history, revisions);
  }
}

/** The pass over the pods, and the status that comes of it, which is written even if the pass failed. */
async function bringInOrder(
  context: ControllerContext,
  memory: StatefulSetMemory,
  key: string,
  set: StatefulSet,
  seats: readonly Seat[],
  revisions: SetRevisions,
): Promise<void> {
  const availability = new Availability(set, context.kernel);
  const writer = new PodWriter(context, set, memory.claims);
  const onStaleClaim = (claimKey: string): void => memory.waitForClaim(claimKey, key);
  const { mapOrder } = context;
  const means = { set, revisions, availability, writer, onStaleClaim, mapOrder };
  const { counts, failure } = await new SetPass(means, seats).run();
  try {
    await writeStatus(context.api, set, statusOf(set, revisions, counts));
  } catch (error) {
    throw failure ?? error;
  }
  if (failure !== undefined) throw failure;
  // As upstream (syncStatefulSet): the next look comes that long after this one, not when a pod becomes available.
  const { minReadySeconds = 0, replicas = 1 } = set.spec;
  if (minReadySeconds > 0 && counts.available !== replicas) context.queue.addAfter(key, minReadySeconds * SECOND_MS);
}

/** A set's revisions in order, those without an owner adopted. */
async function historyOf(
  { api }: ControllerContext,
  memory: StatefulSetMemory,
  set: StatefulSet,
): Promise<ControllerRevision[]> {
  const selector = selectorOf(set);
  const isSelected = ({ metadata }: ControllerRevision): boolean => selector.matches(metadata.labels);
  const owned = memory.revisionsOf(set).filter(isSelected);
  const orphans = [...memory.orphanRevisionsOf(set)].filter(isSelected);
  if (orphans.length === 0) return sortedRevisions(owned);
  const { namespace, name, deletionTimestamp } = set.metadata;
  if (deletionTimestamp !== undefined) {
    throw new RetryError(`${namespace}/${name} has just been deleted at ${deletionTimestamp}`);
  }
  const adoption = { api, owner: set, ownerKind: 'StatefulSet', kind: 'ControllerRevision', selector } as const;
  return sortedRevisions([...owned, ...(await adoptAndRelease(adoption, orphans))]);
}

/** Pods that are the set's by owner, selector and name, after adoption of orphans and release of strangers. */
async function seatsOf({ api }: ControllerContext, memory: StatefulSetMemory, set: StatefulSet): Promise<Seat[]> {
  const selector = selectorOf(set);
  const owned = memory.podsOf(set);
  const orphans = [...memory.orphansOf(set)].filter(({ metadata }) => selector.matches(metadata.labels));
  const candidates = seated(set, [...owned, ...orphans]);
  const isOurs =
    candidates.length === owned.length && candidates.every(({ pod }) => selector.matches(pod.metadata.labels));
  if (isOurs && orphans.length === 0) return candidates;
  const adoption = { api, owner: set, ownerKind: 'StatefulSet', kind: 'Pod', selector } as const;
  const strangers = owned.filter(({ metadata }) => ordinalOf(set, metadata.name) === undefined);
  if (strangers.length > 0)
    await adoptAndRelease({ ...adoption, selector: compileLabelSelector(undefined) }, strangers);
  const pods = await adoptAndRelease(
    adoption,
    candidates.map(({ pod }) => pod),
  );
  return seated(set, pods);
}

/** Those of the pods that have names of the set. */
function seated(set: StatefulSet, pods: readonly Pod[]): Seat[] {
  const seats: Seat[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod.metadata.name);
    if (ordinal !== undefined) seats.push({ ordinal, pod });
  }
  return seats;
}
