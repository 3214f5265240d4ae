import type { DaemonSet } from '../../api/objects/objects.js';

/** How far a rolling update may go at once. */
export interface RollingLimits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** The limits for so many nodes; percentages are rounded up, and both nothing means that one may be unavailable. */
export function rollingLimitsOf(set: DaemonSet, desired: number): RollingLimits {
  if (set.spec.updateStrategy?.type !== 'RollingUpdate') return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge = 0, maxUnavailable = 0 } = set.spec.updateStrategy.rollingUpdate ?? {};
  const surge = roundedUp(maxSurge, desired);
  const unavailable = roundedUp(maxUnavailable, desired);
  const isStuck = desired > 0 && surge === 0 && unavailable === 0;
  return { maxSurge: surge, maxUnavailable: isStuck ? 1 : unavailable };
}

/** Whether a node may have an old and a new pod at once. */
export function allowsSurge(set: DaemonSet): boolean {
  return rollingLimitsOf(set, 1).maxSurge > 0;
}

/** A number, or a percentage of `total` rounded up. */
function roundedUp(value: number | string, total: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
}
