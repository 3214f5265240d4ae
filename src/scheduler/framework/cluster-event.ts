/**
 * What may have made a pod schedulable, as the queue and the plugins name it: a resource and a bit
 * mask of what happened to it. Mirrors kube-scheduler v1.34 `framework.ClusterEvent`.
 */
import type { AnyObject, Pod } from '../../api/objects/objects.js';

/** What an event is about; `AssignedPod` and `UnscheduledPod` are the two halves of `Pod`, `*` is everything. */
export type EventResource =
  | 'Pod'
  | 'AssignedPod'
  | 'UnscheduledPod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'StorageClass'
  | 'CSINode'
  | 'CSIDriver'
  | 'CSIStorageCapacity'
  | 'VolumeAttachment'
  | 'ResourceClaim'
  | 'ResourceSlice'
  | 'DeviceClass'
  | '*';

/** Bits of `actionType`, in upstream's order: the comparison of masks in {@link matchesEvent} builds on it. */
export const ActionType = {
  Add: 1 << 0,
  Delete: 1 << 1,
  UpdateNodeAllocatable: 1 << 2,
  UpdateNodeLabel: 1 << 3,
  UpdateNodeTaint: 1 << 4,
  UpdateNodeCondition: 1 << 5,
  UpdateNodeAnnotation: 1 << 6,
  UpdatePodLabel: 1 << 7,
  UpdatePodScaleDown: 1 << 8,
  UpdatePodToleration: 1 << 9,
  UpdatePodSchedulingGatesEliminated: 1 << 10,
  UpdatePodGeneratedResourceClaim: 1 << 11,
  UpdatePodOther: 1 << 12,
  /** Any update; the generic one when nothing specific is known. */
  Update: (1 << 13) - 1 - 3,
  All: (1 << 13) - 1,
} as const;

/** An event, or a registration for events: what happened to what, and how upstream labels it. */
export interface ClusterEvent {
  readonly resource: EventResource;
  /** Bit mask of {@link ActionType}. */
  readonly actionType: number;
  /** Upstream's label of the event, such as `AssignedPodDelete`; empty on registrations. */
  readonly label: string;
}

/** A plugin's verdict on an event for a pod that it rejected. */
export const QueueingHint = {
  /** The event changes nothing for the pod. */
  Skip: 0,
  /** The event may have made the pod schedulable. */
  Queue: 1,
} as const;
export type QueueingHint = (typeof QueueingHint)[keyof typeof QueueingHint];

/**
 * Judges an event for a pod that the plugin rejected; must be pure. A thrown error counts as Queue.
 *
 * @param oldObject - absent when the object was added
 * @param newObject - absent when the object was deleted
 */
export type QueueingHintFn = (
  pod: Pod,
  oldObject: AnyObject | undefined,
  newObject: AnyObject | undefined,
) => QueueingHint;

/** One event that a plugin wants to hear of. Without `hint` the answer is always Queue. */
export interface ClusterEventWithHint {
  readonly event: ClusterEvent;
  readonly hint?: QueueingHintFn | undefined;
}

/** A hint and its plugin; it is called for pods that the plugin rejected. */
export interface QueueingHintFunction {
  readonly plugin: string;
  /** Absent = always Queue. */
  readonly hint: QueueingHintFn | undefined;
}

/** One registered event with all that plugins registered for it, in plugin order. */
export interface RegisteredEvent {
  readonly event: ClusterEvent;
  readonly functions: readonly QueueingHintFunction[];
}

/** Every registration of one profile; each (resource, mask) stands once. Match with {@link matchesEvent}. */
export type QueueingHintMap = readonly RegisteredEvent[];

/** Builds an event. */
export function clusterEvent(resource: EventResource, actionType: number, label = ''): ClusterEvent {
  return { resource, actionType, label };
}

/** A registration without a label and its hint. */
export function onEvent(resource: EventResource, actionType: number, hint?: QueueingHintFn): ClusterEventWithHint {
  return { event: clusterEvent(resource, actionType), hint };
}

function matchesResource(registered: EventResource, incoming: EventResource): boolean {
  return (
    registered === incoming ||
    registered === '*' ||
    (registered === 'Pod' && (incoming === 'AssignedPod' || incoming === 'UnscheduledPod'))
  );
}

/**
 * Whether a registration covers an incoming event. A generic update is numerically larger than any
 * specific registration and therefore matches none of them, as upstream.
 */
export function matchesEvent(registered: ClusterEvent, incoming: ClusterEvent): boolean {
  return (
    isWildcardEvent(incoming) ||
    (matchesResource(registered.resource, incoming.resource) &&
      (registered.actionType & incoming.actionType) !== 0 &&
      incoming.actionType <= registered.actionType)
  );
}

/** Whether the event stands for everything (resource `*`, all actions). */
export function isWildcardEvent(event: ClusterEvent): boolean {
  return event.resource === '*' && event.actionType === ActionType.All;
}

/** Events under upstream's labels. */
export const Events = {
  assignedPodAdd: clusterEvent('AssignedPod', ActionType.Add, 'AssignedPodAdd'),
  assignedPodDelete: clusterEvent('AssignedPod', ActionType.Delete, 'AssignedPodDelete'),
  nodeAdd: clusterEvent('Node', ActionType.Add, 'NodeAdd'),
  nodeDelete: clusterEvent('Node', ActionType.Delete, 'NodeDelete'),
  nodeAllocatableChange: clusterEvent('Node', ActionType.UpdateNodeAllocatable, 'NodeAllocatableChange'),
  nodeLabelChange: clusterEvent('Node', ActionType.UpdateNodeLabel, 'NodeLabelChange'),
  nodeTaintChange: clusterEvent('Node', ActionType.UpdateNodeTaint, 'NodeTaintChange'),
  nodeConditionChange: clusterEvent('Node', ActionType.UpdateNodeCondition, 'NodeConditionChange'),
  nodeAnnotationChange: clusterEvent('Node', ActionType.UpdateNodeAnnotation, 'NodeAnnotationChange'),
  /** The flush of pods that no event has moved for five minutes. */
  unschedulableTimeout: clusterEvent('*', ActionType.All, 'UnschedulableTimeout'),
  /** A plugin or preemption asks for these pods. */
  forceActivate: clusterEvent('*', ActionType.All, 'ForceActivate'),
} as const;
