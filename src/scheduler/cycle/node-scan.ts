/**
 * One walk over candidate nodes: which fit, which do not and why, up to the number that is enough.
 * Owns the buffers of the walk, used again by every attempt. Upstream: `findNodesThatPassFilters` of
 * kube-scheduler v1.34 with parallelism 1; nodes are judged by the window instead of one by one, and
 * what lies beyond the end of the walk is dropped again.
 */
import { assert } from '../../kernel/assert.js';
import { filterVerdict } from '../framework/framework.js';
import type { ColumnFilter, NodeList, Snapshot } from '../framework/interface.js';
import type { NodeInfo } from '../framework/node-info.js';
import { Code, type Status } from '../framework/status.js';
import { copyFrom, walkKept } from './kept-walk.js';
import { KeptFailures, type ScanVerdicts } from './kept-failures.js';
import { baseOf, restFiltersOf, type RestFilter } from './rest-filters.js';
import type { ScanRequest } from './scan-request.js';
import { tallyOf } from './verdict-tally.js';
import { NominatedVerdicts } from './nominated-verdicts.js';
import { RankedWalk, type RankedFilter, type SpecialNodes } from './ranked-walk.js';
import { PLUGIN_SHIFT } from './shape-evaluation.js';

/** Windows are at least this long when judging too many nodes has no effect but time. */
const MIN_WINDOW = 64;

/** See the file header. The result stands in the object until the next scan. */
export class NodeScan implements NodeList {
  /** Number of feasible nodes. */
  count = 0;
  rejectedCount = 0;
  /** Up to this feasible node the scores that are kept for the shape are current. */
  unscored = 0;
  /** A filter's internal fault, if one came up. */
  error: Status | undefined;
  /** Number of scans so far: what an attempt has kept of this one is void when it has risen. */
  runs = 0;
  #nodes: NodeInfo[] | undefined;
  #snapshot: Snapshot | undefined;
  #columnFilters: readonly (ColumnFilter | undefined)[] = [];
  /** Statuses of the plain form; verdict -1 is the first. */
  #plainStatuses: readonly Status[] = [];
  #window = new Int32Array(0);
  /** Verdicts of this scan by slot. */
  #verdicts = new Int32Array(0);
  #nominated: NominatedVerdicts | undefined;
  readonly #failures = new KeptFailures();
  readonly #walk = new RankedWalk();
  /** The scan that was made by blocks of nodes. */
  #ranked: ScanRequest | undefined;
  /** Whether it still has to be written down node by node. */
  #isUnspelled = false;
  #slots = new Int32Array(0);
  #rejected = new Int32Array(0);
  #rejectedVerdicts = new Int32Array(0);
  #tally: ReadonlyMap<number, number> | undefined;
  /** Makes the scan for those who ask for more than its numbers; absent when that is done. */
  #later: (() => void) | undefined;

  /** Slots of the feasible nodes. */
  get slots(): Int32Array<ArrayBuffer> {
    this.#settle();
    return this.#slots;
  }

  /** Slots of the rejected nodes. */
  get rejected(): Int32Array<ArrayBuffer> {
    this.#settle();
    return this.#rejected;
  }

  /** Verdicts of the rejected nodes, for {@link NodeScan.statusOf}. */
  get rejectedVerdicts(): Int32Array<ArrayBuffer> {
    this.#settle();
    return this.#rejectedVerdicts;
  }

  /** The walk, when it was made over ranked nodes. */
  get ranked(): RankedWalk | undefined {
    return this.#ranked === undefined ? undefined : this.#walk;
  }

  get nodes(): readonly NodeInfo[] {
    this.#nodes ??= Array.from(this.slots.subarray(0, this.count), (slot) => this.#nodeAt(slot));
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

  /** The verdict on a node; `undefined` when it was not rejected. */
  verdictOn(nodeName: string): number | undefined {
    const slot = this.#snapshot?.get(nodeName)?.slot;
    if (slot === undefined) return undefined;
    return this.rejectedVerdicts[this.rejected.subarray(0, this.rejectedCount).indexOf(slot)];
  }

  /** How many of the rejected nodes have each verdict. */
  tally(): ReadonlyMap<number, number> {
    this.#tally ??= tallyOf(this.rejectedVerdicts, this.rejectedCount);
    return this.#tally;
  }

  nameOf(slot: number): string {
    return this.#nodeAt(slot).name;
  }

  /** Forgets the last scan. */
  clear(): void {
    this.runs += 1;
    this.count = 0;
    this.rejectedCount = 0;
    this.error = undefined;
    this.#tally = undefined;
    this.#ranked = undefined;
    this.#isUnspelled = false;
    this.#later = undefined;
  }

  /**
   * Takes notice of a scan that somebody else has made in a shorter way, of which only numbers are known.
   *
   * @param later - makes the scan by {@link NodeScan.run}; called when somebody asks for more
   */
  postpone(count: number, rejectedCount: number, later: () => void): void {
    this.clear();
    this.#nodes = undefined;
    this.count = count;
    this.rejectedCount = rejectedCount;
    this.#later = later;
  }

  /** Walks; see {@link ScanRequest}. */
  run(request: ScanRequest): void {
    this.#begin(request);
    const { evaluation } = request;
    const rest = restFiltersOf(request);
    const known = rest.length === 0 ? this.#failures.recall(request) : undefined;
    if (known !== undefined) {
      this.#takeOver(known, request);
      return;
    }
    const nominated = this.#beginNominated(request);
    if (!this.#walkRanked(request, rest, nominated)) {
      if (evaluation?.mayFail === false && rest.length === 0 && nominated === undefined) {
        walkKept(evaluation, request, this.#window, this);
      } else this.#walkByWindows(request, this.#compile(request, rest), nominated);
    }
    if (this.count === 0 && rest.length === 0 && this.error === undefined) {
      const { rejectedVerdicts } = this;
      this.#failures.keep(request, { rejectedVerdicts, tally: this.tally(), statuses: this.#plainStatuses });
    }
  }

  /** Whoever asks for nodes and not for numbers alone gets them all. */
  #settle(): void {
    if (this.#later !== undefined) this.#makeUp(this.#later);
    if (this.#isUnspelled) this.#spellOut();
  }

  #makeUp(later: () => void): void {
    const { count, rejectedCount } = this;
    this.#later = undefined;
    later();
    const isSame = this.count === count && this.rejectedCount === rejectedCount;
    if (!isSame) assert(false, `${count} and ${rejectedCount} nodes are ${this.count} and ${this.rejectedCount} now`);
  }

  /** The outcome of a scan that rejects every node is known. */
  #takeOver({ verdicts, tally, statuses }: ScanVerdicts, { candidates, count, start }: ScanRequest): void {
    this.rejected.set(candidates.subarray(start, count));
    this.rejected.set(candidates.subarray(0, start), count - start);
    this.rejectedVerdicts.set(verdicts.subarray(start));
    this.rejectedVerdicts.set(verdicts.subarray(0, start), count - start);
    this.rejectedCount = count;
    this.#plainStatuses = statuses;
    this.#tally = tally;
  }

  #walkByWindows(
    request: ScanRequest,
    rest: readonly CompiledFilter[],
    nominated: NominatedVerdicts | undefined,
  ): void {
    const { candidates, count, target, evaluation } = request;
    const isPure = evaluation?.mayFail === false && rest.every(({ column }) => column !== undefined);
    let next = request.start;
    let remaining = count;
    while (remaining > 0 && this.count <= target) {
      const wanted = target + 1 - this.count;
      const size = Math.min(remaining, isPure ? Math.max(wanted, MIN_WINDOW) : wanted);
      copyFrom(candidates, count, next, this.#window, size);
      this.#judge(request, rest, nominated, size);
      if (this.#collect(size, target, evaluation?.mayFail !== false)) return;
      next = (next + size) % count;
      remaining -= size;
    }
  }

  #begin({ candidates, count, snapshot, evaluation }: ScanRequest): void {
    const { capacity } = snapshot.columns;
    if (this.#verdicts.length < capacity) {
      this.#verdicts = new Int32Array(capacity);
      this.#slots = new Int32Array(capacity);
      this.#rejected = new Int32Array(capacity);
      this.#rejectedVerdicts = new Int32Array(capacity);
      this.#window = new Int32Array(capacity);
    }
    if (count > candidates.length) assert(false, `a scan needs its candidates, got ${candidates.length} for ${count}`);
    this.clear();
    this.#nodes = undefined;
    this.unscored = 0;
    this.#snapshot = snapshot;
    this.#plainStatuses = [];
    this.#columnFilters = evaluation?.filters ?? [];
  }

  /** The column forms of the filters that are run for each attempt, where they have one. */
  #compile({ state, pod, snapshot, evaluation }: ScanRequest, rest: readonly RestFilter[]): readonly CompiledFilter[] {
    if (rest.length === 0) return [];
    const columnFilters = [...this.#columnFilters];
    const compiled = rest.map(({ plugin, index }): CompiledFilter => {
      const column = evaluation === undefined ? undefined : plugin.compileFilter?.(state, pod, snapshot.columns);
      columnFilters[index] = column;
      return { plugin, index, column, base: baseOf(index) };
    });
    this.#columnFilters = columnFilters;
    return compiled;
  }

  /** Walks by blocks of nodes, if all that is to be judged for this attempt alone can be judged by group. */
  #walkRanked(request: ScanRequest, rest: readonly RestFilter[], nominated: NominatedVerdicts | undefined): boolean {
    const { evaluation, snapshot, candidates, count, state, pod, start, target } = request;
    const nodes = evaluation?.ranked;
    if (nodes === undefined || evaluation?.mayFail !== false) return false;
    if (candidates !== snapshot.order || count !== snapshot.size || nodes.isPaused()) return false;
    const filters: RankedFilter[] = [];
    for (const { plugin, index } of rest) {
      const filter = plugin.groupFilter?.(state, pod);
      if (filter === undefined) return false;
      filters.push({ filter, base: baseOf(index) });
    }
    const special = nominated === undefined ? undefined : this.#special(nominated);
    const { columns } = snapshot;
    const isDone = this.#walk.run({ columns, nodes, filters, special, start, target, attempt: state });
    if (!isDone || this.error !== undefined) {
      this.error = undefined;
      return false;
    }
    this.count = this.#walk.feasible;
    this.rejectedCount = this.#walk.visited - this.#walk.feasible;
    this.#ranked = request;
    this.#isUnspelled = true;
    return true;
  }

  #special(nominated: NominatedVerdicts): SpecialNodes {
    return {
      slots: nominated.slots,
      judge: (slot) => {
        const verdict = nominated.judge(slot);
        if (verdict === 'alone' || verdict === 'fits') return verdict === 'fits' ? 0 : undefined;
        // Where the scan has to end is for the walk from node to node to say.
        if (verdict.code === Code.Error) this.error = verdict;
        return this.#plainVerdict(verdict);
      },
    };
  }

  #spellOut(): void {
    this.#isUnspelled = false;
    const request = this.#ranked;
    const kept = request?.evaluation?.buffers.verdicts;
    assert(request !== undefined && kept !== undefined, 'a walk over ranked nodes has an evaluation');
    this.#compile(request, restFiltersOf(request));
    this.#walk.spellOut(kept, {
      slots: this.#slots,
      rejected: this.#rejected,
      rejectedVerdicts: this.#rejectedVerdicts,
    });
  }

  /** Writes a verdict for each slot of the window. */
  #judge(
    request: ScanRequest,
    rest: readonly CompiledFilter[],
    nominated: NominatedVerdicts | undefined,
    size: number,
  ): void {
    const { evaluation, snapshot } = request;
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
    if (nominated !== undefined) this.#judgeNominated(nominated, size);
  }

  #judgeRest({ state, pod }: ScanRequest, rest: readonly CompiledFilter[], size: number): void {
    const verdicts = this.#verdicts;
    const window = this.#window;
    for (const { plugin, column, base } of rest) {
      if (column !== undefined) {
        column.filter(window, size, verdicts, base);
        continue;
      }
      for (let index = 0; index < size; index += 1) {
        const slot = window[index] as number;
        if (verdicts[slot] !== 0) continue;
        const status = plugin.filter(state, pod, this.#nodeAt(slot));
        const verdict = status === undefined ? undefined : filterVerdict(plugin, status);
        if (verdict !== undefined) verdicts[slot] = this.#plainVerdict(verdict);
      }
    }
  }

  /** Nodes with nominated pods that count are judged twice, in the plain form. */
  #judgeNominated(nominated: NominatedVerdicts, size: number): void {
    for (let index = 0; index < size; index += 1) {
      const slot = this.#window[index] as number;
      if (!nominated.has(slot)) continue;
      const verdict = nominated.judge(slot);
      if (verdict !== 'alone') this.#verdicts[slot] = verdict === 'fits' ? 0 : this.#plainVerdict(verdict);
    }
  }

  /** Makes ready for nodes with nominated pods; `undefined` while there are none. */
  #beginNominated(request: ScanRequest): NominatedVerdicts | undefined {
    const { nominator, snapshot } = request;
    if (nominator.nominatedCount === 0) return undefined;
    if (this.#nominated?.snapshot !== snapshot) this.#nominated = new NominatedVerdicts(snapshot);
    this.#nominated.begin(request);
    return this.#nominated;
  }

  /** Takes the window's verdicts in order; `true` when the walk is over. */
  #collect(size: number, target: number, mayFail: boolean): boolean {
    const { slots, rejected, rejectedVerdicts } = this;
    const verdicts = this.#verdicts;
    const window = this.#window;
    let { count, rejectedCount } = this;
    let isOver = false;
    for (let index = 0; index < size; index += 1) {
      const slot = window[index] as number;
      const verdict = verdicts[slot] as number;
      if (verdict === 0) {
        isOver = count === target;
        if (isOver) break;
        slots[count] = slot;
        count += 1;
        continue;
      }
      isOver = (mayFail || verdict < 0) && this.#isFault(verdict);
      if (isOver) break;
      rejected[rejectedCount] = slot;
      rejectedVerdicts[rejectedCount] = verdict;
      rejectedCount += 1;
    }
    this.count = count;
    this.rejectedCount = rejectedCount;
    return isOver;
  }

  /** Notes an internal fault, which ends the walk. */
  #isFault(verdict: number): boolean {
    const status = this.statusOf(verdict);
    if (status.code === Code.Error) this.error = status;
    return status.code === Code.Error;
  }

  #plainVerdict(status: Status): number {
    const statuses = this.#plainStatuses as Status[];
    return statuses.at(-1) === status ? -statuses.length : -statuses.push(status);
  }

  #nodeAt(slot: number): NodeInfo {
    assert(this.#snapshot !== undefined, 'nodes of a scan are asked for after it has begun');
    return this.#snapshot.nodeAt(slot);
  }
}

interface CompiledFilter extends RestFilter {
  readonly column: ColumnFilter | undefined;
  readonly base: number;
}
