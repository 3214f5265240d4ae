/**
 * One walk over candidate nodes: which fit, which do not and why, up to the number that is enough.
 * Owns the buffers of the walk, used again by every attempt. Upstream: `findNodesThatPassFilters` of
 * kube-scheduler v1.34 with parallelism 1; nodes are judged by the window instead of one by one, and
 * what lies beyond the end of the walk is dropped again.
 */
import { assert } from '../../kernel/assert.js';
import type { CycleState } from '../framework/cycle-state.js';
import { filterVerdict, type Framework } from '../framework/framework.js';
import type { ColumnFilter, FilterPlugin, NodeList, Snapshot } from '../framework/interface.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, type Status } from '../framework/status.js';
import { filterWithNominatedPods, relevantNominations, type Nominator } from './nominated-filter.js';
import { PLUGIN_SHIFT, type ShapeEvaluation } from './shape-evaluation.js';

/** Windows are at least this long when judging too many nodes has no effect but time. */
const MIN_WINDOW = 64;

/** What is scanned. */
export interface ScanRequest {
  readonly framework: Framework;
  readonly nominator: Nominator;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  /** Absent = every filter in its plain form, node by node. */
  readonly evaluation: ShapeEvaluation | undefined;
  /** Slots of the candidates in the order of the list; the first `count` count. */
  readonly candidates: Int32Array;
  readonly count: number;
  /** Index of the candidate that is visited first. */
  readonly start: number;
  /** The walk ends before the feasible node after this many. */
  readonly target: number;
}

/** See the file header. The result stands in the object until the next scan. */
export class NodeScan implements NodeList {
  /** Slots of the feasible nodes. */
  slots = new Int32Array(0);
  /** Number of feasible nodes. */
  count = 0;
  /** Slots of the rejected nodes. */
  rejected = new Int32Array(0);
  rejectedCount = 0;
  /** Verdicts of the rejected nodes, for {@link NodeScan.statusOf}. */
  rejectedVerdicts = new Int32Array(0);
  /** A filter's internal fault, if one came up. */
  error: Status | undefined;
  #nodes: NodeInfo[] | undefined;
  #snapshot: Snapshot | undefined;
  #columnFilters: readonly (ColumnFilter | undefined)[] = [];
  /** Statuses of the plain form; verdict -1 is the first. */
  readonly #plainStatuses: Status[] = [];
  #window = new Int32Array(0);
  #survivors = new Int32Array(0);
  /** Verdicts of this scan by slot. */
  #verdicts = new Int32Array(0);

  get nodes(): readonly NodeInfo[] {
    if (this.#nodes === undefined) {
      this.#nodes = [];
      for (let index = 0; index < this.count; index += 1) {
        this.#nodes.push(this.#nodeAt(this.slots[index] as number));
      }
    }
    return this.#nodes;
  }

  /** Number of nodes with a verdict. */
  get visited(): number {
    return this.count + this.rejectedCount;
  }

  /** The status behind a verdict. */
  statusOf(verdict: number): Status {
    if (verdict < 0) return this.#plainStatuses[-verdict - 1] as Status;
    const filter = this.#columnFilters[(verdict >>> PLUGIN_SHIFT) - 1];
    assert(filter !== undefined, `verdict ${verdict} must come from a column filter`);
    return filter.statusOf(verdict & ((1 << PLUGIN_SHIFT) - 1));
  }

  /** Walks; see {@link ScanRequest}. */
  run(request: ScanRequest): void {
    this.#begin(request);
    const { candidates, count, target, evaluation } = request;
    const rest = this.#restFilters(request);
    const isPure = evaluation !== undefined && rest.every(({ column }) => column !== undefined);
    let next = request.start;
    let remaining = count;
    while (remaining > 0 && this.count <= target) {
      const wanted = target + 1 - this.count;
      const size = Math.min(remaining, isPure ? Math.max(wanted, MIN_WINDOW) : wanted);
      const window = this.#window;
      for (let index = 0; index < size; index += 1) {
        if (next >= count) next -= count;
        window[index] = candidates[next] as number;
        next += 1;
      }
      this.#judge(request, rest, size);
      if (this.#collect(size, target)) return;
      remaining -= size;
    }
  }

  #begin({ candidates, count, snapshot, evaluation }: ScanRequest): void {
    const { capacity } = snapshot.columns;
    if (this.#verdicts.length < capacity) {
      this.#verdicts = new Int32Array(capacity);
      this.slots = new Int32Array(capacity);
      this.rejected = new Int32Array(capacity);
      this.rejectedVerdicts = new Int32Array(capacity);
      this.#window = new Int32Array(capacity);
      this.#survivors = new Int32Array(capacity);
    }
    assert(count <= candidates.length, `a scan needs its candidates, got ${candidates.length} for ${count}`);
    this.count = 0;
    this.rejectedCount = 0;
    this.error = undefined;
    this.#nodes = undefined;
    this.#snapshot = snapshot;
    this.#plainStatuses.length = 0;
    this.#columnFilters = evaluation?.filters ?? [];
  }

  /** The filters that are run for each attempt, in column form where there is one. */
  #restFilters({ framework, state, pod, snapshot, evaluation }: ScanRequest): RestFilter[] {
    const first = evaluation?.filters.length ?? 0;
    const rest: RestFilter[] = [];
    if (first === framework.filters.length) return rest;
    const columnFilters = [...this.#columnFilters];
    for (let index = first; index < framework.filters.length; index += 1) {
      const plugin = framework.filters[index] as FilterPlugin;
      if (state.skippedFilters.has(plugin.name)) continue;
      const column = evaluation === undefined ? undefined : plugin.compileFilter?.(state, pod, snapshot.columns);
      columnFilters[index] = column;
      rest.push({ plugin, column, base: (index + 1) << PLUGIN_SHIFT });
    }
    this.#columnFilters = columnFilters;
    return rest;
  }

  /** Writes a verdict for each slot of the window. */
  #judge(request: ScanRequest, rest: readonly RestFilter[], size: number): void {
    const { evaluation, snapshot, nominator } = request;
    const window = this.#window;
    const verdicts = this.#verdicts;
    if (evaluation === undefined) {
      for (let index = 0; index < size; index += 1) verdicts[window[index] as number] = 0;
    } else {
      evaluation.filter(window, size, snapshot.columns);
      const kept = evaluation.buffers.verdicts;
      for (let index = 0; index < size; index += 1) {
        const slot = window[index] as number;
        verdicts[slot] = kept[slot] as number;
      }
    }
    if (rest.length > 0) this.#judgeRest(request, rest, size);
    if (nominator.nominatedCount > 0) this.#judgeNominated(request, size);
  }

  #judgeRest({ state, pod }: ScanRequest, rest: readonly RestFilter[], size: number): void {
    const verdicts = this.#verdicts;
    const survivors = this.#survivors;
    survivors.set(this.#window.subarray(0, size));
    let count = size;
    for (const { plugin, column, base } of rest) {
      count = compact(survivors, count, verdicts);
      if (column !== undefined) {
        column.filter(survivors, count, verdicts, base);
        continue;
      }
      for (let index = 0; index < count; index += 1) {
        const slot = survivors[index] as number;
        const status = plugin.filter(state, pod, this.#nodeAt(slot));
        const verdict = status === undefined ? undefined : filterVerdict(plugin, status);
        if (verdict !== undefined) verdicts[slot] = this.#plainVerdict(verdict);
      }
    }
  }

  /** Nodes with nominated pods that count are judged twice, in the plain form. */
  #judgeNominated({ framework, nominator, state, pod, snapshot }: ScanRequest, size: number): void {
    const { names } = snapshot.columns;
    for (let index = 0; index < size; index += 1) {
      const slot = this.#window[index] as number;
      if (relevantNominations(nominator, pod, names[slot] as string).length === 0) continue;
      const status = filterWithNominatedPods(framework, nominator, state, pod, this.#nodeAt(slot));
      this.#verdicts[slot] = status === undefined ? 0 : this.#plainVerdict(status);
    }
  }

  /** Takes the window's verdicts in order; `true` when the walk is over. */
  #collect(size: number, target: number): boolean {
    const verdicts = this.#verdicts;
    const window = this.#window;
    for (let index = 0; index < size; index += 1) {
      const slot = window[index] as number;
      const verdict = verdicts[slot] as number;
      if (verdict === 0) {
        if (this.count === target) return true;
        this.slots[this.count] = slot;
        this.count += 1;
        continue;
      }
      if (verdict < 0) {
        const status = this.statusOf(verdict);
        if (status.code === Code.Error) {
          this.error = status;
          return true;
        }
      }
      this.rejected[this.rejectedCount] = slot;
      this.rejectedVerdicts[this.rejectedCount] = verdict;
      this.rejectedCount += 1;
    }
    return false;
  }

  #plainVerdict(status: Status): number {
    return -this.#plainStatuses.push(status);
  }

  #nodeAt(slot: number): NodeInfo {
    assert(this.#snapshot !== undefined, 'nodes of a scan are asked for after it has begun');
    return this.#snapshot.nodeAt(slot);
  }
}

interface RestFilter {
  readonly plugin: FilterPlugin;
  readonly column: ColumnFilter | undefined;
  readonly base: number;
}

/** Keeps the slots that have passed so far. */
function compact(slots: Int32Array, count: number, verdicts: Int32Array): number {
  let kept = 0;
  for (let index = 0; index < count; index += 1) {
    const slot = slots[index] as number;
    if (verdicts[slot] !== 0) continue;
    slots[kept] = slot;
    kept += 1;
  }
  return kept;
}
