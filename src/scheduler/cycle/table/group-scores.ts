import type { WeightedScore } from '../../framework/framework.js';
import { MAX_NODE_SCORE } from '../../framework/interface.js';
import type { GroupScore, NodeGroups } from '../../framework/node-groups.js';
import { MAX_GROUPS } from './node-table.js';
import type { ScoreRequest } from './requests.js';
import type { NodeTable } from './node-table.js';
import type { KeptScore, ShapeEvaluation } from './shape-evaluation.js';

/** A score by group and its weight. */
interface Addition {
  readonly score: GroupScore;
  readonly weight: number;
  /** Of the plugin. */
  readonly index: number;
}

/** What the scores that do not count as they are add to the nodes of each group. */
export class GroupScores {
  /** By group; weighted. */
  readonly additions = new Float64Array(MAX_GROUPS);
  readonly #scores = new Float64Array(MAX_GROUPS);
  readonly #added: Addition[] = [];
  /** By addition: its scores by group. */
  readonly #told: Float64Array[] = [];
  /** What all groups get alike. */
  #common = 0;

  /** Works the additions out; `false` when a plugin has to look at each node, or not all goes well. */
  run(request: ScoreRequest, evaluation: ShapeEvaluation, table: NodeTable): boolean {
    if (!this.#collect(request, evaluation)) return false;
    const { groups } = table;
    for (const { score } of this.#added) {
      if (groups.has(score.parts)) continue;
      table.want(this.#added.flatMap(({ score: { parts } }) => parts));
      return false;
    }
    this.additions.fill(this.#common, 0, groups.count);
    for (let each = 0; each < this.#added.length; each += 1) {
      if (!this.#add(this.#added[each] as Addition, groups)) return false;
      const told = (this.#told[each] ??= new Float64Array(MAX_GROUPS));
      for (let group = 0; group < groups.count; group += 1) told[group] = this.#scores[group] as number;
    }
    return true;
  }

  /** What a plugin, by its index, gave each node of a group, normalised; `undefined` if it was not asked by group. */
  scoreOf(index: number, group: number): number | undefined {
    return this.#told[this.#added.findIndex((addition) => addition.index === index)]?.[group];
  }

  #collect(request: ScoreRequest, evaluation: ShapeEvaluation): boolean {
    const { framework, state, pod } = request;
    this.#added.length = 0;
    this.#common = 0;
    const { unsettled } = evaluation;
    for (let each = 0; each < unsettled.length; each += 1) {
      const index = unsettled[each] as number;
      const { plugin, weight } = framework.scores[index] as WeightedScore;
      const kept = evaluation.scores[index];
      if (kept !== undefined && isUniform(kept, evaluation)) {
        const common = uniformAddition(kept, evaluation, request);
        if (common === undefined) return false;
        this.#common += common;
        continue;
      }
      const score = kept === undefined ? plugin.groupScore?.(state, pod) : keptScore(kept, request);
      if (score === undefined) return false;
      this.#added.push({ score, weight, index });
    }
    return true;
  }

  #add({ score, weight }: Addition, groups: NodeGroups): boolean {
    const { additions } = this;
    const scores = this.#scores;
    score.score(groups, scores);
    for (let group = 0; group < groups.count; group += 1) {
      if (groups.nodesIn(group) === 0) continue;
      const each = scores[group] as number;
      if (!isInRange(each)) return false;
      additions[group] = (additions[group] as number) + each * weight;
    }
    return true;
  }
}

/** Whether a plugin that normalises says the same of all nodes. */
export function isUniform({ plugin, index }: KeptScore, evaluation: ShapeEvaluation): boolean {
  return plugin.normalizesByExtremes === true && evaluation.uniformScore(index) !== undefined;
}

const ONE = new Float64Array(1);

/** What a score that {@link isUniform} adds to the total of each node; `undefined` for a fault. */
export function uniformAddition(
  kept: KeptScore,
  evaluation: ShapeEvaluation,
  request: ScoreRequest,
): number | undefined {
  const score = uniformScore(kept, evaluation, request);
  return score === undefined ? undefined : score * kept.weight;
}

/** The score of each, normalised and without the weight; `undefined` for a fault. */
export function uniformScore(
  { plugin, index }: KeptScore,
  evaluation: ShapeEvaluation,
  { state, pod, nodes }: ScoreRequest,
): number | undefined {
  ONE[0] = evaluation.uniformScore(index) as number;
  const status = plugin.normalizeScore?.(state, pod, ONE, nodes);
  const score = ONE[0];
  return status === undefined && isInRange(score) ? score : undefined;
}

/** A kept score that is normalised by its extremes: nodes with equal raw scores get equal ones. */
function keptScore({ plugin, part }: KeptScore, { state, pod, nodes }: ScoreRequest): GroupScore | undefined {
  if (plugin.normalizesByExtremes !== true) return undefined;
  return {
    parts: [part],
    score(groups, scores) {
      const raw = groups.valuesOf(part);
      let present = 0;
      for (let group = 0; group < groups.count; group += 1) {
        if (groups.nodesIn(group) > 0) scores[present++] = raw[group] as number;
      }
      plugin.normalizeScore?.(state, pod, scores.subarray(0, present), nodes);
      // Back to where they belong, from behind.
      for (let group = groups.count - 1; group >= 0; group -= 1) {
        if (groups.nodesIn(group) > 0) scores[group] = scores[--present] as number;
      }
    },
  };
}

function isInRange(score: number): boolean {
  return score >= 0 && score <= MAX_NODE_SCORE;
}
