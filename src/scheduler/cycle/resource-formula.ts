import type { FilterPlugin, ResourceScore, ScorePlugin } from '../framework/interface.js';
import type { PodInfo } from '../framework/pod-info.js';
import { balancedScore, leastAllocatedScore } from '../framework/resource-scores.js';
import { REJECTED } from './node-totals.js';
import {
  NON_ZERO_CPU,
  NON_ZERO_MEMORY,
  PLACES,
  ROW_SHIFT,
  TOTAL_CPU,
  TOTAL_MEMORY,
  USED_CPU,
  USED_MEMORY,
} from './resource-rows.js';

/** A Score plugin and what it counts. */
export interface FormulaScore {
  readonly plugin: ScorePlugin;
  readonly weight: number;
}

/** The filter by free resources and the scores by cpu and memory for one pod shape, as one formula. */
export class ResourceFormula {
  #cpu = Number.NEGATIVE_INFINITY;
  #memory = Number.NEGATIVE_INFINITY;
  #leastWeight = 0;
  #leastCpu = 0;
  #leastMemory = 0;
  #cpuWeight = 0;
  #memoryWeight = 0;
  #balancedWeight = 0;
  #balancedCpu = 0;
  #balancedMemory = 0;

  /** What stands for these plugins; `undefined` when they are more than that. */
  static of(
    filters: readonly FilterPlugin[],
    scores: readonly FormulaScore[],
    pod: PodInfo,
  ): ResourceFormula | undefined {
    const demand = filters.length === 1 ? filters[0]?.demandOf?.(pod) : undefined;
    if (demand === undefined || demand.ephemeralBytes > 0 || demand.scalars.length > 0) return undefined;
    const formula = new ResourceFormula();
    // A resource that is not asked for can never be short.
    if (demand.cpuMillis > 0) formula.#cpu = demand.cpuMillis;
    if (demand.memoryBytes > 0) formula.#memory = demand.memoryBytes;
    for (const { plugin, weight } of scores) {
      const score = plugin.resourceScore?.(pod);
      if (score === undefined || !formula.#take(score, weight)) return undefined;
    }
    return formula;
  }

  /** Writes the totals at the first `count` positions: to what is fixed of each node the scores are added. */
  judge(rows: Float64Array, fixed: Int32Array, totals: Int32Array, positions: Int32Array, count: number): void {
    const cpu = this.#cpu;
    const memory = this.#memory;
    for (let index = 0; index < count; index += 1) {
      const at = positions[index] as number;
      const row = at << ROW_SHIFT;
      const sum = fixed[at] as number;
      const totalCpu = rows[row + TOTAL_CPU] as number;
      const totalMemory = rows[row + TOTAL_MEMORY] as number;
      const usedCpu = rows[row + USED_CPU] as number;
      const usedMemory = rows[row + USED_MEMORY] as number;
      if (
        sum === REJECTED ||
        (rows[row + PLACES] as number) < 1 ||
        cpu > totalCpu - usedCpu ||
        memory > totalMemory - usedMemory
      ) {
        totals[at] = REJECTED;
        continue;
      }
      const freeCpu = totalCpu - (rows[row + NON_ZERO_CPU] as number) - this.#leastCpu;
      const freeMemory = totalMemory - (rows[row + NON_ZERO_MEMORY] as number) - this.#leastMemory;
      let total = sum;
      if (this.#leastWeight !== 0) {
        total +=
          this.#leastWeight *
          leastAllocatedScore(totalCpu, freeCpu, this.#cpuWeight, totalMemory, freeMemory, this.#memoryWeight);
      }
      if (this.#balancedWeight !== 0) {
        total +=
          this.#balancedWeight *
          balancedScore(totalCpu, usedCpu + this.#balancedCpu, totalMemory, usedMemory + this.#balancedMemory);
      }
      totals[at] = total;
    }
  }

  /** `false` for a second score of the same kind. */
  #take(score: ResourceScore, weight: number): boolean {
    if (score.formula === 'least-allocated') {
      if (this.#leastWeight !== 0) return false;
      this.#leastWeight = weight;
      this.#leastCpu = score.cpuMillis;
      this.#leastMemory = score.memoryBytes;
      this.#cpuWeight = score.cpuWeight;
      this.#memoryWeight = score.memoryWeight;
    } else {
      if (this.#balancedWeight !== 0) return false;
      this.#balancedWeight = weight;
      this.#balancedCpu = score.cpuMillis;
      this.#balancedMemory = score.memoryBytes;
    }
    return true;
  }
}
