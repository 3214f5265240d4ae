/**
 * A program that plays jobs out of a queue, on threads: the thread that holds the locks of jobs must stay free. It plays
 * only what programs like it have put there, and gives back what others have.
 */
import { hostname } from 'node:os';
import { gunzipSync } from 'node:zlib';
import {
  checkedOptions,
  FUNCTION,
  integerIn,
  SIGNAL,
  TEXT,
  type Check,
  type Checks,
} from '../../options/option-checks.js';
import { contentsOf, type Job, type JobDone } from '../job.js';
import { programBuild } from '../program-build.js';
import { startThreads, type Threads } from './local-executor.js';
import { QueueError } from './queue-error.js';
import { queueParts, queueProblem, type Queued, type QueueParts } from './queue.js';

/** How a queue is served. */
export interface WorkerOptions {
  readonly url: string;
  readonly name?: string | undefined;
  /** Threads that play. @defaultValue 1 */
  readonly workers?: number;
  /** What rows of its jobs say of it. */
  readonly machine?: string | undefined;
  /** A program that is gone for so long has lost its jobs, and others play them. @defaultValue 30 s */
  readonly lostAfterMs?: number | undefined;
  /** Ends when there was nothing to do for so long. */
  readonly idleMs?: number | undefined;
  /** Told once the queue is there. */
  readonly onReady?: () => void;
  /** Told of each job that was played. */
  readonly onJob?: (runs: number, seconds: number) => void;
  /** Ends once the jobs that are under way are played. */
  readonly signal?: AbortSignal | undefined;
}

const DURATION_MS: Check = ['milliseconds >= 100', (value) => typeof value === 'number' && value >= 100];
const OPTIONS: Checks<WorkerOptions> = {
  url: TEXT,
  name: TEXT,
  workers: integerIn(1, 1024),
  machine: TEXT,
  lostAfterMs: DURATION_MS,
  idleMs: DURATION_MS,
  onReady: FUNCTION,
  onJob: FUNCTION,
  signal: SIGNAL,
};
/** Files that were fetched last. */
const KEPT_FILES = 64;

const LOOK_MS = 200;
/** Runs that were played here before are left to other machines for so long. */
const LEFT_TO_OTHERS_MS = 60_000;
const OFFERED_AGAIN_MS = 500;

/** See the file header. @returns when it has ended. @throws QueueError, also for work of another program */
export async function serveQueue(options: WorkerOptions): Promise<void> {
  const given = checkedOptions('', options, OPTIONS, ['url']);
  const { url, name, workers = 1 } = given;
  const parts = await queueParts(url, name);
  const worker = new QueueWorker(given, parts, await startThreads(workers));
  try {
    await worker.run();
  } catch (error) {
    throw error instanceof QueueError ? error : queueProblem(url, error);
  } finally {
    await worker.end();
  }
}

class QueueWorker {
  readonly #options: WorkerOptions;
  readonly #parts: QueueParts;
  readonly #threads: Threads;
  readonly #machine: string;
  readonly #files: ReturnType<QueueParts['files']>;
  readonly #program = programBuild();
  readonly #contents = new Map<string, Uint8Array>();
  readonly #ended = Promise.withResolvers<undefined>();
  #underWay = 0;
  #lastMs = performance.now();

  constructor(options: WorkerOptions, parts: QueueParts, threads: Threads) {
    this.#options = options;
    this.#parts = parts;
    this.#threads = threads;
    this.#machine = options.machine ?? `${hostname()}/${process.pid}`;
    this.#files = parts.files();
    // Told by the calls that fail of it.
    this.#files.on('error', () => undefined);
    // It may fail before anything waits for it.
    this.#ended.promise.catch(() => undefined);
  }

  async run(): Promise<void> {
    const { workers = 1, lostAfterMs, signal, onReady } = this.#options;
    await this.#files.getJobCounts();
    onReady?.();
    const worker = this.#parts.worker((job, token) => this.#process(job, token), workers, lostAfterMs);
    worker.on('error', () => undefined);
    // One that is closed before never ends.
    await worker.waitUntilReady();
    const stop = (): void => this.#ended.resolve(undefined);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
    const looking = setInterval(() => this.#endIfIdle(), LOOK_MS);
    try {
      await this.#ended.promise;
    } finally {
      clearInterval(looking);
      signal?.removeEventListener('abort', stop);
      await worker.close();
    }
  }

  async end(): Promise<void> {
    await this.#threads.end();
    await this.#files.close().catch(() => undefined);
  }

  async #process(queued: Queued, token: string | undefined): Promise<JobDone> {
    const job = queued.data;
    if (job.program !== this.#program) {
      await queued.moveToWait(token);
      const problem = `the queue holds work of kubeloom ${job.program}, and this is kubeloom ${this.#program}: refused`;
      this.#ended.reject(new QueueError(problem));
      throw this.#parts.givenBack();
    }
    if (job.avoids?.includes(this.#machine) === true && Date.now() - queued.timestamp < LEFT_TO_OTHERS_MS) {
      await queued.moveToDelayed(Date.now() + OFFERED_AGAIN_MS, token);
      throw this.#parts.putOff();
    }
    this.#underWay += 1;
    try {
      await this.#fetch(job);
      const done = await this.#threads.play(job, this.#contents, this.#machine);
      if (this.#contents.size > KEPT_FILES) this.#contents.clear();
      this.#options.onJob?.(job.seeds.length, done.execution.seconds);
      return done;
    } finally {
      this.#underWay -= 1;
      this.#lastMs = performance.now();
    }
  }

  async #fetch(job: Job): Promise<void> {
    for (const digest of contentsOf(job.order)) {
      if (this.#contents.has(digest)) continue;
      const file = await this.#files.getJob(digest);
      if (file === undefined) throw new QueueError(`a file of the job is not in the queue: ${digest}`);
      this.#contents.set(digest, gunzipSync(Buffer.from(file.data.content, 'base64')));
    }
  }

  #endIfIdle(): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#underWay > 0 || performance.now() - this.#lastMs <= idleMs) return;
    this.#ended.resolve(undefined);
  }
}
