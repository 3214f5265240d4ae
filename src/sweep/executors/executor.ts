/** What plays jobs: this thread, threads beside it, or programs on other machines behind a queue. */
import type { Job, JobDone } from '../job.js';

/** A job that came back. */
export interface Played extends JobDone {
  /** To be called when its lines are kept: nothing else has to keep them any more. */
  readonly settle?: () => Promise<void>;
}

/** See the file header. */
export interface Executor {
  /** How many jobs may be under way at once. */
  readonly lanes: number;
  /** How long a job should take: what it costs to send one, and what is lost when one is. */
  readonly jobMs: number;
  /** @throws what keeps the job from being played at all */
  play(job: Job): Promise<Played>;
  end(): Promise<void>;
}
