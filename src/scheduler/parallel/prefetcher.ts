/**
 * The pool of worker threads that judge nodes ahead of the decisions. It fills in evaluations; the
 * decisions are taken on the engine thread, in order, and judge anew whatever is missing or has changed,
 * so that results are those of one pod at a time with any number of threads. The only folder that knows
 * Piscina; threads are started when first needed and ended by `dispose`.
 */
import { Piscina } from 'piscina';
import type { Pod } from '../../api/objects.js';
import type { CacheSnapshot } from '../cache/snapshot.js';
import type { EvaluationPool } from '../cycle/evaluation-pool.js';
import { feasibleTarget } from '../cycle/feasible-target.js';
import type { QueuedPodInfo } from '../framework/interface.js';
import { bareShape, type ColumnNews, type JudgeTask, type ShapeTask } from './judge-task.js';
import type { WorkerProfile } from './worker-profile.js';

/**
 * Judgements (new shapes × nodes) below which the way to the workers costs more than it saves. Measured:
 * 5 µs for a shape's way there and 35 ns for a judgement, but the engine waits meanwhile and then reads
 * results that another core has written.
 */
const MIN_WORK = 200_000;

const DEFAULT_SCHEDULER = 'default-scheduler';

const WORKER_FILE = new URL('../../../workers/evaluate-pods.js', import.meta.url).href;

/** A profile whose pods may be judged ahead. */
export interface PrefetchProfile {
  readonly profile: WorkerProfile;
  readonly percentageOfNodesToScore: number;
  readonly evaluations: EvaluationPool;
  /** Nodes that the last scan looked at. */
  readonly lastVisited: () => number;
}

/** What a prefetcher is made of. */
export interface PrefetcherOptions {
  /** Number of threads; 0 = none. */
  readonly workers: number;
  /** @defaultValue 200,000 judgements */
  readonly minWork?: number | undefined;
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
  /** Judges for pods that are decided next; `undefined` when that is not worth the way. */
  judge(infos: readonly QueuedPodInfo[]): Promise<void> | undefined;
  /** Pods that were judged ahead so far. */
  readonly judged: number;
  dispose(): Promise<void>;
}

/** Starts nothing yet; `undefined` when there is nobody to judge ahead. */
export function createPrefetcher(options: PrefetcherOptions): Prefetcher | undefined {
  return options.workers > 0 && options.profiles.size > 0 ? new PoolPrefetcher(options) : undefined;
}

/** One thread, and what it knows. */
class Lane {
  readonly #pool = new Piscina({ filename: WORKER_FILE, minThreads: 1, maxThreads: 1 });
  #layout = -1;
  #isNew = true;
  #labelSets = 0;
  #taintSets = 0;
  #imageSets = 0;

  judge(shapes: readonly ShapeTask[], options: PrefetcherOptions): Promise<void> {
    const task: JudgeTask = {
      ...(this.#isNew ? { profiles: [...options.profiles.values()].map(({ profile }) => profile) } : {}),
      columns: this.#news(options.snapshot),
      shapes,
    };
    this.#isNew = false;
    return this.#pool.run(task) as Promise<void>;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  /** The next batch is another scheduler's: its thread begins anew. */
  forget(): void {
    this.#isNew = true;
    this.#layout = -1;
  }

  /** What has changed since this thread was last told. */
  #news({ columns }: CacheSnapshot): ColumnNews {
    const { layout, nodeCount, arrays, tables, scalars } = columns;
    const isStale = layout !== this.#layout;
    if (isStale) {
      this.#layout = layout;
      this.#labelSets = 0;
      this.#taintSets = 0;
      this.#imageSets = 0;
    }
    const news: ColumnNews = {
      layout,
      nodeCount,
      ...(isStale ? { arrays, scalars: [...scalars] } : {}),
      labelSets: tables.labelSets.slice(this.#labelSets),
      taintSets: tables.taintSets.slice(this.#taintSets),
      imageSets: tables.imageSets.slice(this.#imageSets),
    };
    this.#labelSets = tables.labelSets.length;
    this.#taintSets = tables.taintSets.length;
    this.#imageSets = tables.imageSets.length;
    return news;
  }
}

/** Threads that are started when first needed, each with what it knows. */
export class WorkerThreads {
  readonly #lanes: Lane[] = [];

  /** @internal the first so many */
  lanes(count: number): readonly Lane[] {
    while (this.#lanes.length < count) this.#lanes.push(new Lane());
    return this.#lanes.slice(0, count);
  }

  /** Makes the threads ready for another scheduler. */
  forget(): void {
    for (const lane of this.#lanes) lane.forget();
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.splice(0).map((lane) => lane.close()));
  }
}

class PoolPrefetcher implements Prefetcher {
  readonly #options: PrefetcherOptions;
  readonly #threads: WorkerThreads;
  #judged = 0;

  constructor(options: PrefetcherOptions) {
    this.#options = options;
    this.#threads = options.threads ?? new WorkerThreads();
  }

  get judged(): number {
    return this.#judged;
  }

  judge(infos: readonly QueuedPodInfo[]): Promise<void> | undefined {
    const { snapshot, minWork = MIN_WORK } = this.#options;
    if (infos.length < 2 || infos.length * this.#longestScan() < minWork) return undefined;
    // Identical pods never go to the pool: they share a shape, whose results are there already.
    const shapes = this.#newShapes(infos);
    let work = 0;
    for (const { target } of shapes) work += Math.min(snapshot.size, target + 1);
    if (shapes.length < 2 || work < minWork) return undefined;
    this.#judged += shapes.length;
    return this.#send(shapes);
  }

  async dispose(): Promise<void> {
    if (this.#options.threads === undefined) await this.#threads.close();
    else this.#threads.forget();
  }

  #longestScan(): number {
    const { snapshot, profiles } = this.#options;
    const targets = [...profiles.values()].map((each) => feasibleTarget(snapshot.size, each.percentageOfNodesToScore));
    return Math.min(snapshot.size, Math.max(...targets) + 1);
  }

  /** Shapes of which nothing is known, with a guess at where their scans will begin. */
  #newShapes(infos: readonly QueuedPodInfo[]): ShapeTask[] {
    const { snapshot, start, profiles } = this.#options;
    const { columns } = snapshot;
    const shapes: ShapeTask[] = [];
    const seen = new Map<PrefetchProfile, Set<number>>();
    infos.forEach(({ podInfo }, index) => {
      const profile = profiles.get(podInfo.pod.spec.schedulerName ?? DEFAULT_SCHEDULER);
      if (profile === undefined || !canGo(podInfo.pod)) return;
      const { id } = podInfo.shape;
      const known = seen.get(profile) ?? new Set();
      seen.set(profile, known);
      if (known.has(id)) return;
      known.add(id);
      const evaluation = profile.evaluations.get(id, columns.capacity);
      if (!evaluation.align(columns)) return;
      const advance = Math.max(1, profile.lastVisited());
      shapes.push({
        pod: bareShape(podInfo.pod),
        memory: evaluation.buffers.memory,
        start: (start.index + index * advance) % columns.nodeCount,
        target: feasibleTarget(snapshot.size, profile.percentageOfNodesToScore),
      });
    });
    return shapes;
  }

  async #send(shapes: readonly ShapeTask[]): Promise<void> {
    const { workers } = this.#options;
    const share = Math.ceil(shapes.length / workers);
    const work: Promise<void>[] = [];
    this.#threads.lanes(workers).forEach((lane, index) => {
      const part = shapes.slice(index * share, (index + 1) * share);
      if (part.length > 0) work.push(lane.judge(part, this.#options));
    });
    await Promise.all(work);
  }
}

/** Host ports and node names are known on the engine thread only. */
function canGo({ spec }: Pod): boolean {
  const { nodeAffinity } = spec.affinity ?? {};
  const terms = [
    ...(nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []),
    ...(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ preference }) => preference),
  ];
  return (spec.nodeName ?? '') === '' && terms.every(({ matchFields }) => (matchFields ?? []).length === 0);
}
