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
import type { PluginSpec } from '../plugins/registry.js';
import { bareShape, type ColumnNews, type JudgeTask, type ShapeTask } from './judge-task.js';

/**
 * Judgements (new shapes × nodes) below which the way to the workers costs more than it saves. Measured:
 * 5 µs for a shape's way there and 35 ns for a judgement, but the engine waits meanwhile and then reads
 * results that another core has written.
 */
const MIN_WORK = 200_000;

const WORKER_FILE = new URL('../../../workers/evaluate-pods.js', import.meta.url).href;

/** What a prefetcher is made of. */
export interface PrefetcherOptions {
  /** Number of threads; 0 = none. */
  readonly workers: number;
  /** @defaultValue 200,000 judgements */
  readonly minWork?: number | undefined;
  readonly plugins: readonly PluginSpec[];
  readonly percentageOfNodesToScore: number;
  readonly snapshot: CacheSnapshot;
  readonly evaluations: EvaluationPool;
  /** Where the next scan begins. */
  readonly start: { readonly index: number };
  /** Nodes that the last scan looked at. */
  readonly lastVisited: () => number;
  /** Whether every plugin is one of ours: workers have no others. */
  readonly isInTree: boolean;
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
  return options.workers > 0 && options.isInTree ? new PoolPrefetcher(options) : undefined;
}

/** One thread, and what it knows. */
class Lane {
  readonly #pool = new Piscina({ filename: WORKER_FILE, minThreads: 1, maxThreads: 1 });
  #layout = -1;
  #isNew = true;
  #labelSets = 0;
  #taintSets = 0;
  #imageSets = 0;

  judge(shapes: readonly ShapeTask[], target: number, options: PrefetcherOptions): Promise<void> {
    const task: JudgeTask = {
      ...(this.#isNew ? { plugins: options.plugins } : {}),
      columns: this.#news(options.snapshot),
      shapes,
      target,
    };
    this.#isNew = false;
    return this.#pool.run(task) as Promise<void>;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
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

class PoolPrefetcher implements Prefetcher {
  readonly #options: PrefetcherOptions;
  readonly #lanes: Lane[] = [];
  #judged = 0;

  constructor(options: PrefetcherOptions) {
    this.#options = options;
  }

  get judged(): number {
    return this.#judged;
  }

  judge(infos: readonly QueuedPodInfo[]): Promise<void> | undefined {
    const { snapshot, percentageOfNodesToScore, minWork = MIN_WORK } = this.#options;
    const target = feasibleTarget(snapshot.size, percentageOfNodesToScore);
    // Identical pods never go to the pool: they share a shape, whose results are there already.
    if (infos.length < 2 || infos.length * Math.min(snapshot.size, target + 1) < minWork) return undefined;
    const shapes = this.#newShapes(infos);
    if (shapes.length < 2 || shapes.length * Math.min(snapshot.size, target + 1) < minWork) return undefined;
    this.#judged += shapes.length;
    return this.#send(shapes, target);
  }

  async dispose(): Promise<void> {
    const lanes = this.#lanes.splice(0);
    await Promise.all(lanes.map((lane) => lane.close()));
  }

  /** Shapes of which nothing is known, with a guess at where their scans will begin. */
  #newShapes(infos: readonly QueuedPodInfo[]): ShapeTask[] {
    const { snapshot, evaluations, start, lastVisited } = this.#options;
    const { columns } = snapshot;
    const advance = Math.max(1, lastVisited());
    const shapes: ShapeTask[] = [];
    const seen = new Set<number>();
    infos.forEach(({ podInfo }, index) => {
      const { id } = podInfo.shape;
      if (seen.has(id) || !canGo(podInfo.pod)) return;
      seen.add(id);
      const evaluation = evaluations.get(id, columns.capacity);
      if (!evaluation.align(columns)) return;
      shapes.push({
        pod: bareShape(podInfo.pod),
        memory: evaluation.buffers.memory,
        start: (start.index + index * advance) % columns.nodeCount,
      });
    });
    return shapes;
  }

  async #send(shapes: readonly ShapeTask[], target: number): Promise<void> {
    const { workers } = this.#options;
    while (this.#lanes.length < workers) this.#lanes.push(new Lane());
    const share = Math.ceil(shapes.length / workers);
    const work: Promise<void>[] = [];
    this.#lanes.forEach((lane, index) => {
      const part = shapes.slice(index * share, (index + 1) * share);
      if (part.length > 0) work.push(lane.judge(part, target, this.#options));
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
