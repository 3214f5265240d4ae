/**
 * The pool of worker threads that judge nodes ahead of the decisions. It makes walks over all nodes for
 * pods that need nothing else, and fills in evaluations for others; the decisions are taken on the engine
 * thread, in order, and judge anew whatever is missing or has changed, so that results are those of one
 * pod at a time with any number of threads. Only this folder of the scheduler knows Piscina; threads are
 * started when first needed and ended by `dispose`.
 *
 * Engine and workers share the pods of a batch: the engine begins at the front, the workers at the back,
 * and who comes to a shape first judges it. Whether that pays depends on the pods and on the machine, and
 * is found out by measuring (break-even.ts); where there is nothing to measure with, a number decides.
 */
import { availableParallelism } from 'node:os';
import type { CacheSnapshot } from '../cache/snapshot.js';
import type { EvaluationPool } from '../cycle/evaluation-pool.js';
import { feasibleTarget } from '../cycle/feasible-target.js';
import type { WalkTaker } from '../cycle/walk-result.js';
import type { QueuedPodInfo } from '../framework/interface.js';
import { BreakEven, type HostTime } from './break-even.js';
import type { ShapeTask, WalkTask } from './judge-task.js';
import { Rehearsal } from './rehearsal.js';
import { ShapesAhead, type AheadOptions } from './shapes-ahead.js';
import { WalksAhead } from './walks-ahead.js';
import type { WorkerProfile } from './worker-profile.js';
import { WorkerThreads } from './worker-threads.js';

/** Judgements from which a batch goes to the workers when nothing can be measured. */
const MIN_WORK = 200_000;

/** Shapes that are handed over back to front. */
const CHUNK = 64;

/**
 * Shapes of a batch that are judged ahead for a rehearsal, and handed over for a warm-up. Code of a rehearsal
 * is slow at first, so that it takes many to tell.
 */
const REHEARSED = 16;
const WARMED_UP = 16;

/** How long the engine waits for a worker where the choice is not measured. */
const PATIENCE_MS = 10;

const DEFAULT_SCHEDULER = 'default-scheduler';

/** A profile whose pods may be judged ahead. */
export interface PrefetchProfile {
  readonly profile: WorkerProfile;
  readonly percentageOfNodesToScore: number;
  readonly evaluations: EvaluationPool;
  readonly walks: WalkTaker;
  /** Nodes that the last scan looked at. */
  readonly lastVisited: () => number;
}

/** What a prefetcher is made of. */
export interface PrefetcherOptions {
  /** Number of threads; 0 = none. */
  readonly workers: number;
  /**
   * Judgements (new shapes × nodes) from which a batch goes to the workers, all of it, before its first
   * decision. @defaultValue measured with `hostTime`; without that 200,000
   */
  readonly minWork?: number | undefined;
  /** Real time, for the choice whether the pool is used. */
  readonly hostTime?: HostTime | undefined;
  /** By scheduler name; pods of others are left to the engine thread. */
  readonly profiles: ReadonlyMap<string, PrefetchProfile>;
  readonly snapshot: CacheSnapshot;
  /** Where the next scan begins. */
  readonly start: { readonly index: number };
  /** Threads that outlive the prefetcher and serve one after the other. @defaultValue threads of its own */
  readonly threads?: WorkerThreads | undefined;
}

/** See the file header. */
export interface Prefetcher {
  /**
   * Told before each batch of decisions, with a look at the pods that come next, which may reach beyond
   * the batch. When there is something to wait for before the first decision, it returns that.
   */
  judge(upcoming: () => readonly UpcomingPod[]): Promise<void> | undefined;
  /** Shapes whose judgements came from workers so far. */
  readonly judged: number;
  dispose(): Promise<void>;
}

/** A pod that will be decided soon. */
export type UpcomingPod = Pick<QueuedPodInfo, 'podInfo'>;

/** Starts nothing yet; `undefined` when there is nobody to judge ahead. */
export function createPrefetcher(options: PrefetcherOptions): Prefetcher | undefined {
  return options.workers > 0 && options.profiles.size > 0 ? new PoolPrefetcher(options) : undefined;
}

interface ProfileAhead {
  readonly profile: PrefetchProfile;
  readonly shapes: ShapesAhead;
  readonly walks: WalksAhead;
}

class PoolPrefetcher implements Prefetcher {
  readonly #options: PrefetcherOptions;
  readonly #threads: WorkerThreads;
  readonly #ahead: ReadonlyMap<string, ProfileAhead>;
  readonly #breakEven: BreakEven | undefined;
  readonly #rehearsal: Rehearsal;
  readonly #workerProfiles: readonly WorkerProfile[];
  /** A worker's fault: it surfaces with the next batch. */
  #fault: Error | undefined;
  #isDisposed = false;

  constructor(options: PrefetcherOptions) {
    this.#options = options;
    this.#threads = options.threads ?? new WorkerThreads();
    const { hostTime, minWork } = options;
    if (hostTime !== undefined && minWork === undefined) this.#breakEven = new BreakEven(hostTime);
    this.#workerProfiles = [...options.profiles.values()].map(({ profile }) => profile);
    this.#rehearsal = new Rehearsal(this.#workerProfiles);
    this.#ahead = new Map([...options.profiles].map(([name, profile]) => [name, this.#profileAhead(profile)]));
  }

  get judged(): number {
    let sum = 0;
    for (const { shapes, walks } of this.#ahead.values()) sum += shapes.taken + walks.taken;
    return sum;
  }

  judge(upcoming: () => readonly UpcomingPod[]): Promise<void> | undefined {
    if (this.#fault !== undefined) throw this.#fault;
    const breakEven = this.#breakEven;
    if (breakEven === undefined) return this.#judgeAll(upcoming());
    switch (breakEven.next()) {
      case 'own':
        break;
      case 'rehearsal':
        this.#rehearse(upcoming());
        break;
      case 'warm-up':
        breakEven.handOver(() => this.#share(spread(this.#newShapes(upcoming()), WARMED_UP)));
        break;
      case 'pool':
        breakEven.handOver(() => this.#share(this.#newShapes(upcoming())));
        break;
    }
    return undefined;
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const { shapes, walks } of this.#ahead.values()) {
      shapes.close();
      walks.close();
    }
    if (this.#options.threads === undefined) await this.#threads.close();
    else this.#threads.forget();
  }

  #profileAhead(profile: PrefetchProfile): ProfileAhead {
    const breakEven = this.#breakEven;
    const options: AheadOptions = {
      columns: () => this.#options.snapshot.columns,
      onNewShape: () => breakEven?.beginShape(),
      onTaken: () => breakEven?.noteTaken(),
      patienceMs: () => breakEven?.patienceMs ?? PATIENCE_MS,
    };
    const { evaluations, walks } = profile;
    const scoreCount = profile.profile.order.names.score.length;
    return {
      profile,
      shapes: new ShapesAhead({ ...options, evaluations, scoreCount }),
      walks: new WalksAhead({ ...options, evaluations, walks, profile: profile.profile }),
    };
  }

  /** Everything goes to the workers, and the decisions wait; `undefined` when that is not worth the way. */
  #judgeAll(infos: readonly UpcomingPod[]): Promise<void> | undefined {
    const { minWork = MIN_WORK, workers } = this.#options;
    if (infos.length < 2 || infos.length * this.#longestScan() < minWork) return undefined;
    // Identical pods never go to the pool: they share a shape, whose results are there already.
    const chosen = this.#newShapes(infos);
    let work = 0;
    for (const { ahead } of chosen) work += this.#scanLength(ahead.profile);
    if (chosen.length < 2 || work < minWork) return undefined;
    return Promise.all(this.#send(this.#openAll(chosen), workers)).then(() => undefined);
  }

  /** Judges a few shapes on this thread. */
  #rehearse(infos: readonly UpcomingPod[]): void {
    const tasks = this.#openAll(spread(this.#newShapes(infos), REHEARSED));
    this.#rehearsal.judge(tasks, this.#options.snapshot.columns);
  }

  /** Opens the shapes to the workers and returns at once; a processor is left to the engine. */
  #share(chosen: readonly NewShape[]): void {
    const tasks = this.#openAll(chosen);
    const ordered: (ShapeTask | WalkTask)[] = [];
    for (let first = 0; first < tasks.length; first += CHUNK)
      ordered.push(...tasks.slice(first, first + CHUNK).reverse());
    const lanes = Math.min(this.#options.workers, Math.max(1, availableParallelism() - 1));
    for (const sent of this.#send(ordered, lanes)) {
      sent.catch((error: Error) => {
        if (!this.#isDisposed) this.#fault = error;
      });
    }
  }

  #longestScan(): number {
    return Math.max(...[...this.#ahead.values()].map(({ profile }) => this.#scanLength(profile)));
  }

  #scanLength({ percentageOfNodesToScore }: PrefetchProfile): number {
    const { size } = this.#options.snapshot;
    return Math.min(size, feasibleTarget(size, percentageOfNodesToScore) + 1);
  }

  #isWhole({ percentageOfNodesToScore }: PrefetchProfile): boolean {
    const { size } = this.#options.snapshot;
    return feasibleTarget(size, percentageOfNodesToScore) >= size;
  }

  /** Pods of shapes of which nothing is known. */
  #newShapes(infos: readonly UpcomingPod[]): NewShape[] {
    if (this.#options.snapshot.size === 0) return [];
    const chosen: NewShape[] = [];
    const seen = new Set<string | number>();
    for (const [index, { podInfo }] of infos.entries()) {
      const { id } = podInfo.shape;
      const name = podInfo.pod.spec.schedulerName ?? DEFAULT_SCHEDULER;
      const ahead = this.#ahead.get(name);
      if (ahead === undefined || ahead.walks.has(id) || ahead.shapes.has(id)) continue;
      const isWalk = this.#isWhole(ahead.profile) && ahead.walks.isEligible(podInfo);
      if (isWalk === undefined || (!isWalk && !ahead.shapes.isEligible(podInfo))) continue;
      const key = this.#ahead.size === 1 ? id : `${id} ${name}`;
      if (seen.has(key)) continue;
      seen.add(key);
      chosen.push({ podInfo, index, ahead, isWalk });
    }
    return chosen;
  }

  /** Opens walks, and shapes with a guess at where their scans will begin. */
  #openAll(chosen: readonly NewShape[]): (ShapeTask | WalkTask)[] {
    const { snapshot, start } = this.#options;
    const { size } = snapshot;
    return chosen.map(({ podInfo, index, isWalk, ahead: { profile, shapes, walks } }) => {
      // Scans of all nodes begin where the last one did.
      const walk = isWalk ? walks.open(podInfo, start.index % size) : undefined;
      return (
        walk ??
        shapes.open(podInfo, {
          start: (start.index + index * Math.max(1, profile.lastVisited())) % size,
          target: feasibleTarget(size, profile.percentageOfNodesToScore),
        })
      );
    });
  }

  /** Deals the tasks to so many threads. */
  #send(tasks: readonly (ShapeTask | WalkTask)[], laneCount: number): Promise<void>[] {
    if (tasks.length === 0) return [];
    const { columns } = this.#options.snapshot;
    const sent: Promise<void>[] = [];
    for (const [index, lane] of this.#threads.lanes(laneCount).entries()) {
      const part = tasks.filter((_task, position) => position % laneCount === index);
      if (part.length > 0) sent.push(lane.judge(part, columns, this.#workerProfiles));
    }
    return sent;
  }
}

/** So many of the later half, evenly: those that come first are judged before a worker gets to them. */
function spread<T>(items: readonly T[], count: number): T[] {
  const half = items.slice(items.length >> 1);
  const step = Math.max(1, Math.floor(half.length / count));
  return half.filter((_item, index) => index % step === 0).slice(0, count);
}

interface NewShape {
  readonly podInfo: QueuedPodInfo['podInfo'];
  /** Pods that are decided before. */
  readonly index: number;
  readonly ahead: ProfileAhead;
  /** A walk over all nodes is all that it takes. */
  readonly isWalk: boolean;
}
