/**
 * A pod shape for which a decision depends on nothing but the nodes, one by one: no plugin looks at other
 * pods, other nodes or the attempt. Its PreFilter and PreScore were run once, its filters and scores are
 * compiled once, and the total of a node is kept until the node is written. It never stands for a plugin
 * that did not say that this is right, and steps aside where a score is a fault or nodes differ in a score
 * that is normalised. Upstream has no counterpart.
 */
import { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import {
  type AnyPlugin,
  type ColumnFilter,
  type FilterPlugin,
  type NodeList,
  type Snapshot,
} from '../../framework/interface.js';
import { AMOUNTS_SHIFT } from '../../framework/node-amounts.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { RingRange } from '../attempt/ring.js';
import type { CommonScore } from '../attempt/shortcut.js';
import { NodeTable, type NodeJudge, type StaleNodes } from './node-table.js';
import type { GroupWalk, GroupWalkRequest, WalkedFilter } from './group-walk.js';
import { fitsRow, isFit, noDemand, readNeed, scoreRow, takeScore, type PodDemand } from '../attempt/pod-demand.js';
import type { Outline } from '../attempt/outline.js';
import { REJECTED } from '../attempt/rejected.js';
import { Scratch, type CompiledScore } from '../attempt/scratch.js';

const NO_FILTERS: readonly WalkedFilter[] = [];
const NO_NODES: NodeList = { count: 0, slots: new Int32Array(0), nodes: [] };

/** What a shape adds to its outline. */
interface ShapePlan {
  readonly filters: readonly ColumnFilter[];
  readonly scores: readonly CompiledScore[];
  /** Stands for both where it can. */
  readonly demand: PodDemand | undefined;
}

/** See the file header. */
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

  judge(table: NodeTable, stale: StaleNodes, { arrays }: NodeColumns): boolean {
    const { sums } = this.#outline;
    const { demand } = this.#plan;
    if (demand === undefined) return this.#judgeByPlugins(table, stale);
    const { amounts } = arrays;
    const { positions, slots, count } = stale;
    const group = table.groups.theOne();
    for (let index = 0; index < count; index += 1) {
      const at = positions[index] as number;
      const row = (slots[index] as number) << AMOUNTS_SHIFT;
      const sum = sums[at] as number;
      if (sum === REJECTED || !fitsRow(amounts, row, demand)) table.reject(at);
      else if (!table.take(at, group, sum + scoreRow(amounts, row, demand))) return false;
    }
    return true;
  }

  /** What a score that is normalised says of all nodes alike; `undefined` for others. */
  commonScore(name: string): CommonScore | undefined {
    return this.#outline.commonScore(name);
  }

  /** Judges in the column forms of the plugins. */
  #judgeByPlugins(table: NodeTable, { positions, slots: stale, count }: StaleNodes): boolean {
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
    const group = table.groups.theOne();
    for (let index = 0; index < count; index += 1) {
      const at = positions[index] as number;
      const slot = stale[index] as number;
      if (verdicts[slot] !== 0) table.reject(at);
      else if (!table.take(at, group, sums[slot] as number)) return false;
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
