/** How long a pod's containers are given to end. Mirrors calculateEffectiveGracePeriod (pod workers, v1.34). Pure. */
import type { Pod } from '../../api/objects/objects.js';

/** The runtime is never asked to kill sooner after it asked to end. */
export const SMALLEST_WINDOW_SECONDS = 2;

/**
 * The effective grace in seconds, at least 1. A grace of 0 in the API means that the object goes at
 * once, not its processes: they get what the pod's spec grants.
 *
 * @param present - the grace of the termination that is under way, which may only become shorter; 0 = none yet
 * @param override - what the kubelet itself grants, as for an eviction
 */
export function effectiveGraceSeconds(
  { metadata, spec }: Pick<Pod, 'metadata' | 'spec'>,
  present = 0,
  override?: number,
): number {
  let grace = present;
  for (const asked of [metadata.deletionGracePeriodSeconds, override]) {
    if (asked !== undefined && (grace === 0 || asked < grace)) grace = asked;
  }
  if (grace === 0) grace = present === 0 ? (spec.terminationGracePeriodSeconds ?? 0) : present;
  return Math.max(grace, 1);
}

/**
 * Grace of a container that its kubelet stops while its pod goes on, in seconds.
 *
 * @param own - what the probe that failed grants
 */
export function containerGraceSeconds({ metadata, spec }: Pick<Pod, 'metadata' | 'spec'>, own?: number): number {
  return metadata.deletionGracePeriodSeconds ?? own ?? spec.terminationGracePeriodSeconds ?? SMALLEST_WINDOW_SECONDS;
}
