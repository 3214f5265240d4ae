import type { NodeColumns } from '../framework/node-columns.js';
import { ColumnMirror } from './column-mirror.js';
import type { WalkTask } from './judge-task.js';
import { TaskTeller } from './task-teller.js';
import type { WorkerProfile } from './worker-profile.js';

/** A worker without a thread: it makes walks on the thread of the caller, to see what they save. */
export class Rehearsal {
  readonly #profiles: readonly WorkerProfile[];
  readonly #teller = new TaskTeller();
  #mirror: ColumnMirror | undefined;

  constructor(profiles: readonly WorkerProfile[]) {
    this.#profiles = profiles;
  }

  walk(tasks: readonly WalkTask[], columns: NodeColumns): void {
    const task = this.#teller.tell(tasks, columns);
    this.#mirror ??= new ColumnMirror(this.#profiles, task.columns);
    this.#mirror.run(task);
  }
}
