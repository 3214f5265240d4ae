import type { Pod } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { podReadySince } from '../shared/pod-state.js';

/** How many pods have been ready for long enough, and when the next one will have been. */
export interface Availability {
  readonly available: number;
  /** Milliseconds until the next ready pod becomes available; `undefined` when none is on its way. */
  readonly nextInMs: number | undefined;
}

/** Looks at each pod: only for replica sets with `minReadySeconds`, all others have available = ready. */
export function availabilityOf(
  pods: Iterable<Pod>,
  minReadySeconds: number,
  nowMs: number,
  timestamps: Timestamps,
): Availability {
  const known = new Map<string, number>();
  let available = 0;
  let nextInMs: number | undefined;
  for (const pod of pods) {
    const since = podReadySince(pod);
    if (since === undefined) continue;
    let inMs = known.get(since);
    if (inMs === undefined) known.set(since, (inMs = timestamps.toMs(since) + minReadySeconds * 1000 - nowMs));
    if (inMs <= 0) available += 1;
    else if (nextInMs === undefined || inMs < nextInMs) nextInMs = inMs;
  }
  return { available, nextInMs };
}
