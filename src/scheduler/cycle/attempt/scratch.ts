import { MAX_NODE_SCORE, type ColumnFilter, type ColumnScore, type ScorePlugin } from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';

/** A score that counts, in its column form. */
export interface CompiledScore {
  readonly plugin: ScorePlugin;
  readonly weight: number;
  readonly column: ColumnScore;
}

/** Room for judging nodes in the column forms of plugins: a thread has one, which all that judges uses in turn. */
export class Scratch {
  readonly slots: Int32Array;
  /** By slot: 0 = nothing against the node. */
  readonly verdicts: Int32Array;
  /** By slot: what one plugin says. */
  readonly raw: Float64Array;
  /** By slot: weighted sums of scores. */
  readonly sums: Float64Array;

  private constructor(capacity: number) {
    this.slots = new Int32Array(capacity);
    this.verdicts = new Int32Array(capacity);
    this.raw = new Float64Array(capacity);
    this.sums = new Float64Array(capacity);
  }

  /** With room for the nodes of these columns. */
  static for({ capacity }: NodeColumns): Scratch {
    if (current === undefined || current.slots.length < capacity) current = new Scratch(capacity);
    return current;
  }

  /** Runs filters over the first `count` slots; those that fit come to stand first, and their number is returned. */
  filter(filters: readonly ColumnFilter[], count: number): number {
    const { slots, verdicts } = this;
    for (let index = 0; index < filters.length; index += 1) {
      (filters[index] as ColumnFilter).filter(slots, count, verdicts, 1);
    }
    let fit = 0;
    for (let index = 0; index < count; index += 1) {
      const slot = slots[index] as number;
      if (verdicts[slot] === 0) slots[fit++] = slot;
    }
    return fit;
  }

  /** Adds weighted scores to the sums of the first `count` slots; `false` when one is a fault. */
  addScores(scores: readonly CompiledScore[], count: number): boolean {
    const { slots, raw, sums } = this;
    for (let each = 0; each < scores.length; each += 1) {
      const { column, weight } = scores[each] as CompiledScore;
      column.score(slots, count, raw);
      for (let index = 0; index < count; index += 1) {
        const slot = slots[index] as number;
        const score = raw[slot] as number;
        if (!(score >= 0 && score <= MAX_NODE_SCORE)) return false;
        sums[slot] = (sums[slot] as number) + score * weight;
      }
    }
    return true;
  }
}

let current: Scratch | undefined;
