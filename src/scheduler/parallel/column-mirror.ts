/**
 * The worker's side of the pool: the shared columns as the engine told of them, and walks over them, while the
 * engine goes on writing them. The engine judges the slots that it has written since a walk was sent anew, so
 * that nothing counts that was read while it changed.
 */
import type { Pod } from '../../api/objects/objects.js';
import { assert } from '../../kernel/assert.js';
import { Outline } from '../cycle/attempt/outline.js';
import { Walk } from '../cycle/walk/walk.js';
import { WalkMemory } from '../cycle/walk/walk-memory.js';
import { Framework } from '../framework/framework.js';
import type { FrameworkHandle, NodeList, Snapshot } from '../framework/interface.js';
import { NodeColumns, type ColumnTables } from '../framework/node-columns.js';
import type { NodeInfo } from '../framework/node-info.js';
import { PodInfo } from '../framework/pod-info.js';
import { Claim } from './claim.js';
import { WALK_LENGTH, type ColumnNews, type JudgeTask, type WalkNews } from './judge-task.js';
import { workerPlugins, type WorkerProfile } from './worker-profile.js';

const DEFAULT_SCHEDULER = 'default-scheduler';

const unavailable = (): never => {
  throw new TypeError('worker threads walk over columns and do nothing else');
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

  /** Takes in the news, then makes the walks that no other thread has begun with. */
  run(task: JudgeTask): void {
    this.#learn(task.columns);
    this.#walks.run(task);
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
    else columns.written.noteEntries(news.written);
    for (const set of news.labelSets) this.#tables.labelSets.push(set);
    for (const set of news.taintSets) this.#tables.taintSets.push(set);
    for (const set of news.imageSets) this.#tables.imageSets.push(set);
  }
}

/** Memory for a walk, with the claim to it. */
interface Block {
  readonly memory: WalkMemory;
  readonly claim: Claim;
}

type WalkNumbers = readonly [outline: number, block: number, ticket: number];

/** The worker's side of walks ahead: makes whole walks over the shared columns and writes down what they find. */
class WalkMirror {
  readonly #snapshot: Snapshot;
  /** By scheduler name. */
  readonly #frameworks: ReadonlyMap<string, Framework>;
  readonly #walk = new Walk();
  /** By outline id; absent values are outlines for which no walk can be made. */
  readonly #outlines = new Map<number, Outline | undefined>();
  #blocks: Block[] = [];

  constructor(snapshot: Snapshot, frameworks: ReadonlyMap<string, Framework>) {
    this.#snapshot = snapshot;
    this.#frameworks = frameworks;
  }

  /** Makes the walks that no other thread has begun with. */
  run({ walkNews, walks }: JudgeTask): void {
    this.#learn(walkNews);
    for (let first = 0; first < walks.length; first += WALK_LENGTH) {
      const [outline, block, ticket] = walks.subarray(first, first + WALK_LENGTH) as unknown as WalkNumbers;
      const { memory, claim } = this.#blocks[block] as Block;
      if (!claim.take(ticket)) continue;
      let isDone = false;
      try {
        isDone = this.#make(this.#outlines.get(outline), memory);
      } finally {
        claim.close(ticket, isDone);
      }
    }
  }

  #learn({ isAnew, outlines, blocks }: WalkNews): void {
    if (isAnew) {
      this.#outlines.clear();
      this.#blocks = [];
    }
    for (const [id, text] of outlines) this.#outlines.set(id, this.#outlineOf(JSON.parse(text) as Pod));
    const { capacity } = this.#snapshot.columns;
    for (const [memory, claim] of blocks)
      this.#blocks.push({ memory: new WalkMemory(capacity, memory), claim: new Claim(claim) });
  }

  #outlineOf(pod: Pod): Outline | undefined {
    const framework = this.#frameworks.get(pod.spec.schedulerName ?? DEFAULT_SCHEDULER);
    return framework === undefined ? undefined : Outline.of(framework, new PodInfo(pod), this.#snapshot);
  }

  /** `false` when it takes more than a walk. */
  #make(outline: Outline | undefined, memory: WalkMemory): boolean {
    const { columns } = this.#snapshot;
    if (outline?.catchUp(columns) !== true) return false;
    const walk = this.#walk;
    memory.readDemand(walk.demand);
    walk.begin(columns, outline);
    walk.tell(memory, outline.addition);
    return true;
  }
}
