/**
 * An attempt decided by what is known of the pod's shape alone (steady-shape.ts), as the scan and the scores
 * of the ordinary way tell of it: numbers at once, and all else when somebody asks, by going that way.
 */
import type { CycleState } from '../framework/cycle-state.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { DirectAttemptOptions } from './direct-attempt.js';
import type { PostponedScan } from './node-scan.js';
import type { NodeScore, ScoresLater } from './node-scores.js';
import type { NodeTotals } from './node-totals.js';
import type { RankedChoice } from './ranked-walk.js';
import { RejectedNodes } from './rejected-nodes.js';
import type { RejectionListener } from './rejection-listener.js';
import type { RingRange } from './ring.js';
import type { SteadyShape } from './steady-shape.js';
import { SteadyShapes } from './steady-shapes.js';

/** See the file header. */
export class SteadyAttempt implements PostponedScan, ScoresLater {
  readonly #options: DirectAttemptOptions;
  readonly shapes: SteadyShapes;
  /** Of the attempt under way. */
  #state: CycleState | undefined;
  #pod: PodInfo | undefined;
  #range: RingRange = { start: 0, target: 0 };
  #shape: SteadyShape | undefined;
  #totals: NodeTotals | undefined;
  #choice: RankedChoice | undefined;
  #isScanned = true;
  readonly #rejected = new RejectedNodes();

  /** @param isEager - a shape is looked at when it comes up for the first time */
  constructor(options: DirectAttemptOptions, isEager: boolean) {
    this.#options = options;
    this.shapes = new SteadyShapes(options.framework, isEager);
  }

  /** Scans in place of PreFilter and the ordinary scan; `false` when that does not do, or no node fits. */
  scan(state: CycleState, pod: PodInfo, range: RingRange): boolean {
    const shape = this.shapes.find(pod, this.#options.snapshot);
    if (shape === undefined) return false;
    const totals = shape.scan(range.start, range.target);
    if (totals === undefined) this.shapes.drop(pod.shape.id);
    if (totals === undefined || totals.feasible === 0) return false;
    this.#state = state;
    this.#pod = pod;
    this.#range = range;
    this.#shape = shape;
    this.#totals = totals;
    this.#choice = undefined;
    this.#isScanned = false;
    state.adopt(shape.state);
    this.#options.scan.postpone(totals.feasible, totals.visited - totals.feasible, this);
    return true;
  }

  /** Chooses among the nodes that fit; PreScore has nothing to add. */
  choose(): RankedChoice {
    const { scores, random } = this.#options;
    const totals = this.#totals as NodeTotals;
    const { feasible, best, ties } = totals;
    const isOnly = feasible === 1;
    const drawn = isOnly || ties === 1 ? 0 : random.int(0, ties - 1);
    const slot = this.#columns.arrays.order[totals.find(drawn)] as number;
    const total = isOnly ? 0 : best + (this.#shape as SteadyShape).common;
    this.#choice = { total, ties, drawn, position: totals.foundAt, slot };
    if (!isOnly) scores.postpone(this);
    return this.#choice;
  }

  /** Makes the scan in the ordinary way, once. */
  scanAgain(): void {
    if (this.#isScanned || this.#state === undefined || this.#pod === undefined) return;
    this.#isScanned = true;
    this.#options.scanNodes(this.#state, this.#pod, this.#range);
  }

  tellRejections(listener: RejectionListener): boolean {
    const totals = this.#totals;
    if (this.#state === undefined || this.#pod === undefined || totals === undefined) return false;
    const rejected = this.#rejected;
    rejected.begin(this.#columns, totals.visited - totals.feasible);
    const count = totals.findRejected(rejected.positions);
    return rejected.tell(this.#options.framework, this.#state, this.#pod, this.#columns, count, listener);
  }

  run(): void {
    this.scanAgain();
    if (this.#state !== undefined && this.#pod !== undefined) this.#options.scoreNodes(this.#state, this.#pod);
  }

  scoresOf(position: number): readonly NodeScore[] | undefined {
    if (this.#choice?.position !== position) return undefined;
    return this.#shape?.scoresOn(this.#choice.slot);
  }

  get #columns(): NodeColumns {
    return this.#options.snapshot.columns;
  }
}
