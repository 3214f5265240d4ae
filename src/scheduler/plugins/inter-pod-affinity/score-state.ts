/** What Score of one attempt goes by. Upstream: `preScoreState` of kube-scheduler v1.34. */
import { StateKey, type StateData } from '../../framework/cycle-state.js';
import { MAX_NODE_SCORE, type ColumnScore } from '../../framework/interface.js';
import type { GroupScore } from '../../framework/node-groups.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { DomainSum } from './domain-sum.js';
import { PLUGIN_NAME } from './filter-state.js';
import type { SumReadings } from './sum-part.js';

/** A sum and what each unit of it counts for. */
export interface WeightedSum {
  readonly sum: DomainSum;
  readonly weight: number;
}

/** See the file header. Immutable. */
export class ScoreState implements StateData {
  readonly #sums: readonly WeightedSum[];

  constructor(sums: readonly WeightedSum[]) {
    this.#sums = sums;
  }

  clone(): ScoreState {
    return this;
  }

  /** The plain form. */
  scoreOf({ node }: NodeInfo): number {
    const labels = node?.metadata.labels;
    let score = 0;
    for (const { sum, weight } of this.#sums) {
      const value = labels?.[sum.column.key];
      if (value !== undefined) score += sum.of(value) * weight;
    }
    return score;
  }

  /** The form for groups of nodes; `undefined` when some sum cannot be read by group. */
  group(readings: SumReadings): GroupScore | undefined {
    const read = readings.all(this.#sums.map(({ sum }) => sum));
    if (read === undefined) return undefined;
    const weights = this.#sums.map(({ weight }) => weight);
    return {
      parts: read.map(({ part }) => part),
      score(groups, scores) {
        let worst = Number.POSITIVE_INFINITY;
        let best = Number.NEGATIVE_INFINITY;
        for (let group = 0; group < groups.count; group += 1) {
          if (groups.nodesIn(group) === 0) continue;
          let score = 0;
          for (let index = 0; index < read.length; index += 1) {
            score += (read[index]?.sumOf(groups, group) ?? 0) * (weights[index] as number);
          }
          scores[group] = score;
          if (score < worst) worst = score;
          if (score > best) best = score;
        }
        for (let group = 0; group < groups.count; group += 1) {
          if (groups.nodesIn(group) > 0) scores[group] = stretched(scores[group] as number, worst, best);
        }
      },
    };
  }

  /** The column form. */
  compile(): ColumnScore {
    const sums = this.#sums;
    return {
      score(slots, count, raw) {
        for (let index = 0; index < count; index += 1) raw[slots[index] as number] = 0;
        for (const { sum, weight } of sums) {
          const { bySlot } = sum.column;
          for (let index = 0; index < count; index += 1) {
            const slot = slots[index] as number;
            raw[slot] = (raw[slot] as number) + sum.at(bySlot[slot] as number) * weight;
          }
        }
      },
    };
  }
}

/** Where the plugin keeps it. */
export const SCORE_STATE = new StateKey<ScoreState>(`PreScore${PLUGIN_NAME}`);

/**
 * Stretches scores to 0..100 between the worst and the best; equal ones become 0. Upstream divides before
 * it multiplies, so that 29 of 100 becomes 28.
 */
export function stretchScores(scores: Float64Array): void {
  let worst = Number.POSITIVE_INFINITY;
  let best = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < scores.length; index += 1) {
    const score = scores[index] as number;
    if (score < worst) worst = score;
    if (score > best) best = score;
  }
  for (let index = 0; index < scores.length; index += 1) {
    scores[index] = stretched(scores[index] as number, worst, best);
  }
}

function stretched(score: number, worst: number, best: number): number {
  const range = best - worst;
  return range > 0 ? Math.trunc(MAX_NODE_SCORE * ((score - worst) / range)) : 0;
}
