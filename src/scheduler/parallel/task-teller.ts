import type { NodeColumns } from '../framework/node-columns.js';
import { ColumnTeller } from './column-teller.js';
import type { JudgeTask, WalkTask } from './judge-task.js';
import { WalkTeller } from './walk-teller.js';

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
