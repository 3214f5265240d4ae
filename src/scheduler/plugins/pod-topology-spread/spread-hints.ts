/** When a pod that PodTopologySpread rejected is worth another look. Upstream: the hints of `podtopologyspread/plugin.go`, kube-scheduler v1.34. */
import { isSameJson } from '../../../api/values/canonical-json.js';
import type { AnyObject, Node, Pod } from '../../../api/objects/objects.js';
import { QueueingHint } from '../../framework/cluster-event.js';
import { hasAllKeys } from './spread-domains.js';
import type { SpreadConstraint } from './spread-constraint.js';

/** A pod that counts for the constraints came, went, or counts differently now; or the pod itself tolerates more. */
export function afterPodChange(
  pod: Pod,
  oldObject: AnyObject | undefined,
  newObject: AnyObject | undefined,
  constraints: readonly SpreadConstraint[],
): QueueingHint {
  const previous = oldObject as Pod | undefined;
  const updated = newObject as Pod | undefined;
  if ([previous, updated].some((each) => each !== undefined && !isInvolved(each, pod))) return QueueingHint.Skip;
  if (previous !== undefined && updated !== undefined) {
    const honorsTaints = constraints.some((each) => each.honorsTaints);
    const isOwn = updated.metadata.uid === pod.metadata.uid;
    if (isOwn && honorsTaints && !isSameJson(previous.spec.tolerations ?? [], updated.spec.tolerations ?? [])) {
      return QueueingHint.Queue;
    }
  }
  return constraints.some(({ selector }) => matches(selector, previous) !== matches(selector, updated))
    ? QueueingHint.Queue
    : QueueingHint.Skip;
}

/** A node that has all keys came or went, or a node's domains or taints changed. */
export function afterNodeChange(
  oldObject: AnyObject | undefined,
  newObject: AnyObject | undefined,
  constraints: readonly SpreadConstraint[],
): QueueingHint {
  const previous = oldObject as Node | undefined;
  const updated = newObject as Node | undefined;
  const had = previous !== undefined && hasAllKeys(previous.metadata.labels, constraints);
  const has = updated !== undefined && hasAllKeys(updated.metadata.labels, constraints);
  if (had !== has) return QueueingHint.Queue;
  if (!has || previous === undefined) return QueueingHint.Skip;
  const [before, after] = [previous.metadata.labels, updated.metadata.labels];
  const isMoved = constraints.some(({ topologyKey }) => before?.[topologyKey] !== after?.[topologyKey]);
  return isMoved || !isSameJson(previous.spec.taints ?? [], updated.spec.taints ?? [])
    ? QueueingHint.Queue
    : QueueingHint.Skip;
}

/** Only pods on nodes in the same namespace count, and what happens to the pod itself. */
function isInvolved(other: Pod, pod: Pod): boolean {
  if (other.metadata.uid === pod.metadata.uid) return true;
  return Boolean(other.spec.nodeName) && other.metadata.namespace === pod.metadata.namespace;
}

/** A pod that is not there matches nothing. */
function matches(selector: SpreadConstraint['selector'], pod: Pod | undefined): boolean {
  return pod !== undefined && selector.matches(pod.metadata.labels);
}
