/**
 * An attempt whose nodes were found without writing them down, as the scan and the scores tell of it: numbers at
 * once, and all else when it is asked for, by going the ordinary way after all.
 */
import { assert } from '../../../kernel/assert.js';
import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework, WeightedScore } from '../../framework/framework.js';
import type { ColumnFilter, FilterPlugin, Snapshot } from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { NodeScan, PostponedScan } from './node-scan.js';
import type { NodeScore, NodeScores, ScoresLater } from './node-scores.js';
import type { NodeChoice } from '../attempt/select-host.js';
import { tellRejected, type RejectionListener } from '../attempt/rejection-listener.js';
import type { RingRange } from '../attempt/ring.js';
import type { Shortcut } from '../attempt/shortcut.js';
import { VerdictStatuses } from '../attempt/verdict-statuses.js';
import { baseOf } from './rest-filters.js';

/** What short attempts tell, and the ordinary way. */
export interface ShortAttemptOptions {
  readonly framework: Framework;
  readonly snapshot: Snapshot;
  readonly scan: NodeScan;
  readonly scores: NodeScores;
  /** Scans in the ordinary way. */
  readonly scanNodes: (state: CycleState, pod: PodInfo, range: RingRange) => void;
  /** Scores in the ordinary way. */
  readonly scoreNodes: (state: CycleState, pod: PodInfo) => void;
}

/** An attempt under way. */
interface Attempt {
  readonly shortcut: Shortcut;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly range: RingRange;
}

/** See the file header. */
export class ShortAttempt implements PostponedScan, ScoresLater {
  readonly #options: ShortAttemptOptions;
  #attempt: Attempt | undefined;
  #choice: NodeChoice | undefined;
  #isScanned = true;
  readonly #rejected = new RejectedNodes();

  constructor(options: ShortAttemptOptions) {
    this.#options = options;
  }

  /** Nodes were found: the scan knows their numbers from now on. */
  begin(shortcut: Shortcut, state: CycleState, pod: PodInfo, range: RingRange): void {
    this.#attempt = { shortcut, state, pod, range };
    this.#choice = undefined;
    this.#isScanned = false;
    this.#options.scan.postpone(shortcut.feasible, shortcut.visited - shortcut.feasible, this);
  }

  /** One of several nodes was chosen by its score. */
  note(choice: NodeChoice): void {
    this.#choice = choice;
    this.#options.scores.postpone(this);
  }

  /** Makes the scan in the ordinary way, once. */
  scanAgain(): void {
    if (this.#isScanned || this.#attempt === undefined) return;
    this.#isScanned = true;
    const { state, pod, range } = this.#attempt;
    this.#options.scanNodes(state, pod, range);
  }

  tellRejections(listener: RejectionListener): boolean {
    if (this.#attempt === undefined) return false;
    const { framework, snapshot } = this.#options;
    const { columns } = snapshot;
    const { shortcut, state, pod } = this.#attempt;
    const rejected = this.#rejected;
    rejected.begin(columns, shortcut.visited - shortcut.feasible);
    const count = shortcut.findRejected(rejected.positions);
    return rejected.tell(framework, state, pod, columns, count, listener);
  }

  run(): void {
    this.scanAgain();
    if (this.#attempt !== undefined) this.#options.scoreNodes(this.#attempt.state, this.#attempt.pod);
  }

  scoresOf(position: number): readonly NodeScore[] | undefined {
    if (this.#attempt === undefined) return undefined;
    const { framework, snapshot, scan } = this.#options;
    const { shortcut, state, pod } = this.#attempt;
    const slot = this.#choice?.position === position ? this.#choice.slot : scan.slots[position];
    const node = snapshot.nodeAt(slot as number);
    const scores: NodeScore[] = [];
    for (let index = 0; index < framework.scores.length; index += 1) {
      const { plugin, weight } = framework.scores[index] as WeightedScore;
      const { name } = plugin;
      if (state.skippedScores.has(name)) continue;
      const isNormalized = plugin.normalizeScore !== undefined;
      const known = shortcut.commonScore(name);
      const raw = known?.raw ?? plugin.score(state, pod, node);
      if (typeof raw !== 'number') return undefined;
      scores.push({ name, weight, isNormalized, raw, normalized: known?.normalized ?? raw });
    }
    return scores;
  }
}

/**
 * The rejected nodes of such an attempt: what found the others tells which nodes these are, and they are judged in the
 * column forms of the filters, without a look at the nodes that fit.
 */
class RejectedNodes {
  /** Positions in the scan order, in the order of the scan; written from outside. */
  positions = new Int32Array(0);
  #expected = 0;
  #slots = new Int32Array(0);
  #verdicts = new Int32Array(0);
  /** By slot. */
  #bySlot = new Int32Array(0);
  readonly #statuses = new VerdictStatuses();

  /** Makes room for all nodes. @param expected - how many are rejected */
  begin({ capacity }: NodeColumns, expected: number): void {
    this.#expected = expected;
    if (this.positions.length >= capacity) return;
    this.positions = new Int32Array(capacity);
    this.#slots = new Int32Array(capacity);
    this.#verdicts = new Int32Array(capacity);
    this.#bySlot = new Int32Array(capacity);
  }

  /** Tells of the first `count` of the positions; `false` when some filter has no column form for the pod. */
  tell(
    { filters }: Framework,
    state: CycleState,
    pod: PodInfo,
    columns: NodeColumns,
    count: number,
    listener: RejectionListener,
  ): boolean {
    if (count !== this.#expected) assert(false, `${this.#expected} nodes are rejected, got ${count}`);
    const compiled = compile(filters, state, pod, columns);
    if (compiled === undefined) return false;
    const { order } = columns.arrays;
    const { positions } = this;
    const slots = this.#slots;
    const verdicts = this.#verdicts;
    const bySlot = this.#bySlot;
    for (let index = 0; index < count; index += 1) {
      const slot = order[positions[index] as number] as number;
      slots[index] = slot;
      bySlot[slot] = 0;
    }
    for (let index = 0; index < compiled.length; index += 1)
      compiled[index]?.filter(slots, count, bySlot, baseOf(index));
    for (let index = 0; index < count; index += 1) {
      const verdict = bySlot[slots[index] as number] as number;
      if (verdict === 0) assert(false, `the node at position ${positions[index]} must be rejected`);
      verdicts[index] = verdict;
    }
    this.#statuses.columnFilters = compiled;
    tellRejected({ slots, verdicts, count }, this.#statuses, listener);
    return true;
  }
}

/** By filter of the profile; absent where the attempt skips it. */
function compile(
  filters: readonly FilterPlugin[],
  state: CycleState,
  pod: PodInfo,
  columns: NodeColumns,
): readonly (ColumnFilter | undefined)[] | undefined {
  const compiled: (ColumnFilter | undefined)[] = [];
  for (const plugin of filters) {
    const isSkipped = state.skippedFilters.has(plugin.name);
    const filter = isSkipped ? undefined : plugin.compileFilter?.(state, pod, columns);
    if (!isSkipped && filter === undefined) return undefined;
    compiled.push(filter);
  }
  return compiled;
}
