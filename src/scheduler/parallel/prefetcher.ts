/**
 * The pool of worker threads that walk over all nodes ahead of the decisions, for pods of shapes that come up
 * once and need nothing else. The decisions are taken on the engine thread, in order, and judge anew what is
 * missing or has changed, so that results are those of one pod at a time with any number of threads. Only this
 * folder of the scheduler knows Piscina; threads are started when first needed and ended by `dispose`.
 *
 * Engine and workers share the pods of a batch: the engine begins at the front, the workers at the back, and
 * the thread that comes to a pod first makes its walk. Whether that pays depends on the pods and on the machine,
 * and is found out by measuring (break-even.ts); where there is nothing to measure with, a number decides. Where
 * scans end early nothing is sent: a walk that stops after some hundred nodes takes less than a message.
 */
import { availableParallelism } from 'node:os';
import type { CacheSnapshot } from '../cache/snapshot.js';
import type { EvaluationPool } from '../cycle/table/evaluation-pool.js';
import { feasibleTarget } from '../cycle/attempt/ring.js';
import type { OneOffWalk } from '../cycle/walk/one-off-walk.js';
import type { QueuedPodInfo } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import { BreakEven, type HostTime } from './break-even.js';
import type { WalkTask } from './judge-task.js';
import { ColumnMirror } from './column-mirror.js';
import { TaskTeller } from './task-teller.js';
import { CHUNK, MIN_WORK, PATIENCE_MS, REHEARSED, WARMED_UP } from './tuning.js';
import { WalksAhead } from './walks-ahead.js';
import type { WorkerProfile } from './worker-profile.js';
import { WorkerThreads } from './worker-threads.js';

const DEFAULT_SCHEDULER = 'default-scheduler';

/** A profile for whose pods walks may be made ahead. */
export interface PrefetchProfile {
  readonly profile: WorkerProfile;
  readonly percentageOfNodesToScore: number;
  readonly evaluations: EvaluationPool;
  readonly walks: OneOffWalk;
}

/** What a prefetcher is made of. */
export interface PrefetcherOptions {
  /** Number of threads; 0 = none. */
  readonly workers: number;
  /**
   * Looks at nodes (walks × nodes) from which a batch goes to the workers, all of it, before its first
   * decision. @defaultValue measured with `hostTime`; without that 200,000
   */
  readonly minWork?: number | undefined;
  /** Real time, for the choice whether the pool is used. */
  readonly hostTime?: HostTime | undefined;
  /** By scheduler name; pods of others are left to the engine thread. */
  readonly profiles: ReadonlyMap<string, PrefetchProfile>;
  readonly snapshot: CacheSnapshot;
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
  /** Decisions that took a worker's walk over so far. */
  readonly judged: number;
  dispose(): Promise<void>;
}

/** A pod that will be decided soon. */
export type UpcomingPod = Pick<QueuedPodInfo, 'podInfo'>;

/** Starts nothing yet; `undefined` where no thread could judge ahead. */
export function createPrefetcher(options: PrefetcherOptions): Prefetcher | undefined {
  return options.workers > 0 && options.profiles.size > 0 ? new PoolPrefetcher(options) : undefined;
}

class PoolPrefetcher implements Prefetcher {
  readonly #options: PrefetcherOptions;
  readonly #threads: WorkerThreads;
  /** By scheduler name. */
  readonly #ahead: ReadonlyMap<string, WalksAhead>;
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
    this.#ahead = new Map([...options.profiles].map(([name, profile]) => [name, this.#walksAhead(profile)]));
  }

  get judged(): number {
    let sum = 0;
    for (const { taken } of this.#ahead.values()) sum += taken;
    return sum;
  }

  judge(upcoming: () => readonly UpcomingPod[]): Promise<void> | undefined {
    if (this.#fault !== undefined) throw this.#fault;
    const breakEven = this.#breakEven;
    if (breakEven === undefined) return this.#walkAll(upcoming());
    switch (breakEven.next()) {
      case 'own':
        break;
      case 'rehearsal':
        this.#rehearse(upcoming());
        break;
      case 'warm-up':
        breakEven.handOver(() => this.#share(spread(this.#worthSending(upcoming()), WARMED_UP)));
        break;
      case 'pool':
        breakEven.handOver(() => this.#share(this.#worthSending(upcoming())));
        break;
    }
    return undefined;
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const walks of this.#ahead.values()) walks.close();
    if (this.#options.threads === undefined) await this.#threads.close();
    else this.#threads.forget();
  }

  #walksAhead({ evaluations, walks, profile }: PrefetchProfile): WalksAhead {
    const breakEven = this.#breakEven;
    return new WalksAhead({
      columns: () => this.#options.snapshot.columns,
      onNewShape: () => breakEven?.beginShape(),
      onTaken: () => breakEven?.noteTaken(),
      patienceMs: () => breakEven?.patienceMs ?? PATIENCE_MS,
      evaluations,
      walks,
      profile,
    });
  }

  /** Everything goes to the workers, and the decisions wait; `undefined` when that is not worth the way. */
  #walkAll(infos: readonly UpcomingPod[]): Promise<void> | undefined {
    const { minWork = MIN_WORK, workers, snapshot } = this.#options;
    if (infos.length < 2 || infos.length * snapshot.size < minWork) return undefined;
    const chosen = this.#worthSending(infos);
    if (chosen.length < 2 || chosen.length * snapshot.size < minWork) return undefined;
    return Promise.all(this.#send(this.#openAll(chosen), workers)).then(() => undefined);
  }

  /** Makes a few walks on this thread. */
  #rehearse(infos: readonly UpcomingPod[]): void {
    const tasks = this.#openAll(spread(this.#worthSending(infos), REHEARSED));
    this.#rehearsal.walk(tasks, this.#options.snapshot.columns);
  }

  /** Opens the walks to the workers and returns at once; a processor is left to the engine. */
  #share(chosen: readonly SentPod[]): void {
    const tasks = this.#openAll(chosen);
    const ordered: WalkTask[] = [];
    for (let first = 0; first < tasks.length; first += CHUNK)
      ordered.push(...tasks.slice(first, first + CHUNK).reverse());
    const lanes = Math.min(this.#options.workers, Math.max(1, availableParallelism() - 1));
    for (const sent of this.#send(ordered, lanes)) {
      sent.catch((error: Error) => {
        if (!this.#isDisposed) this.#fault = error;
      });
    }
  }

  /** The first pod of each shape that comes up once and takes a walk over all nodes. */
  #worthSending(infos: readonly UpcomingPod[]): SentPod[] {
    const { snapshot, profiles } = this.#options;
    const { size } = snapshot;
    if (size === 0) return [];
    const chosen: SentPod[] = [];
    const seen = new Set<string | number>();
    for (const { podInfo } of infos) {
      const { id } = podInfo.shape;
      const name = podInfo.pod.spec.schedulerName ?? DEFAULT_SCHEDULER;
      const walks = this.#ahead.get(name);
      const percentage = profiles.get(name)?.percentageOfNodesToScore ?? 0;
      if (walks === undefined || feasibleTarget(size, percentage) < size) continue;
      if (walks.has(id) || !walks.isEligible(podInfo)) continue;
      const key = this.#ahead.size === 1 ? id : `${id} ${name}`;
      if (seen.has(key)) continue;
      seen.add(key);
      chosen.push({ podInfo, walks });
    }
    return chosen;
  }

  #openAll(chosen: readonly SentPod[]): WalkTask[] {
    const tasks: WalkTask[] = [];
    for (const { podInfo, walks } of chosen) {
      const task = walks.open(podInfo);
      if (task !== undefined) tasks.push(task);
    }
    return tasks;
  }

  /** Deals the tasks to so many threads. */
  #send(tasks: readonly WalkTask[], laneCount: number): Promise<void>[] {
    if (tasks.length === 0) return [];
    const { columns } = this.#options.snapshot;
    const sent: Promise<void>[] = [];
    for (const [index, lane] of this.#threads.lanes(laneCount).entries()) {
      const part = tasks.filter((_task, position) => position % laneCount === index);
      if (part.length > 0) sent.push(lane.walk(part, columns, this.#workerProfiles));
    }
    return sent;
  }
}

/** So many of the later half, evenly: those that come first are decided before a worker gets to them. */
function spread<T>(items: readonly T[], count: number): T[] {
  const half = items.slice(items.length >> 1);
  const step = Math.max(1, Math.floor(half.length / count));
  return half.filter((_item, index) => index % step === 0).slice(0, count);
}

/** A pod whose walk is made ahead. */
interface SentPod {
  readonly podInfo: QueuedPodInfo['podInfo'];
  readonly walks: WalksAhead;
}

/** A worker without a thread: it makes walks on the thread of the caller, to see what they save. */
class Rehearsal {
  readonly #profiles: readonly WorkerProfile[];
  readonly #teller = new TaskTeller();
  #mirror: ColumnMirror | undefined;

  constructor(profiles: readonly WorkerProfile[]) {
    this.#profiles = profiles;
  }

  walk(tasks: readonly WalkTask[], columns: NodeColumns): void {
    const task = this.#teller.tell(tasks, columns);
    this.#mirror ??= new ColumnMirror(this.#profiles, task.columns);
    this.#mirror.run(task);
  }
}
