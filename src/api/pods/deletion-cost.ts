import type { StringMap } from '../objects/objects.js';

/** What the removal of a pod costs, as its users say: of equals the one that costs least goes first. */
export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

const INT32 = 2 ** 31;

/**
 * The cost in an object's annotations: a 32-bit integer without a plus sign or leading zeros, 0 when nothing is said
 * (GetDeletionCostFromPodAnnotations of pkg/apis/core/helper, v1.34); `undefined` for any other text.
 */
export function deletionCost(annotations: StringMap | undefined): number | undefined {
  const text = annotations?.[DELETION_COST];
  if (text === undefined) return 0;
  const cost = /^(0|[1-9]\d*|-\d+)$/.test(text) ? Number(text) : Number.NaN;
  return cost >= -INT32 && cost < INT32 ? cost : undefined;
}
