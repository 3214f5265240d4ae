/**
 * The scheduler's algorithm alone: cache, snapshot, plugins, decision, preemption and assumption by the
 * ordinary classes, without API server, bus, queue and binding. What kube-scheduler does between the pop
 * of a pod and its assumption, and nothing else: the measure in which the real one was measured.
 *
 * A pod that fits is assumed on its node; for one that does not, preemption is evaluated, its victims
 * leave the cache at once, and it stays nominated.
 */
import { keyOf, type AnyObject, type KubeObject, type Node, type Pod } from '../../src/api/objects/objects.js';
import { createKernel, type Kernel } from '../../src/kernel/engine/kernel.js';
import { SchedulerCache } from '../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../src/scheduler/cache/snapshot.js';
import type { SchedulerConfiguration } from '../../src/scheduler/config/configuration.js';
import type { TakenWay } from '../../src/scheduler/cycle/attempt/way.js';
import { PodScheduler, type Decision } from '../../src/scheduler/cycle/schedule-pod.js';
import { CycleState } from '../../src/scheduler/framework/cycle-state.js';
import type { Framework } from '../../src/scheduler/framework/framework.js';
import type { PodInfo } from '../../src/scheduler/framework/interface.js';
import { preemptionLimits } from '../../src/scheduler/framework/preemption/preemption-args.js';
import { WaitingPods } from '../../src/scheduler/framework/waiting-pods.js';
import { createPrefetcher, type Prefetcher, type PrefetchProfile } from '../../src/scheduler/parallel/prefetcher.js';
import { workerProfileOf } from '../../src/scheduler/parallel/worker-profile.js';
import type { PreemptingHandle } from '../../src/scheduler/plugins/default-preemption.js';
import { DEFAULT_PLUGINS, IN_TREE_PLUGINS } from '../../src/scheduler/plugins/registry.js';
import type { ChangeListener, VolumeHandle } from '../../src/scheduler/plugins/volumes/volume-listers.js';
import type { DisruptionBudget } from '../../src/scheduler/preemption/budgets.js';
import { PreemptionEvaluator } from '../../src/scheduler/preemption/evaluator.js';
import { lowerNominations } from '../../src/scheduler/preemption/victim-removal.js';
import { buildPlainProfile, buildProfiles, type Profile } from '../../src/scheduler/profile.js';
import { Nominations } from './nominations.js';

/** How the algorithm is set. */
export interface AlgorithmOptions {
  readonly seed: string;
  /** 0 = fewer the more nodes there are. */
  readonly percentageOfNodesToScore: number;
  /** Threads that judge ahead. */
  readonly workers: number;
  /** Profiles; absent = upstream's default one. */
  readonly configuration?: SchedulerConfiguration | undefined;
  /** Judgements from which a batch goes to the threads. @defaultValue found out by measuring */
  readonly minPrefetchWork?: number | undefined;
  /** Ways of deciding a pod that are turned off. */
  readonly withoutWays?: ReadonlySet<TakenWay> | undefined;
}

/** What became of one pod. */
export type Outcome = 'placed' | 'nominated' | 'unschedulable' | 'error';

/** One profile with its own algorithm. */
interface ProfileScheduler {
  readonly profile: Profile;
  readonly podScheduler: PodScheduler;
}

const DEFAULT_SCHEDULER = 'default-scheduler';

/** See the file header. */
export class Algorithm {
  readonly #kernel: Kernel;
  readonly #cache = new SchedulerCache();
  readonly #snapshot = new CacheSnapshot();
  readonly #nominations = new Nominations();
  /** By scheduler name. */
  readonly #profiles: ReadonlyMap<string, ProfileScheduler>;
  readonly #prefetcher: Prefetcher | undefined;
  /** By kind, then by key; pods on nodes and those that wait as well. */
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  /** By kind. */
  readonly #listeners = new Map<string, ChangeListener[]>();
  /** Pods that were placed and are not among the objects yet: to enter them is not the algorithm's. */
  #placed: Pod[] = [];

  constructor(options: AlgorithmOptions) {
    this.#kernel = createKernel({ seed: options.seed });
    const start = { index: 0 };
    const random = this.#kernel.random('scheduler/tie-break');
    const profiles = this.#buildProfiles(options).map((profile): [string, ProfileScheduler] => {
      const podScheduler = new PodScheduler({
        framework: profile.framework,
        snapshot: this.#snapshot,
        nominator: this.#nominations,
        random,
        percentageOfNodesToScore: profile.percentageOfNodesToScore,
        start,
        withoutWays: options.withoutWays,
      });
      return [profile.schedulerName, { profile, podScheduler }];
    });
    this.#profiles = new Map(profiles);
    this.#prefetcher = this.#createPrefetcher(options);
  }

  /** Every object that is there, pods included. */
  objects<T>(kind: string): Iterable<T> {
    return this.#ofKind(kind).values() as Iterable<unknown> as Iterable<T>;
  }

  find(kind: string, key: string): KubeObject | undefined {
    return this.#ofKind(kind).get(key);
  }

  /** Puts in, or replaces, a node, a pod on a node, or anything that plugins look at. */
  set(object: KubeObject): void {
    if (object.kind === 'Node') this.#cache.setNode(object as Node);
    if (object.kind === 'Pod' && isOnNode(object as Pod)) this.#cache.updatePod(object as Pod);
    const ofKind = this.#ofKind(object.kind);
    const key = keyOf(object);
    const previous = ofKind.get(key);
    ofKind.set(key, object);
    for (const listener of this.#listeners.get(object.kind) ?? []) listener(previous, object);
  }

  /** Takes an object away at once. */
  remove(object: KubeObject): void {
    this.#ofKind(object.kind).delete(keyOf(object));
    for (const listener of this.#listeners.get(object.kind) ?? []) listener(object, undefined);
    if (object.kind === 'Node') this.#cache.removeNode(object.metadata.name);
    if (object.kind !== 'Pod') return;
    this.#nominations.delete(object.metadata.uid);
    this.#cache.removePod(object as Pod);
  }

  /** Lets worker threads begin with pods that come next; a promise when there is something to wait for. */
  judgeAhead(upcoming: () => readonly PodInfo[]): Promise<void> | undefined {
    return this.#prefetcher?.judge(() => {
      this.#cache.updateSnapshot(this.#snapshot);
      return upcoming().map((podInfo) => ({ podInfo }));
    });
  }

  /** One whole decision, from the snapshot to the assumption. The pod must be there, and on no node. */
  decide(podInfo: PodInfo): Outcome {
    const scheduler = this.#profiles.get(podInfo.pod.spec.schedulerName ?? DEFAULT_SCHEDULER);
    if (scheduler === undefined) return 'error';
    this.#cache.updateSnapshot(this.#snapshot);
    const state = new CycleState();
    const decision = scheduler.podScheduler.decide(state, podInfo);
    switch (decision.kind) {
      case 'placed':
        return this.#assume(scheduler.profile.framework, podInfo, state, decision.nodeName);
      case 'unfit':
        return this.#preempt(scheduler.profile.framework, podInfo, state, decision);
      case 'error':
        return 'error';
    }
  }

  /** How often each way was taken. */
  *wayCounts(): Generator<readonly [taken: TakenWay, count: number]> {
    for (const { podScheduler } of this.#profiles.values()) yield* podScheduler.wayCounts.entries();
  }

  /** Node that a pod is nominated to. */
  nominatedNodeOf(pod: Pod): string | undefined {
    return this.#nominations.nominatedNodeOf(pod.metadata.uid);
  }

  async dispose(): Promise<void> {
    await this.#prefetcher?.dispose();
  }

  #assume(framework: Framework, podInfo: PodInfo, state: CycleState, nodeName: string): Outcome {
    const { pod } = podInfo;
    const assumed = podInfo.boundTo(nodeName);
    this.#cache.assumePod(assumed);
    this.#nominations.delete(pod.metadata.uid);
    const status = framework.runReserve(state, assumed, nodeName);
    if (status !== undefined) {
      framework.runUnreserve(state, assumed, nodeName);
      this.#cache.forgetPod(assumed.pod);
      return 'error';
    }
    this.#placed.push(assumed.pod);
    return 'placed';
  }

  #preempt(
    framework: Framework,
    podInfo: PodInfo,
    state: CycleState,
    { diagnosis }: Extract<Decision, { kind: 'unfit' }>,
  ): Outcome {
    if (framework.postFilters.length === 0) return 'unschedulable';
    const { nominatedNodeName } = framework.runPostFilter(state, podInfo, diagnosis.nodeToStatus);
    // Absent leaves a nomination as it is, empty takes it away.
    if (nominatedNodeName !== undefined) this.#nominations.set(podInfo, nominatedNodeName);
    return nominatedNodeName === undefined || nominatedNodeName === '' ? 'unschedulable' : 'nominated';
  }

  #ofKind(kind: string): Map<string, KubeObject> {
    if (kind === 'Pod' && this.#placed.length > 0) this.#enterPlaced();
    let found = this.#objects.get(kind);
    if (found === undefined) {
      found = new Map();
      this.#objects.set(kind, found);
    }
    return found;
  }

  #enterPlaced(): void {
    const placed = this.#placed;
    this.#placed = [];
    for (const pod of placed) this.#ofKind('Pod').set(keyOf(pod), pod);
  }

  #buildProfiles({ configuration, percentageOfNodesToScore }: AlgorithmOptions): readonly Profile[] {
    const { clock } = this.#kernel;
    const parts = {
      clock,
      waitingPods: new WaitingPods(clock),
      registry: IN_TREE_PLUGINS,
      createHandle: (framework: () => Framework) => this.#handle(framework),
    };
    if (configuration !== undefined) return buildProfiles(configuration, parts);
    const plain = { schedulerName: DEFAULT_SCHEDULER, percentageOfNodesToScore, plugins: DEFAULT_PLUGINS };
    return [buildPlainProfile(plain, parts)];
  }

  #handle(framework: () => Framework): PreemptingHandle & VolumeHandle {
    const { clock, timestamps } = this.#kernel;
    const random = this.#kernel.random('scheduler/preemption-offset');
    return {
      clock,
      snapshot: this.#snapshot,
      bind: () => undefined,
      waitingPod: () => undefined,
      objects: (kind) => this.objects<AnyObject>(kind),
      object: (kind, key) => this.#ofKind(kind).get(key),
      onChange: (kind, listener) => {
        const listeners = this.#listeners.get(kind);
        if (listeners === undefined) this.#listeners.set(kind, [listener]);
        else listeners.push(listener);
      },
      update: (_kind, object, answer) => answer(undefined, object),
      createPreemptor: (_plugin, args) =>
        new PreemptionEvaluator({
          framework: framework(),
          snapshot: this.#snapshot,
          nominator: this.#nominations,
          clock,
          timestamps,
          random,
          limits: preemptionLimits(args),
          findPod: (key) => this.#ofKind('Pod').get(key) as Pod | undefined,
          budgets: () => this.objects<DisruptionBudget>('PodDisruptionBudget'),
          remover: {
            remove: ({ nodeName, victims }, preemptor) => this.#removeVictims(nodeName, victims, preemptor),
            isPreempting: () => false,
          },
        }),
    };
  }

  /** Victims leave at once; nominations that have lost their ground are cleared. */
  #removeVictims(nodeName: string, victims: readonly Pod[], preemptor: Pod): void {
    for (const { metadata } of lowerNominations(this.#nominations, preemptor, nodeName))
      this.#nominations.delete(metadata.uid);
    for (const victim of victims) this.remove(victim);
  }

  #createPrefetcher({ workers, minPrefetchWork }: AlgorithmOptions): Prefetcher | undefined {
    const profiles = new Map<string, PrefetchProfile>();
    for (const [name, { profile, podScheduler }] of this.#profiles) {
      const workerProfile = workerProfileOf(profile, IN_TREE_PLUGINS);
      if (workerProfile === undefined) continue;
      const { evaluations, walks } = podScheduler;
      const { percentageOfNodesToScore } = profile;
      profiles.set(name, { profile: workerProfile, percentageOfNodesToScore, evaluations, walks });
    }
    return createPrefetcher({
      workers,
      minWork: minPrefetchWork,
      hostTime,
      profiles,
      snapshot: this.#snapshot,
    });
  }
}

function hostTime(): number {
  return performance.now();
}

function isOnNode(pod: Pod): boolean {
  const { phase } = pod.status;
  return (pod.spec.nodeName ?? '') !== '' && phase !== 'Succeeded' && phase !== 'Failed';
}
