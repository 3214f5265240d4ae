/**
 * Scores of the feasible nodes: raw, normalised, weighted, summed. Owns the buffers, used again by
 * every attempt. Upstream: `prioritizeNodes` and `RunScorePlugins` of kube-scheduler v1.34.
 */
import type { CycleState } from '../framework/cycle-state.js';
import { failure, type Framework, type WeightedScore } from '../framework/framework.js';
import { MAX_NODE_SCORE, type NodeList, type Snapshot } from '../framework/interface.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, codeOf, createStatus, type Status } from '../framework/status.js';
import type { ShapeEvaluation } from './shape-evaluation.js';

/** One plugin's scores; entry i belongs to the i-th feasible node. */
export interface PluginScores {
  readonly name: string;
  readonly weight: number;
  /** Before normalisation. */
  readonly raw: Float64Array;
  /** 0..100, without the weight; the raw scores themselves where the plugin does not normalise. */
  readonly normalized: Float64Array;
}

/** What is scored. */
export interface ScoreRequest {
  readonly framework: Framework;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  /** Absent = every score in its plain form, node by node. */
  readonly evaluation: ShapeEvaluation | undefined;
  readonly nodes: NodeList;
}

/** See the file header. The result stands in the object until the next run. */
export class NodeScores {
  /** Sums of weighted scores; the first `nodes.count` entries count. */
  totals = new Float64Array(0);
  /** Plugins that scored, in profile order. */
  readonly plugins: PluginScores[] = [];
  /** The scores of {@link NodeScores.plugins} one after the other: raw, then normalised where they differ. */
  #block = new Float64Array(0);
  #used = 0;
  /** Column scores that cannot be kept, by slot. */
  #bySlot = new Float64Array(0);

  /** Scores; an error ends the attempt. */
  run(request: ScoreRequest): Status | undefined {
    const { framework, state, nodes, evaluation, pod, snapshot } = request;
    const { capacity } = snapshot.columns;
    if (this.totals.length < capacity) this.totals = new Float64Array(capacity);
    this.totals.fill(0, 0, nodes.count);
    this.plugins.length = 0;
    this.#used = 0;
    if (this.#block.length < 2 * nodes.count * framework.scores.length) {
      this.#block = new Float64Array(2 * capacity * framework.scores.length);
    }
    const error = runPreScore(framework, state, pod, nodes);
    if (error !== undefined) return error;
    if (evaluation !== undefined) {
      evaluation.prepareScores(framework, state, pod, snapshot.columns);
      evaluation.score(nodes.slots, nodes.count, snapshot.columns);
    }
    for (let index = 0; index < framework.scores.length; index += 1) {
      const score = framework.scores[index] as WeightedScore;
      if (state.skippedScores.has(score.plugin.name)) continue;
      const status = this.#scoreBy(score, index, request);
      if (status !== undefined) return status;
    }
    return undefined;
  }

  /** Everything that {@link NodeScores.plugins} hold, in their order and without gaps. */
  get block(): Float64Array {
    return this.#block.subarray(0, this.#used);
  }

  #scoreBy({ plugin, weight }: WeightedScore, index: number, request: ScoreRequest): Status | undefined {
    const { state, pod, nodes } = request;
    const { count } = nodes;
    const raw = this.#take(count);
    const status = this.#fillRaw(raw, plugin, index, request);
    if (status !== undefined) return status;
    let normalized = raw;
    if (plugin.normalizeScore !== undefined) {
      normalized = this.#take(count);
      normalized.set(raw);
      const failed = plugin.normalizeScore(state, pod, normalized, nodes);
      if (failed !== undefined) return failure(`running NormalizeScore plugin "${plugin.name}"`, plugin.name, failed);
    }
    const { totals } = this;
    for (let position = 0; position < count; position += 1) {
      const score = normalized[position] as number;
      if (score < 0 || score > MAX_NODE_SCORE) return outOfRange(plugin.name, score);
      totals[position] = (totals[position] as number) + score * weight;
    }
    this.plugins.push({ name: plugin.name, weight, raw, normalized });
    return undefined;
  }

  #fillRaw(
    raw: Float64Array,
    plugin: WeightedScore['plugin'],
    index: number,
    { state, pod, nodes, evaluation, snapshot }: ScoreRequest,
  ): Status | undefined {
    const { slots, count } = nodes;
    let bySlot: Float64Array | undefined;
    if (evaluation?.scores[index] !== undefined) {
      bySlot = evaluation.buffers.raw[index];
    } else if (evaluation !== undefined) {
      const column = plugin.compileScore?.(state, pod, snapshot.columns);
      if (column !== undefined) {
        if (this.#bySlot.length < snapshot.columns.capacity) this.#bySlot = new Float64Array(snapshot.columns.capacity);
        bySlot = this.#bySlot;
        column.score(slots, count, bySlot);
      }
    }
    if (bySlot !== undefined) {
      for (let position = 0; position < count; position += 1) {
        raw[position] = bySlot[slots[position] as number] as number;
      }
      return undefined;
    }
    for (let position = 0; position < count; position += 1) {
      const score = plugin.score(state, pod, snapshot.nodeAt(slots[position] as number));
      if (typeof score !== 'number') return failure(`running Score plugin "${plugin.name}"`, plugin.name, score);
      raw[position] = score;
    }
    return undefined;
  }

  #take(count: number): Float64Array {
    const scores = this.#block.subarray(this.#used, this.#used + count);
    this.#used += count;
    return scores;
  }
}

function runPreScore(framework: Framework, state: CycleState, pod: PodInfo, nodes: NodeList): Status | undefined {
  const skipped = new Set<string>();
  state.skippedScores = skipped;
  for (const plugin of framework.preScores) {
    const status = plugin.preScore(state, pod, nodes);
    const code = codeOf(status);
    if (code === Code.Skip) skipped.add(plugin.name);
    else if (code !== Code.Success) return failure(`running PreScore plugin "${plugin.name}"`, plugin.name, status);
  }
  return undefined;
}

function outOfRange(plugin: string, score: number): Status {
  return createStatus(
    Code.Error,
    plugin,
    `plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, ${MAX_NODE_SCORE}] after normalizing`,
  );
}
