/**
 * What is known of nodes for all pods of one outline, whatever they request: which nodes the filters that
 * go by the outline reject, and what the scores that do add. It holds until a node becomes another one, and
 * then for all but that node; pods that come and go change nothing in it.
 */
import type { CycleState } from '../../framework/cycle-state.js';
import { Follower, type FollowedNodes } from '../../framework/follower.js';
import type { NodeList } from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { MAX_CHANGED_NODES } from '../attempt/tuning.js';
import type { WalkPlan } from './walk-plan.js';
import { OutlineScore } from './outline-score.js';

/** See the file header. */
export class OutlineFacts implements FollowedNodes {
  /** Positions of the nodes that are rejected, in rising order; the first so many count. */
  rejected = new Int32Array(0);
  rejectedCount = 0;
  /** By position: what scores add that differ from node to node and count as they are; absent where none does. */
  additions: Float64Array | undefined;
  /** How far apart these may be, and the highest that there may be. */
  spread = 0;
  highest = 0;
  /** What all nodes get alike. */
  common = 0;
  /** Some score has to be looked at node by node: nothing here tells what scores add. */
  hasUntold = false;
  /** Pods that go by until these facts are asked again, for who has no use for them. */
  pause = 0;
  /** Rises whenever what scores add has changed. */
  revision = 0;
  /** The scores behind {@link OutlineFacts.common}, and others. */
  scores: readonly OutlineScore[] = [];
  readonly #plan: WalkPlan;
  readonly #follower = new Follower();
  /** Whether the rejections are known, but for the old nodes from the first unjudged one on. */
  #isJudged = false;
  #skippedFilters: CycleState['skippedFilters'] | undefined;
  #skippedScores: CycleState['skippedScores'] | undefined;
  /** Nodes whose scores are old, and their number; of all nodes when there are too many. Those in front are judged. */
  readonly #old = new Int32Array(MAX_CHANGED_NODES);
  #oldCount = 0;
  #judgedCount = 0;
  #isAllOld = true;
  /** By slot. */
  #verdicts = new Int32Array(0);

  constructor(plan: WalkPlan) {
    this.#plan = plan;
  }

  /** Makes the rejections current, after PreFilter of a pod of the outline; `false` when that cannot be done. */
  prepareFilters(state: CycleState, pod: PodInfo, columns: NodeColumns): boolean {
    const { skippedFilters } = state;
    this.#follower.catchUp(columns, this);
    const isKnown = this.#isJudged && this.#skippedFilters === skippedFilters;
    if (isKnown && this.#judgedCount === this.#oldCount) return true;
    if (isKnown) {
      const old = this.#old.subarray(this.#judgedCount, this.#oldCount);
      this.#isJudged = this.#judge(state, pod, columns, old, true);
    } else {
      this.#isAllOld = true;
      this.#oldCount = 0;
      if (this.#verdicts.length !== columns.capacity) {
        this.#verdicts = new Int32Array(columns.capacity);
        this.rejected = new Int32Array(columns.capacity);
      }
      const { order } = columns.arrays;
      this.#isJudged = this.#judge(state, pod, columns, order.slice(0, columns.nodeCount), false);
    }
    this.#judgedCount = this.#oldCount;
    this.#skippedFilters = skippedFilters;
    return this.#isJudged;
  }

  /** @internal */
  onAll(): void {
    this.#isJudged = false;
  }

  /** @internal */
  onNode(_columns: NodeColumns, _position: number, slot: number, isWhole: boolean): void {
    if (!isWhole || !this.#isJudged) return;
    if (this.#oldCount === MAX_CHANGED_NODES) this.#isJudged = false;
    else {
      this.#old[this.#oldCount] = slot;
      this.#oldCount += 1;
    }
  }

  /** Makes what the scores add current, after PreScore. */
  prepareScores(state: CycleState, pod: PodInfo, columns: NodeColumns, nodes: NodeList): void {
    const { skippedScores } = state;
    const isKnown = !this.#isAllOld && this.#skippedScores === skippedScores;
    if (isKnown && this.#oldCount === 0) return;
    const isStill =
      isKnown && this.scores.every((score) => score.update(state, pod, columns, this.#old, this.#oldCount));
    if (!isStill) this.#scoreAll(state, pod, columns, nodes);
    if (!isStill || this.additions !== undefined) this.#add(columns);
    this.#skippedScores = skippedScores;
    this.#isAllOld = false;
    this.#oldCount = 0;
    this.#judgedCount = 0;
  }

  #scoreAll(state: CycleState, pod: PodInfo, columns: NodeColumns, nodes: NodeList): void {
    this.scores = this.#plan.outlineScores
      .filter(({ plugin }) => !state.skippedScores.has(plugin.name))
      .map((planned) => new OutlineScore(planned, columns));
    this.common = 0;
    this.hasUntold = !this.#plan.coversScores(state);
    for (const score of this.scores) {
      const common = score.prepare(state, pod, columns, nodes);
      if (common === undefined) this.hasUntold = true;
      else this.common += common;
    }
  }

  /** Whether the filters reject the node at a position. */
  isRejected(at: number, { arrays }: NodeColumns): boolean {
    return this.rejectedCount > 0 && this.#verdicts[arrays.order[at] as number] !== 0;
  }

  /** Adds up the scores that differ. */
  #add({ arrays, nodeCount }: NodeColumns): void {
    const differing = this.scores.filter(({ isUniform }) => !isUniform);
    this.revision += 1;
    this.spread = 0;
    this.highest = 0;
    this.additions = undefined;
    if (differing.length === 0 || this.hasUntold) return;
    const additions = new Float64Array(nodeCount);
    for (const { raw, weight, lowest, highest } of differing) {
      for (let at = 0; at < nodeCount; at += 1)
        additions[at] = (additions[at] as number) + (raw[arrays.order[at] as number] as number) * weight;
      this.spread += (highest - lowest) * weight;
      this.highest += highest * weight;
    }
    this.additions = additions;
  }

  /** Asks the filters about these nodes, and finds the rejected ones again if anything has changed. */
  #judge(state: CycleState, pod: PodInfo, columns: NodeColumns, slots: Int32Array, isRestKnown: boolean): boolean {
    const verdicts = this.#verdicts;
    let isSame = isRestKnown;
    for (const slot of slots) {
      if (verdicts[slot] !== 0) isSame = false;
      verdicts[slot] = 0;
    }
    for (const plugin of this.#plan.outlineFilters) {
      if (state.skippedFilters.has(plugin.name)) continue;
      const filter = plugin.compileFilter?.(state, pod, columns);
      if (filter === undefined || filter.mayFail === true) return false;
      filter.filter(slots, slots.length, verdicts, 0);
    }
    if (isSame && slots.every((slot) => verdicts[slot] === 0)) return true;
    const { order } = columns.arrays;
    this.rejectedCount = 0;
    for (let at = 0; at < columns.nodeCount; at += 1) {
      if (verdicts[order[at] as number] === 0) continue;
      this.rejected[this.rejectedCount] = at;
      this.rejectedCount += 1;
    }
    return true;
  }
}
