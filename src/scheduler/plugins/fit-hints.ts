/** When a pod that NodeResourcesFit rejected is worth another look. Upstream: the hints of `noderesources/fit.go`, kube-scheduler v1.34. */
import type { AnyObject, Node, Pod } from '../../api/objects/objects.js';
import { QueueingHint } from '../framework/cluster-event.js';
import { NodeInfo } from '../framework/node-info.js';
import { PodInfo } from '../framework/pod-info.js';
import type { Resource } from '../framework/resource.js';
import { findShortages, type FitRequest } from './fit-shortage.js';

/** Room was made by a pod that left, or that needs less than before. */
export function afterPodChange(
  pod: Pod,
  oldObject: AnyObject | undefined,
  newObject: AnyObject | undefined,
): QueueingHint {
  if (newObject === undefined) {
    const deleted = oldObject as Pod;
    return deleted.spec.nodeName || deleted.status.nominatedNodeName ? QueueingHint.Queue : QueueingHint.Skip;
  }
  return isHelpfulScaleDown(pod, oldObject as Pod, newObject as Pod) ? QueueingHint.Queue : QueueingHint.Skip;
}

/** A node came, or gives more than before of what the pod wants, and would hold the pod if it were empty. */
export function afterNodeChange(
  pod: Pod,
  oldObject: AnyObject | undefined,
  newObject: AnyObject | undefined,
  requestOf: (info: PodInfo) => FitRequest,
): QueueingHint {
  const request = requestOf(new PodInfo(pod));
  const node = emptyNode(newObject as Node);
  if (findShortages(request, node).length > 0) return QueueingHint.Skip;
  if (oldObject === undefined) return QueueingHint.Queue;
  return hasMoreOf(request, emptyNode(oldObject as Node).allocatable, node.allocatable)
    ? QueueingHint.Queue
    : QueueingHint.Skip;
}

function isHelpfulScaleDown(pod: Pod, previous: Pod, updated: Pod): boolean {
  if (updated.metadata.uid === pod.metadata.uid) return true;
  if (!updated.spec.nodeName) return false;
  const wanted = new PodInfo(pod).shape.usage.requests;
  const before = new PodInfo(previous).usage.requests;
  const after = new PodInfo(updated).usage.requests;
  return (
    (wanted.cpuMillis > 0 && before.cpuMillis > after.cpuMillis) ||
    (wanted.memoryBytes > 0 && before.memoryBytes > after.memoryBytes) ||
    (wanted.ephemeralBytes > 0 && before.ephemeralBytes > after.ephemeralBytes) ||
    [...wanted.scalars].some(
      ([name, amount]) => amount > 0 && (before.scalars.get(name) ?? 0) > (after.scalars.get(name) ?? 0),
    )
  );
}

function hasMoreOf(request: FitRequest, before: Resource, after: Resource): boolean {
  if (after.pods > before.pods) return true;
  if (request.isEmpty) return false;
  return (
    (request.cpuMillis > 0 && after.cpuMillis > before.cpuMillis) ||
    (request.memoryBytes > 0 && after.memoryBytes > before.memoryBytes) ||
    (request.ephemeralBytes > 0 && after.ephemeralBytes > before.ephemeralBytes) ||
    request.scalars.some(([name]) => (after.scalars.get(name) ?? 0) > (before.scalars.get(name) ?? 0))
  );
}

function emptyNode(node: Node): NodeInfo {
  const info = new NodeInfo(node.metadata.name);
  info.setNode(node);
  return info;
}
