/** Entry of the scheduler's worker threads: judges pod shapes over the shared columns. */
import { ColumnMirror } from '../src/scheduler/parallel/column-mirror.js';
import type { JudgeTask } from '../src/scheduler/parallel/judge-task.js';

let mirror: ColumnMirror | undefined;

/** One batch of shapes; results are written to shared memory. */
export default function evaluatePods(task: JudgeTask): void {
  if (mirror === undefined || task.profiles !== undefined) mirror = new ColumnMirror(task.profiles ?? [], task.columns);
  mirror.run(task);
}
