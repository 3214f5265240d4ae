/**
 * The worker's side of the pool: the shared columns as the engine told of them, and the judgement of
 * shapes over them, while the engine goes on writing them. Results go straight into the memory of
 * evaluations; the engine throws away what was found out of slots that it has written since the shape
 * was sent, so that nothing counts that was read while it changed.
 */
import { assert } from '../../kernel/assert.js';
import { Claim } from './claim.js';
import { feasibleWindow } from './feasible-window.js';
import { ShapeEvaluation, viewEvaluationBuffers } from '../cycle/shape-evaluation.js';
import { CycleState } from '../framework/cycle-state.js';
import { Framework } from '../framework/framework.js';
import type { FrameworkHandle, NodeList, Snapshot } from '../framework/interface.js';
import { NodeColumns, type ColumnTables } from '../framework/node-columns.js';
import type { NodeInfo } from '../framework/node-info.js';
import { PodInfo } from '../framework/pod-info.js';
import { Code, codeOf } from '../framework/status.js';
import type { Pod } from '../../api/objects.js';
import type { ColumnNews, JudgeTask, ShapeTask } from './judge-task.js';
import { WalkMirror } from './walk-mirror.js';
import { workerPlugins, type WorkerProfile } from './worker-profile.js';

/** Judged nodes beyond those that the engine will probably ask about: the start is a guess. */
const SLACK_NODES = 64;

const DEFAULT_SCHEDULER = 'default-scheduler';

const unavailable = (): never => {
  throw new TypeError('worker threads judge nodes and do nothing else');
};

class MirrorSnapshot implements Snapshot, NodeList {
  readonly nodes: readonly NodeInfo[] = [];

  constructor(readonly columns: NodeColumns) {}

  get count(): number {
    return this.columns.nodeCount;
  }

  get slots(): Int32Array {
    return this.columns.arrays.order;
  }

  get size(): number {
    return this.columns.nodeCount;
  }

  get order(): Int32Array {
    return this.columns.arrays.order;
  }

  get(): undefined {
    return undefined;
  }

  nodeAt(slot: number): NodeInfo {
    assert(false, `worker threads know columns only, slot ${slot} was asked for`);
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] };

/** See the file header. */
export class ColumnMirror {
  readonly #snapshot: MirrorSnapshot;
  /** By scheduler name. */
  readonly #frameworks = new Map<string, Framework>();
  readonly #walks: WalkMirror;
  #tables: Mutable<ColumnTables> = { labelSets: [], taintSets: [], imageSets: [] };

  constructor(profiles: readonly WorkerProfile[], news: ColumnNews) {
    assert(news.arrays !== undefined, 'the first message must bring the columns');
    this.#snapshot = new MirrorSnapshot(new NodeColumns(news.arrays, this.#tables, undefined));
    const handle: FrameworkHandle = {
      clock: { now: unavailable, schedule: unavailable, cancel: unavailable, hold: unavailable, settle: unavailable },
      snapshot: this.#snapshot,
      bind: unavailable,
      waitingPod: unavailable,
      objects: unavailable,
    };
    for (const profile of profiles) {
      const framework = new Framework(workerPlugins(profile, handle), handle.clock, { order: profile.order });
      this.#frameworks.set(profile.schedulerName, framework);
    }
    this.#walks = new WalkMirror(this.#snapshot, this.#frameworks);
  }

  /** Takes in the news, then judges what nobody else has begun with. */
  run(task: JudgeTask): void {
    this.#learn(task.columns);
    this.#walks.run(task);
    for (const shape of task.shapes) {
      const claim = new Claim(shape.claim);
      if (!claim.take(shape.ticket)) continue;
      let isDone = false;
      try {
        isDone = this.#judge(shape);
      } finally {
        claim.close(shape.ticket, isDone);
      }
    }
  }

  #learn(news: ColumnNews): void {
    const { columns } = this.#snapshot;
    if (news.arrays !== undefined) {
      columns.arrays = news.arrays;
      this.#tables = { labelSets: [], taintSets: [], imageSets: [] };
      columns.tables = this.#tables;
      columns.scalars.clear();
      for (const [name, column] of news.scalars ?? []) columns.scalars.set(name, column);
    }
    columns.layout = news.layout;
    columns.nodeCount = news.nodeCount;
    columns.orderRevision = news.orderRevision;
    if (news.written === undefined) columns.written.noteAll();
    else for (const slot of news.written) columns.written.note(slot);
    for (const set of news.labelSets) this.#tables.labelSets.push(set);
    for (const set of news.taintSets) this.#tables.taintSets.push(set);
    for (const set of news.imageSets) this.#tables.imageSets.push(set);
  }

  /** `false` when it takes more than columns to judge the shape. */
  #judge({ pod: text, memory, start, target }: ShapeTask): boolean {
    const { columns } = this.#snapshot;
    const pod = JSON.parse(text) as Pod;
    const framework = this.#frameworks.get(pod.spec.schedulerName ?? DEFAULT_SCHEDULER);
    assert(framework !== undefined, `the first message must bring the profile ${pod.spec.schedulerName ?? ''}`);
    const info = new PodInfo(pod);
    const state = new CycleState();
    const { status } = framework.runPreFilter(state, info, this.#snapshot);
    if (codeOf(status) !== Code.Success) return false;
    const evaluation = new ShapeEvaluation(viewEvaluationBuffers(memory, columns.capacity, framework.scores.length));
    evaluation.reset();
    evaluation.prepareFiltersOver(framework, state, info, columns);
    if (!evaluation.canJudge) return false;
    const feasible = feasibleWindow(evaluation, columns, { start, target, slack: SLACK_NODES });
    const skipped = new Set<string>();
    for (const plugin of framework.preScores) {
      if (codeOf(plugin.preScore(state, info, feasible)) === Code.Skip) skipped.add(plugin.name);
    }
    state.skippedScores = skipped;
    evaluation.prepareScores(framework, state, info, columns);
    evaluation.score(feasible.slots, feasible.count, columns);
    return true;
  }
}
