/** How long a pod's containers are given to end. Mirrors calculateEffectiveGracePeriod (pod workers, v1.34). Pure. */
import type { Pod } from '../api/objects.js';

/** The runtime is never asked to kill sooner after it asked to end. */
export const SMALLEST_WINDOW_MS = 2000;

/**
 * The effective grace in seconds, at least 1. A grace of 0 in the API means that the object goes at
 * once, not its processes: they get what the pod's spec grants.
 *
 * @param present - the grace of the termination that is under way, which may only become shorter; 0 = none yet
 */
export function effectiveGraceSeconds({ metadata, spec }: Pick<Pod, 'metadata' | 'spec'>, present = 0): number {
  const { deletionGracePeriodSeconds: asked } = metadata;
  let grace = present;
  if (asked !== undefined && (grace === 0 || asked < grace)) grace = asked;
  if (grace === 0) grace = present === 0 ? (spec.terminationGracePeriodSeconds ?? 0) : present;
  return Math.max(grace, 1);
}
