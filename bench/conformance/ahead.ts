import type { Pod } from '../../src/api/objects.js';
import { PodInfo, type QueuedPodInfo } from '../../src/scheduler/framework/interface.js';
import { createPrefetcher, WorkerThreads, type Prefetcher } from '../../src/scheduler/parallel/prefetcher.js';
import { workerProfileOf } from '../../src/scheduler/parallel/worker-profile.js';
import { IN_TREE_PLUGINS } from '../../src/scheduler/plugins/registry.js';
import type { Ahead } from './replay.js';
import type { World } from './world.js';

const DEFAULT_SCHEDULER = 'default-scheduler';

/** The scheduler's worker pool over the worlds of scenarios, one after the other; `undefined` without workers. */
export function createAhead(workers: number): Ahead | undefined {
  return workers === 0 ? undefined : new PoolAhead(workers);
}

class PoolAhead implements Ahead {
  readonly #workers: number;
  readonly #threads = new WorkerThreads();
  #prefetcher: Prefetcher | undefined;

  constructor(workers: number) {
    this.#workers = workers;
  }

  async judge(world: World, pods: readonly Pod[]): Promise<void> {
    this.#prefetcher ??= this.#createFor(world);
    await this.#prefetcher?.judge(pods.map(queued));
  }

  async forget(): Promise<void> {
    await this.#prefetcher?.dispose();
    this.#prefetcher = undefined;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  #createFor(world: World): Prefetcher | undefined {
    const { plugins, framework, percentageOfNodesToScore, scheduler, snapshot, start } = world;
    const known = workerProfileOf({ schedulerName: DEFAULT_SCHEDULER, plugins, framework }, IN_TREE_PLUGINS);
    if (known === undefined) return undefined;
    const profile = {
      profile: known,
      percentageOfNodesToScore,
      evaluations: scheduler.evaluations,
      lastVisited: () => scheduler.scan.visited,
    };
    const profiles = new Map([[DEFAULT_SCHEDULER, profile]]);
    return createPrefetcher({ workers: this.#workers, minWork: 1, profiles, snapshot, start, threads: this.#threads });
  }
}

function queued(pod: Pod): QueuedPodInfo {
  return {
    podInfo: new PodInfo(pod),
    timestampMs: 0,
    attempts: 1,
    unschedulableCount: 0,
    consecutiveErrorsCount: 0,
    backoffExpirationMs: 0,
    initialAttemptTimestampMs: 0,
    unschedulablePlugins: new Set(),
    pendingPlugins: new Set(),
    gatingPlugin: undefined,
    gatingPluginEvents: [],
  };
}
