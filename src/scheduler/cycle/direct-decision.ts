/**
 * Decides by a direct walk (direct-walk.ts) where it can: for shapes of which nothing is kept, and for short
 * walks, which are over before kept results could be looked through. It stands for the filter by free
 * resources, for the scores by cpu and memory, and for plugins that go by the pod's outline; with any
 * other plugin that has something to say it steps aside, and changes nothing.
 */
import type { RandomStream } from '../../kernel/random.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { NodeList } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { PodInfo } from '../framework/pod-info.js';
import { DirectPlan } from './direct-plan.js';
import { DirectRows, type DirectDemand } from './direct-rows.js';
import { DirectWalk, type DirectRange } from './direct-walk.js';
import { OutlineFacts } from './outline-facts.js';
import type { OutlineScore } from './outline-score.js';
import type { RankedChoice } from './ranked-walk.js';

/** Outlines of which facts are kept. */
const MAX_OUTLINES = 64;
/** Outlines that came up once; facts are gathered when they do so again. */
const MAX_SEEN = 1024;

/** Pods of an outline that go by when its scores have to be looked at node by node. */
const PAUSE = 64;

/** See the file header. The result stands in the object until the next run. */
export class DirectDecision {
  readonly walk = new DirectWalk();
  readonly #plan: DirectPlan | undefined;
  readonly #rows = new DirectRows();
  /** By outline id, least recently used first. */
  readonly #outlines = new Map<number, OutlineFacts>();
  readonly #seen = new Set<number>();
  #lastId = -1;
  #last: OutlineFacts | undefined;
  readonly #demand = noDemand();
  #columns: NodeColumns | undefined;
  #facts: OutlineFacts | undefined;
  #range: DirectRange = { start: 0, target: 0 };
  /** Of the facts that the walk went by. */
  #revision = 0;

  constructor(framework: Framework) {
    this.#plan = DirectPlan.of(framework);
  }

  /** Walks, after PreFilter; `false` when it cannot stand for all plugins, or no node fits. */
  run(state: CycleState, pod: PodInfo, columns: NodeColumns, range: DirectRange): boolean {
    const plan = this.#plan;
    if (plan === undefined || !plan.coversFilters(state) || !plan.readDemand(pod, this.#demand)) return false;
    const facts = this.#factsOf(pod.shape.outlineId, plan);
    if (facts === undefined) return false;
    if (facts.pause > 0) {
      facts.pause -= 1;
      return false;
    }
    this.#rows.catchUp(columns);
    if (!facts.prepareFilters(state, pod, columns, this.#rows.facts)) return false;
    this.#columns = columns;
    this.#facts = facts;
    this.#range = range;
    this.#walkOver(facts);
    return this.walk.feasible > 0;
  }

  /** Chooses after PreScore; `undefined` when scores must be looked at node by node. */
  choose(state: CycleState, pod: PodInfo, nodes: NodeList, random: RandomStream): RankedChoice | undefined {
    const facts = this.#facts as OutlineFacts;
    facts.prepareScores(state, pod, this.#columns as NodeColumns, nodes);
    if (Number.isNaN(facts.common)) facts.pause = PAUSE;
    if (facts.pause > 0 || this.#plan?.countsAsRead(state, pod) !== true) return undefined;
    // Scores have become others since the walk went by them: as many nodes fit, but others may be the best.
    if (facts.revision !== this.#revision) this.#walkOver(facts);
    const { ties, best } = this.walk;
    const drawn = ties === 1 ? 0 : random.int(0, ties - 1);
    const position = this.walk.placeOf(drawn);
    return { total: best + facts.common, ties, drawn, position, slot: this.slotOf(drawn) };
  }

  /** Slot of one of the best nodes, by its number among them in the order of the walk. */
  slotOf(tie: number): number {
    return (this.#columns as NodeColumns).arrays.order[this.walk.positionOf(tie)] as number;
  }

  /** What a score said of all nodes alike; `undefined` where it did not. */
  commonScore(name: string): OutlineScore | undefined {
    return (this.#facts as OutlineFacts).scores.find((score) => score.name === name && score.isUniform);
  }

  #walkOver(facts: OutlineFacts): void {
    this.#revision = facts.revision;
    this.walk.run(this.#columns as NodeColumns, this.#rows, facts, this.#demand, this.#range);
  }

  #factsOf(outlineId: number, plan: DirectPlan): OutlineFacts | undefined {
    if (outlineId === this.#lastId) return this.#last;
    let facts = this.#outlines.get(outlineId);
    if (facts !== undefined) this.#outlines.delete(outlineId);
    else if (this.#isFirst(outlineId)) return undefined;
    else facts = new OutlineFacts(plan);
    if (this.#outlines.size >= MAX_OUTLINES) this.#dropOldest();
    this.#outlines.set(outlineId, facts);
    this.#lastId = outlineId;
    this.#last = facts;
    return facts;
  }

  #isFirst(outlineId: number): boolean {
    if (this.#seen.delete(outlineId)) return false;
    if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
    this.#seen.add(outlineId);
    return true;
  }

  #dropOldest(): void {
    for (const oldest of this.#outlines.keys()) {
      this.#outlines.delete(oldest);
      return;
    }
  }
}

function noDemand(): DirectDemand {
  return {
    freeCpu: 0,
    freeMemory: 0,
    leastCpu: 0,
    leastMemory: 0,
    leastWeight: 0,
    cpuWeight: 0,
    memoryWeight: 0,
    balancedCpu: 0,
    balancedMemory: 0,
    balancedWeight: 0,
  };
}
