/**
 * What steady shapes (known-shape.ts) that differ in nothing but what they request have in common: what
 * filters and scores say that go by a pod's outline, and by nothing of a node that changes with its pods.
 */
import type { CycleState } from '../../framework/cycle-state.js';
import { Follower, type FollowedNodes } from '../../framework/follower.js';
import type { Framework } from '../../framework/framework.js';
import { MAX_NODE_SCORE, type ColumnFilter, type NodeList } from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { StaleNodes } from './node-table.js';
import type { KnownBuffers, KnownScore } from './known-buffers.js';

/** Stands for the sum of a node that is rejected. */
export const REJECTED = -1;
/** Stands for a sum that is not known, or not any more. */
const UNKNOWN = -2;

const NO_NODES: NodeList = { count: 0, slots: new Int32Array(0), nodes: [] };

/** A score that is normalised, and what all nodes get from it alike. */
export interface OutlineCommonScore extends KnownScore {
  /** Absent before the first node. */
  raw: number | undefined;
  normalized: number;
}

/** See the file header. */
export class KnownOutline implements FollowedNodes {
  /** By position: {@link REJECTED}, {@link UNKNOWN}, or the sum of the scores that differ from node to node. */
  readonly fixed: Int32Array;
  readonly scores: readonly KnownScore[];
  readonly commonScores: readonly OutlineCommonScore[];
  /** What the scores that are normalised add to each total. */
  common = 0;
  /** Whether the nodes agree in what they must. */
  isSteady = true;
  readonly #filters: readonly ColumnFilter[];
  readonly #state: CycleState;
  readonly #pod: PodInfo;
  readonly #columns: NodeColumns;
  readonly #buffers: KnownBuffers;
  readonly #follower = new Follower();

  private constructor(
    plan: Pick<KnownOutline, 'scores' | 'commonScores'> & { readonly filters: readonly ColumnFilter[] },
    state: CycleState,
    pod: PodInfo,
    columns: NodeColumns,
    buffers: KnownBuffers,
  ) {
    this.fixed = new Int32Array(columns.nodeCount).fill(UNKNOWN);
    this.scores = plan.scores;
    this.commonScores = plan.commonScores;
    this.#filters = plan.filters;
    this.#state = state;
    this.#pod = pod;
    this.#columns = columns;
    this.#buffers = buffers;
  }

  /** The outline of a pod whose PreFilter and PreScore have been run; `undefined` when it is not steady. */
  static of(
    framework: Framework,
    state: CycleState,
    pod: PodInfo,
    columns: NodeColumns,
    buffers: KnownBuffers,
  ): KnownOutline | undefined {
    const filters: ColumnFilter[] = [];
    for (const plugin of framework.filters) {
      if (plugin.goesByOutline !== true || state.skippedFilters.has(plugin.name)) continue;
      const filter = plugin.filterScope === 'node' ? plugin.compileFilter?.(state, pod, columns) : undefined;
      if (filter === undefined || filter.mayFail === true) return undefined;
      filters.push(filter);
    }
    const scores: KnownScore[] = [];
    const commonScores: OutlineCommonScore[] = [];
    for (const { plugin, weight } of framework.scores) {
      if (plugin.goesByOutline !== true || state.skippedScores.has(plugin.name)) continue;
      const column = plugin.scoreScope === 'node' ? plugin.compileScore?.(state, pod, columns) : undefined;
      if (column === undefined) return undefined;
      if (plugin.normalizeScore === undefined) scores.push({ plugin, weight, column });
      else if (plugin.normalizesByExtremes !== true) return undefined;
      else commonScores.push({ plugin, weight, column, raw: undefined, normalized: 0 });
    }
    return new KnownOutline({ filters, scores, commonScores }, state, pod, columns, buffers);
  }

  /** Takes notice of nodes that have become others. */
  catchUp(): void {
    this.#follower.catchUp(this.#columns, this);
  }

  /** @internal */
  onAll(): void {
    this.fixed.fill(UNKNOWN);
  }

  /** @internal */
  onNode(_columns: NodeColumns, position: number, _slot: number, isWhole: boolean): void {
    if (isWhole) this.fixed[position] = UNKNOWN;
  }

  /** Makes nodes known; `false` when the outline turns out not to be steady. */
  judge({ positions, slots: stale, count }: StaleNodes): boolean {
    const { slots } = this.#buffers;
    const { fixed } = this;
    let unknown = 0;
    for (let index = 0; index < count; index += 1) {
      if (fixed[positions[index] as number] === UNKNOWN) slots[unknown++] = stale[index] as number;
    }
    if (unknown > 0 && !this.#judgeSlots(unknown)) this.isSteady = false;
    return this.isSteady;
  }

  #judgeSlots(count: number): boolean {
    const { slots, verdicts, sums } = this.#buffers;
    const { position } = this.#columns.arrays;
    const { fixed } = this;
    for (let index = 0; index < count; index += 1) {
      const slot = slots[index] as number;
      verdicts[slot] = 0;
      sums[slot] = 0;
      fixed[position[slot] as number] = REJECTED;
    }
    const fit = this.#buffers.filter(this.#filters, count);
    if (!this.#buffers.addScores(this.scores, fit)) return false;
    for (let index = 0; index < fit; index += 1) {
      const slot = slots[index] as number;
      fixed[position[slot] as number] = sums[slot] as number;
    }
    for (const score of this.commonScores) if (!this.#isCommon(score, fit)) return false;
    return true;
  }

  /** Whether the nodes in the first `count` slots have the raw score that all others have. */
  #isCommon(score: OutlineCommonScore, count: number): boolean {
    const { slots, raw } = this.#buffers;
    score.column.score(slots, count, raw);
    for (let index = 0; index < count; index += 1) {
      const value = raw[slots[index] as number] as number;
      if (value === score.raw) continue;
      if (score.raw !== undefined || !this.#normalize(score, value)) return false;
    }
    return true;
  }

  /** Works out what all nodes get; `false` for a fault. */
  #normalize(score: OutlineCommonScore, raw: number): boolean {
    const { plugin, weight } = score;
    const scores = Float64Array.of(raw);
    const status = plugin.normalizeScore?.(this.#state, this.#pod, scores, NO_NODES);
    const normalized = scores[0] as number;
    if (status !== undefined || !(normalized >= 0 && normalized <= MAX_NODE_SCORE)) return false;
    score.raw = raw;
    score.normalized = normalized;
    this.common += normalized * weight;
    return true;
  }
}
