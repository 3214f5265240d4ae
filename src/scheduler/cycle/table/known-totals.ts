import type { RandomStream } from '../../../kernel/random.js';
import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { Snapshot } from '../../framework/interface.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { MAX_GROUPS } from './group-table.js';
import { GroupWalk } from './group-walk.js';
import type { Outlines } from '../attempt/outline.js';
import type { NodeChoice } from '../attempt/select-host.js';
import type { RingRange } from '../attempt/ring.js';
import type { CommonScore, Shortcut } from '../attempt/shortcut.js';
import type { KnownShape } from './known-shape.js';
import { KnownShapes } from './known-shapes.js';

/** Decides by the totals that are kept for the pod's shape (known-shape.ts), in place of PreFilter, scan and scores. */
export class KnownTotals implements Shortcut {
  readonly shapes: KnownShapes;
  readonly #snapshot: Snapshot;
  readonly #walk = new GroupWalk();
  readonly #additions = new Float64Array(MAX_GROUPS);
  /** Of the last scan. */
  #shape: KnownShape | undefined;

  /** @param isEager - a shape is looked at when it comes up for the first time */
  constructor(framework: Framework, snapshot: Snapshot, outlines: Outlines, isEager: boolean) {
    this.#snapshot = snapshot;
    this.shapes = new KnownShapes(framework, outlines, isEager);
  }

  get visited(): number {
    return this.#walk.visited;
  }

  get feasible(): number {
    return this.#walk.feasible;
  }

  /** Scans; `false` when more than nodes, one by one, has to be looked at, or no node fits. */
  scan(state: CycleState, pod: PodInfo, range: RingRange): boolean {
    const shape = this.shapes.find(pod, this.#snapshot);
    if (shape === undefined) return false;
    if (!shape.walk(this.#walk, range)) {
      this.shapes.drop(pod.shape.id);
      return false;
    }
    if (this.#walk.feasible === 0) return false;
    this.#shape = shape;
    state.adopt(shape.state);
    return true;
  }

  /** Chooses among the nodes that fit; PreScore has nothing to add. */
  choose(random: RandomStream): NodeChoice {
    this.#additions[0] = (this.#shape as KnownShape).common;
    const choice = this.#walk.choose(this.#additions, random);
    return this.#walk.feasible === 1 ? { ...choice, total: 0 } : choice;
  }

  findRejected(found: Int32Array): number {
    return this.#walk.findRejected(found);
  }

  commonScore(name: string): CommonScore | undefined {
    return (this.#shape as KnownShape).commonScore(name);
  }
}
