/**
 * Jobs for programs on other machines. Jobs stay in the queue with what they came to until their lines are kept, so that
 * a sweep that was interrupted finds them there.
 */
import { gzipSync } from 'node:zlib';
import type { Contents } from '../../experiments/variant-files.js';
import { contentsOf, type Job, type JobDone } from '../job.js';
import type { Executor, Played } from './executor.js';
import { QueueError } from './queue-error.js';
import { queueParts, queueProblem, type QueueParts } from './queue.js';

/** Where jobs go. */
export interface QueueExecutorOptions {
  readonly url: string;
  readonly name?: string | undefined;
  readonly contents: Contents;
  readonly jobMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** More than that many programs are not kept busy. */
const LANES = 2000;
/** Events may be lost with a connection: jobs are looked at as well. */
const LOOK_MS = 5000;
const LOOKED_AT = 100;

interface Waiting {
  readonly done: (lines: JobDone) => void;
  readonly failed: (error: unknown) => void;
}

function ignore(): void {}

/** See the file header. @throws QueueError */
export async function queueExecutor(options: QueueExecutorOptions): Promise<Executor> {
  const executor = new QueueExecutor(options, await queueParts(options.url, options.name));
  try {
    await executor.open();
    return executor;
  } catch (error) {
    await executor.end().catch(() => undefined);
    throw error instanceof QueueError ? error : queueProblem(options.url, error);
  }
}

class QueueExecutor implements Executor {
  readonly lanes = LANES;
  readonly jobMs: number;
  readonly #options: QueueExecutorOptions;
  readonly #jobs: ReturnType<QueueParts['jobs']>;
  readonly #files: ReturnType<QueueParts['files']>;
  readonly #events: ReturnType<QueueParts['events']>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #sent = new Map<string, Promise<unknown>>();
  #looking: NodeJS.Timeout | undefined;

  constructor(options: QueueExecutorOptions, { jobs, files, events }: QueueParts) {
    this.#options = options;
    this.jobMs = options.jobMs;
    this.#jobs = jobs();
    this.#files = files();
    this.#events = events();
    // Told by the calls that fail of it; an emitter without a listener would end the program.
    this.#jobs.on('error', ignore);
    this.#files.on('error', ignore);
    this.#events.on('error', ignore);
  }

  async open(): Promise<void> {
    await this.#jobs.getJobCounts();
    await this.#events.waitUntilReady();
    this.#events.on('completed', ({ jobId }) => void this.#look(jobId));
    this.#events.on('failed', ({ jobId }) => void this.#look(jobId));
    this.#looking = setInterval(() => void this.#lookAtAll(), LOOK_MS);
    this.#options.signal?.addEventListener('abort', () => this.#failAll(this.#options.signal?.reason), { once: true });
  }

  async play(job: Job): Promise<Played> {
    await Promise.all(contentsOf(job.order).map((digest) => this.#send(digest)));
    const done = new Promise<JobDone>((resolve, reject) => {
      this.#waiting.set(job.id, { done: resolve, failed: reject });
    });
    // It may fail before anything waits for it.
    done.catch(() => undefined);
    try {
      await this.#add(job);
      const { lines, execution } = await done;
      return { lines, execution, settle: () => this.#remove(job.id) };
    } finally {
      this.#waiting.delete(job.id);
    }
  }

  async end(): Promise<void> {
    clearInterval(this.#looking);
    await Promise.all([this.#events.close(), this.#jobs.close(), this.#files.close()]);
  }

  /** One that is there already is not added again; one that failed before is tried anew. */
  async #add(job: Job): Promise<void> {
    const before = await this.#jobs.getJob(job.id);
    if (before !== undefined && (await before.getState()) === 'failed') await before.remove();
    await this.#jobs.add(job.order.kind, job, { jobId: job.id, attempts: 1 });
    if (before !== undefined) await this.#look(job.id);
  }

  async #look(id: string): Promise<void> {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    // The state first: what a job has come to is there once it is completed, and not before.
    const state = await this.#jobs.getJobState(id).catch(() => 'unknown');
    if (state !== 'completed' && state !== 'failed') return;
    const job = await this.#jobs.getJob(id).catch(() => undefined);
    if (job === undefined) return;
    if (state === 'completed') waiting.done(job.returnvalue);
    else waiting.failed(new QueueError(`a job failed: ${job.failedReason ?? 'no reason given'}`));
  }

  async #lookAtAll(): Promise<void> {
    for (const id of [...this.#waiting.keys()].slice(0, LOOKED_AT)) await this.#look(id).catch(() => undefined);
  }

  #failAll(reason: unknown): void {
    for (const { failed } of this.#waiting.values()) failed(reason);
  }

  async #remove(id: string): Promise<void> {
    const job = await this.#jobs.getJob(id);
    await job?.remove();
  }

  #send(digest: string): Promise<unknown> {
    const known = this.#sent.get(digest);
    if (known !== undefined) return known;
    const content = gzipSync(this.#options.contents.get(digest) ?? new Uint8Array()).toString('base64');
    const sent = this.#files.add('file', { content }, { jobId: digest });
    this.#sent.set(digest, sent);
    return sent;
  }
}
