/**
 * The cluster of a scenario as a scheduler knows it, around the ordinary framework: cache, snapshot,
 * nominations, plugins, decisions, preemption. It decides and follows; it compares nothing.
 */
import { keyOf, type AnyObject, type KubeObject, type Pod } from '../../src/api/objects/objects.js';
import { createKernel } from '../../src/kernel/engine/kernel.js';
import { SchedulerCache } from '../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../src/scheduler/cache/snapshot.js';
import { PodScheduler, type Decision, type PodSchedulerOptions } from '../../src/scheduler/cycle/schedule-pod.js';
import { CycleState } from '../../src/scheduler/framework/cycle-state.js';
import { Framework } from '../../src/scheduler/framework/framework.js';
import type { PostFilterResult } from '../../src/scheduler/framework/interface.js';
import { PodInfo } from '../../src/scheduler/framework/pod-info.js';
import type { PreemptionArgs } from '../../src/scheduler/framework/preemption/preemption-args.js';
import { preemptionLimits } from '../../src/scheduler/framework/preemption/preemption-args.js';
import type { Status } from '../../src/scheduler/framework/status.js';
import { buildPlugins, DEFAULT_PLUGINS, type PluginSpec } from '../../src/scheduler/plugins/registry.js';
import type { PreemptingHandle } from '../../src/scheduler/plugins/default-preemption.js';
import type { VolumeHandle } from '../../src/scheduler/plugins/volumes/volume-listers.js';
import type { DisruptionBudget } from '../../src/scheduler/preemption/budgets.js';
import { PreemptionEvaluator } from '../../src/scheduler/preemption/evaluator.js';
import type { PreemptionReport } from '../../src/scheduler/preemption/preemption-report.js';
import { completeNode, completePod, objectsByKind } from './complete.js';
import { Nominations } from './nominations.js';
import type { RecordedConfig, Scenario } from './recording.js';

/** How decisions are taken: they are the same in every way. */
export type Forms = Pick<PodSchedulerOptions, 'isPlain' | 'isEager'>;

/** One attempt at a pod, as far as it has come. */
export interface WorldAttempt {
  readonly pod: Pod;
  readonly podInfo: PodInfo;
  readonly state: CycleState;
  readonly decision: Decision;
}

/** See the file header. */
export class World {
  readonly cache = new SchedulerCache();
  readonly snapshot = new CacheSnapshot();
  readonly nominations = new Nominations();
  readonly start = { index: 0 };
  readonly plugins: readonly PluginSpec[];
  readonly percentageOfNodesToScore: number;
  readonly framework: Framework;
  readonly scheduler: PodScheduler;
  /** What the last preemption looked at. */
  preemption: PreemptionReport | undefined;
  readonly #kernel = createKernel({ seed: 'conformance' });
  readonly #pods = new Map<string, Pod>();
  readonly #objects: ReadonlyMap<string, readonly KubeObject[]>;

  constructor(scenario: Scenario, forms: Forms) {
    const { config = {} } = scenario;
    const { clock } = this.#kernel;
    this.plugins = pluginsOf(config);
    this.percentageOfNodesToScore = config.percentageOfNodesToScore ?? 0;
    this.#objects = objectsByKind(scenario);
    this.framework = new Framework(buildPlugins(this.plugins, this.#handle()), clock);
    this.scheduler = new PodScheduler({
      framework: this.framework,
      snapshot: this.snapshot,
      nominator: this.nominations,
      random: this.#kernel.random('scheduler/tie-break'),
      percentageOfNodesToScore: this.percentageOfNodesToScore,
      start: this.start,
      ...forms,
    });
    this.#populate(scenario);
  }

  find(name: string): Pod {
    const pod = this.#pods.get(name) ?? [...this.#pods.values()].find(({ metadata }) => metadata.name === name);
    if (pod === undefined) throw new RangeError(`the scenario has no pod ${name}`);
    return pod;
  }

  /** Brings the snapshot up to date; `attempt` sees this one. */
  refresh(): void {
    this.cache.updateSnapshot(this.snapshot);
  }

  /** Decides, without doing anything about it. */
  attempt(name: string): WorldAttempt {
    const pod = this.find(name);
    this.refresh();
    const state = new CycleState();
    const podInfo = new PodInfo(pod);
    return { pod, podInfo, state, decision: this.scheduler.decide(state, podInfo) };
  }

  /** Lets PostFilter look for room. */
  postFilter({ state, podInfo, decision }: WorldAttempt): PostFilterResult | undefined {
    this.preemption = undefined;
    if (decision.kind !== 'unfit') return undefined;
    return this.framework.runPostFilter(state, podInfo, decision.diagnosis.nodeToStatus);
  }

  /** Asks Reserve; on success the pod stands on the node from now on. */
  reserve({ state, pod }: WorldAttempt, nodeName: string): Status | undefined {
    const assumed = new PodInfo({ ...pod, spec: { ...pod.spec, nodeName } });
    return this.framework.runReserve(state, assumed, nodeName);
  }

  /** The pod runs on its node. */
  place(pod: Pod, nodeName: string, startTime: string): void {
    this.nominations.forget(pod);
    const running: Pod = {
      ...pod,
      spec: { ...pod.spec, nodeName },
      status: { ...pod.status, phase: 'Running', startTime },
    };
    this.#pods.set(keyOf(pod), running);
    this.cache.addPod(running);
  }

  /** The pod is gone at once. */
  remove(name: string): void {
    this.cache.removePod(this.find(name));
  }

  /** @param nodeName - empty takes the nomination away */
  renominate(pod: Pod, nodeName: string): void {
    const { nominatedNodeName: _dropped, ...status } = pod.status;
    const next: Pod = { ...pod, status: nodeName === '' ? status : { ...status, nominatedNodeName: nodeName } };
    this.#pods.set(keyOf(pod), next);
    if (nodeName === '') this.nominations.forget(pod);
    else this.nominations.nominate(next, nodeName);
  }

  /** Nodes arrive sorted by name; preset nominations count from the start, but not those of gated pods. */
  #populate(scenario: Scenario): void {
    const nodes = (scenario.nodes ?? []).map(completeNode);
    nodes.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    for (const node of nodes) this.cache.setNode(node);
    for (const each of scenario.pods ?? []) {
      const pod = completePod(each, scenario);
      this.#pods.set(keyOf(pod), pod);
      this.cache.addPod(pod);
    }
    for (const each of scenario.pending ?? []) {
      const pod = completePod(each, scenario);
      this.#pods.set(keyOf(pod), pod);
      const nominated = pod.status.nominatedNodeName ?? '';
      if (nominated !== '' && (pod.spec.schedulingGates ?? []).length === 0) this.nominations.nominate(pod, nominated);
    }
  }

  #handle(): PreemptingHandle & VolumeHandle {
    return {
      clock: this.#kernel.clock,
      snapshot: this.snapshot,
      bind: () => undefined,
      waitingPod: () => undefined,
      objects: (kind) => (this.#objects.get(kind) ?? []) as Iterable<AnyObject>,
      object: (kind, key) => this.#objects.get(kind)?.find((object) => keyOf(object) === key),
      // Nothing that plugins look at ever changes here.
      onChange: () => undefined,
      update: (_kind, object, answer) => answer(undefined, object),
      createPreemptor: (_plugin, args) => this.#createPreemptor(args),
    };
  }

  /** All potential nodes are tried, in order of their names; victims are removed as the recording says. */
  #createPreemptor(args: PreemptionArgs): PreemptionEvaluator {
    return new PreemptionEvaluator({
      framework: this.framework,
      snapshot: this.snapshot,
      nominator: this.nominations,
      clock: this.#kernel.clock,
      timestamps: this.#kernel.timestamps,
      random: undefined,
      limits: preemptionLimits({ ...args, minCandidateNodesPercentage: 100 }),
      findPod: (key) => this.#pods.get(key),
      budgets: () => (this.#objects.get('PodDisruptionBudget') ?? []) as readonly DisruptionBudget[],
      remover: { remove: () => undefined, isPreempting: () => false },
      onReport: (_key, report) => {
        this.preemption = report;
      },
    });
  }
}

function pluginsOf(config: RecordedConfig): readonly PluginSpec[] {
  const { scoringStrategy, addedAffinity, defaultConstraints, defaultingType } = config;
  const { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods } = config;
  const args: Readonly<Record<string, unknown>> = {
    NodeResourcesFit: present({ scoringStrategy }),
    NodeAffinity: present({ addedAffinity }),
    PodTopologySpread: present({
      defaultConstraints,
      defaultingType: defaultConstraints === undefined ? defaultingType : 'List',
    }),
    InterPodAffinity: present({ hardPodAffinityWeight, ignorePreferredTermsOfExistingPods }),
  };
  return DEFAULT_PLUGINS.map((spec) => (args[spec.name] === undefined ? spec : { ...spec, args: args[spec.name] }));
}

/** The fields that are there; `undefined` when none is. */
function present(fields: Readonly<Record<string, unknown>>): unknown {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
