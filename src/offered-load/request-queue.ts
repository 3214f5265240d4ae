/**
 * How many requests are in a server, step by step. A server is taken for one queue with one worker, at which requests
 * arrive and are served at random (M/M/1), whose rates change over time: the pointwise stationary fluid flow
 * approximation, in which a server with `n` requests in it is busy for `n / (1 + n)` of the time (Wang, Tipper and
 * Banerjee, "A simple approximation for modeling nonstationary queues", INFOCOM 1996). At a steady rate that is the
 * queue's known mean; beyond what the server can do it is what piles up. Pure.
 */

/** What came of a step. */
export interface QueueStep {
  /** Requests that wait or are worked on at its end. */
  readonly inSystem: number;
  readonly served: number;
  /** Turned away since too many waited. */
  readonly refused: number;
}

/**
 * One step, implicit: it takes steps of any length and stays exact where nothing changes.
 *
 * @param inSystem - at its beginning, >= 0
 * @param arrived - requests that come during it, evenly
 * @param couldServe - requests that the server could work off in it; Infinity = it takes no time
 * @param queue - requests that it holds at most
 */
export function queueStep(inSystem: number, arrived: number, couldServe: number, queue: number): QueueStep {
  const present = inSystem + arrived;
  if (present === 0 || couldServe === Infinity) return { inSystem: 0, served: present, refused: 0 };
  // The root of x² + (1 - present + couldServe) x - present, in the form that loses no digits.
  const linear = 1 - present + couldServe;
  const root = Math.sqrt(linear * linear + 4 * present);
  const left = linear >= 0 ? (2 * present) / (linear + root) : (root - linear) / 2;
  const served = Math.max(0, present - left);
  return left > queue ? { inSystem: queue, served, refused: left - queue } : { inSystem: left, served, refused: 0 };
}
