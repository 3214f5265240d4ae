/**
 * The garbage collector: deletes what has lost its owners, holds owners back until their dependents are
 * gone (foreground) or let go (orphan). It costs a lookup per new object and works only when an owner
 * goes. Mirrors kube-controller-manager v1.34 pkg/controller/garbagecollector; unlike it, it reads
 * dependents and live owners from its caches, and reads from the API only to confirm an absence.
 */
import { definitionOf, isCondition, type DefinitionSpec } from '../../api/custom/definition.js';
import {
  keyOf,
  nameKey,
  type AnyObject,
  type Kind,
  type KindMap,
  type OwnerReference,
} from '../../api/objects/objects.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import {
  collectedKinds,
  isDeletingDependents,
  isOrphaningDependents,
  OwnerGraph,
  type Item,
  type OwnerState,
} from './owner-graph.js';
import { classify, tellInvalidNamespace } from './owner-states.js';
import { changeOwners, dropFinalizer, latestOf, policyOf, remove, stripOwners } from './owner-writes.js';

const NO_OWNERS: readonly OwnerReference[] = [];
/** Of owners that are there. */
const SEEN_STATES: readonly OwnerState[] = ['solid', 'waiting'];

/** See the file header. */
export const garbageCollector = defineController({
  name: 'garbage-collector-controller',
  concurrentSyncs: 20,
  // Each deletion takes two requests (v1.34 cmd/kube-controller-manager/app/core.go).
  clientLimit: ({ kubeAPIQPS, kubeAPIBurst }) => ({ qps: kubeAPIQPS * 2, burst: kubeAPIBurst }),
  setup(context) {
    const graph = new OwnerGraph(context);
    for (const kind of collectedKinds(context)) follow(context, graph, kind);
    followDefinitions(context, graph);
    return graph;
  },
  reconcile(context, key, graph) {
    const [kind = '', objectKey = ''] = key.split(' ');
    const item = graph.find(kind, objectKey);
    if (item === undefined) return context.queue.drop(key);
    return collect(context, graph, item);
  },
});

function workKey(kind: string, objectKey: string): string {
  return `${kind} ${objectKey}`;
}

/** Objects of custom kinds own and are owned as soon as their kind is established; upstream looks every 30 s. */
function followDefinitions(context: ControllerContext, graph: OwnerGraph): void {
  const begin = (stored: KindMap['CustomResourceDefinition']): void => {
    const { spec, status } = definitionOf(stored);
    if (!isCondition(status, 'Established')) return;
    const kind = customKindName(spec);
    if (graph.follow({ kind, isNamespaced: spec.scope === 'Namespaced' })) follow(context, graph, kind);
  };
  context.watch('CustomResourceDefinition', {
    onAdd: begin,
    onUpdate: (_previous, stored) => begin(stored),
    onDelete: (stored) => graph.forget(customKindName(definitionOf(stored).spec)),
  });
}

function customKindName({ names, group }: DefinitionSpec): Kind {
  return `${names.kind}.${group}` as Kind;
}

function follow(context: ControllerContext, graph: OwnerGraph, kind: Kind): void {
  const { queue } = context;
  context.watch(kind, {
    onAdd: (object) => {
      if (needsWork(graph, object)) queue.add(workKey(kind, keyOf(object)));
    },
    onUpdate: (previous, object) => {
      const isChanged =
        previous.metadata.ownerReferences !== object.metadata.ownerReferences ||
        previous.metadata.deletionTimestamp !== object.metadata.deletionTimestamp ||
        previous.metadata.finalizers !== object.metadata.finalizers;
      if (isChanged && needsWork(graph, object)) queue.add(workKey(kind, keyOf(object)));
      for (const owner of unblockedOwners(previous, object)) wakeWaiting(context, graph, previous, owner);
    },
    onDelete: (object) => ownerGone(context, graph, object),
  });
}

/**
 * An object that waits for its dependents, or has an owner that is not known to be there. One whose owner waits for its
 * dependents is looked at when that one is, which is when the last of them went: what comes later stays until then
 * (processGraphChanges, v1.34).
 */
function needsWork(graph: OwnerGraph, { metadata }: AnyObject): boolean {
  if (isDeletingDependents(metadata) || isOrphaningDependents(metadata)) return true;
  const { ownerReferences } = metadata;
  if (ownerReferences === undefined) return false;
  return ownerReferences.some((owner) => !SEEN_STATES.includes(graph.stateOf(metadata, owner)));
}

/** Its dependents have lost an owner; its own owners may be waiting for it to be gone. */
function ownerGone(context: ControllerContext, graph: OwnerGraph, object: AnyObject): void {
  const { metadata } = object;
  let isOwner = false;
  for (const { kind, object: dependent } of graph.dependentsOf(metadata.uid)) {
    if (!isOwner) graph.noteAbsent(metadata.uid);
    isOwner = true;
    context.queue.add(workKey(kind, keyOf(dependent)));
  }
  for (const owner of metadata.ownerReferences ?? []) wakeWaiting(context, graph, object, owner);
}

/** An owner that waits for its dependents has one less to wait for. */
function wakeWaiting(
  { queue }: ControllerContext,
  graph: OwnerGraph,
  { metadata }: AnyObject,
  owner: OwnerReference,
): void {
  if (graph.stateOf(metadata, owner) !== 'waiting') return;
  const place = graph.placeOf(metadata, owner);
  if (place !== undefined) queue.add(workKey(place.kind, nameKey(place.name.namespace, place.name.name)));
}

/** Owners that an object held back until this change, and no longer does. */
function unblockedOwners({ metadata: before }: AnyObject, { metadata }: AnyObject): readonly OwnerReference[] {
  const { ownerReferences = [] } = before;
  if (ownerReferences === metadata.ownerReferences) return NO_OWNERS;
  const isHeldBy = (uid: string): boolean =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true) === true;
  return ownerReferences.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion === true && !isHeldBy(uid));
}

async function collect(context: ControllerContext, graph: OwnerGraph, item: Item): Promise<void> {
  const seen = item.object.metadata;
  if (isOrphaningDependents(seen)) return orphanDependents(context, graph, item);
  const isWaiting = isDeletingDependents(seen);
  if (seen.deletionTimestamp !== undefined && !isWaiting) return;
  const object = await latestOf(context, item);
  if (object === undefined) return;
  if (isWaiting) return awaitDependents(context, graph, item);
  const { metadata } = object;
  const { ownerReferences = [] } = metadata;
  const outOfReach = ownerReferences.filter((owner) => graph.isOutOfReach(metadata, owner));
  // Nothing can be concluded from an owner that no object of the cluster's own scope can have.
  for (const owner of outOfReach) if (graph.isElsewhere(metadata, owner)) tellInvalidNamespace(context, object, owner);
  if (outOfReach.length > 0) return;
  const owners = await classify(context, graph, object, ownerReferences);
  const keep = owners.filter(({ state }) => state === 'solid').map(({ owner }) => owner);
  if (keep.length === owners.length) return;
  if (keep.length > 0) return stripOwners(context, item, (owner) => keep.some(({ uid }) => uid === owner.uid));
  const isAwaited = owners.some(({ state }) => state === 'waiting') && graph.hasDependents(metadata.uid);
  if (isAwaited) await breakCycle(context, graph, item);
  await remove(context, { kind: item.kind, object }, isAwaited ? 'Foreground' : policyOf(metadata));
}

/** What is left of a deletion once every dependent that blocks it is gone. */
async function awaitDependents(context: ControllerContext, graph: OwnerGraph, { kind, object }: Item): Promise<void> {
  const { uid } = object.metadata;
  let isBlocked = false;
  for (const dependent of graph.dependentsOf(uid)) {
    const { metadata } = dependent.object;
    const isBlocking =
      metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true) === true;
    if (isBlocking) isBlocked = true;
    if (!isDeletingDependents(metadata) && metadata.deletionTimestamp === undefined) {
      context.queue.add(workKey(dependent.kind, keyOf(dependent.object)));
    }
  }
  if (!isBlocked) await dropFinalizer(context, kind, object.metadata, 'foregroundDeletion');
}

/** Dependents lose the reference, then the owner may go. */
async function orphanDependents(context: ControllerContext, graph: OwnerGraph, { kind, object }: Item): Promise<void> {
  const { uid } = object.metadata;
  const dependents = [...graph.dependentsOf(uid)];
  await Promise.all(dependents.map((dependent) => stripOwners(context, dependent, (owner) => owner.uid !== uid)));
  await dropFinalizer(context, kind, object.metadata, 'orphan');
}

/** Two objects that wait for each other would wait for ever: the dependent gives up blocking. */
async function breakCycle(context: ControllerContext, graph: OwnerGraph, item: Item): Promise<void> {
  const { uid } = item.object.metadata;
  for (const { object } of graph.dependentsOf(uid)) {
    if (!isDeletingDependents(object.metadata)) continue;
    await changeOwners(context, item, (owners) => owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })));
    return;
  }
}
