/**
 * The scheduler: pods that are not bound come in over informers, bindings go out over the client. It
 * owns the wiring of cache, queue, framework and attempts, and the tick in which pods are decided; it
 * never talks to the API server but over its connection. Mirrors kube-scheduler v1.34 with parallelism
 * 1 and the default profile; what upstream leaves to chance comes from a seeded stream.
 */
import type { Connection } from '../bus/bus-types.js';
import type { Timer } from '../kernel/clock.js';
import type { Kernel } from '../kernel/kernel.js';
import { SchedulerCache } from './cache/scheduler-cache.js';
import { CacheSnapshot } from './cache/snapshot.js';
import { PodScheduler } from './cycle/schedule-pod.js';
import { createNodeHandler, createPodHandler, type HandlerTargets } from './event-handlers.js';
import { AttemptLog, type AttemptExplanation } from './explain.js';
import { FailureHandler } from './failure-handler.js';
import { Framework } from './framework/framework.js';
import type { FrameworkHandle, QueuedPodInfo } from './framework/interface.js';
import { createPrefetcher, type Prefetcher } from './parallel/prefetcher.js';
import {
  buildPlugins,
  DEFAULT_PLUGINS,
  IN_TREE_PLUGINS,
  type PluginRegistry,
  type PluginSpec,
} from './plugins/registry.js';
import { createSchedulingQueue } from './queue/scheduling-queue.js';
import type { QueueDepths, SchedulingQueue } from './queue/queue-types.js';
import { ScheduleOne, type AttemptCounts } from './schedule-one.js';

/** Pods decided in one tick; a constant, so that no result depends on the number of workers. */
const PODS_PER_TICK = 64;

/** Settings of a scheduler. */
export interface SchedulerOptions {
  /** Pods with this `spec.schedulerName` are ours. @defaultValue `default-scheduler` */
  readonly schedulerName?: string | undefined;
  /** 1..100; 0 = fewer the more nodes there are. @defaultValue 0 */
  readonly percentageOfNodesToScore?: number | undefined;
  /** First back-off, seconds. @defaultValue 1 */
  readonly podInitialBackoffSeconds?: number | undefined;
  /** Longest back-off, seconds. @defaultValue 10 */
  readonly podMaxBackoffSeconds?: number | undefined;
  /** Simulated duration of one attempt, milliseconds. @defaultValue 0 */
  readonly cycleMs?: number | undefined;
  /** Threads that judge nodes ahead of the decisions; results are the same with any number. @defaultValue 0 */
  readonly workers?: number | undefined;
  /** Judgements (shapes × nodes) from which a tick's pods are worth the way to the workers. */
  readonly minPrefetchWork?: number | undefined;
  /** The profile's plugins in order. @defaultValue upstream's default profile */
  readonly plugins?: readonly PluginSpec[] | undefined;
  /** Plugins by name, where a profile uses others than ours. */
  readonly registry?: PluginRegistry | undefined;
}

/** What a scheduler is made of. */
export interface CreateSchedulerOptions {
  readonly kernel: Kernel;
  readonly connection: Connection;
  readonly options?: SchedulerOptions | undefined;
}

/** Figures of a scheduler. */
export interface SchedulerStats extends Readonly<AttemptCounts> {
  readonly queue: QueueDepths;
  /** Shapes that workers judged ahead of the decisions. */
  readonly judgedAhead: number;
}

/** A running scheduler. */
export interface Scheduler {
  /** Lists and watches; decides once both lists have arrived. */
  start(): void;
  /** Decides nothing more; bindings under way are finished. */
  stop(): void;
  /** Stops for good and ends the worker threads. */
  dispose(): Promise<void>;
  /** The last attempt of a pod, by `namespace/name`; the 10,000 pods tried last are known. */
  explain(podKey: string): AttemptExplanation | undefined;
  readonly stats: SchedulerStats;
}

/** Builds a scheduler over its connection. */
export function createScheduler(options: CreateSchedulerOptions): Scheduler {
  return new WiredScheduler(options);
}

class WiredScheduler implements Scheduler {
  readonly #kernel: Kernel;
  readonly #connection: Connection;
  readonly #options: SchedulerOptions;
  readonly #cache = new SchedulerCache();
  readonly #snapshot = new CacheSnapshot();
  readonly #attempts = new AttemptLog();
  readonly #queue: SchedulingQueue;
  readonly #framework: Framework;
  readonly #prefetcher: Prefetcher | undefined;
  readonly #scheduleOne: ScheduleOne;
  #tick: Timer | undefined;
  /** Pods are being decided, or judged ahead on other threads. */
  #isDeciding = false;
  #isRunning = false;

  constructor({ kernel, connection, options = {} }: CreateSchedulerOptions) {
    this.#kernel = kernel;
    this.#connection = connection;
    this.#options = options;
    const { clock } = kernel;
    const { informers, client } = connection;
    const pods = informers.informer('Pod');
    const nodes = informers.informer('Node');
    const specs = options.plugins ?? DEFAULT_PLUGINS;
    this.#framework = new Framework(buildPlugins(specs, this.#handle(), options.registry ?? IN_TREE_PLUGINS), clock);
    this.#queue = createSchedulingQueue({
      clock,
      queueSort: this.#framework.queueSort,
      preEnqueue: this.#framework.preEnqueue,
      hints: this.#framework.hints,
      podInitialBackoffSeconds: options.podInitialBackoffSeconds,
      podMaxBackoffSeconds: options.podMaxBackoffSeconds,
      findPod: (key) => pods.getByKey(key),
    });
    const recorder = connection.recorder('default-scheduler');
    const start = { index: 0 };
    const podScheduler = new PodScheduler({
      framework: this.#framework,
      snapshot: this.#snapshot,
      nominator: this.#queue,
      random: kernel.random('scheduler/tie-break'),
      percentageOfNodesToScore: options.percentageOfNodesToScore ?? 0,
      start,
    });
    const failures = new FailureHandler({ kernel, client, recorder, queue: this.#queue, pods });
    this.#scheduleOne = new ScheduleOne({
      clock,
      cache: this.#cache,
      snapshot: this.#snapshot,
      queue: this.#queue,
      framework: this.#framework,
      podScheduler,
      failures,
      recorder,
      attempts: this.#attempts,
    });
    this.#prefetcher = createPrefetcher({
      workers: options.workers ?? 0,
      minWork: options.minPrefetchWork,
      plugins: specs,
      percentageOfNodesToScore: options.percentageOfNodesToScore ?? 0,
      snapshot: this.#snapshot,
      evaluations: podScheduler.evaluations,
      start,
      lastVisited: () => podScheduler.scan.visited,
      isInTree: options.registry === undefined,
    });
    const targets = this.#targets();
    // Nodes first: a pod on a node finds its node there.
    nodes.addHandler(createNodeHandler(targets));
    pods.addHandler(createPodHandler(targets));
    this.#queue.setOnReady(() => this.#wake());
  }

  get stats(): SchedulerStats {
    return { ...this.#scheduleOne.counts, queue: this.#queue.depths(), judgedAhead: this.#prefetcher?.judged ?? 0 };
  }

  start(): void {
    const { informers } = this.#connection;
    informers.start();
    informers.whenSynced(() => {
      this.#isRunning = true;
      this.#wake();
    });
  }

  stop(): void {
    this.#isRunning = false;
    if (this.#tick !== undefined) this.#kernel.clock.cancel(this.#tick);
    this.#tick = undefined;
  }

  async dispose(): Promise<void> {
    this.stop();
    this.#framework.waitingPods.clear();
    this.#queue.close();
    await this.#prefetcher?.dispose();
  }

  explain(podKey: string): AttemptExplanation | undefined {
    return this.#attempts.explain(podKey);
  }

  /** Something may be poppable: decides in a tick of its own. */
  #wake(): void {
    if (!this.#isRunning || this.#isDeciding || this.#tick !== undefined) return;
    this.#tick = this.#kernel.clock.schedule(this.#options.cycleMs ?? 0, () => {
      this.#tick = undefined;
      this.#decideBatch();
    });
  }

  #decideBatch(): void {
    const infos = this.#pop();
    if (infos.length === 0) return;
    this.#isDeciding = true;
    this.#cache.updateSnapshot(this.#snapshot);
    const judging = this.#prefetcher?.judge(infos);
    if (judging === undefined) this.#decide(infos);
    else this.#kernel.clock.hold(judging.then(() => this.#decide(infos)));
  }

  /** Takes pods one after the other: each sees what the ones before it took. */
  #decide(infos: readonly QueuedPodInfo[]): void {
    for (const info of infos) this.#scheduleOne.run(info);
    this.#isDeciding = false;
    if (this.#queue.depths().active > 0 || this.#queue.depths().backoff > 0) this.#wake();
  }

  /** One pod when attempts take time, so that each sees what happened meanwhile. */
  #pop(): QueuedPodInfo[] {
    const limit = (this.#options.cycleMs ?? 0) > 0 ? 1 : PODS_PER_TICK;
    const infos: QueuedPodInfo[] = [];
    while (infos.length < limit) {
      const info = this.#queue.pop();
      if (info === undefined) break;
      infos.push(info);
    }
    return infos;
  }

  #targets(): HandlerTargets {
    const schedulerName = this.#options.schedulerName ?? 'default-scheduler';
    return {
      cache: this.#cache,
      queue: this.#queue,
      waitingPodsOf: (name) => (name === schedulerName ? this.#framework.waitingPods : undefined),
    };
  }

  #handle(): FrameworkHandle {
    const { client, informers } = this.#connection;
    return {
      clock: this.#kernel.clock,
      snapshot: this.#snapshot,
      bind: ({ namespace, name, uid, nodeName }, answer) => {
        client.bind({ metadata: { namespace, name, uid }, target: { kind: 'Node', name: nodeName } }, answer);
      },
      waitingPod: (uid) => this.#framework.waitingPods.get(uid),
      objects: (kind) => (kind === 'Pod' || kind === 'Node' ? informers.informer(kind).list() : []),
    };
  }
}
