import type { RandomStream } from '../../../kernel/random.js';
import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { Snapshot } from '../../framework/interface.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { NodeTotals } from './node-totals.js';
import type { NodeChoice } from '../attempt/select-host.js';
import type { RingRange } from '../attempt/ring.js';
import type { CommonScore, Shortcut } from '../attempt/shortcut.js';
import type { KnownShape } from './known-shape.js';
import { KnownShapes } from './known-shapes.js';

/** Decides by the totals that are kept for the pod's shape (known-shape.ts), in place of PreFilter, scan and scores. */
export class KnownTotals implements Shortcut {
  readonly shapes: KnownShapes;
  readonly #snapshot: Snapshot;
  /** Of the last scan. */
  #shape: KnownShape | undefined;
  #totals: NodeTotals | undefined;

  /** @param isEager - a shape is looked at when it comes up for the first time */
  constructor(framework: Framework, snapshot: Snapshot, isEager: boolean) {
    this.#snapshot = snapshot;
    this.shapes = new KnownShapes(framework, isEager);
  }

  get visited(): number {
    return this.#totals?.visited ?? 0;
  }

  get feasible(): number {
    return this.#totals?.feasible ?? 0;
  }

  /** Scans; `false` when more than nodes, one by one, has to be looked at, or no node fits. */
  scan(state: CycleState, pod: PodInfo, { start, target }: RingRange): boolean {
    const shape = this.shapes.find(pod, this.#snapshot);
    if (shape === undefined) return false;
    const totals = shape.scan(start, target);
    if (totals === undefined) this.shapes.drop(pod.shape.id);
    if (totals === undefined || totals.feasible === 0) return false;
    this.#shape = shape;
    this.#totals = totals;
    state.adopt(shape.state);
    return true;
  }

  /** Chooses among the nodes that fit; PreScore has nothing to add. */
  choose(random: RandomStream): NodeChoice {
    const totals = this.#totals as NodeTotals;
    const { feasible, best, ties } = totals;
    const isOnly = feasible === 1;
    const drawn = isOnly || ties === 1 ? 0 : random.int(0, ties - 1);
    const slot = this.#snapshot.columns.arrays.order[totals.find(drawn)] as number;
    const total = isOnly ? 0 : best + (this.#shape as KnownShape).common;
    return { total, ties, drawn, position: totals.foundAt, slot };
  }

  findRejected(found: Int32Array): number {
    return (this.#totals as NodeTotals).findRejected(found);
  }

  commonScore(name: string): CommonScore | undefined {
    return (this.#shape as KnownShape).commonScore(name);
  }
}
