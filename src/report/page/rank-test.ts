/** Whether two groups of runs differ: the test of Mann and Whitney, two-sided, exact for few runs. Pure. */

import { powerOfE } from '../../kernel/elementary-functions.js';

/** Ways of dealing the values out that are looked at one by one. */
const MOST_DEALS = 50_000;

/** How likely groups that do not differ lie as far apart as these, or farther; `undefined` for fewer than two each. */
export function rankTest(left: readonly number[], right: readonly number[]): number | undefined {
  if (left.length < 2 || right.length < 2) return undefined;
  const all = [...left, ...right];
  const ranks = ranksOf(all);
  const observed = ranks.slice(0, left.length).reduce((sum, rank) => sum + rank, 0);
  const mean = (left.length * (all.length + 1)) / 2;
  const distance = Math.abs(observed - mean);
  if (deals(all.length, left.length) <= MOST_DEALS) return exact(ranks, left.length, mean, distance);
  return approximate(ranks, left.length, right.length, distance);
}

/** Equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): readonly number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal + 1) / 2;
  });
}

function deals(all: number, chosen: number): number {
  let count = 1;
  for (let index = 1; index <= chosen; index += 1) count = (count * (all - chosen + index)) / index;
  return count;
}

/** Every choice of so many ranks is as likely as any other. */
function exact(ranks: readonly number[], chosen: number, mean: number, distance: number): number {
  let far = 0;
  let count = 0;
  const deal = (from: number, left: number, sum: number): void => {
    if (left === 0) {
      count += 1;
      if (Math.abs(sum - mean) >= distance - 1e-9) far += 1;
      return;
    }
    for (let index = from; index <= ranks.length - left; index += 1)
      deal(index + 1, left - 1, sum + (ranks[index] ?? 0));
  };
  deal(0, chosen, 0);
  return far / count;
}

/** By the normal distribution, with the variance that ties leave. */
function approximate(ranks: readonly number[], left: number, right: number, distance: number): number {
  const all = left + right;
  const meanRank = (all + 1) / 2;
  const spread = ranks.reduce((sum, rank) => sum + (rank - meanRank) * (rank - meanRank), 0);
  const variance = (left * right * spread) / (all * (all - 1));
  return variance === 0 ? 1 : tails(Math.max(0, distance - 0.5) / Math.sqrt(variance));
}

/** Both tails of the normal distribution: Abramowitz and Stegun 7.1.26, to 1.5e-7. */
function tails(z: number): number {
  const t = 1 / (1 + (0.3275911 * z) / Math.SQRT2);
  const [a, b, c, d, e] = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];
  return t * (a + t * (b + t * (c + t * (d + t * e)))) * powerOfE((-z * z) / 2);
}
