/** `JobLifecycleLatency` and `WaitForFinishedJobs` (job_lifecycle_latency.go, wait_for_jobs.go). */
import { keyOf } from '../../../api/objects/objects.js';
import type { Job } from '../../../api/objects/objects.js';
import type { Selection } from '../../../apiserver/store/server-types.js';
import type { Informer } from '../../../bus/bus-types.js';
import type { LoadPlayer } from '../../player/load-player.js';
import { actionOf, done, type Measurement, type MeasurementMeans } from './measurement.js';
import { selectionOf } from './object-selection.js';
import { jsonText, latencyItem, latencyMetric } from './perf-data.js';
import { synced } from './synced.js';
import { waitingText } from '../../player/waiting-text.js';

const TIMEOUT_MS = 600_000;
const LATENCY_INTERVAL_MS = 1000;
const FINISHED_INTERVAL_MS = 5000;

export function jobLifecycleLatency({ player }: MeasurementMeans): Measurement {
  const jobs = new JobWatch(player);
  return {
    async execute(call) {
      const { identifier, params } = call;
      if (actionOf(call, ['start', 'gather']) === 'start') {
        await jobs.start(selectionOf(params));
        return done();
      }
      if (!jobs.isRunning) return { error: 'metric JobLifecycleLatency has not been started' };
      const isComplete = (): boolean =>
        [...jobs.seen.values()].every(({ status }) => status.completionTime !== undefined);
      await player.poll(isComplete, LATENCY_INTERVAL_MS, params.durationMs('timeout', TIMEOUT_MS));
      jobs.stop();
      const seen = [...jobs.seen.values()];
      const dataItems = [
        latencyItem(
          'create_to_start',
          latencyMetric(
            spans(
              player,
              seen,
              ({ metadata }) => metadata.creationTimestamp,
              ({ status }) => status.startTime,
            ),
          ),
        ),
        latencyItem(
          'start_to_complete',
          latencyMetric(
            spans(
              player,
              seen,
              ({ status }) => status.startTime,
              ({ status }) => status.completionTime,
            ),
          ),
        ),
      ];
      return {
        summaries: [{ name: `JobLifecycleLatency_${identifier}`, content: jsonText({ version: '1.0', dataItems }) }],
      };
    },
    dispose: () => jobs.stop(),
  };
}

export function waitForFinishedJobs({ player }: MeasurementMeans): Measurement {
  const jobs = new JobWatch(player);
  return {
    async execute(call) {
      const { params } = call;
      if (actionOf(call, ['start', 'gather']) === 'start') {
        await jobs.start(selectionOf(params));
        return done();
      }
      if (!jobs.isRunning) return { error: 'WaitForFinishedJobs: wait for finished jobs was not started' };
      const listed = await player.requests.list('Job', jobs.selection);
      const open = (): string[] => listed.map(keyOf).filter((key) => !isFinished(jobs.seen.get(key)));
      const isOver = await player.poll(
        () => open().length === 0,
        FINISHED_INTERVAL_MS,
        params.durationMs('timeout', TIMEOUT_MS),
      );
      const why = waitingText(player.cluster);
      return isOver ? done() : { error: `${open().length} Jobs timed out: ${open().join(', ')}${why}` };
    },
    dispose: () => jobs.stop(),
  };
}

/** Jobs as they were seen last, those that were deleted since included. */
class JobWatch {
  readonly seen = new Map<string, Job>();
  selection: Selection = {};
  readonly #player: LoadPlayer;
  #informer: Informer<'Job'> | undefined;

  constructor(player: LoadPlayer) {
    this.#player = player;
  }

  get isRunning(): boolean {
    return this.#informer !== undefined;
  }

  async start(selection: Selection): Promise<void> {
    if (this.#informer !== undefined) return;
    this.selection = selection;
    const informer = this.#player.connection.select('Job', selection);
    const see = (job: Job): void => void this.seen.set(keyOf(job), job);
    informer.addHandler({ onAdd: see, onUpdate: (_previous, job) => see(job), onDelete: see });
    this.#informer = informer;
    await synced(this.#player, informer);
  }

  stop(): void {
    if (this.#informer !== undefined) this.#player.connection.release(this.#informer);
    this.#informer = undefined;
  }
}

function isFinished(job: Job | undefined): boolean {
  return (
    job?.status.conditions?.some(
      ({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'),
    ) ?? false
  );
}

function spans(
  player: LoadPlayer,
  jobs: readonly Job[],
  from: (job: Job) => string | undefined,
  to: (job: Job) => string | undefined,
): number[] {
  return jobs.flatMap((job) => {
    const [start, end] = [from(job), to(job)];
    return start === undefined || end === undefined ? [] : [Math.max(0, player.msOf(end) - player.msOf(start))];
  });
}
