/** Whole runs on threads of their own, so many at once; the others wait for their turn. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ScriptError, type Fields } from './contract.js';
import type { Reply } from './protocol.js';

type Outcome = Omit<Reply, 'id'>;

const NOTHING = { counters: [], values: [] };

/** See the file header. */
export class RunPool {
  readonly #size: number;
  readonly #idle: Worker[] = [];
  readonly #waiting: (() => void)[] = [];
  #started = 0;

  /** @param threads - all cores but one unless said otherwise */
  constructor(threads = Math.max(1, availableParallelism() - 1)) {
    if (!Number.isSafeInteger(threads) || threads < 1) throw new ScriptError('runThreads', 'an integer >= 1', threads);
    this.#size = threads;
  }

  async play(args: Fields): Promise<Outcome> {
    const worker = await this.#take();
    try {
      const outcome = await played(worker, args);
      this.#idle.push(worker);
      return outcome;
    } catch (error) {
      this.#started -= 1;
      return { failure: { code: 'RunCrashed', message: String(error) }, measured: NOTHING };
    } finally {
      this.#waiting.shift()?.();
    }
  }

  async #take(): Promise<Worker> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle !== undefined) return idle;
      if (this.#started < this.#size) {
        this.#started += 1;
        return new Worker(new URL('./run-thread.js', import.meta.url));
      }
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }
}

function played(worker: Worker, args: Fields): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (outcome: Outcome) => {
      worker.off('error', reject);
      resolve(outcome);
    });
    worker.postMessage(args);
  });
}
