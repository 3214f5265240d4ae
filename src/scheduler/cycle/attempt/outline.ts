/**
 * What is known of the nodes for all pods of one outline (a shape without its requests), whatever they request: which
 * nodes the filters that go by the outline reject, and what the scores that do add. It holds until a node becomes
 * another one, and then for all but that node; pods that come and go change nothing in it. The table and the walk go
 * by it, on worker threads, too.
 */
import { CycleState } from '../../framework/cycle-state.js';
import { Follower, positionWritten, type FollowedNodes } from '../../framework/follower.js';
import type { Framework } from '../../framework/framework.js';
import {
  MAX_NODE_SCORE,
  type AnyPlugin,
  type ColumnFilter,
  type NodeList,
  type Snapshot,
} from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { Code, codeOf } from '../../framework/status.js';
import { Scratch, type CompiledScore } from './scratch.js';
import type { CommonScore } from './shortcut.js';
import { RecentlyUsed, SeenNumbers } from './recently-used.js';
import { PAUSE_ATTEMPTS, SEEN_REMEMBERED, shapesKept } from './tuning.js';

/** Stands for a node that is rejected, where a sum, a total or an entry of the table stands for others: these are never below 0. */
export const REJECTED = -1;

const NO_NODES: NodeList = { count: 0, slots: new Int32Array(0), nodes: [] };

/** A score that is normalised, and what all nodes get from it alike. */
interface NormalizedScore extends CompiledScore {
  /** Absent before the first node. */
  common: CommonScore | undefined;
}

/** The plugins that go by the outline and have something to say, compiled for the columns as they are laid out. */
interface OutlinePlugins {
  readonly filters: readonly ColumnFilter[];
  readonly scores: readonly CompiledScore[];
  readonly normalized: readonly NormalizedScore[];
}

/** See the file header. */
export class Outline implements FollowedNodes {
  /** By position: {@link REJECTED}, or the sum of the scores that count as they are. */
  sums = new Int32Array(0);
  /** What the scores that are normalised add to each total. */
  common = 0;
  /** Whether the last pods of it were decided by walks; absent when there were none. */
  isWalked: boolean | undefined;
  /** Nodes that are rejected, and bounds of the sums of all others. */
  #rejectedCount = 0;
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;
  /** Every score is one for the table and the walk: nodes agree in those that are normalised, and none is a fault. */
  #isPlain = true;
  #pause = 0;
  readonly #framework: Framework;
  /** A pod of the outline, and what PreFilter and PreScore have said of it. */
  readonly #pod: PodInfo;
  readonly #state: CycleState;
  #plugins: OutlinePlugins | undefined;
  readonly #follower = new Follower();
  /** Slots of nodes that have become others. */
  readonly #changed: number[] = [];

  private constructor(framework: Framework, pod: PodInfo, state: CycleState) {
    this.#framework = framework;
    this.#pod = pod;
    this.#state = state;
  }

  /** The outline of a pod; `undefined` when a plugin has to be asked for each pod, or is against all of them. */
  static of(framework: Framework, pod: PodInfo, snapshot: Snapshot): Outline | undefined {
    const state = new CycleState();
    const skipped = new Set<string>();
    for (const plugin of framework.preFilters) {
      if (!goesByOutline(plugin)) continue;
      if (!answersByShape(plugin, pod)) return undefined;
      const { status, nodeNames } = plugin.preFilter(state, pod, snapshot) ?? {};
      if (nodeNames !== undefined) return undefined;
      if (codeOf(status) === Code.Skip) skipped.add(plugin.name);
      else if (codeOf(status) !== Code.Success) return undefined;
    }
    state.skippedFilters = skipped;
    const unscored = new Set<string>();
    for (const plugin of framework.preScores) {
      if (!goesByOutline(plugin)) continue;
      if (!answersByShape(plugin, pod)) return undefined;
      const code = codeOf(plugin.preScore(state, pod, NO_NODES));
      if (code === Code.Skip) unscored.add(plugin.name);
      else if (code !== Code.Success) return undefined;
    }
    state.skippedScores = unscored;
    return new Outline(framework, pod, state);
  }

  /** Whether it tells nothing of one node that it does not tell of all. */
  get isFlat(): boolean {
    return this.#rejectedCount === 0 && this.#lowest === this.#highest;
  }

  /** What each total gets on top of resources and, unless it {@link isFlat}, of {@link Outline.sums}. */
  get addition(): number {
    return this.isFlat ? this.common + this.#lowest : this.common;
  }

  /** Whether it was of use the last time that it was asked for. */
  get isPlain(): boolean {
    return this.#isPlain;
  }

  /** Makes it current; `false` when nodes have to be looked at one by one. To be asked once per attempt and way. */
  catchUp(columns: NodeColumns): boolean {
    if (this.#pause > 0) {
      this.#pause -= 1;
      return false;
    }
    this.#follower.catchUp(columns, this);
    if (this.#isPlain && this.#changed.length > 0) {
      this.#isPlain = this.#judge(columns, Int32Array.from(new Set(this.#changed)));
      this.#changed.length = 0;
    }
    if (!this.#isPlain) {
      this.#pause = PAUSE_ATTEMPTS;
      this.#follower.forget();
    }
    return this.#isPlain;
  }

  /** What a score that is normalised says of all nodes alike; `undefined` for others. */
  commonScore(name: string): CommonScore | undefined {
    return this.#plugins?.normalized.find(({ plugin }) => plugin.name === name)?.common;
  }

  /** @internal */
  onAll(columns: NodeColumns): void {
    const { nodeCount, arrays } = columns;
    if (this.sums.length < nodeCount) this.sums = new Int32Array(nodeCount);
    this.sums.fill(0);
    this.#changed.length = 0;
    this.#rejectedCount = 0;
    this.#lowest = Number.POSITIVE_INFINITY;
    this.#highest = Number.NEGATIVE_INFINITY;
    this.common = 0;
    this.#plugins = this.#compile(columns);
    this.#isPlain = this.#judge(columns, arrays.order.subarray(0, nodeCount));
  }

  /** @internal */
  onWrites(columns: NodeColumns, from: number): void {
    const { written } = columns;
    for (let write = from; write < written.end; write += 1) {
      if (written.isWholeAt(write) && positionWritten(columns, write) >= 0) this.#changed.push(written.slotAt(write));
    }
  }

  #compile(columns: NodeColumns): OutlinePlugins | undefined {
    const state = this.#state;
    const pod = this.#pod;
    const { filters: filterPlugins, scores: scorePlugins } = this.#framework;
    const filters: ColumnFilter[] = [];
    for (const plugin of filterPlugins) {
      if (plugin.goesByOutline !== true || state.skippedFilters.has(plugin.name)) continue;
      const filter = plugin.filterScope === 'node' ? plugin.compileFilter?.(state, pod, columns) : undefined;
      if (filter === undefined || filter.mayFail === true) return undefined;
      filters.push(filter);
    }
    const scores: CompiledScore[] = [];
    const normalized: NormalizedScore[] = [];
    for (const { plugin, weight } of scorePlugins) {
      if (plugin.goesByOutline !== true || state.skippedScores.has(plugin.name)) continue;
      const column = plugin.scoreScope === 'node' ? plugin.compileScore?.(state, pod, columns) : undefined;
      if (column === undefined) return undefined;
      if (plugin.normalizeScore === undefined) scores.push({ plugin, weight, column });
      else if (plugin.normalizesByExtremes !== true) return undefined;
      else normalized.push({ plugin, weight, column, common: undefined });
    }
    return { filters, scores, normalized };
  }

  /** Judges nodes; `false` when they are not all plain. */
  #judge(columns: NodeColumns, judged: Int32Array): boolean {
    if (this.#plugins === undefined) return false;
    const { filters, scores, normalized } = this.#plugins;
    const { position } = columns.arrays;
    const scratch = Scratch.for(columns);
    scratch.slots.set(judged);
    for (const slot of judged) {
      scratch.verdicts[slot] = 0;
      scratch.sums[slot] = 0;
      const at = position[slot] as number;
      if (this.sums[at] !== REJECTED) this.#rejectedCount += 1;
      this.sums[at] = REJECTED;
    }
    const fit = scratch.filter(filters, judged.length);
    if (!scratch.addScores(scores, fit)) return false;
    for (let index = 0; index < fit; index += 1) {
      const slot = scratch.slots[index] as number;
      const sum = scratch.sums[slot] as number;
      this.sums[position[slot] as number] = sum;
      if (sum < this.#lowest) this.#lowest = sum;
      if (sum > this.#highest) this.#highest = sum;
    }
    this.#rejectedCount -= fit;
    return normalized.every((score) => this.#isCommon(score, scratch, fit));
  }

  /** Whether the nodes in the first `count` slots have the raw score that all others have. */
  #isCommon(score: NormalizedScore, { slots, raw }: Scratch, count: number): boolean {
    score.column.score(slots, count, raw);
    for (let index = 0; index < count; index += 1) {
      const value = raw[slots[index] as number] as number;
      if (value === score.common?.raw) continue;
      if (score.common !== undefined || !this.#normalize(score, value)) return false;
    }
    return true;
  }

  /** Works out what all nodes get; `false` for a fault. */
  #normalize(score: NormalizedScore, raw: number): boolean {
    const { plugin, weight } = score;
    const scores = Float64Array.of(raw);
    const status = plugin.normalizeScore?.(this.#state, this.#pod, scores, NO_NODES);
    const normalized = scores[0] as number;
    if (status !== undefined || !(normalized >= 0 && normalized <= MAX_NODE_SCORE)) return false;
    score.common = { raw, normalized };
    this.common += normalized * weight;
    return true;
  }
}

function goesByOutline(plugin: AnyPlugin): boolean {
  return plugin.goesByOutline === true;
}

function answersByShape(plugin: AnyPlugin, { shape }: PodInfo): boolean {
  return plugin.answersByShape?.(shape) === true;
}

/** The outlines of a profile's pods, as far as they have come up more than once. */
export class Outlines {
  readonly #framework: Framework;
  /** By outline id; `none` where there is none. */
  readonly #known = new RecentlyUsed<number, Outline | 'none'>(() => shapesKept(this.#nodeCount));
  readonly #seen = new SeenNumbers(SEEN_REMEMBERED);
  #last: { readonly id: number; readonly outline: Outline | undefined } | undefined;
  #nodeCount = 0;

  constructor(framework: Framework) {
    this.#framework = framework;
  }

  /** What is known of an outline, without a use of it. */
  peek(outlineId: number): Outline | undefined {
    const known = this.#known.peek(outlineId);
    return known === 'none' ? undefined : known;
  }

  /** The outline of a pod, once it comes up again; `undefined` also where there is none. */
  find(pod: PodInfo, snapshot: Snapshot): Outline | undefined {
    const { outlineId } = pod.shape;
    if (this.#last?.id === outlineId) return this.#last.outline;
    if (!this.#known.has(outlineId) && !this.#seen.delete(outlineId)) {
      this.#seen.add(outlineId);
      return undefined;
    }
    return this.of(pod, snapshot);
  }

  /** The same for a pod whose outline counts as known. */
  of(pod: PodInfo, snapshot: Snapshot): Outline | undefined {
    const { outlineId: id } = pod.shape;
    this.#nodeCount = snapshot.size;
    const known = this.#known.get(id) ?? Outline.of(this.#framework, pod, snapshot) ?? 'none';
    this.#known.set(id, known);
    const outline = known === 'none' ? undefined : known;
    this.#last = { id, outline };
    return outline;
  }
}
