import { LogPlace } from '../framework/follower.js';
import type { NodeColumns } from '../framework/node-columns.js';
import { bareShape, WALK_LENGTH, type ColumnNews, type JudgeTask, type WalkTask } from './judge-task.js';
import { MAX_OUTLINES } from './tuning.js';

/** What one worker was told, and what it is told next. */
export class TaskTeller {
  readonly #columns = new ColumnTeller();
  readonly #walks = new WalkTeller();

  /** The message by which a worker is asked for walks, in this order. */
  tell(walks: readonly WalkTask[], columns: NodeColumns): JudgeTask {
    const news = this.#columns.tell(columns);
    return { columns: news, ...this.#walks.tell(walks, news.arrays !== undefined) };
  }
}

/** Remembers what one worker was told of the columns. */
class ColumnTeller {
  #layout = -1;
  #labelSets = 0;
  #taintSets = 0;
  #imageSets = 0;
  readonly #written = new LogPlace();

  /** What has changed since the last time. */
  tell({ layout, nodeCount, orderRevision, arrays, tables, scalars, written }: NodeColumns): ColumnNews {
    const isStale = layout !== this.#layout;
    const from = this.#written.advance(written);
    if (isStale) {
      this.#layout = layout;
      this.#labelSets = 0;
      this.#taintSets = 0;
      this.#imageSets = 0;
    }
    const news: ColumnNews = {
      layout,
      nodeCount,
      orderRevision,
      ...(isStale || from === undefined ? {} : { written: written.entriesFrom(from) }),
      ...(isStale ? { arrays, scalars: [...scalars] } : {}),
      labelSets: tables.labelSets.slice(this.#labelSets),
      taintSets: tables.taintSets.slice(this.#taintSets),
      imageSets: tables.imageSets.slice(this.#imageSets),
    };
    this.#labelSets = tables.labelSets.length;
    this.#taintSets = tables.taintSets.length;
    this.#imageSets = tables.imageSets.length;
    return news;
  }
}

/** Remembers what one worker was told of walks. */
class WalkTeller {
  #outlines = new Set<number>();
  #blocks = new Map<SharedArrayBuffer, number>();

  /** @param isLayoutNew - memory for other columns is no longer used */
  tell(walks: readonly WalkTask[], isLayoutNew: boolean): Pick<JudgeTask, 'walkNews' | 'walks'> {
    const isAnew = isLayoutNew || this.#outlines.size > MAX_OUTLINES;
    if (isAnew) {
      this.#outlines = new Set();
      this.#blocks = new Map();
    }
    const outlines: [id: number, pod: string][] = [];
    const blocks: [memory: SharedArrayBuffer, claim: SharedArrayBuffer][] = [];
    const messages = new Int32Array(walks.length * WALK_LENGTH);
    for (const [index, { outline, memory, claim, ticket }] of walks.entries()) {
      const { id, pod } = outline;
      if (!this.#outlines.has(id)) {
        this.#outlines.add(id);
        outlines.push([id, JSON.stringify(bareShape(pod))]);
      }
      let block = this.#blocks.get(memory);
      if (block === undefined) {
        block = this.#blocks.size;
        this.#blocks.set(memory, block);
        blocks.push([memory, claim]);
      }
      messages.set([id, block, ticket], index * WALK_LENGTH);
    }
    return { walkNews: { isAnew, outlines, blocks }, walks: messages };
  }
}
