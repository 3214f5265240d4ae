/** Jobs on this machine: on threads, or on this very thread. */
import type { Piscina } from 'piscina';
import type { Contents } from '../../experiments/variant-files.js';
import { programFile } from '../../kernel/program-file.js';
import { contentsOf, type Job, type JobDone } from '../job.js';
import { playJob } from '../play-job.js';
import type { Executor } from './executor.js';

/** A job with the files that it needs. */
export interface ThreadTask {
  readonly job: Job;
  readonly contents: Contents;
  readonly machine: string;
}

/** Nothing is sent far: short jobs lose little when they are interrupted. */
const LOCAL_JOB_MS = 2000;

/** See the file header. @param workers - threads; 0 = this one */
export async function localExecutor(
  workers: number,
  contents: Contents,
  machine: string,
  signal: AbortSignal | undefined,
): Promise<Executor> {
  if (workers === 0) {
    return {
      lanes: 1,
      jobMs: LOCAL_JOB_MS,
      play: (job) => playJob(job, contents, { machine, signal }),
      end: () => Promise.resolve(),
    };
  }
  const threads = await startThreads(workers);
  return {
    lanes: workers,
    jobMs: LOCAL_JOB_MS,
    play: (job) => threads.play(job, contents, machine, signal),
    end: threads.end,
  };
}

/** Threads that play jobs. */
export interface Threads {
  readonly play: (job: Job, contents: Contents, machine: string, signal?: AbortSignal) => Promise<JobDone>;
  readonly end: () => Promise<void>;
}

/** Piscina is loaded when threads are asked for. */
export async function startThreads(count: number): Promise<Threads> {
  const { Piscina: Pool } = await import('piscina');
  const filename = programFile('workers/play-job.js').href;
  const pool: Piscina<ThreadTask, JobDone> = new Pool({ filename, minThreads: count, maxThreads: count });
  return {
    play: (job, contents, machine, signal) => {
      const own = new Map(contentsOf(job.order).map((digest) => [digest, contents.get(digest) ?? new Uint8Array()]));
      return pool.run({ job, contents: own, machine }, signal === undefined ? {} : { signal });
    },
    end: () => pool.destroy(),
  };
}
