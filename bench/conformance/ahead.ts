import type { Pod } from '../../src/api/objects/objects.js';
import { PodInfo } from '../../src/scheduler/framework/interface.js';
import { createPrefetcher, type Prefetcher } from '../../src/scheduler/parallel/prefetcher.js';
import { workerProfileOf } from '../../src/scheduler/parallel/worker-profile.js';
import { WorkerThreads } from '../../src/scheduler/parallel/worker-threads.js';
import { IN_TREE_PLUGINS } from '../../src/scheduler/plugins/registry.js';
import type { Ahead, AheadWorld } from './replay.js';

const DEFAULT_SCHEDULER = 'default-scheduler';

/** The scheduler's worker pool over the worlds of scenarios, one after the other; `undefined` without workers. */
export function createAhead(workers: number): Ahead | undefined {
  return workers === 0 ? undefined : new PoolAhead(workers);
}

class PoolAhead implements Ahead {
  readonly #workers: number;
  readonly #threads = new WorkerThreads();
  #prefetcher: Prefetcher | undefined;
  /** Shapes of the scenarios before. */
  #judged = 0;

  constructor(workers: number) {
    this.#workers = workers;
  }

  get judged(): number {
    return this.#judged + (this.#prefetcher?.judged ?? 0);
  }

  async judge(world: AheadWorld, pods: readonly Pod[]): Promise<void> {
    this.#prefetcher ??= this.#createFor(world);
    await this.#prefetcher?.judge(() => pods.map((pod) => ({ podInfo: new PodInfo(pod) })));
  }

  async forget(): Promise<void> {
    this.#judged = this.judged;
    await this.#prefetcher?.dispose();
    this.#prefetcher = undefined;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  #createFor(world: AheadWorld): Prefetcher | undefined {
    const { plugins, framework, percentageOfNodesToScore, scheduler, snapshot } = world;
    const known = workerProfileOf({ schedulerName: DEFAULT_SCHEDULER, plugins, framework }, IN_TREE_PLUGINS);
    if (known === undefined) return undefined;
    const profile = {
      profile: known,
      percentageOfNodesToScore,
      evaluations: scheduler.evaluations,
      walks: scheduler.walks,
    };
    const profiles = new Map([[DEFAULT_SCHEDULER, profile]]);
    return createPrefetcher({ workers: this.#workers, minWork: 1, profiles, snapshot, threads: this.#threads });
  }
}
