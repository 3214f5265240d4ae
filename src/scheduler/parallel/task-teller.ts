import type { NodeColumns } from '../framework/node-columns.js';
import { ColumnTeller } from './column-teller.js';
import type { JudgeTask, ShapeTask, WalkTask } from './judge-task.js';
import { WalkTeller } from './walk-teller.js';

/** What one worker was told, and what it is told next. */
export class TaskTeller {
  readonly #columns = new ColumnTeller();
  readonly #walks = new WalkTeller();

  /** The message by which a worker is asked to judge, each kind in this order. */
  tell(tasks: readonly (ShapeTask | WalkTask)[], columns: NodeColumns): JudgeTask {
    const news = this.#columns.tell(columns);
    const walks = tasks.filter((task) => 'outline' in task);
    const shapes = tasks.filter((task) => 'pod' in task);
    return { columns: news, shapes, ...this.#walks.tell(walks, news.arrays !== undefined) };
  }
}
