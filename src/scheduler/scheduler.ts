/**
 * The scheduler: pods that are not bound come in over informers, bindings go out over the client. It
 * owns the wiring of cache, queue, profiles and attempts, and the tick in which pods are decided; it
 * never talks to the API server but over its connection. Mirrors kube-scheduler v1.34 with parallelism
 * 1; what upstream leaves to chance comes from a seeded stream.
 *
 * Pods are popped and decided one at a time, also within a tick: what one attempt leads to is there
 * when the next pod is popped. Worker threads are told beforehand which pods will probably be next.
 */
import type { Client, Connection, EventRecorder } from '../bus/bus-types.js';
import type { Timer } from '../kernel/engine/clock.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { RateLimit } from '../kernel/token-bucket.js';
import { assert } from '../kernel/assert.js';
import { SchedulerCache } from './cache/scheduler-cache.js';
import { CacheSnapshot } from './cache/snapshot.js';
import type { SchedulerConfiguration } from './config/configuration.js';
import { PodScheduler } from './cycle/schedule-pod.js';
import { createNodeHandler, createPodHandler, createStorageHandler } from './event-handlers.js';
import { AttemptLog } from './explain/attempt-log.js';
import type { PodExplanation, PodFocus } from './explain/explanation.js';
import { FailureHandler, type HoldUp } from './failure-handler.js';
import type { QueuedPodInfo } from './framework/interface.js';
import { WaitingPods } from './framework/waiting-pods.js';
import type { TakenWay } from './cycle/attempt/way.js';
import { createPrefetcher, type Prefetcher, type PrefetchProfile } from './parallel/prefetcher.js';
import { workerProfileOf } from './parallel/worker-profile.js';
import type { Framework } from './framework/framework.js';
import { createPluginHandle, DEVICE_KINDS, STORAGE_KINDS, watchForPlugins } from './plugin-handle.js';
import { createPreemptor, type PreemptionParts } from './preemption/create-preemptor.js';
import { DEFAULT_PLUGINS, type PluginSpec } from './plugins/registry.js';
import { buildPlainProfile, buildProfiles, mergedRegistry, type OwnPlugins, type Profile } from './profile.js';
import { createSchedulingQueue } from './queue/scheduling-queue.js';
import type { QueueDepths, SchedulingQueue } from './queue/queue-types.js';
import { ScheduleOne, type AttemptCounts } from './schedule-one.js';

/** Pods decided in one tick; a constant, so that no result depends on the number of workers. */
const PODS_PER_TICK = 64;

/** Ticks for which worker threads are told the pods: they go on while the engine decides. */
const TICKS_AHEAD = 2;

const DEFAULT_SCHEDULER = 'default-scheduler';

/** Settings of a scheduler. */
export interface SchedulerOptions {
  /**
   * Profiles, percentage and back-off as a KubeSchedulerConfiguration has them; it takes the place of
   * the five options that follow.
   */
  readonly configuration?: SchedulerConfiguration | undefined;
  /** Pods with this `spec.schedulerName` are ours. @defaultValue `default-scheduler` */
  readonly schedulerName?: string | undefined;
  /** 1..100; 0 = fewer the more nodes there are. @defaultValue 0 */
  readonly percentageOfNodesToScore?: number | undefined;
  /** First back-off, seconds. @defaultValue 1 */
  readonly podInitialBackoffSeconds?: number | undefined;
  /** Longest back-off, seconds. @defaultValue 10 */
  readonly podMaxBackoffSeconds?: number | undefined;
  /** The profile's plugins in order. @defaultValue upstream's default profile */
  readonly plugins?: readonly PluginSpec[] | undefined;
  /** Whether refused pods are told of the taints by name, as v1.34.1 does. @defaultValue true */
  readonly namesTaints?: boolean | undefined;
  /** Simulated duration of one attempt, milliseconds. @defaultValue 0 */
  readonly cycleMs?: number | undefined;
  /** Threads that judge nodes ahead of the decisions; results are the same with any number. @defaultValue 0 */
  readonly workers?: number | undefined;
  /**
   * Judgements (new shapes × nodes) from which a tick's pods go to the workers: 1 = whenever possible,
   * Infinity = never. @defaultValue found out by measuring with `hostTime`; without that 200,000
   */
  readonly minPrefetchWork?: number | undefined;
  /** Real time in milliseconds, by which the use of the workers is chosen; it decides nothing else. */
  readonly hostTime?: (() => number) | undefined;
  /** A user's own plugins by name, besides the built-in ones; a profile must name them to use them. */
  readonly registry?: OwnPlugins | undefined;
  /** How fast requests, and apart from them events, may follow each other. @defaultValue as they come */
  readonly limit?: RateLimit | undefined;
  /** Called around each attempt, for measurements; must change nothing. */
  readonly stopwatch?: Stopwatch | undefined;
}

/** What a scheduler is made of. */
export interface CreateSchedulerOptions {
  readonly kernel: Kernel;
  /** Its client sends bindings and statuses; limited as the options say. */
  readonly connection: Connection;
  readonly options?: SchedulerOptions | undefined;
}

/** Figures of a scheduler. */
export interface SchedulerStats extends Readonly<AttemptCounts> {
  readonly queue: QueueDepths;
  /** Walks of workers that decisions took over. */
  readonly judgedAhead: number;
  /** Decisions by the way that they took; ways that none took are absent. */
  readonly ways: readonly WayCount[];
}

/** Decisions that took one way for one reason. */
export interface WayCount extends TakenWay {
  readonly count: number;
}

/** Measures attempts from outside: the engine itself never reads real time. */
export interface Stopwatch {
  start(): void;
  stop(): void;
}

/** A running scheduler. */
export interface Scheduler {
  /** Lists and watches; decides once both lists have arrived. */
  start(): void;
  /** Decides nothing more; bindings under way are finished. */
  stop(): void;
  /** Stops for good and ends the worker threads. */
  dispose(): Promise<void>;
  /**
   * The attempts to place a pod, by `namespace/name`. Known are the last 16 attempts of a pod, for the
   * last 10,000 pods that were placed at once and as many others; single nodes for as long as 2 MiB last.
   */
  explain(podKey: string): PodExplanation | undefined;
  /** Whether {@link explain} knows of an attempt; cheaper than its answer. */
  isExplained(podKey: string): boolean;
  /** Keeps the attempts of some pods apart from now on, with 256 MiB for single nodes. */
  focusExplanations(focus: PodFocus): void;
  readonly stats: SchedulerStats;
}

/**
 * Builds a scheduler over its connection.
 *
 * @throws SchedulerConfigError when the configuration and the plugins do not fit together
 */
export function createScheduler(options: CreateSchedulerOptions): Scheduler {
  return new WiredScheduler(options);
}

/** One profile with its own algorithm; all count together. */
interface ProfileScheduler {
  readonly profile: Profile;
  readonly podScheduler: PodScheduler;
  readonly scheduleOne: ScheduleOne;
}

class WiredScheduler implements Scheduler {
  readonly #kernel: Kernel;
  readonly #connection: Connection;
  readonly #options: SchedulerOptions;
  /** Writes the events of all profiles. */
  readonly #eventClient: Client;
  readonly #cache = new SchedulerCache();
  readonly #snapshot = new CacheSnapshot();
  readonly #attempts = new AttemptLog();
  readonly #waitingPods: WaitingPods;
  /** Where preemption begins to try nodes, whatever the profile. */
  readonly #preemptionOffset: RandomStream;
  readonly #queue: SchedulingQueue;
  /** By scheduler name. */
  readonly #profiles: ReadonlyMap<string, ProfileScheduler>;
  readonly #prefetcher: Prefetcher | undefined;
  /** Where the next scan begins, whatever the profile. */
  readonly #start = { index: 0 };
  #tick: Timer | undefined;
  /** Pods are being decided, or judged ahead on other threads. */
  #isDeciding = false;
  /** No pod is decided before the failure of the last one is on its way. */
  #isHeldUp = false;
  #isRunning = false;

  constructor({ kernel, connection, options = {} }: CreateSchedulerOptions) {
    this.#kernel = kernel;
    this.#connection = connection;
    this.#options = options;
    this.#eventClient = connection.openClient(options.limit);
    this.#waitingPods = new WaitingPods(kernel.clock);
    this.#preemptionOffset = kernel.random('scheduler/preemption-offset');
    watchForPlugins(connection);
    const profiles = this.#buildProfiles();
    this.#queue = this.#createQueue(profiles);
    this.#profiles = this.#createProfiles(profiles);
    this.#prefetcher = this.#createPrefetcher();
    const targets = {
      cache: this.#cache,
      queue: this.#queue,
      waitingPodsOf: (name: string) => (this.#profiles.has(name) ? this.#waitingPods : undefined),
    };
    // Nodes first: a pod on a node finds its node there.
    connection.informers.informer('Node').addHandler(createNodeHandler(targets));
    connection.informers.informer('Pod').addHandler(createPodHandler(targets));
    for (const kind of STORAGE_KINDS)
      connection.informers.informer(kind).addHandler(createStorageHandler(kind, targets));
    for (const kind of DEVICE_KINDS)
      connection.informers.informer(kind).addHandler(createStorageHandler(kind, targets));
    this.#queue.setOnReady(() => this.#wake());
  }

  get stats(): SchedulerStats {
    const counts = { attempts: 0, scheduled: 0, unschedulable: 0, errors: 0 };
    for (const { scheduleOne } of this.#profiles.values()) {
      counts.attempts += scheduleOne.counts.attempts;
      counts.scheduled += scheduleOne.counts.scheduled;
      counts.unschedulable += scheduleOne.counts.unschedulable;
      counts.errors += scheduleOne.counts.errors;
    }
    return { ...counts, queue: this.#queue.depths(), judgedAhead: this.#prefetcher?.judged ?? 0, ways: this.#ways() };
  }

  /** Of all profiles together. */
  #ways(): readonly WayCount[] {
    const counts = new Map<TakenWay, number>();
    for (const { podScheduler } of this.#profiles.values()) {
      for (const [taken, count] of podScheduler.wayCounts.entries()) {
        counts.set(taken, (counts.get(taken) ?? 0) + count);
      }
    }
    return [...counts].map(([taken, count]) => ({ ...taken, count }));
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
    this.#waitingPods.clear();
    this.#queue.close();
    await this.#prefetcher?.dispose();
  }

  explain(podKey: string): PodExplanation | undefined {
    return this.#attempts.explain(podKey);
  }

  isExplained(podKey: string): boolean {
    return this.#attempts.knows(podKey);
  }

  focusExplanations(focus: PodFocus): void {
    this.#attempts.focusOn(focus);
  }

  #buildProfiles(): readonly Profile[] {
    const { configuration, schedulerName, percentageOfNodesToScore, plugins, registry } = this.#options;
    const parts = {
      clock: this.#kernel.clock,
      waitingPods: this.#waitingPods,
      registry: mergedRegistry(registry),
      createHandle: (framework: () => Framework, name: string) =>
        createPluginHandle({
          clock: this.#kernel.clock,
          connection: this.#connection,
          snapshot: this.#snapshot,
          waitingPods: this.#waitingPods,
          createPreemptor: (plugin, args, openings) =>
            createPreemptor(this.#preemptionParts(framework(), name), plugin, args, openings),
        }),
    };
    if (configuration !== undefined) return buildProfiles(configuration, parts);
    const plain = {
      schedulerName: schedulerName ?? DEFAULT_SCHEDULER,
      percentageOfNodesToScore: percentageOfNodesToScore ?? 0,
      plugins: plugins ?? DEFAULT_PLUGINS,
    };
    return [buildPlainProfile(plain, parts)];
  }

  #preemptionParts(framework: Framework, schedulerName: string): PreemptionParts {
    const { client, informers } = this.#connection;
    const pods = informers.informer('Pod');
    const budgets = informers.informer('PodDisruptionBudget');
    return {
      kernel: this.#kernel,
      client,
      recorder: this.#recorderOf(schedulerName),
      snapshot: this.#snapshot,
      framework,
      queue: this.#queue,
      findPod: (key) => pods.getByKey(key),
      budgets: () => budgets.list(),
      random: this.#preemptionOffset,
    };
  }

  #recorderOf(schedulerName: string): EventRecorder {
    return this.#connection.recorder(schedulerName, undefined, { client: this.#eventClient });
  }

  /** One queue for all profiles, sorted as each of them wants it. */
  #createQueue(profiles: readonly Profile[]): SchedulingQueue {
    const { configuration, podInitialBackoffSeconds, podMaxBackoffSeconds } = this.#options;
    const [first] = profiles;
    assert(first !== undefined, 'a scheduler needs a profile, got none');
    const pods = this.#connection.informers.informer('Pod');
    return createSchedulingQueue({
      clock: this.#kernel.clock,
      queueSort: first.framework.queueSort,
      profiles: new Map(profiles.map(({ schedulerName, framework }) => [schedulerName, framework])),
      podInitialBackoffSeconds: configuration?.podInitialBackoffSeconds ?? podInitialBackoffSeconds,
      podMaxBackoffSeconds: configuration?.podMaxBackoffSeconds ?? podMaxBackoffSeconds,
      findPod: (key) => pods.getByKey(key),
    });
  }

  #createProfiles(profiles: readonly Profile[]): ReadonlyMap<string, ProfileScheduler> {
    // One stream for all profiles.
    const random = this.#kernel.random('scheduler/tie-break');
    return new Map(profiles.map((profile) => [profile.schedulerName, this.#createProfile(profile, random)]));
  }

  #createProfile(profile: Profile, random: RandomStream): ProfileScheduler {
    const { client, informers } = this.#connection;
    const { framework, percentageOfNodesToScore, schedulerName } = profile;
    const pods = informers.informer('Pod');
    const recorder = this.#recorderOf(schedulerName);
    const podScheduler = new PodScheduler({
      framework,
      snapshot: this.#snapshot,
      nominator: this.#queue,
      random,
      percentageOfNodesToScore,
      start: this.#start,
    });
    const failures = new FailureHandler({
      kernel: this.#kernel,
      client,
      recorder,
      queue: this.#queue,
      pods,
      holdUp: this.#holdUp,
    });
    const scheduleOne = new ScheduleOne({
      clock: this.#kernel.clock,
      cache: this.#cache,
      snapshot: this.#snapshot,
      queue: this.#queue,
      framework,
      podScheduler,
      failures,
      recorder,
      attempts: this.#attempts,
      namesTaints: this.#options.namesTaints ?? true,
    });
    return { profile, podScheduler, scheduleOne };
  }

  #createPrefetcher(): Prefetcher | undefined {
    const { workers = 0, minPrefetchWork, hostTime, registry } = this.#options;
    if (workers === 0) return undefined;
    const merged = mergedRegistry(registry);
    const profiles = new Map<string, PrefetchProfile>();
    for (const [schedulerName, { profile, podScheduler }] of this.#profiles) {
      const { percentageOfNodesToScore } = profile;
      const workerProfile = workerProfileOf(profile, merged);
      if (workerProfile === undefined) continue;
      const { evaluations, walks } = podScheduler;
      profiles.set(schedulerName, { profile: workerProfile, percentageOfNodesToScore, evaluations, walks });
    }
    return createPrefetcher({
      workers,
      minWork: minPrefetchWork,
      hostTime,
      profiles,
      snapshot: this.#snapshot,
    });
  }

  /** Something may be poppable: decides in a tick of its own. */
  #wake(): void {
    if (!this.#isRunning || this.#isDeciding || this.#isHeldUp || this.#tick !== undefined) return;
    this.#tick = this.#kernel.clock.schedule(this.#options.cycleMs ?? 0, () => {
      this.#tick = undefined;
      this.#isDeciding = true;
      const judging = this.#judgeAhead();
      if (judging === undefined) this.#decide();
      else this.#kernel.clock.hold(judging.then(() => this.#decide()));
    });
  }

  /** Lets the workers begin with the pods that come next. */
  #judgeAhead(): Promise<void> | undefined {
    if (this.#prefetcher === undefined) return undefined;
    return this.#prefetcher.judge(() => {
      this.#cache.updateSnapshot(this.#snapshot);
      return this.#queue.peek(TICKS_AHEAD * this.#podsPerTick);
    });
  }

  /** One pod after the other: each sees what the ones before it took, and what came of them. */
  #decide(): void {
    const { stopwatch } = this.#options;
    let popped = 0;
    for (; popped < this.#podsPerTick && !this.#isHeldUp; popped += 1) {
      const info = this.#queue.pop();
      if (info === undefined) break;
      stopwatch?.start();
      this.#profileOf(info).scheduleOne.run(info);
      stopwatch?.stop();
    }
    this.#isDeciding = false;
    // A queue that had nothing more to give calls when it has.
    if (popped === this.#podsPerTick) this.#wake();
  }

  readonly #holdUp: HoldUp = {
    begin: () => {
      this.#isHeldUp = true;
    },
    end: () => {
      this.#isHeldUp = false;
      this.#wake();
    },
  };

  /** One pod when attempts take time, so that each sees what happened meanwhile. */
  get #podsPerTick(): number {
    return (this.#options.cycleMs ?? 0) > 0 ? 1 : PODS_PER_TICK;
  }

  #profileOf({ podInfo }: QueuedPodInfo): ProfileScheduler {
    const { schedulerName = DEFAULT_SCHEDULER } = podInfo.pod.spec;
    const scheduler = this.#profiles.get(schedulerName);
    assert(scheduler !== undefined, `pod ${podInfo.key} must belong to a profile, got scheduler name ${schedulerName}`);
    return scheduler;
  }
}
