import type { Pod } from '../../api/objects/objects.js';

/** A node on which the pod would fit once the victims are gone. */
export interface Candidate {
  readonly nodeName: string;
  /** Most important first; never empty. Those that are terminating already are among them. */
  readonly victims: readonly Pod[];
  /** Victims that are evicted against a disruption budget. */
  readonly violations: number;
}
