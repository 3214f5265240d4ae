/**
 * Brings what the informers tell to the cache and the queue. A pod is pending, on a node, or not for
 * the scheduler: finished pods count as gone. Mirrors kube-scheduler v1.34
 * `eventhandlers.go`.
 */
import type { Kind, KindMap, Node, Pod } from '../api/objects/objects.js';
import type { InformerHandler } from '../bus/bus-types.js';
import type { SchedulerCache } from './cache/scheduler-cache.js';
import { ActionType, clusterEvent, Events, type EventResource } from './framework/cluster-event.js';
import type { WaitingPods } from './framework/waiting-pods.js';
import { podPriority } from './framework/pod-info.js';
import { nodeUpdateEvents } from './node-update-events.js';
import { podUpdateEvents } from './queue/pod-update-events.js';
import type { SchedulingQueue } from './queue/queue-types.js';

/** What the handlers pass events to. */
export interface HandlerTargets {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  /** The waiting pods of the profile that a scheduler name belongs to; absent = a pod of another scheduler. */
  waitingPodsOf(schedulerName: string): WaitingPods | undefined;
}

/** Where a pod stands for the scheduler. */
type Place = 'nowhere' | 'pending' | 'assigned';

const DEFAULT_SCHEDULER = 'default-scheduler';

/** The handler of pods. */
export function createPodHandler(targets: HandlerTargets): InformerHandler<'Pod'> {
  const { cache, queue } = targets;
  const placeOf = (pod: Pod): Place => {
    const { phase } = pod.status;
    if (phase === 'Succeeded' || phase === 'Failed') return 'nowhere';
    if ((pod.spec.nodeName ?? '') !== '') return 'assigned';
    return targets.waitingPodsOf(pod.spec.schedulerName ?? DEFAULT_SCHEDULER) === undefined ? 'nowhere' : 'pending';
  };
  const enter = (place: Place, pod: Pod): void => {
    if (place === 'assigned') {
      cache.addPod(pod);
      queue.assignedPodAdded(pod);
    } else if (place === 'pending') queue.add(pod);
  };
  const leave = (place: Place, pod: Pod, isBound: boolean): void => {
    if (place === 'assigned') {
      cache.removePod(pod);
      queue.moveAllToActiveOrBackoffQueue(Events.assignedPodDelete, pod, undefined);
    } else if (place === 'pending') leaveQueue(targets, pod, isBound);
  };
  const stay = (place: Place, previous: Pod, pod: Pod): void => {
    if (place === 'assigned') updateAssigned(targets, previous, pod);
    else if (place === 'pending') updatePending(targets, previous, pod);
  };
  return {
    onAdd: (pod) => enter(placeOf(pod), pod),
    onUpdate(previous, pod) {
      if (previous.metadata.uid !== pod.metadata.uid) {
        leave(placeOf(previous), previous, false);
        enter(placeOf(pod), pod);
        return;
      }
      const from = placeOf(previous);
      const to = placeOf(pod);
      if (from === to) {
        stay(to, previous, pod);
        return;
      }
      // The cache hears first, as upstream's handlers are registered in that order.
      if (to === 'assigned') enter(to, pod);
      leave(from, previous, to === 'assigned');
      if (to !== 'assigned') enter(to, pod);
    },
    onDelete(pod, final) {
      const place = placeOf(pod);
      const known = cache.podByUid(pod.metadata.uid);
      // A pod may have been bound and be gone before the watch told that it was bound. A list does not say how it ended:
      // then it is cleared away wherever it may be, as upstream does it.
      const isOnNode = final === undefined ? known !== undefined : (final.spec.nodeName ?? '') !== '';
      if (place !== 'pending' || !isOnNode) return leave(place, pod, false);
      if (final === undefined) leaveQueue(targets, pod, true);
      leave('assigned', final ?? known ?? pod, false);
    },
  };
}

function updateAssigned({ cache, queue }: HandlerTargets, previous: Pod, pod: Pod): void {
  cache.updatePod(pod);
  for (const event of podUpdateEvents(previous, pod)) queue.assignedPodUpdated(previous, pod, event);
}

function updatePending({ cache, queue }: HandlerTargets, previous: Pod, pod: Pod): void {
  if (previous.metadata.resourceVersion === pod.metadata.resourceVersion || cache.isAssumedPod(pod)) return;
  queue.update(previous, pod);
  const nominated = previous.status.nominatedNodeName ?? '';
  if (nominated !== '' && nominated !== (pod.status.nominatedNodeName ?? '')) announceToLower(queue, previous);
}

/** A pod that leaves without being bound frees what it had reserved or was nominated to. */
function leaveQueue(targets: HandlerTargets, pod: Pod, isBound: boolean): void {
  const { queue } = targets;
  queue.delete(pod);
  if (isBound) return;
  const waitingPods = targets.waitingPodsOf(pod.spec.schedulerName ?? DEFAULT_SCHEDULER);
  if (waitingPods?.reject(pod.metadata.uid, 'removed') === true) {
    queue.moveAllToActiveOrBackoffQueue(Events.assignedPodDelete, pod, undefined);
  } else if ((pod.status.nominatedNodeName ?? '') !== '') announceToLower(queue, pod);
}

/** Pods of at most this priority had to treat the nominated pod as if it were on its node. */
function announceToLower(queue: SchedulingQueue, pod: Pod): void {
  const priority = podPriority(pod);
  queue.moveAllToActiveOrBackoffQueue(
    Events.assignedPodDelete,
    pod,
    undefined,
    (other) => podPriority(other) <= priority,
  );
}

/** The handler of nodes. */
export function createNodeHandler({ cache, queue }: HandlerTargets): InformerHandler<'Node'> {
  return {
    onAdd(node: Node) {
      cache.setNode(node);
      queue.moveAllToActiveOrBackoffQueue(Events.nodeAdd, undefined, node);
    },
    onUpdate(previous: Node, node: Node) {
      cache.setNode(node);
      for (const event of nodeUpdateEvents(previous, node)) queue.moveAllToActiveOrBackoffQueue(event, previous, node);
    },
    onDelete(node: Node) {
      cache.removeNode(node.metadata.name);
      queue.moveAllToActiveOrBackoffQueue(Events.nodeDelete, node, undefined);
    },
  };
}

/** The handler of a kind that only plugins look at: pods that they rejected may be tried again. */
export function createStorageHandler<K extends Kind & EventResource>(
  kind: K,
  { queue }: HandlerTargets,
): InformerHandler<K> {
  const added = clusterEvent(kind, ActionType.Add, `${kind}Add`);
  const updated = clusterEvent(kind, ActionType.Update, `${kind}Update`);
  const deleted = clusterEvent(kind, ActionType.Delete, `${kind}Delete`);
  return {
    onAdd: (object: KindMap[K]) => queue.moveAllToActiveOrBackoffQueue(added, undefined, object),
    onUpdate: (previous, object) => queue.moveAllToActiveOrBackoffQueue(updated, previous, object),
    onDelete: (object) => queue.moveAllToActiveOrBackoffQueue(deleted, object, undefined),
  };
}
