/**
 * An attempt whose nodes were found without writing them down, as the scan and the scores tell of it: numbers at
 * once, and all else when it is asked for, by going the ordinary way after all.
 */
import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework, WeightedScore } from '../../framework/framework.js';
import type { Snapshot } from '../../framework/interface.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { NodeScan, PostponedScan } from './node-scan.js';
import type { NodeScore, NodeScores, ScoresLater } from './node-scores.js';
import type { NodeChoice } from '../attempt/select-host.js';
import { RejectedNodes } from './rejected-nodes.js';
import type { RejectionListener } from '../attempt/rejection-listener.js';
import type { RingRange } from '../attempt/ring.js';
import type { Shortcut } from '../attempt/shortcut.js';

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
