import type { Node } from '../api/objects/objects.js';
import { Events, type ClusterEvent } from './framework/cluster-event.js';

/**
 * What changed in a node that may matter to pods; possibly nothing. Mirrors kube-scheduler v1.34
 * `framework.NodeSchedulingPropertiesChange`.
 */
export function nodeUpdateEvents(oldNode: Node, newNode: Node): readonly ClusterEvent[] {
  const events: ClusterEvent[] = [];
  if (oldNode.spec.unschedulable === true && newNode.spec.unschedulable !== true) events.push(Events.nodeTaintChange);
  if (isDifferent(oldNode.status.allocatable, newNode.status.allocatable)) events.push(Events.nodeAllocatableChange);
  if (isDifferent(oldNode.metadata.labels, newNode.metadata.labels)) events.push(Events.nodeLabelChange);
  if (isDifferent(oldNode.spec.taints, newNode.spec.taints)) events.push(Events.nodeTaintChange);
  if (areConditionsDifferent(oldNode, newNode)) events.push(Events.nodeConditionChange);
  if (isDifferent(oldNode.metadata.annotations, newNode.metadata.annotations)) events.push(Events.nodeAnnotationChange);
  return events;
}

function areConditionsDifferent(oldNode: Node, newNode: Node): boolean {
  if (oldNode.status.conditions === newNode.status.conditions) return false;
  return isDifferent(conditionsOf(oldNode), conditionsOf(newNode));
}

/** Type to status: heartbeats and messages are no change. */
function conditionsOf({ status }: Node): Readonly<Record<string, string>> {
  const statuses: Record<string, string> = {};
  for (const condition of status.conditions ?? []) statuses[condition.type] = condition.status;
  return statuses;
}

/** Deep inequality of plain data; absent and empty are the same. */
function isDifferent(a: unknown, b: unknown): boolean {
  if (a === b) return false;
  if (typeof a !== 'object' || typeof b !== 'object') return !(isEmpty(a) && isEmpty(b));
  const left = entriesOf(a);
  const right = new Map(entriesOf(b));
  return (
    left.length !== right.size || left.some(([key, value]) => !right.has(key) || isDifferent(value, right.get(key)))
  );
}

function entriesOf(value: object | null): [string, unknown][] {
  return value === null ? [] : Object.entries(value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && entriesOf(value).length === 0);
}
