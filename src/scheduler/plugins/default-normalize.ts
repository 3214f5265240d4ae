import { MAX_NODE_SCORE } from '../framework/interface.js';

/**
 * Scales scores to 0..100 by the best of them, in whole numbers; reversed, the lowest is best.
 * Upstream: `helper.DefaultNormalizeScore` of kube-scheduler v1.34.
 */
export function defaultNormalize(scores: Float64Array, isReversed: boolean): void {
  let best = 0;
  for (let index = 0; index < scores.length; index += 1) {
    const score = scores[index] as number;
    if (score > best) best = score;
  }
  if (best === 0) {
    if (isReversed) scores.fill(MAX_NODE_SCORE);
    return;
  }
  for (let index = 0; index < scores.length; index += 1) {
    const scaled = Math.trunc((MAX_NODE_SCORE * (scores[index] as number)) / best);
    scores[index] = isReversed ? MAX_NODE_SCORE - scaled : scaled;
  }
}
