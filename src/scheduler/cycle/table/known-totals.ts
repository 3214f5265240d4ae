/**
 * Decides by totals that are kept for the pod's shape, in place of PreFilter, scan and scores: for shapes of which a
 * decision depends on nothing but the nodes, one by one, as no plugin looks at other pods, other nodes or the attempt.
 * Their PreFilter and PreScore were run once, their filters and scores are compiled once, and the total of a node is
 * kept until the node is written. It never stands for a plugin that did not say that this is right, and steps aside
 * where a score is a fault or nodes differ in a score that is normalised. Upstream has no counterpart.
 */
import type { RandomStream } from '../../../kernel/random.js';
import { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { AnyPlugin, ColumnFilter, FilterPlugin, NodeList, Snapshot } from '../../framework/interface.js';
import { AMOUNTS_SHIFT } from '../../framework/node-amounts.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { REJECTED, type Outline, type Outlines } from '../attempt/outline.js';
import { fitsRow, isFit, noDemand, readNeed, scoreRow, takeScore, type PodDemand } from '../attempt/pod-demand.js';
import { RecentlyUsed } from '../attempt/recently-used.js';
import type { RingRange } from '../attempt/ring.js';
import { Scratch, type CompiledScore } from '../attempt/scratch.js';
import type { NodeChoice } from '../attempt/select-host.js';
import type { CommonScore, Shortcut } from '../attempt/shortcut.js';
import { PAUSE_ATTEMPTS, SEEN_REMEMBERED, shapesKept } from '../attempt/tuning.js';
import { GroupWalk, type GroupWalkRequest, type WalkedFilter } from './group-walk.js';
import {
  canKeep,
  entryOf,
  MAX_GROUPS,
  NodeTable,
  type GroupTable,
  type NodeJudge,
  type StaleNodes,
} from './node-table.js';

const NO_FILTERS: readonly WalkedFilter[] = [];
const NO_NODES: NodeList = { count: 0, slots: new Int32Array(0), nodes: [] };

/** See the file header. The result stands in the object until the next scan. */
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

/** The shapes of a profile that are steady, as far as they have come up more than once. */
class KnownShapes {
  readonly #framework: Framework;
  readonly #isEager: boolean;
  readonly #outlines: Outlines;
  /** By shape id. */
  readonly #shapes = new RecentlyUsed<number, KnownShape | 'unsteady'>(() => shapesKept(this.#columns?.nodeCount ?? 0));
  /** By shape id: how many pods of the shape go by until it is looked at. */
  readonly #seen = new Map<number, number>();
  #columns: NodeColumns | undefined;
  #layout = -1;
  #order = -1;

  /** @param isEager - a shape is looked at when it comes up for the first time */
  constructor(framework: Framework, outlines: Outlines, isEager: boolean) {
    this.#framework = framework;
    this.#outlines = outlines;
    this.#isEager = isEager;
  }

  /** Whether nothing has to be found out about the shape. */
  has(shapeId: number): boolean {
    return this.#shapes.peek(shapeId) instanceof KnownShape;
  }

  /** The pod's shape, if it comes up more than once and is steady for this pod now. */
  find(pod: PodInfo, snapshot: Snapshot): KnownShape | undefined {
    const { columns } = snapshot;
    if (this.#layout !== columns.layout || this.#order !== columns.orderRevision || this.#columns !== columns) {
      this.#clear(columns);
    }
    const shape = this.#shapes.get(pod.shape.id) ?? this.#learn(pod, snapshot);
    return shape === undefined || shape === 'unsteady' || !shape.isFor(pod) ? undefined : shape;
  }

  /** Takes the shape of a pod in, if it is time to look at it and it is steady. */
  #learn(pod: PodInfo, snapshot: Snapshot): KnownShape | undefined {
    const { id } = pod.shape;
    const pods = this.#seen.get(id) ?? (this.#isEager ? 0 : undefined);
    if (pods !== 0) {
      if (this.#seen.size >= SEEN_REMEMBERED) this.#seen.clear();
      this.#seen.set(id, pods === undefined ? 0 : pods - 1);
      return undefined;
    }
    const outline = this.#outlines.of(pod, snapshot);
    const shape = outline === undefined ? undefined : KnownShape.of(this.#framework, pod, snapshot, outline);
    if (shape === undefined) this.#seen.set(id, PAUSE_ATTEMPTS);
    else this.#shapes.set(id, shape);
    return shape;
  }

  /** The shape is not steady after all. */
  drop(shapeId: number): void {
    this.#shapes.set(shapeId, 'unsteady');
  }

  /** Forgets all shapes: nodes have come, gone or changed places. */
  #clear(columns: NodeColumns): void {
    this.#columns = columns;
    this.#layout = columns.layout;
    this.#order = columns.orderRevision;
    this.#shapes.clear();
  }
}

/** What a shape adds to its outline. */
interface ShapePlan {
  readonly filters: readonly ColumnFilter[];
  readonly scores: readonly CompiledScore[];
  /** Stands for both where it can. */
  readonly demand: PodDemand | undefined;
}

/** A shape with its totals by node. */
export class KnownShape implements NodeJudge {
  /** What PreFilter and PreScore have written down; never changed. */
  readonly state: CycleState;
  readonly #outline: Outline;
  readonly #plan: ShapePlan;
  /** Those that must be idle for each pod anew. */
  readonly #idle: readonly AnyPlugin[];
  readonly #columns: NodeColumns;
  readonly #table = new NodeTable(this);
  /** The same for all walks, but for where they begin and end. */
  readonly #request: Omit<GroupWalkRequest, 'start' | 'target'> & { start: number; target: number };

  private constructor(prepared: PreparedShape, plan: ShapePlan, outline: Outline, columns: NodeColumns) {
    this.state = prepared.state;
    this.#idle = prepared.idle;
    this.#plan = plan;
    this.#outline = outline;
    this.#columns = columns;
    this.#request = {
      columns,
      nodes: this.#table,
      filters: NO_FILTERS,
      special: undefined,
      start: 0,
      target: 0,
      attempt: this.state,
    };
  }

  /**
   * The shape of a pod; `undefined` when it is not steady. It holds for as long as nodes keep their places
   * and the columns their layout.
   *
   */
  static of(framework: Framework, pod: PodInfo, snapshot: Snapshot, outline: Outline): KnownShape | undefined {
    const prepared = prepare(framework, pod, snapshot);
    if (prepared === undefined) return undefined;
    const { columns } = snapshot;
    const plan = planOf(framework, prepared.state, pod, columns);
    return plan === undefined ? undefined : new KnownShape(prepared, plan, outline, columns);
  }

  /** What the scores that are normalised add to each total. */
  get common(): number {
    return this.#outline.common;
  }

  /** Whether a pod of the shape is decided by the nodes alone, too. */
  isFor(pod: PodInfo): boolean {
    const idle = this.#idle;
    for (let index = 0; index < idle.length; index += 1) if (idle[index]?.isIdle?.(pod) !== true) return false;
    return this.#outline.catchUp(this.#columns);
  }

  /** Walks over the nodes; `false` when the shape turns out not to be steady. */
  walk(walk: GroupWalk, { start, target }: RingRange): boolean {
    const request = this.#request;
    request.start = start;
    request.target = target;
    return walk.run(request);
  }

  judge(stale: StaleNodes, groups: GroupTable, { arrays }: NodeColumns): boolean {
    const { sums } = this.#outline;
    const { demand } = this.#plan;
    const group = groups.theOne();
    if (demand === undefined) return this.#judgeByPlugins(stale, group);
    const { amounts } = arrays;
    const { positions, slots, entries, count } = stale;
    for (let index = 0; index < count; index += 1) {
      const row = (slots[index] as number) << AMOUNTS_SHIFT;
      const sum = sums[positions[index] as number] as number;
      if (sum === REJECTED || !fitsRow(amounts, row, demand)) {
        entries[index] = REJECTED;
        continue;
      }
      const total = sum + scoreRow(amounts, row, demand);
      if (!canKeep(total)) return false;
      entries[index] = entryOf(group, total);
    }
    return true;
  }

  /** What a score that is normalised says of all nodes alike; `undefined` for others. */
  commonScore(name: string): CommonScore | undefined {
    return this.#outline.commonScore(name);
  }

  /** Judges in the column forms of the plugins. */
  #judgeByPlugins({ positions, slots: stale, entries, count }: StaleNodes, group: number): boolean {
    const scratch = Scratch.for(this.#columns);
    const { slots, verdicts, sums } = scratch;
    let left = 0;
    for (let index = 0; index < count; index += 1) {
      const slot = stale[index] as number;
      const sum = this.#outline.sums[positions[index] as number] as number;
      verdicts[slot] = sum === REJECTED ? 1 : 0;
      if (sum === REJECTED) continue;
      sums[slot] = sum;
      slots[left++] = slot;
    }
    const { filters, scores } = this.#plan;
    const fit = scratch.filter(filters, left);
    if (!scratch.addScores(scores, fit)) return false;
    for (let index = 0; index < count; index += 1) {
      const slot = stale[index] as number;
      const isRejected = verdicts[slot] !== 0;
      const total = sums[slot] as number;
      if (!isRejected && !canKeep(total)) return false;
      entries[index] = isRejected ? REJECTED : entryOf(group, total);
    }
    return true;
  }
}

/** What is known of a shape before nodes are looked at. */
interface PreparedShape {
  readonly state: CycleState;
  readonly idle: readonly AnyPlugin[];
}

/** Runs PreFilter and PreScore; `undefined` when they have to be run for each pod, or are against the pod. */
function prepare(framework: Framework, pod: PodInfo, snapshot: Snapshot): PreparedShape | undefined {
  const idle: AnyPlugin[] = [];
  for (const plugin of new Set<AnyPlugin>([...framework.preFilters, ...framework.preScores])) {
    if (plugin.answersByShape?.(pod.shape) === true) continue;
    if (plugin.isIdle?.(pod) !== true) return undefined;
    idle.push(plugin);
  }
  const state = new CycleState();
  const { status, nodeNames } = framework.runPreFilter(state, pod, snapshot);
  if (status !== undefined || nodeNames !== undefined) return undefined;
  // No plugin that is called here looks at the nodes.
  if (framework.runPreScore(state, pod, NO_NODES) !== undefined) return undefined;
  return { state, idle };
}

function planOf(framework: Framework, state: CycleState, pod: PodInfo, columns: NodeColumns): ShapePlan | undefined {
  const filters: ColumnFilter[] = [];
  const plugins: FilterPlugin[] = [];
  for (const plugin of framework.filters) {
    if (plugin.goesByOutline === true || state.skippedFilters.has(plugin.name)) continue;
    const filter = plugin.filterScope === 'node' ? plugin.compileFilter?.(state, pod, columns) : undefined;
    if (filter === undefined || filter.mayFail === true) return undefined;
    filters.push(filter);
    plugins.push(plugin);
  }
  const scores: CompiledScore[] = [];
  for (const { plugin, weight } of framework.scores) {
    if (state.skippedScores.has(plugin.name)) continue;
    if (plugin.goesByOutline === true) continue;
    const column = plugin.scoreScope === 'node' ? plugin.compileScore?.(state, pod, columns) : undefined;
    if (column === undefined || plugin.normalizeScore !== undefined) return undefined;
    scores.push({ plugin, weight, column });
  }
  return { filters, scores, demand: demandOf(plugins, scores, pod) };
}

/** What stands for these plugins; `undefined` when they are more than that. */
function demandOf(
  filters: readonly FilterPlugin[],
  scores: readonly CompiledScore[],
  pod: PodInfo,
): PodDemand | undefined {
  const [fit] = filters;
  const demand = noDemand();
  if (filters.length !== 1 || !isFit(fit) || !readNeed(fit, pod, demand)) return undefined;
  for (const { plugin, weight } of scores) {
    const score = plugin.resourceScore?.(pod);
    if (score === undefined || !takeScore(demand, score, weight)) return undefined;
  }
  return demand;
}
