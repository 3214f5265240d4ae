/** Entry of the threads of a sweep or a search: plays one job. */
import type { ThreadTask } from '../src/sweep/executors/local-executor.js';
import type { JobDone } from '../src/sweep/job.js';
import { playJob } from '../src/sweep/play-job.js';

export default function play({ job, contents, machine }: ThreadTask): Promise<JobDone> {
  return playJob(job, contents, { machine });
}
