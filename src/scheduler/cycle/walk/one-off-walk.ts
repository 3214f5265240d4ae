/**
 * Decides by a walk (walk.ts) where it can: for shapes of which nothing is kept, and for walks that are over before
 * what is kept could be looked through. It stands for the filter by free resources, for the scores by cpu and memory,
 * and for plugins that go by the pod's outline; with any other plugin that has something to say it steps aside, and
 * changes nothing.
 */
import { assert } from '../../../kernel/assert.js';
import type { RandomStream } from '../../../kernel/random.js';
import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { Snapshot } from '../../framework/interface.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { Outline, Outlines } from '../attempt/outline.js';
import type { RingRange } from '../attempt/ring.js';
import type { NodeChoice } from '../attempt/select-host.js';
import type { CommonScore, Shortcut } from '../attempt/shortcut.js';
import { Walk, type ForeseenWalk } from './walk.js';
import { WalkPlan } from './walk-plan.js';

/** Walks that were made ahead, such as by worker threads; see parallel/. */
export interface WalkSource {
  /** Asked before each walk over all nodes. What it gives is void when it is asked again. */
  take(shapeId: number): ForeseenWalk | undefined;
}

/** See the file header. The result stands in the object until the next run. */
export class OneOffWalk implements Shortcut {
  /** What a walk goes by; absent where no walk can be made. */
  readonly plan: WalkPlan | undefined;
  readonly #outlines: Outlines;
  readonly #walk = new Walk();
  #source: WalkSource | undefined;
  /** Of the last run. */
  #snapshot: Snapshot | undefined;
  #outline: Outline | undefined;
  #range: RingRange = { start: 0, target: 0 };

  constructor(framework: Framework, outlines: Outlines) {
    this.plan = WalkPlan.of(framework);
    this.#outlines = outlines;
  }

  get visited(): number {
    return this.#walk.visited;
  }

  get feasible(): number {
    return this.#walk.feasible;
  }

  /** From now on walks are asked for there first. */
  setSource(source: WalkSource | undefined): void {
    this.#source = source;
  }

  /** Whether the last pods of an outline were decided by walks. */
  isWalked(outlineId: number): boolean {
    const outline = this.#outlines.peek(outlineId);
    return outline?.isWalked === true && outline.isPlain;
  }

  findRejected(found: Int32Array): number {
    return this.#walk.findRejected(found);
  }

  /** Walks, after PreFilter; `false` when it cannot stand for all plugins, or no node fits. */
  run(state: CycleState, pod: PodInfo, snapshot: Snapshot, range: RingRange): boolean {
    const { plan } = this;
    const outline = plan === undefined ? undefined : this.#outlines.find(pod, snapshot);
    if (plan === undefined || outline === undefined) return false;
    const walk = this.#walk;
    const { columns } = snapshot;
    outline.isWalked = plan.coversFilters(state, pod) && plan.readDemand(pod, walk.demand) && outline.catchUp(columns);
    if (!outline.isWalked) return false;
    this.#snapshot = snapshot;
    this.#outline = outline;
    this.#range = range;
    walk.begin(columns, outline);
    if (!this.#takeWalk(pod)) walk.run(range);
    return walk.feasible > 0;
  }

  /** Chooses after PreScore; `undefined` when scores must be looked at node by node. */
  choose(state: CycleState, pod: PodInfo, random: RandomStream): NodeChoice | undefined {
    const walk = this.#walk;
    const outline = this.#outline as Outline;
    if (this.plan?.coversScores(state, pod) !== true) return undefined;
    const { feasible } = walk;
    if (walk.isAmended && !walk.chooseAmended(outline.addition)) walk.run(this.#range);
    if (walk.feasible !== feasible) assert(false, `${feasible} nodes fit, and then ${walk.feasible}`);
    const { ties, best } = walk;
    const drawn = ties === 1 ? 0 : random.int(0, ties - 1);
    const { position, place } = walk.find(drawn);
    return { total: best + outline.addition, ties, drawn, position: place, slot: this.#slotAt(position) };
  }

  /** Slot of the only node that fits. */
  get onlySlot(): number {
    return this.#slotAt(this.#walk.find(0).position);
  }

  commonScore(name: string): CommonScore | undefined {
    return this.#outline?.commonScore(name);
  }

  /** Begins with a walk over all nodes that was made ahead; `false` when there is none. */
  #takeWalk(pod: PodInfo): boolean {
    const walk = this.#walk;
    const { start, target } = this.#range;
    if (this.#source === undefined || target < walk.size) return false;
    const foreseen = this.#source.take(pod.shape.id);
    // A node that is the only one is chosen without a look at scores.
    return foreseen !== undefined && walk.amend(foreseen, start) && walk.feasible > 1;
  }

  #slotAt(position: number): number {
    return (this.#snapshot as Snapshot).columns.arrays.order[position] as number;
  }
}
