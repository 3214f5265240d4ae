/**
 * Scores of the feasible nodes: raw, normalised, weighted, summed. Owns the buffers, used again by
 * every attempt. Raw scores that are kept for the shape and count as they are come in as one sum, and
 * what a plugin says of all nodes alike as one number; the scores of single plugins are spelled out
 * only when they are asked for. Upstream: `prioritizeNodes` and `RunScorePlugins` of kube-scheduler v1.34.
 */
import { assert } from '../../../kernel/assert.js';
import { failure, type WeightedScore } from '../../framework/framework.js';
import { MAX_NODE_SCORE, type ScorePlugin } from '../../framework/interface.js';
import { Code, createStatus, type Status } from '../../framework/status.js';
import { groupOf } from '../table/node-table.js';
import { isUniform, uniformAddition, uniformScore, type GroupScores } from '../table/group-scores.js';
import type { NodeChoice } from '../attempt/select-host.js';
import type { ScoreRequest } from '../table/requests.js';
import type { ShapeEvaluation } from '../table/shape-evaluation.js';

/** One plugin's scores; entry i belongs to the i-th feasible node. */
export interface PluginScores {
  readonly name: string;
  readonly weight: number;
  /** Before normalisation. */
  readonly raw: Float64Array;
  /** 0..100, without the weight; the raw scores themselves where the plugin does not normalise. */
  readonly normalized: Float64Array;
}

/** What one plugin said of one node. */
export interface NodeScore {
  readonly name: string;
  readonly weight: number;
  readonly isNormalized: boolean;
  readonly raw: number;
  /** 0..100, without the weight. */
  readonly normalized: number;
}

/** Scores behind a choice that was made without them. */
export interface ScoresLater {
  /** Scores every node by {@link NodeScores.run}. */
  run(): void;
  /** See {@link NodeScores.scoresOf}. */
  scoresOf(position: number): readonly NodeScore[] | undefined;
}

const NO_PLUGINS: readonly PluginScores[] = [];

/** See the file header. The result stands in the object until the next run. */
export class NodeScores {
  #totals = new Float64Array(0);
  /** Absent when every node was scored. */
  #choice: NodeChoice | undefined;
  /** What that choice went by. */
  #groups: GroupScores | undefined;
  #request: ScoreRequest | undefined;
  /** Absent until they are asked for. */
  #plugins: readonly PluginScores[] | undefined = NO_PLUGINS;
  /** The scores of {@link NodeScores.plugins} one after the other: raw, then normalised where they differ. */
  #block = new Float64Array(0);
  /** By Score plugin: the raw scores of this attempt by slot, where they are not kept. */
  readonly #bySlot: Float64Array[] = [];
  /** One plugin's scores by position, of which exactly as many count as there are nodes. */
  #work = new Float64Array(0);
  #workBuffer = this.#work;
  #later: ScoresLater | undefined;

  /** Scores every node after PreScore; an error ends the attempt. */
  run(request: ScoreRequest): Status | undefined {
    const { framework, state, nodes, evaluation } = request;
    this.#begin(request);
    const isSummed = evaluation !== undefined && this.#sumKept(evaluation, request);
    if (!isSummed) this.#totals.fill(0, 0, nodes.count);
    for (let index = 0; index < framework.scores.length; index += 1) {
      const score = framework.scores[index] as WeightedScore;
      if (state.skippedScores.has(score.plugin.name)) continue;
      const kept = evaluation?.scores[index];
      if (isSummed && kept !== undefined && (kept.isSettled || isUniform(kept, evaluation))) continue;
      const status = this.#add(score, index, request);
      if (status !== undefined) return status;
    }
    return undefined;
  }

  /** Takes notice of a choice that was made without looking at each node. @param groups - what it went by */
  note(request: ScoreRequest, choice: NodeChoice, groups: GroupScores): void {
    this.#begin(request);
    this.#choice = choice;
    this.#groups = groups;
  }

  /** Takes notice of a choice that was made in a shorter way. */
  postpone(later: ScoresLater): void {
    this.#later = later;
  }

  /** Sums of weighted scores; the first `nodes.count` entries count. */
  get totals(): Float64Array {
    if (this.#later !== undefined) this.#makeUp();
    if (this.#choice !== undefined) this.#plugins ??= this.#spellOut();
    return this.#totals;
  }

  /** Plugins that scored, in profile order. */
  get plugins(): readonly PluginScores[] {
    if (this.#later !== undefined) this.#makeUp();
    return (this.#plugins ??= this.#spellOut());
  }

  /** What {@link NodeScores.plugins} tell of a node, by position; `undefined` where only a look at all nodes tells. */
  scoresOf(position: number): readonly NodeScore[] | undefined {
    if (this.#later !== undefined) return this.#later.scoresOf(position);
    const request = this.#request;
    const evaluation = request?.evaluation;
    if (request === undefined || evaluation === undefined) return undefined;
    const isOfChoice = this.#choice?.position === position;
    const slot = isOfChoice ? this.#choice?.slot : request.nodes.slots[position];
    const { framework, state } = request;
    const chosen: NodeScore[] = [];
    for (let index = 0; index < framework.scores.length; index += 1) {
      const { plugin, weight } = framework.scores[index] as WeightedScore;
      const { name } = plugin;
      if (state.skippedScores.has(name)) continue;
      const kept = evaluation.scores[index];
      if (kept !== undefined && (kept.isSettled || isUniform(kept, evaluation))) {
        const raw = evaluation.raw[index]?.[slot as number] as number;
        const normalized = kept.isSettled ? raw : uniformScore(kept, evaluation, request);
        if (normalized === undefined) return undefined;
        chosen.push({ name, weight, isNormalized: !kept.isSettled, raw, normalized });
      } else {
        const score = isOfChoice ? this.#scoreByGroup(index, request, slot as number) : undefined;
        if (score === undefined) return undefined;
        chosen.push(score);
      }
    }
    return chosen;
  }

  /** What a plugin said of the chosen node, if the choice went by what it said of the node's group. */
  #scoreByGroup(index: number, request: ScoreRequest, slot: number): NodeScore | undefined {
    const { framework, state, pod, snapshot, evaluation } = request;
    const { plugin, weight } = framework.scores[index] as WeightedScore;
    const entry = evaluation?.table?.sums.entries[snapshot.columns.arrays.position[slot] as number];
    const normalized = entry === undefined ? undefined : this.#groups?.scoreOf(index, groupOf(entry));
    if (normalized === undefined) return undefined;
    const isKept = evaluation?.scores[index] !== undefined;
    const raw = isKept ? evaluation.raw[index]?.[slot] : plugin.score(state, pod, snapshot.nodeAt(slot));
    if (typeof raw !== 'number') return undefined;
    const isNormalized = plugin.normalizeScore !== undefined;
    return { name: plugin.name, weight, isNormalized, raw, normalized };
  }

  /** Everything that {@link NodeScores.plugins} hold, in their order and without gaps. */
  get block(): Float64Array {
    let length = 0;
    for (const { raw, normalized } of this.plugins) length += raw === normalized ? raw.length : 2 * raw.length;
    return this.#block.subarray(0, length);
  }

  #makeUp(): void {
    const later = this.#later;
    this.#later = undefined;
    later?.run();
  }

  #begin(request: ScoreRequest): void {
    this.#later = undefined;
    const { snapshot, nodes } = request;
    const { capacity } = snapshot.columns;
    const { count } = nodes;
    this.#request = request;
    this.#plugins = undefined;
    this.#choice = undefined;
    if (this.#totals.length < capacity) {
      this.#totals = new Float64Array(capacity);
      this.#workBuffer = new Float64Array(capacity);
      this.#bySlot.length = 0;
    }
    if (this.#work.length !== count) this.#work = this.#workBuffer.subarray(0, count);
  }

  /** Begins the totals with what is kept for the shape; `false` when single plugins must be looked at for a fault. */
  #sumKept(evaluation: ShapeEvaluation, request: ScoreRequest): boolean {
    const { framework, state, pod, snapshot, nodes } = request;
    const { slots, count } = nodes;
    evaluation.prepareScores(framework, state, pod, snapshot.columns);
    evaluation.score(slots, count, snapshot.columns);
    if (evaluation.hasBadScore()) return false;
    let common = 0;
    for (const kept of evaluation.scores) {
      if (kept === undefined || kept.isSettled || !isUniform(kept, evaluation)) continue;
      const addition = uniformAddition(kept, evaluation, request);
      if (addition === undefined) return false;
      common += addition;
    }
    const totals = this.#totals;
    const { settled } = evaluation;
    for (let position = 0; position < count; position += 1) {
      totals[position] = (settled[slots[position] as number] as number) + common;
    }
    return true;
  }

  /** Adds one plugin's scores to the totals. */
  #add({ plugin, weight }: WeightedScore, index: number, request: ScoreRequest): Status | undefined {
    const { state, pod, nodes } = request;
    const { slots, count } = nodes;
    const status = this.#fillRaw(plugin, index, request);
    if (status !== undefined) return status;
    const scores = this.#work;
    gather(this.#rawBySlot(index, request), slots, scores);
    const failed = plugin.normalizeScore?.(state, pod, scores, nodes);
    if (failed !== undefined) return failure(`running NormalizeScore plugin "${plugin.name}"`, plugin.name, failed);
    const totals = this.#totals;
    for (let position = 0; position < count; position += 1) {
      const score = scores[position] as number;
      if (score < 0 || score > MAX_NODE_SCORE) return outOfRange(plugin.name, score);
      totals[position] = (totals[position] as number) + score * weight;
    }
    return undefined;
  }

  /** Makes {@link NodeScores.#rawBySlot} current. */
  #fillRaw(plugin: ScorePlugin, index: number, request: ScoreRequest): Status | undefined {
    const { state, pod, nodes, evaluation, snapshot } = request;
    if (evaluation?.scores[index] !== undefined) return undefined;
    const { slots, count } = nodes;
    const raw = this.#rawBySlot(index, request);
    const column = evaluation === undefined ? undefined : plugin.compileScore?.(state, pod, snapshot.columns);
    if (column !== undefined) {
      column.score(slots, count, raw);
      return undefined;
    }
    for (let position = 0; position < count; position += 1) {
      const slot = slots[position] as number;
      const score = plugin.score(state, pod, snapshot.nodeAt(slot));
      if (typeof score !== 'number') return failure(`running Score plugin "${plugin.name}"`, plugin.name, score);
      raw[slot] = score;
    }
    return undefined;
  }

  #rawBySlot(index: number, { evaluation }: ScoreRequest): Float64Array {
    if (evaluation?.scores[index] !== undefined) return evaluation.raw[index] as Float64Array;
    return (this.#bySlot[index] ??= new Float64Array(this.#totals.length));
  }

  /** The totals of a choice that was made without them; they must be what it went by. */
  #sumUp(plugins: readonly PluginScores[], { position, slot, total }: NodeChoice, nodes: ScoreRequest['nodes']): void {
    const { slots, count } = nodes;
    const totals = this.#totals;
    totals.fill(0, 0, count);
    for (const { normalized, weight } of plugins) {
      for (let each = 0; each < count; each += 1) {
        totals[each] = (totals[each] as number) + (normalized[each] as number) * weight;
      }
    }
    if (slots[position] === slot && totals[position] === total) return;
    assert(false, `the scores of node ${position} add up to ${totals[position] ?? 0}, it was chosen for ${total}`);
  }

  /** Each plugin's scores for themselves. */
  #spellOut(): readonly PluginScores[] {
    const request = this.#request;
    assert(request !== undefined, 'the scores of plugins are asked for after a run');
    const { framework, state, nodes, pod } = request;
    const { slots, count } = nodes;
    if (this.#block.length < 2 * count * framework.scores.length) {
      this.#block = new Float64Array(2 * this.#totals.length * framework.scores.length);
    }
    let used = 0;
    const take = (): Float64Array => this.#block.subarray(used, (used += count));
    const plugins: PluginScores[] = [];
    for (const [index, { plugin, weight }] of framework.scores.entries()) {
      const { name } = plugin;
      if (state.skippedScores.has(name)) continue;
      if (this.#choice !== undefined) this.#fillRaw(plugin, index, request);
      const raw = take();
      gather(this.#rawBySlot(index, request), slots, raw);
      let normalized = raw;
      if (plugin.normalizeScore !== undefined) {
        normalized = take();
        normalized.set(raw);
        plugin.normalizeScore(state, pod, normalized, nodes);
      }
      plugins.push({ name, weight, raw, normalized });
    }
    if (this.#choice !== undefined) this.#sumUp(plugins, this.#choice, nodes);
    return plugins;
  }
}

function gather(bySlot: Float64Array, slots: Int32Array, values: Float64Array): void {
  for (let position = 0; position < values.length; position += 1) {
    values[position] = bySlot[slots[position] as number] as number;
  }
}

function outOfRange(plugin: string, score: number): Status {
  return createStatus(
    Code.Error,
    plugin,
    `plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, ${MAX_NODE_SCORE}] after normalizing`,
  );
}
