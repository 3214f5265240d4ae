/**
 * What is known of a pod shape on each node, kept from attempt to attempt: the verdict of the leading
 * filters and the raw scores that depend on nothing but the shape and the node. An entry counts as
 * long as it carries the node's current version, so that after a placement one node is judged anew
 * and not all. Entries may be filled in by worker threads; that changes time, never results.
 */
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { ColumnFilter, ColumnScore, FilterPlugin } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { PodInfo } from '../framework/pod-info.js';
import { plainColumnFilter } from './plain-column-filter.js';

/** Filter verdicts are `(index of the plugin + 1) << PLUGIN_SHIFT | code`. */
export const PLUGIN_SHIFT = 16;

/** Integer columns of an evaluation besides its raw scores. */
const INT_COLUMNS = 3;

/** A slot that was never judged: versions of live slots start at 1. */
const NEVER = 0;

/** The memory of one evaluation, by slot; all arrays lie in one block that threads share. */
export interface EvaluationBuffers {
  readonly memory: SharedArrayBuffer;
  readonly verdicts: Int32Array;
  /** Version of the slot for which the verdict holds. */
  readonly filterStamps: Int32Array;
  /** Version of the slot for which the raw scores hold. */
  readonly scoreStamps: Int32Array;
  /** Raw scores, one array per Score plugin of the profile. */
  readonly raw: readonly Float64Array[];
}

/** Allocates shared memory for one evaluation. */
export function createEvaluationBuffers(capacity: number, scoreCount: number): EvaluationBuffers {
  const bytesPerSlot = scoreCount * Float64Array.BYTES_PER_ELEMENT + INT_COLUMNS * Int32Array.BYTES_PER_ELEMENT;
  return viewEvaluationBuffers(new SharedArrayBuffer(capacity * bytesPerSlot), capacity, scoreCount);
}

/** Looks at the memory of an evaluation that was allocated, perhaps on another thread. */
export function viewEvaluationBuffers(
  memory: SharedArrayBuffer,
  capacity: number,
  scoreCount: number,
): EvaluationBuffers {
  const raw: Float64Array[] = [];
  let offset = 0;
  for (let index = 0; index < scoreCount; index += 1) {
    raw.push(new Float64Array(memory, offset, capacity));
    offset += capacity * Float64Array.BYTES_PER_ELEMENT;
  }
  const ints = (column: number): Int32Array =>
    new Int32Array(memory, offset + column * capacity * Int32Array.BYTES_PER_ELEMENT, capacity);
  return { memory, verdicts: ints(0), filterStamps: ints(1), scoreStamps: ints(2), raw };
}

/** See the file header. */
export class ShapeEvaluation {
  buffers: EvaluationBuffers;
  /** The leading filters in column form; the filters from this number on are run for each attempt. */
  filters: readonly ColumnFilter[] = [];
  /** By Score plugin; absent where the score cannot be kept. */
  scores: readonly (ColumnScore | undefined)[] = [];
  /** Whether the leading filters could be compiled; on the engine thread they always can. */
  canJudge = true;
  /** {@link NodeColumns.layout} and node count for which the entries hold. */
  #layout = -1;
  #nodeCount = -1;
  #hasFilters = false;
  #hasScores = false;
  #stale = new Int32Array(0);

  constructor(buffers: EvaluationBuffers) {
    this.buffers = buffers;
  }

  /** Forgets everything. */
  reset(): void {
    this.buffers.filterStamps.fill(NEVER);
    this.buffers.scoreStamps.fill(NEVER);
    this.#hasFilters = false;
    this.#hasScores = false;
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
    if (this.align(columns)) this.prepareFiltersOver(framework, state, pod, columns);
  }

  /** Compiles the filters over what is known already: a worker thread adds to it. */
  prepareFiltersOver(framework: Framework, state: CycleState, pod: PodInfo, columns: NodeColumns): void {
    const filters = compileLeadingFilters(framework.filters, state, pod, columns);
    this.filters = filters ?? [];
    this.canJudge = filters !== undefined;
    this.#hasFilters = true;
  }

  /** Compiles the scores on first use; needs PreScore to have run. */
  prepareScores(framework: Framework, state: CycleState, pod: PodInfo, columns: NodeColumns): void {
    if (this.#hasScores) return;
    this.scores = framework.scores.map(({ plugin }) =>
      plugin.scoreScope === 'node' && !state.skippedScores.has(plugin.name)
        ? plugin.compileScore?.(state, pod, columns)
        : undefined,
    );
    this.#hasScores = true;
  }

  /** Makes the verdicts of these slots current. */
  filter(slots: Int32Array, count: number, columns: NodeColumns): void {
    const { version } = columns.arrays;
    const { verdicts, filterStamps } = this.buffers;
    const stale = this.#staleSlots(slots.length);
    let staleCount = 0;
    for (let index = 0; index < count; index += 1) {
      const slot = slots[index] as number;
      const current = version[slot] as number;
      if (filterStamps[slot] === current) continue;
      filterStamps[slot] = current;
      verdicts[slot] = 0;
      stale[staleCount] = slot;
      staleCount += 1;
    }
    if (staleCount === 0) return;
    const { filters } = this;
    for (let index = 0; index < filters.length; index += 1) {
      filters[index]?.filter(stale, staleCount, verdicts, (index + 1) << PLUGIN_SHIFT);
    }
  }

  /** Makes the raw scores of these slots current. */
  score(slots: Int32Array, count: number, columns: NodeColumns): void {
    const { version } = columns.arrays;
    const { scoreStamps, raw } = this.buffers;
    const stale = this.#staleSlots(slots.length);
    let staleCount = 0;
    for (let index = 0; index < count; index += 1) {
      const slot = slots[index] as number;
      const current = version[slot] as number;
      if (scoreStamps[slot] === current) continue;
      scoreStamps[slot] = current;
      stale[staleCount] = slot;
      staleCount += 1;
    }
    if (staleCount === 0) return;
    const { scores } = this;
    for (let index = 0; index < scores.length; index += 1) {
      scores[index]?.score(stale, staleCount, raw[index] as Float64Array);
    }
  }

  #staleSlots(length: number): Int32Array {
    if (this.#stale.length < length) this.#stale = new Int32Array(length);
    return this.#stale;
  }
}

/** The filters up to the first whose verdict cannot be kept. Skipped ones keep their number and pass. */
function compileLeadingFilters(
  plugins: readonly FilterPlugin[],
  state: CycleState,
  pod: PodInfo,
  columns: NodeColumns,
): ColumnFilter[] | undefined {
  const compiled: ColumnFilter[] = [];
  for (const plugin of plugins) {
    if (plugin.filterScope !== 'node') break;
    // Whether such a plugin skips depends on the shape alone, too.
    if (state.skippedFilters.has(plugin.name)) {
      compiled.push(PASS);
      continue;
    }
    const filter = plugin.compileFilter?.(state, pod, columns) ?? plainColumnFilter(plugin, state, pod, columns);
    // A worker thread without the node itself leaves the whole shape to the engine.
    if (filter === undefined) return undefined;
    compiled.push(filter);
  }
  return compiled;
}

const PASS: ColumnFilter = {
  filter: () => undefined,
  statusOf: () => {
    throw new RangeError('a skipped filter rejects nothing');
  },
};
