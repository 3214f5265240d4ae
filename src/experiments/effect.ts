/** How large a difference between two groups of runs is, and how sure of it one can be. Pure. */

/** A difference of runs that are paired by their seeds. */
export interface Effect {
  /** Median of the differences of pairs. */
  readonly shift: number;
  /** Where the median lies with at least 95 % confidence; `undefined` for fewer than six pairs. */
  readonly interval: readonly [low: number, high: number] | undefined;
  /** How likely a run of the second group is above one of the first, ties by half (Vargha and Delaney): 0.5 = no effect. */
  readonly superiority: number;
}

const CONFIDENCE = 0.95;

/** @param before - by seed; @param after - by the same seeds, in the same order */
export function effectOf(before: readonly number[], after: readonly number[]): Effect {
  const pairs = Math.min(before.length, after.length);
  const differences = Array.from({ length: pairs }, (_, index) => (after[index] ?? 0) - (before[index] ?? 0));
  const sorted = differences.toSorted((a, b) => a - b);
  return { shift: medianOf(sorted), interval: medianInterval(sorted), superiority: superiorityOf(before, after) };
}

function medianOf(sorted: readonly number[]): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Between two order statistics, by the binomial distribution of how many values lie below the median: no shape is assumed. */
function medianInterval(sorted: readonly number[]): readonly [number, number] | undefined {
  const { length } = sorted;
  // How many of all outcomes of so many coins show at most `cut` heads.
  let term = 2 ** -length;
  let tail = term;
  let cut = -1;
  while (2 * tail <= 1 - CONFIDENCE) {
    cut += 1;
    term = (term * (length - cut)) / (cut + 1);
    tail += term;
  }
  if (cut < 0) return undefined;
  const [low, high] = [sorted[cut], sorted[length - 1 - cut]];
  return low === undefined || high === undefined ? undefined : [low, high];
}

function superiorityOf(before: readonly number[], after: readonly number[]): number {
  let wins = 0;
  for (const left of before) {
    for (const right of after) {
      if (right > left) wins += 1;
      else if (right === left) wins += 0.5;
    }
  }
  const all = before.length * after.length;
  return all === 0 ? 0.5 : wins / all;
}

/**
 * Which of several chances stand for a difference, although there are so many of them: of those that do, one in twenty
 * is expected to be chance after all (Benjamini and Hochberg).
 */
export function significant(chances: readonly (number | undefined)[]): readonly boolean[] {
  const known = chances.flatMap((chance, index) => (chance === undefined ? [] : [{ chance, index }]));
  const sorted = known.toSorted((a, b) => a.chance - b.chance);
  const last = sorted.findLastIndex(({ chance }, rank) => chance <= ((rank + 1) / sorted.length) * (1 - CONFIDENCE));
  const found = new Set(sorted.slice(0, last + 1).map(({ index }) => index));
  return chances.map((_, index) => found.has(index));
}
