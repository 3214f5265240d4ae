/**
 * Cuts work into jobs and has them played. How long a run of an order takes is not known before: the first job is one
 * run, and jobs grow eightfold until they take as long as they should. Cuts lie at multiples of their length, which is a
 * power of two, so that work that is taken up again is cut as before.
 */
import { createHash } from 'node:crypto';
import type { Executor, Played } from './executors/executor.js';
import type { Job, Order } from './job.js';

/** Runs of one order that are to be played. */
export interface Work {
  /** Of the order: what it plays, not how it is called. */
  readonly key: string;
  readonly order: Order;
  /** Ascending. */
  readonly seeds: readonly number[];
  /** From one to the next, where none is missing. */
  readonly stride: number;
  /** Machines that are not to play these runs. */
  readonly avoids?: readonly string[];
}

/** See the file header. */
export interface Dispatch {
  readonly executor: Executor;
  readonly program: string;
  readonly signal?: AbortSignal | undefined;
  /** Called as jobs come back, in no order. */
  readonly onPlayed: (work: Work, job: Job, played: Played) => void;
}

const GROWTH = 8;
const LONGEST_JOB = 4096;

/** @returns when all is played. @throws the first thing that goes wrong, and the signal's reason */
export async function dispatch(works: readonly Work[], options: Dispatch): Promise<void> {
  const places = new Places(options.executor.lanes);
  await Promise.all(works.map((work) => new Cutter(work, options, places).run()));
  options.signal?.throwIfAborted();
}

class Cutter {
  #next = 0;
  #length = 1;

  constructor(
    private readonly work: Work,
    private readonly options: Dispatch,
    private readonly places: Places,
  ) {}

  async run(): Promise<void> {
    const { executor } = this.options;
    while (this.#next < this.work.seeds.length) {
      const job = this.#cut();
      const { execution } = await this.#play(job);
      const fitting = (executor.jobMs * job.seeds.length) / Math.max(1, execution.seconds * 1000);
      const wanted = 2 ** Math.max(0, Math.floor(Math.log2(Math.min(fitting, LONGEST_JOB))));
      this.#length = Math.min(wanted, this.#length * GROWTH);
      if (wanted > this.#length) continue;
      const rest: Promise<Played>[] = [];
      while (this.#next < this.work.seeds.length) rest.push(this.#play(this.#cut()));
      await Promise.all(rest);
    }
  }

  /** Up to the next multiple of the length. */
  #cut(): Job {
    const { work, options } = this;
    const { seeds, order, key, stride, avoids = [] } = work;
    const block = (seed = 0): number => Math.floor(seed / (this.#length * stride));
    const start = this.#next;
    while (this.#next < seeds.length && block(seeds[this.#next]) === block(seeds[start])) this.#next += 1;
    const own = seeds.slice(start, this.#next);
    const id = createHash('sha256')
      .update(JSON.stringify([key, options.program, own]))
      .digest('hex')
      .slice(0, 32);
    return { id, program: options.program, order, seeds: own, ...(avoids.length === 0 ? {} : { avoids }) };
  }

  #play(job: Job): Promise<Played> {
    const { executor, signal, onPlayed } = this.options;
    return this.places.use(async () => {
      signal?.throwIfAborted();
      const played = await executor.play(job);
      onPlayed(this.work, job, played);
      await played.settle?.();
      return played;
    });
  }
}

/** So many at a time, in the order in which they were asked for. */
class Places {
  readonly #waiting: (() => void)[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(private free: number) {}

  /** After the first failure nothing is begun. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      return await work();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
