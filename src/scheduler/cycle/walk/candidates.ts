import type { PodDemand } from '../attempt/pod-demand.js';

/** Bounds are worked out in another order than scores, and may be so much too low. */
export const MARGIN = 1e-6;

/** What passes have found; of each candidate its position, its place among the feasible nodes, and its bound. */
export class Candidates {
  /** Feasible nodes. */
  feasible = 0;
  /** Nodes that may be among the best. */
  count = 0;
  at = new Int32Array(0);
  places = new Int32Array(0);
  /** No score of a node is above its bound; not a number where there is none. */
  bounds = new Float64Array(0);
  /** The best score, and how many of the candidates have it: those in front. */
  best = 0;
  ties = 0;
  /** The highest bound. */
  highest = Number.NEGATIVE_INFINITY;
  /** What bounds may be above the scores. */
  slack = 0;

  /** @param spread - how far apart what else is added to scores may be */
  begin(size: number, { leastWeight, balancedWeight }: PodDemand, spread: number): void {
    if (this.at.length < size) {
      this.at = new Int32Array(size);
      this.places = new Int32Array(size);
      this.bounds = new Float64Array(size);
    }
    this.feasible = 0;
    this.count = 0;
    this.highest = Number.NEGATIVE_INFINITY;
    // Twice the mean is cut, once the balance.
    this.slack = 2 * leastWeight + balancedWeight + spread + MARGIN;
  }

  /** Forgets all of a pass but the highest bound: the next one is over the same nodes. */
  forget(): void {
    this.feasible = 0;
    this.count = 0;
  }
}
