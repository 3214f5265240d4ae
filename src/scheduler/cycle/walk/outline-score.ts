import type { CycleState } from '../../framework/cycle-state.js';
import { MAX_NODE_SCORE, type NodeList } from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PlannedScore } from './walk-plan.js';

/** What one plugin says of the nodes for all pods of an outline. */
export class OutlineScore {
  readonly name: string;
  readonly weight: number;
  /** By slot. */
  readonly raw: Float64Array;
  /** Whether all nodes have the same, and what that becomes when it is normalised. */
  isUniform = true;
  normalized = 0;
  /** Bounds of the raw scores; exact at first. */
  lowest = Number.POSITIVE_INFINITY;
  highest = Number.NEGATIVE_INFINITY;
  readonly #planned: PlannedScore;

  constructor(planned: PlannedScore, { capacity }: NodeColumns) {
    this.#planned = planned;
    this.name = planned.plugin.name;
    this.weight = planned.weight;
    this.raw = new Float64Array(capacity);
  }

  /** Scores all nodes; returns what all of them get alike, `undefined` when that cannot be said. */
  prepare(state: CycleState, pod: PodInfo, columns: NodeColumns, nodes: NodeList): number | undefined {
    const { order } = columns.arrays;
    if (!this.#score(state, pod, columns, order, columns.nodeCount)) return undefined;
    const { plugin } = this.#planned;
    this.isUniform = this.lowest === this.highest;
    if (!this.isUniform) return plugin.normalizeScore === undefined && this.#isInRange() ? 0 : undefined;
    this.normalized = this.lowest;
    if (plugin.normalizeScore !== undefined) {
      if (plugin.normalizesByExtremes !== true) return undefined;
      const scores = Float64Array.of(this.lowest);
      if (plugin.normalizeScore(state, pod, scores, nodes) !== undefined) return undefined;
      this.normalized = scores[0] as number;
    }
    const { normalized } = this;
    return normalized >= 0 && normalized <= MAX_NODE_SCORE ? normalized * this.weight : undefined;
  }

  /** Scores a few nodes anew; `false` when that changes what holds for all. */
  update(state: CycleState, pod: PodInfo, columns: NodeColumns, slots: Int32Array, count: number): boolean {
    const { lowest, highest } = this;
    if (!this.#score(state, pod, columns, slots, count)) return false;
    if (this.lowest === lowest && this.highest === highest) return true;
    return !this.isUniform && this.#planned.plugin.normalizeScore === undefined && this.#isInRange();
  }

  #isInRange(): boolean {
    return this.lowest >= 0 && this.highest <= MAX_NODE_SCORE;
  }

  #score(state: CycleState, pod: PodInfo, columns: NodeColumns, slots: Int32Array, count: number): boolean {
    const { plugin } = this.#planned;
    const column = plugin.scoreScope === 'node' ? plugin.compileScore?.(state, pod, columns) : undefined;
    if (column === undefined) return false;
    column.score(slots, count, this.raw);
    for (let index = 0; index < count; index += 1) {
      const score = this.raw[slots[index] as number] as number;
      if (score < this.lowest) this.lowest = score;
      if (score > this.highest) this.highest = score;
    }
    return true;
  }
}
