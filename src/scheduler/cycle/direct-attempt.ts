/**
 * An attempt decided by a direct walk, as the scan and the scores of the ordinary way tell of it: numbers
 * at once, and all else when somebody asks, by going the ordinary way after all.
 */
import type { RandomStream } from '../../kernel/random.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework, WeightedScore } from '../framework/framework.js';
import type { Snapshot } from '../framework/interface.js';
import type { PodInfo } from '../framework/pod-info.js';
import { DirectDecision } from './direct-decision.js';
import type { NodeScan, PostponedScan } from './node-scan.js';
import type { NodeScore, NodeScores, ScoresLater } from './node-scores.js';
import type { RankedChoice } from './ranked-walk.js';
import { RejectedNodes } from './rejected-nodes.js';
import type { RejectionListener } from './rejection-listener.js';
import type { RingRange } from './ring.js';
import type { WalkTaker } from './walk-result.js';

/** What a direct attempt is made of, and the ordinary way. */
export interface DirectAttemptOptions {
  readonly framework: Framework;
  readonly snapshot: Snapshot;
  readonly random: RandomStream;
  readonly scan: NodeScan;
  readonly scores: NodeScores;
  /** Scans in the ordinary way. */
  readonly scanNodes: (state: CycleState, pod: PodInfo, range: RingRange) => void;
  /** Scores in the ordinary way. */
  readonly scoreNodes: (state: CycleState, pod: PodInfo) => void;
}

/** See the file header. */
export class DirectAttempt implements PostponedScan, ScoresLater {
  readonly #options: DirectAttemptOptions;
  readonly #decision: DirectDecision;
  /** Of the attempt under way. */
  #state: CycleState | undefined;
  #pod: PodInfo | undefined;
  #range: RingRange = { start: 0, target: 0 };
  #choice: RankedChoice | undefined;
  #isScanned = true;
  readonly #rejected = new RejectedNodes();

  constructor(options: DirectAttemptOptions) {
    this.#options = options;
    this.#decision = new DirectDecision(options.framework);
  }

  /** Who takes walks that others have made. */
  get walks(): WalkTaker {
    return this.#decision;
  }

  /** Walks, after PreFilter; `false` when that does not tell which nodes fit. */
  scan(state: CycleState, pod: PodInfo, range: RingRange): boolean {
    const { snapshot, scan } = this.#options;
    if (!this.#decision.run(state, pod, snapshot.columns, range)) return false;
    this.#state = state;
    this.#pod = pod;
    this.#range = range;
    this.#isScanned = false;
    const { feasible, visited } = this.#decision.walk;
    scan.postpone(feasible, visited - feasible, this);
    return true;
  }

  /** Slot of the first of the nodes that fit and are not known to be worse than another. */
  get firstSlot(): number {
    return this.#decision.slotOf(0);
  }

  /** Chooses among them, after PreScore; `undefined` when that takes a look at every score. */
  choose(): RankedChoice | undefined {
    const { scan, scores, random } = this.#options;
    if (this.#state === undefined || this.#pod === undefined) return undefined;
    this.#choice = this.#decision.choose(this.#state, this.#pod, scan, random);
    if (this.#choice !== undefined) scores.postpone(this);
    return this.#choice;
  }

  /** Makes the scan in the ordinary way, once. */
  scanAgain(): void {
    if (this.#isScanned || this.#state === undefined || this.#pod === undefined) return;
    this.#isScanned = true;
    this.#options.scanNodes(this.#state, this.#pod, this.#range);
  }

  tellRejections(listener: RejectionListener): boolean {
    const { framework, snapshot } = this.#options;
    const { columns } = snapshot;
    if (this.#state === undefined || this.#pod === undefined) return false;
    const rejected = this.#rejected;
    const { walk } = this.#decision;
    rejected.begin(columns, walk.visited - walk.feasible);
    const count = this.#decision.findRejected(rejected.positions);
    return rejected.tell(framework, this.#state, this.#pod, columns, count, listener);
  }

  run(): void {
    this.scanAgain();
    if (this.#state !== undefined && this.#pod !== undefined) this.#options.scoreNodes(this.#state, this.#pod);
  }

  scoresOf(position: number): readonly NodeScore[] | undefined {
    const { framework, snapshot, scan } = this.#options;
    const state = this.#state;
    const pod = this.#pod;
    if (state === undefined || pod === undefined) return undefined;
    const slot = this.#choice?.position === position ? this.#choice.slot : scan.slots[position];
    const node = snapshot.nodeAt(slot as number);
    const scores: NodeScore[] = [];
    for (let index = 0; index < framework.scores.length; index += 1) {
      const { plugin, weight } = framework.scores[index] as WeightedScore;
      const { name } = plugin;
      if (state.skippedScores.has(name)) continue;
      const isNormalized = plugin.normalizeScore !== undefined;
      const known = this.#decision.commonScore(name);
      const raw = known?.lowest ?? plugin.score(state, pod, node);
      if (typeof raw !== 'number') return undefined;
      scores.push({ name, weight, isNormalized, raw, normalized: known?.normalized ?? raw });
    }
    return scores;
  }
}
