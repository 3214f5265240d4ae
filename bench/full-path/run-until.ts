import type { Cluster } from '../../src/index.js';

/** A step waited for pods that did not come to be as it wanted them. */
export class UnmetBarrierError extends Error {
  override readonly name = 'UnmetBarrierError';
}

/** Simulated time after which a barrier gives up. */
export const BARRIER_LIMIT = '10m';
/** The same for one that waits for kubelets. */
export const READY_LIMIT = '6h';

/** Runs until something is so. @throws UnmetBarrierError with the problem, when it is not by then */
export async function runUntil(
  cluster: Cluster,
  isMet: () => boolean,
  limit: string,
  problem: string | (() => string),
): Promise<void> {
  const { end } = await cluster.run({ until: isMet, limit });
  if (end !== 'done') throw new UnmetBarrierError(typeof problem === 'string' ? problem : problem());
}
