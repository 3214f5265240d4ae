/**
 * Decides by a walk (walk.ts) where it can: for shapes of which nothing is kept, and for walks that are over before
 * what is kept could be looked through. It stands for the filter by free resources, for the scores by cpu and memory,
 * and for plugins that go by the pod's outline; with any other plugin that has something to say it steps aside, and
 * changes nothing.
 */
import { assert } from '../../../kernel/assert.js';
import type { RandomStream } from '../../../kernel/random.js';
import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework, WeightedScore } from '../../framework/framework.js';
import type { FilterPlugin, Snapshot } from '../../framework/interface.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { Outline, Outlines } from '../attempt/outline.js';
import { isFit, readNeed, takeScore, type FitPlugin, type PodDemand } from '../attempt/pod-demand.js';
import type { RingRange } from '../attempt/ring.js';
import type { NodeChoice } from '../attempt/select-host.js';
import type { CommonScore, Shortcut } from '../attempt/shortcut.js';
import { Walk, type ForeseenWalk } from './walk.js';

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

/** Which plugins of a profile a walk stands for, and what is left to be checked attempt by attempt. */
class WalkPlan {
  /** The filter by free resources. */
  readonly fit: FitPlugin;
  /** Names of the plugins that go by the outline. */
  readonly outlineFilters: readonly string[];
  readonly outlineScores: readonly string[];
  readonly #resourceScores: readonly WeightedScore[];
  /** Those that must have nothing to say. */
  readonly #otherFilters: readonly FilterPlugin[];
  readonly #otherScores: readonly string[];
  #skippedFilters: CycleState['skippedFilters'] | undefined;
  #isFitAsked = false;
  /** Those of the other filters that do not skip. */
  #left: readonly FilterPlugin[] = [];

  private constructor(framework: Framework, fit: FitPlugin) {
    const { filters, scores } = framework;
    this.fit = fit;
    this.outlineFilters = filters.filter(isOfOutline).map(({ name }) => name);
    this.#otherFilters = filters.filter((plugin) => plugin !== fit && !isOfOutline(plugin));
    this.outlineScores = scores.filter(({ plugin }) => plugin.goesByOutline === true).map(({ plugin }) => plugin.name);
    this.#resourceScores = scores.filter(({ plugin }) => plugin.resourceScore !== undefined);
    this.#otherScores = scores
      .filter(({ plugin }) => plugin.goesByOutline !== true && plugin.resourceScore === undefined)
      .map(({ plugin }) => plugin.name);
  }

  /** `undefined` for profiles without the filter by free resources. */
  static of(framework: Framework): WalkPlan | undefined {
    const [fit, ...others] = framework.filters.filter(isFit);
    return fit === undefined || others.length > 0 ? undefined : new WalkPlan(framework, fit);
  }

  /** Whether PreFilter has left nothing to filters that a walk does not stand for. */
  coversFilters(state: CycleState, pod: PodInfo): boolean {
    const { skippedFilters } = state;
    // From attempt to attempt it tends to be the same set, and the same object.
    if (this.#skippedFilters !== skippedFilters) {
      this.#skippedFilters = skippedFilters;
      this.#isFitAsked = !skippedFilters.has(this.fit.name);
      this.#left = this.#otherFilters.filter(({ name }) => !skippedFilters.has(name));
    }
    if (!this.#isFitAsked) return false;
    const left = this.#left;
    for (let index = 0; index < left.length; index += 1)
      if (left[index]?.passesAll?.(state, pod) !== true) return false;
    return true;
  }

  /** Takes down what a pod asks for; `false` when that is more than a walk looks at. */
  readDemand(pod: PodInfo, demand: PodDemand): boolean {
    if (!readNeed(this.fit, pod, demand)) return false;
    for (const { plugin, weight } of this.#resourceScores) {
      const score = plugin.resourceScore?.(pod);
      if (score !== undefined && !takeScore(demand, score, weight)) return false;
    }
    return demand.leastWeight > 0;
  }

  /** Whether PreScore agrees about which scores by cpu and memory count, and has left nothing to others. */
  coversScores({ skippedScores }: CycleState, pod: PodInfo): boolean {
    return (
      this.#otherScores.every((name) => skippedScores.has(name)) &&
      this.#resourceScores.every(
        ({ plugin }) => skippedScores.has(plugin.name) === (plugin.resourceScore?.(pod) === undefined),
      )
    );
  }
}

function isOfOutline({ filterScope, goesByOutline }: FilterPlugin): boolean {
  return filterScope === 'node' && goesByOutline === true;
}
