import type { Node, Pod } from '../../../api/objects/objects.js';
import type { Placement } from '../autoscaler-seams.js';
import { podsToMove, type BlockingReason, type DrainContext } from './drainability.js';
import type { HintedPlacement } from '../hinted-placement.js';

/** A node that could go, with the pods that would have to go elsewhere. */
export interface RemovableNode {
  readonly node: Node;
  readonly pods: readonly Pod[];
  /** Budgets let not all of them go at once. */
  readonly isRisky: boolean;
}

/** Why a node cannot go. */
export interface KeptNode {
  readonly reason: 'BlockedByPod' | 'NoPlaceToMovePods' | 'NoNodeInfo';
  readonly blocking?: BlockingReason;
}

/**
 * Tries how it is without a node: where its pods could go then. What it leads to stays in the picture where it is good.
 * Mirrors cluster-autoscaler v1.34 `simulator/cluster.go`.
 */
export function tryRemoval(
  name: string,
  placement: Placement,
  hints: HintedPlacement,
  isDestination: (node: string) => boolean,
  context: DrainContext,
): RemovableNode | KeptNode {
  const placed = placement.find(name);
  if (placed === undefined) return { reason: 'NoNodeInfo' };
  const toMove = podsToMove(placed.pods, context);
  if ('blocking' in toMove) return { reason: 'BlockedByPod', blocking: toMove.reason };
  const { pods } = toMove;
  placement.fork();
  placement.removeNode(name);
  const unbound = pods.map(unboundOf);
  const found = hints.place(placement, unbound, isDestination, true);
  if (found.length < pods.length) {
    placement.revert();
    return { reason: 'NoPlaceToMovePods' };
  }
  placement.commit();
  return { node: placed.node, pods, isRisky: !context.budgets.allowTogether(pods) };
}

/** The same object each time, so that what is computed of it is computed once. */
function unboundOf(pod: Pod): Pod {
  const known = unbounds.get(pod);
  if (known !== undefined) return known;
  const unbound: Pod = { ...pod, spec: { ...pod.spec, nodeName: '' } };
  unbounds.set(pod, unbound);
  return unbound;
}

const unbounds = new WeakMap<Pod, Pod>();
