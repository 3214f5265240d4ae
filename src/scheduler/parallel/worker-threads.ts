import { createRequire } from 'node:module';
import type * as PiscinaModule from 'piscina';
import type { Piscina } from 'piscina';
import { programFile } from '../../kernel/program-file.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { WalkTask } from './judge-task.js';
import { TaskTeller } from './task-teller.js';
import { MAX_MESSAGES } from './tuning.js';
import type { WorkerProfile } from './worker-profile.js';

/** One thread of Piscina's, and what it knows. */
export class Lane {
  readonly #pool = startThread();
  /** Absent while the thread has heard of no scheduler. */
  #teller: TaskTeller | undefined;

  /** Sends walks, which are made in this order. */
  walk(tasks: readonly WalkTask[], columns: NodeColumns, profiles: readonly WorkerProfile[]): Promise<void> {
    const isNew = this.#teller === undefined;
    this.#teller ??= new TaskTeller();
    const task = this.#teller.tell(tasks, columns);
    return this.#pool.run(isNew ? { ...task, profiles } : task) as Promise<void>;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  /** The next batch is another scheduler's: its thread begins anew. */
  forget(): void {
    this.#teller = undefined;
  }
}

/** Threads that are started when first needed, each with what it knows. */
export class WorkerThreads {
  readonly #lanes: Lane[] = [];

  /** @internal the first so many */
  lanes(count: number): readonly Lane[] {
    while (this.#lanes.length < count) this.#lanes.push(new Lane());
    return this.#lanes.slice(0, count);
  }

  /** Makes the threads ready for another scheduler. */
  forget(): void {
    for (const lane of this.#lanes) lane.forget();
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.splice(0).map((lane) => lane.close()));
  }
}

/** Most clusters have no threads: Piscina is loaded for those that do, at once, since a batch does not wait. */
function startThread(): Piscina {
  const { Piscina: Pool } = createRequire(import.meta.url)('piscina') as typeof PiscinaModule;
  return new Pool({
    filename: programFile('workers/evaluate-pods.js').href,
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: MAX_MESSAGES,
    recordTiming: false,
  });
}
