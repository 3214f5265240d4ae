import type { NodeColumns } from '../framework/node-columns.js';
import { ColumnMirror } from './column-mirror.js';
import { ColumnTeller } from './column-teller.js';
import type { ShapeTask } from './judge-task.js';
import type { WorkerProfile } from './worker-profile.js';

/** A worker without a thread: it judges on the thread of the caller, to see what that takes. */
export class Rehearsal {
  readonly #profiles: readonly WorkerProfile[];
  readonly #teller = new ColumnTeller();
  #mirror: ColumnMirror | undefined;

  constructor(profiles: readonly WorkerProfile[]) {
    this.#profiles = profiles;
  }

  judge(shapes: readonly ShapeTask[], columns: NodeColumns): void {
    const news = this.#teller.tell(columns);
    this.#mirror ??= new ColumnMirror(this.#profiles, news);
    this.#mirror.run({ columns: news, shapes });
  }
}
