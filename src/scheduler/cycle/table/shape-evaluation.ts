/**
 * What is known of a pod shape on each node, kept from attempt to attempt: the verdict of the leading
 * filters and the raw scores that depend on nothing but the shape and the node. An entry counts as
 * long as it carries the stamp of the node's current version, so that after a placement one node is
 * judged anew and not all.
 */
import { assert } from '../../../kernel/assert.js';
import type { CycleState } from '../../framework/cycle-state.js';
import { filterVerdict, type Framework, type WeightedScore } from '../../framework/framework.js';
import {
  MAX_NODE_SCORE,
  type ColumnFilter,
  type ColumnScore,
  type FilterPlugin,
  type ScorePlugin,
} from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { NodePart } from '../../framework/node-groups.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { Status } from '../../framework/status.js';
import { REJECTED } from '../attempt/outline.js';
import { Scratch } from '../attempt/scratch.js';
import { PLUGIN_SHIFT } from '../attempt/verdict-statuses.js';
import {
  canKeep,
  entryOf,
  NodeTable,
  TOO_MANY_GROUPS,
  type GroupTable,
  type NodeJudge,
  type StaleNodes,
} from './node-table.js';

/** Versions stay below this, so that a stamp of one epoch is none of another. */
const EPOCH_STEP = 2 ** 32;
/** Stamps beyond this would not be exact. */
const MAX_EPOCH = 2 ** 52;

/** A raw score that is kept. */
export interface KeptScore {
  /** Index of the Score plugin in the profile. */
  readonly index: number;
  readonly plugin: ScorePlugin;
  readonly weight: number;
  readonly column: ColumnScore;
  /** Counts as it is: its plugin does not normalise. */
  readonly isSettled: boolean;
  /** The raw scores as a fact about nodes. */
  readonly part: NodePart;
}

/** See the file header. */
export class ShapeEvaluation implements NodeJudge {
  /** By slot. */
  readonly verdicts: Int32Array;
  /** Raw scores by slot, one array per Score plugin of the profile. */
  readonly raw: readonly Float64Array[];
  /** By slot: weighted sums of the raw scores that count as they are. */
  readonly settled: Float64Array;
  /** The leading filters in column form; the filters from this number on are run for each attempt. */
  filters: readonly ColumnFilter[] = [];
  /** By Score plugin; absent where the score cannot be kept. */
  scores: readonly (KeptScore | undefined)[] = [];
  /** Indices of the Score plugins that do not skip, and whose scores do not count as they are. */
  unsettled: readonly number[] = [];
  /** Whether a kept verdict may be an internal fault of a filter. */
  mayFail = false;
  /** {@link NodeColumns.layout} and node count for which the entries hold. */
  #layout = -1;
  #nodeCount = -1;
  #hasFilters = false;
  /** This and the version of a slot add up to the stamp of what was found out about the slot. */
  #epoch = 0;
  /** By slot: stamps for which the verdict, and the raw scores, hold. */
  readonly #filterStamps: Float64Array;
  readonly #scoreStamps: Float64Array;
  /** Per Score plugin the lowest and the highest raw score of this epoch. */
  readonly #bounds: Float64Array;
  /** Score plugins that skipped when the scores were compiled; absent until then. */
  #skippedScores: ReadonlySet<string> | undefined;
  #stale = new Int32Array(0);
  #table: NodeTable | undefined;

  /** @param capacity - of the columns @param scoreCount - number of Score plugins of the profile */
  constructor(capacity: number, scoreCount: number) {
    this.verdicts = new Int32Array(capacity);
    this.raw = Array.from({ length: scoreCount }, () => new Float64Array(capacity));
    this.settled = new Float64Array(capacity);
    this.#filterStamps = new Float64Array(capacity);
    this.#scoreStamps = new Float64Array(capacity);
    this.#bounds = new Float64Array(2 * scoreCount);
  }

  /** The nodes in their order as the shape sees them; absent until the scores have been compiled. */
  get table(): NodeTable | undefined {
    if (this.#skippedScores === undefined) return undefined;
    return (this.#table ??= new NodeTable(this));
  }

  /** Forgets everything. */
  reset(): void {
    this.#epoch += EPOCH_STEP;
    if (this.#epoch > MAX_EPOCH) {
      this.#filterStamps.fill(0);
      this.#scoreStamps.fill(0);
      this.#epoch = 0;
    }
    const bounds = this.#bounds;
    for (let index = 0; index < bounds.length; index += 2) {
      bounds[index] = Number.POSITIVE_INFINITY;
      bounds[index + 1] = Number.NEGATIVE_INFINITY;
    }
    this.#hasFilters = false;
    this.#skippedScores = undefined;
    this.#table?.reset();
  }

  /** Forgets what no longer holds for these columns as a whole; `true` if nothing is known then. */
  align(columns: NodeColumns): boolean {
    if (this.#layout !== columns.layout || this.#nodeCount !== columns.nodeCount) {
      this.#layout = columns.layout;
      this.#nodeCount = columns.nodeCount;
      this.reset();
    }
    return !this.#hasFilters;
  }

  /** Makes the evaluation fit the columns, and compiles the filters on first use. */
  prepareFilters(framework: Framework, state: CycleState, pod: PodInfo, columns: NodeColumns): void {
    if (!this.align(columns)) return;
    this.filters = compileLeadingFilters(framework.filters, state, pod, columns);
    this.mayFail = this.filters.some(({ mayFail }) => mayFail === true);
    this.#hasFilters = true;
  }

  /** Compiles the scores on first use; needs PreScore to have run. `true` when no score is current any more. */
  prepareScores(framework: Framework, state: CycleState, pod: PodInfo, columns: NodeColumns): boolean {
    const known = this.#skippedScores;
    const { skippedScores } = state;
    if (known === skippedScores) return false;
    const isKnown = known !== undefined && isSameFor(framework, known, skippedScores);
    if (!isKnown) {
      if (known !== undefined) this.reset();
      const { raw } = this;
      this.scores = framework.scores.map((score, index) =>
        compileKeptScore(score, index, raw[index] as Float64Array, state, pod, columns),
      );
    }
    this.#skippedScores = skippedScores;
    this.unsettled = [...framework.scores.keys()].filter((index) => {
      const name = framework.scores[index]?.plugin.name ?? '';
      return !skippedScores.has(name) && this.scores[index]?.isSettled !== true;
    });
    return !isKnown;
  }

  /** Makes the verdicts of these slots current. */
  filter(slots: Int32Array, count: number, columns: NodeColumns): void {
    const { verdicts } = this;
    const staleCount = this.#collectStale(slots, count, columns, this.#filterStamps);
    if (staleCount === 0) return;
    const stale = this.#stale;
    for (let index = 0; index < staleCount; index += 1) verdicts[stale[index] as number] = 0;
    const { filters } = this;
    for (let index = 0; index < filters.length; index += 1) {
      filters[index]?.filter(stale, staleCount, verdicts, (index + 1) << PLUGIN_SHIFT);
    }
  }

  /** Makes the raw scores of these slots current. */
  score(slots: Int32Array, count: number, columns: NodeColumns): void {
    const { raw, settled } = this;
    const bounds = this.#bounds;
    const staleCount = this.#collectStale(slots, count, columns, this.#scoreStamps);
    if (staleCount === 0) return;
    const stale = this.#stale;
    for (let index = 0; index < staleCount; index += 1) settled[stale[index] as number] = 0;
    for (const score of this.scores) {
      if (score === undefined) continue;
      const { index, column } = score;
      const values = raw[index] as Float64Array;
      column.score(stale, staleCount, values);
      take(values, stale, staleCount, bounds, index, settled, score.isSettled ? score.weight : 0);
    }
  }

  judge({ slots, entries, count }: StaleNodes, groups: GroupTable, columns: NodeColumns): boolean {
    this.filter(slots, count, columns);
    const { verdicts, settled } = this;
    const { slots: fitting } = Scratch.for(columns);
    let fit = 0;
    for (let index = 0; index < count; index += 1) {
      const slot = slots[index] as number;
      if (verdicts[slot] === 0) fitting[fit++] = slot;
    }
    this.score(fitting, fit, columns);
    for (let index = 0; index < count; index += 1) {
      const slot = slots[index] as number;
      if (verdicts[slot] !== 0) {
        entries[index] = REJECTED;
        continue;
      }
      const group = groups.groupOf(slot);
      const total = settled[slot] as number;
      if (group === TOO_MANY_GROUPS || !canKeep(total)) return false;
      entries[index] = entryOf(group, total);
    }
    return true;
  }

  /** The raw score of a plugin on every node that was looked at; `undefined` when they differ. */
  uniformScore(index: number): number | undefined {
    const bounds = this.#bounds;
    const lowest = bounds[2 * index] as number;
    return lowest === bounds[2 * index + 1] ? lowest : undefined;
  }

  /** Whether some score that counts as it is was ever out of range. */
  hasBadScore(): boolean {
    const bounds = this.#bounds;
    for (const score of this.scores) {
      if (score?.isSettled !== true) continue;
      const { index } = score;
      if ((bounds[2 * index] as number) < 0 || (bounds[2 * index + 1] as number) > MAX_NODE_SCORE) return true;
    }
    return false;
  }

  /** Collects those of the slots whose stamp is old, and gives them the current one. */
  #collectStale(slots: Int32Array, count: number, columns: NodeColumns, stamps: Float64Array): number {
    const { version } = columns.arrays;
    const epoch = this.#epoch;
    if (this.#stale.length < slots.length) this.#stale = new Int32Array(slots.length);
    const stale = this.#stale;
    let staleCount = 0;
    for (let index = 0; index < count; index += 1) {
      const slot = slots[index] as number;
      const stamp = epoch + (version[slot] as number);
      if (stamps[slot] === stamp) continue;
      stamps[slot] = stamp;
      stale[staleCount] = slot;
      staleCount += 1;
    }
    return staleCount;
  }
}

/** The filters up to the first whose verdict cannot be kept. Skipped ones keep their number and pass. */
function compileLeadingFilters(
  plugins: readonly FilterPlugin[],
  state: CycleState,
  pod: PodInfo,
  columns: NodeColumns,
): ColumnFilter[] {
  const compiled: ColumnFilter[] = [];
  for (const plugin of plugins) {
    if (plugin.filterScope !== 'node') break;
    // Whether such a plugin skips depends on the shape alone, too.
    if (state.skippedFilters.has(plugin.name)) {
      compiled.push(PASS);
      continue;
    }
    compiled.push(plugin.compileFilter?.(state, pod, columns) ?? plainColumnFilter(plugin, state, pod, columns));
  }
  return compiled;
}

const PASS: ColumnFilter = {
  filter: () => undefined,
  statusOf: () => {
    throw new RangeError('a skipped filter rejects nothing');
  },
};

/** Whether the plugins whose scores may be kept skip as before; whether they do should depend on the shape alone. */
function isSameFor({ scores }: Framework, a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return scores.every(({ plugin }) => plugin.scoreScope !== 'node' || a.has(plugin.name) === b.has(plugin.name));
}

function compileKeptScore(
  { plugin, weight }: WeightedScore,
  index: number,
  raw: Float64Array,
  state: CycleState,
  pod: PodInfo,
  columns: NodeColumns,
): KeptScore | undefined {
  if (plugin.scoreScope !== 'node' || state.skippedScores.has(plugin.name)) return undefined;
  const column = plugin.compileScore?.(state, pod, columns);
  if (column === undefined) return undefined;
  const part: NodePart = { valueAt: (slot) => raw[slot] as number };
  return { index, plugin, weight, column, isSettled: plugin.normalizeScore === undefined, part };
}

/** Takes new raw scores of a plugin into its bounds, and into the sums by their weight. */
function take(
  values: Float64Array,
  slots: Int32Array,
  count: number,
  bounds: Float64Array,
  index: number,
  sums: Float64Array,
  weight: number,
): void {
  let lowest = bounds[2 * index] as number;
  let highest = bounds[2 * index + 1] as number;
  for (let each = 0; each < count; each += 1) {
    const slot = slots[each] as number;
    const value = values[slot] as number;
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
    sums[slot] = (sums[slot] as number) + value * weight;
  }
  bounds[2 * index] = lowest;
  bounds[2 * index + 1] = highest;
}

/** The plain form of a filter behind the column form's interface; equal statuses share a code. */
function plainColumnFilter(plugin: FilterPlugin, state: CycleState, pod: PodInfo, columns: NodeColumns): ColumnFilter {
  const { nodes } = columns;
  assert(nodes !== undefined, `${plugin.name} is asked about nodes of which there are columns only`);
  const codes = new Map<string, number>();
  const statuses: Status[] = [];
  const codeOfStatus = (status: Status): number => {
    const content = `${status.code}\u0000${status.plugin}\u0000${status.reasons.join('\u0000')}`;
    let code = codes.get(content);
    if (code === undefined) {
      code = statuses.push(status);
      codes.set(content, code);
    }
    return code;
  };
  return {
    mayFail: true,
    filter(slots, count, verdicts, base) {
      for (let index = 0; index < count; index += 1) {
        const slot = slots[index] as number;
        const node = nodes[slot];
        if (verdicts[slot] !== 0 || node === undefined) continue;
        const status = plugin.filter(state, pod, node);
        const verdict = status === undefined ? undefined : filterVerdict(plugin, status);
        if (verdict !== undefined) verdicts[slot] = base + codeOfStatus(verdict);
      }
    },
    statusOf: (code) => statuses[code - 1] as Status,
  };
}
