/**
 * Decides by a direct walk (node-walk.ts) where it can: for shapes of which nothing is kept, and for short
 * walks, which are over before kept results could be looked through. It stands for the filter by free
 * resources, for the scores by cpu and memory, and for plugins that go by the pod's outline; with any
 * other plugin that has something to say it steps aside, and changes nothing.
 */
import { assert } from '../../../kernel/assert.js';
import type { RandomStream } from '../../../kernel/random.js';
import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { NodeList } from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { AmendedWalk } from './amended-walk.js';
import { ClassWalk } from './class-walk.js';
import { noDemand } from '../attempt/pod-demand.js';
import { WalkPlan } from './walk-plan.js';
import { NodeRows } from './node-rows.js';
import { NodeWalk } from './node-walk.js';
import { OutlineFacts } from './outline-facts.js';
import type { NodeChoice } from '../attempt/select-host.js';
import { RecentlyUsed, SeenNumbers } from '../attempt/recently-used.js';
import type { RingRange } from '../attempt/ring.js';
import { OUTLINES_KEPT, PAUSE_ATTEMPTS, SEEN_REMEMBERED } from '../attempt/tuning.js';
import { RowScores } from './row-scores.js';
import type { CommonScore, Shortcut } from '../attempt/shortcut.js';
import type { WalkResult, WalkSource, WalkTaker } from './walk-result.js';

/** See the file header. The result stands in the object until the next run. */
export class OneOffWalk implements WalkTaker, Shortcut {
  readonly plan: WalkPlan | undefined;
  readonly #own = new NodeWalk();
  readonly #byClass = new ClassWalk();
  readonly #amended = new AmendedWalk();
  #walk: WalkResult = this.#own;
  #source: WalkSource | undefined;
  readonly #rows = new NodeRows();
  readonly #scores = new RowScores(this.#rows);
  /** By outline id. */
  readonly #outlines = new RecentlyUsed<number, OutlineFacts>(() => OUTLINES_KEPT);
  /** Outlines that came up once; facts are gathered when they do so again. */
  readonly #seen = new SeenNumbers(SEEN_REMEMBERED);
  /** Outlines whose pods no walk decides. */
  readonly #refused = new SeenNumbers(SEEN_REMEMBERED);
  /** The facts that were asked for last, and of which outline they are. */
  #last: { readonly id: number; readonly facts: OutlineFacts } | undefined;
  readonly #demand = noDemand();
  #lastColumns: NodeColumns | undefined;
  #facts: OutlineFacts | undefined;
  #range: RingRange = { start: 0, target: 0 };
  /** Of the facts that the walk went by. */
  #revision = 0;

  constructor(framework: Framework) {
    this.plan = WalkPlan.of(framework);
  }

  get visited(): number {
    return this.#walk.visited;
  }

  get feasible(): number {
    return this.#walk.feasible;
  }

  setWalkSource(source: WalkSource | undefined): void {
    this.#source = source;
  }

  isWalked(outlineId: number): boolean | undefined {
    const facts = this.#outlines.peek(outlineId);
    if (facts !== undefined) return facts.pause === 0;
    return this.#refused.has(outlineId) ? false : undefined;
  }

  findRejected(found: Int32Array): number {
    const range = { start: this.#range.start, visited: this.#walk.visited };
    return this.#rows.findUnfit(this.#demand, this.#facts as OutlineFacts, range, found);
  }

  /** Walks, after PreFilter; `false` when it cannot stand for all plugins, or no node fits. */
  run(state: CycleState, pod: PodInfo, columns: NodeColumns, range: RingRange): boolean {
    const { plan } = this;
    if (plan === undefined) return false;
    if (!plan.coversFilters(state, pod) || !plan.readDemand(pod, this.#demand)) {
      if (!this.#refused.has(pod.shape.outlineId)) this.#refused.add(pod.shape.outlineId);
      return false;
    }
    const facts = this.#factsOf(pod.shape.outlineId, plan);
    if (facts === undefined) return false;
    if (facts.pause > 0) {
      facts.pause -= 1;
      return false;
    }
    this.#rows.catchUp(columns);
    if (!facts.prepareFilters(state, pod, columns)) return false;
    this.#lastColumns = columns;
    this.#facts = facts;
    this.#range = range;
    if (!this.#takeWalk(pod, facts)) this.#walkOver(facts);
    return this.#walk.feasible > 0;
  }

  /** Chooses after PreScore; `undefined` when scores must be looked at node by node. */
  choose(state: CycleState, pod: PodInfo, nodes: NodeList, random: RandomStream): NodeChoice | undefined {
    const facts = this.#facts as OutlineFacts;
    facts.prepareScores(state, pod, this.#columns, nodes);
    if (facts.hasUntold) facts.pause = PAUSE_ATTEMPTS;
    if (facts.pause > 0 || this.plan?.countsAsRead(state, pod) !== true) return undefined;
    const { feasible } = this.#walk;
    const isBestKnown =
      this.#walk === this.#amended
        ? this.#amended.choose(this.#columns, this.#scores, facts, this.#demand)
        : facts.revision === this.#revision;
    // Scores have become others since the walk went by them: as many nodes fit, but others may be the best.
    if (!isBestKnown) this.#walkOver(facts);
    if (this.#walk.feasible !== feasible) assert(false, `${feasible} nodes fit, and then ${this.#walk.feasible}`);
    const { ties, best } = this.#walk;
    const drawn = ties === 1 ? 0 : random.int(0, ties - 1);
    const position = this.#walk.placeOf(drawn);
    return { total: best + facts.common, ties, drawn, position, slot: this.slotOf(drawn) };
  }

  /** Of the last run. */
  get #columns(): NodeColumns {
    return this.#lastColumns as NodeColumns;
  }

  /** Slot of one of the best nodes, by its number among them in the order of the walk. */
  slotOf(tie: number): number {
    return this.#columns.arrays.order[this.#walk.positionOf(tie)] as number;
  }

  commonScore(name: string): CommonScore | undefined {
    const known = (this.#facts as OutlineFacts).scores.find((score) => score.name === name && score.isUniform);
    return known === undefined ? undefined : { raw: known.lowest, normalized: known.normalized };
  }

  /** Takes over a walk over all nodes that somebody else has made; `false` when there is none. */
  #takeWalk(pod: PodInfo, facts: OutlineFacts): boolean {
    const { start, target } = this.#range;
    if (this.#source === undefined || target < this.#rows.size) return false;
    const foreseen = this.#source.take(pod.shape.id);
    if (foreseen === undefined || foreseen.start !== start) return false;
    const amended = this.#amended;
    // A node that is the only one is chosen without a look at scores.
    if (!amended.count(foreseen, this.#columns, this.#rows, facts, this.#demand) || amended.feasible < 2) return false;
    this.#walk = amended;
    return true;
  }

  #walkOver(facts: OutlineFacts): void {
    const { start, target } = this.#range;
    this.#revision = facts.revision;
    if (target >= this.#rows.size && facts.rejectedCount === 0 && facts.additions === undefined) {
      this.#walk = this.#byClass;
      this.#byClass.run(this.#columns, this.#scores, this.#demand, start);
    } else {
      this.#walk = this.#own;
      this.#own.run(this.#columns, this.#scores, facts, this.#demand, this.#range);
    }
  }

  /** What is known of an outline; absent for the first of its pods. */
  #factsOf(outlineId: number, plan: WalkPlan): OutlineFacts | undefined {
    if (this.#last?.id === outlineId) return this.#last.facts;
    let facts = this.#outlines.get(outlineId);
    if (facts === undefined) {
      if (!this.#seen.delete(outlineId)) {
        this.#seen.add(outlineId);
        return undefined;
      }
      facts = new OutlineFacts(plan);
      this.#outlines.set(outlineId, facts);
    }
    this.#last = { id: outlineId, facts };
    return facts;
  }
}
