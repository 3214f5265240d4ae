/**
 * One walk over candidate nodes: which fit, which do not and why, up to the number that is enough.
 * Owns the buffers of the walk, used again by every attempt. Upstream: `findNodesThatPassFilters` of
 * kube-scheduler v1.34 with parallelism 1; nodes are judged by the window instead of one by one, and
 * what lies beyond the end of the walk is dropped again.
 */
import { assert } from '../../../kernel/assert.js';
import { filterVerdict } from '../../framework/framework.js';
import type { NodeList, Snapshot } from '../../framework/interface.js';
import type { NodeInfo } from '../../framework/node-info.js';
import { Code, type Status } from '../../framework/status.js';
import { KeptFailures, KnownRejections } from '../table/kept-failures.js';
import { tellGroupRejections } from '../table/group-rejections.js';
import { tellRejected, type RejectionListener } from '../attempt/rejection-listener.js';
import { copyRing } from '../attempt/ring.js';
import { baseOf, compileRest, restFiltersOf, type CompiledFilter, type RestFilter } from './rest-filters.js';
import type { ScanRequest } from '../table/requests.js';
import { NODES_AT_ONCE } from '../attempt/tuning.js';
import { tallyOf } from '../attempt/verdict-statuses.js';
import { NominatedVerdicts } from './nominated-verdicts.js';
import { GroupWalk, type WalkedFilter, type SpecialNodes } from '../table/group-walk.js';
import { VerdictStatuses } from '../attempt/verdict-statuses.js';
import { WAYS, type TakenWay } from '../attempt/way.js';

/** A scan that was made in a shorter way. */
export interface PostponedScan {
  /** Makes it by {@link NodeScan.tries}. */
  scanAgain(): void;
  /** Tells of the rejected nodes without that; `false`, and tells nothing, when it cannot. */
  tellRejections(listener: RejectionListener): boolean;
}

/** See the file header. The result stands in the object until the next scan. */
export class NodeScan implements NodeList {
  /** Number of feasible nodes. */
  count = 0;
  rejectedCount = 0;
  /** A filter's internal fault, if one came up. */
  error: Status | undefined;
  /** Number of scans so far: what an attempt has kept of this one is void when it has risen. */
  runs = 0;
  #nodes: NodeInfo[] | undefined;
  #snapshot: Snapshot | undefined;
  readonly #statuses = new VerdictStatuses();
  #window = new Int32Array(0);
  /** Verdicts of this scan by slot. */
  #verdicts = new Int32Array(0);
  #nominated: NominatedVerdicts | undefined;
  /** The scan that has begun, the filters that are run for it alone, and what is judged beside nominated pods in it. */
  #request: ScanRequest | undefined;
  #rest: readonly RestFilter[] = [];
  #beside: NominatedVerdicts | undefined;
  readonly #failures = new KeptFailures();
  readonly #walk = new GroupWalk();
  /** The scan that was made by blocks of nodes. */
  #ranked: ScanRequest | undefined;
  /** Whether it still has to be written down node by node. */
  #isUnspelled = false;
  #slots = new Int32Array(0);
  #rejected = new Int32Array(0);
  #rejectedVerdicts = new Int32Array(0);
  #tally: ReadonlyMap<number, number> | undefined;
  /** Verdicts on all nodes that were known, while they are not taken over yet. */
  #known: KnownRejections | undefined;
  /** Makes the scan when more than its numbers is asked for; absent when that is done. */
  #later: PostponedScan | undefined;

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
  get ranked(): GroupWalk | undefined {
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
    return this.#statuses.of(verdict);
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

  /** Tells of the rejected nodes in their order; what is not written down yet is not written down for this. */
  tellRejections(listener: RejectionListener): void {
    if (this.rejectedCount === 0 || this.#later?.tellRejections(listener) === true) return;
    if (this.#later !== undefined) this.#makeUp(this.#later);
    const statuses = this.#statuses;
    if (this.#known !== undefined) this.#known.tell(statuses, listener);
    else if (this.#isUnspelled) tellGroupRejections(this.#walk, this.#compileRanked(), statuses, listener);
    else {
      const list = { slots: this.#rejected, verdicts: this.#rejectedVerdicts, count: this.rejectedCount };
      tellRejected(list, statuses, listener, this.#tally);
    }
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
    this.#known = undefined;
    this.#later = undefined;
  }

  /**
   * Takes notice of a scan that was made in a shorter way, of which only numbers are known.
   *
   * @param later - tells more of it
   */
  postpone(count: number, rejectedCount: number, later: PostponedScan): void {
    this.clear();
    this.#nodes = undefined;
    this.count = count;
    this.rejectedCount = rejectedCount;
    this.#later = later;
  }

  /** Goes a way over the nodes of the request that the scan has begun with; `false` when it steps aside. */
  tries(way: TakenWay): boolean {
    const request = this.#request as ScanRequest;
    const rest = this.#rest;
    if (way === WAYS.knownRejections) return rest.length === 0 && this.#recall(request);
    // Only after that are nodes judged beside nominated pods.
    if (way === WAYS.knownGroups) this.#beside = this.#beginNominated(request);
    const nominated = this.#beside;
    if (way === WAYS.knownGroups) {
      if (!this.#walkRanked(request, rest, nominated)) return false;
    } else this.#walkByWindows(request, compileRest(request, rest, this.#statuses), nominated);
    if (this.count === 0 && rest.length === 0 && this.error === undefined) {
      const { rejectedVerdicts } = this;
      this.#failures.keep(request, { rejectedVerdicts, tally: this.tally(), statuses: this.#statuses.plain });
    }
    return true;
  }

  /** Takes verdicts on all nodes over that are known without a scan. */
  #recall(request: ScanRequest): boolean {
    const known = this.#failures.recall(request);
    if (known === undefined) return false;
    this.#known = new KnownRejections(known, request);
    this.rejectedCount = request.count;
    this.#statuses.plain = known.statuses;
    this.#tally = known.tally;
    return true;
  }

  /** Writes all nodes down: more than numbers is asked for. */
  #settle(): void {
    if (this.#later !== undefined) this.#makeUp(this.#later);
    if (this.#isUnspelled) this.#spellOut();
    this.#known?.spellOut(this.#rejected, this.#rejectedVerdicts);
    this.#known = undefined;
  }

  #makeUp(later: PostponedScan): void {
    const { count, rejectedCount } = this;
    this.#later = undefined;
    later.scanAgain();
    const isSame = this.count === count && this.rejectedCount === rejectedCount;
    if (!isSame) assert(false, `${count} and ${rejectedCount} nodes are ${this.count} and ${this.rejectedCount} now`);
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
      const size = Math.min(remaining, isPure ? Math.max(wanted, NODES_AT_ONCE) : wanted);
      copyRing(candidates, count, next, this.#window, size);
      this.#judge(request, rest, nominated, size);
      if (this.#collect(size, target, evaluation?.mayFail !== false)) return;
      next = (next + size) % count;
      remaining -= size;
    }
  }

  /** Makes ready for {@link NodeScan.tries}. */
  begin(request: ScanRequest): void {
    const { candidates, count, snapshot, evaluation } = request;
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
    this.#request = request;
    this.#rest = restFiltersOf(request);
    this.#beside = undefined;
    this.#snapshot = snapshot;
    this.#statuses.plain = [];
    this.#statuses.columnFilters = evaluation?.filters ?? [];
  }

  /** Walks by blocks of nodes, if all that is to be judged for this attempt alone can be judged by group. */
  #walkRanked(request: ScanRequest, rest: readonly RestFilter[], nominated: NominatedVerdicts | undefined): boolean {
    const { evaluation, snapshot, candidates, count, state, pod, start, target } = request;
    const nodes = evaluation?.table;
    if (nodes === undefined || evaluation?.mayFail !== false) return false;
    if (candidates !== snapshot.order || count !== snapshot.size || nodes.isPaused()) return false;
    const filters: WalkedFilter[] = [];
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
        return this.#statuses.numberOf(verdict);
      },
    };
  }

  /** Compiles what the verdicts of ranked nodes come from; returns those of the kept filters by slot. */
  #compileRanked(): Int32Array {
    const request = this.#ranked;
    const kept = request?.evaluation?.verdicts;
    assert(request !== undefined && kept !== undefined, 'a walk over ranked nodes has an evaluation');
    compileRest(request, restFiltersOf(request), this.#statuses);
    return kept;
  }

  #spellOut(): void {
    this.#isUnspelled = false;
    this.#walk.spellOut(this.#compileRanked(), {
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
      const kept = evaluation.verdicts;
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
        if (verdict !== undefined) verdicts[slot] = this.#statuses.numberOf(verdict);
      }
    }
  }

  /** Nodes with nominated pods that count are judged twice, in the plain form. */
  #judgeNominated(nominated: NominatedVerdicts, size: number): void {
    for (let index = 0; index < size; index += 1) {
      const slot = this.#window[index] as number;
      if (!nominated.has(slot)) continue;
      const verdict = nominated.judge(slot);
      if (verdict !== 'alone') this.#verdicts[slot] = verdict === 'fits' ? 0 : this.#statuses.numberOf(verdict);
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

  #nodeAt(slot: number): NodeInfo {
    assert(this.#snapshot !== undefined, 'nodes of a scan are asked for after it has begun');
    return this.#snapshot.nodeAt(slot);
  }
}
