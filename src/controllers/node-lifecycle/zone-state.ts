/** How bad it is in a zone, and how fast its nodes' pods may be sent away. Pure. */
import type { ControllerSettings } from '../runtime/controller-settings.js';

/** `Initial` = not looked at yet. */
export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

/** Nodes of a zone; those without a Ready condition count as not ready. */
export interface ZoneCount {
  ready: number;
  notReady: number;
}

/** Below this many lost nodes a zone with a ready node is not disrupted. */
const FEWEST_LOST = 3;

/** The state that follows from the counts. */
export function zoneStateOf({ ready, notReady }: ZoneCount, { unhealthyZoneThreshold }: ControllerSettings): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  // Upstream compares 32-bit floats.
  const share = Math.fround(Math.fround(notReady) / Math.fround(notReady + ready));
  if (notReady >= FEWEST_LOST && share >= Math.fround(unhealthyZoneThreshold)) return 'PartialDisruption';
  return 'Normal';
}

/** Nodes per second that may be tainted in a zone of that state and size. */
export function evictionRate(state: ZoneState, size: number, settings: ControllerSettings): number {
  if (state !== 'PartialDisruption') return settings.nodeEvictionRate;
  return size > settings.largeClusterSizeThreshold ? settings.secondaryNodeEvictionRate : 0;
}
