/**
 * The product's own way: one cache, snapshot, queue and set of plugins for the whole run, so that
 * everything that is kept from attempt to attempt is kept. Told by the scheduler's event handlers.
 */
import { detailsOf, type DecisionDetails } from '../../../bench/conformance/decision-details.js';
import { keyOf, type Node, type Pod } from '../../../src/api/objects/objects.js';
import { randomStream } from '../../../src/kernel/random.js';
import { SchedulerCache } from '../../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../../src/scheduler/cache/snapshot.js';
import { fitErrorText } from '../../../src/scheduler/cycle/attempt/node-statuses.js';
import { PodScheduler, type Decision } from '../../../src/scheduler/cycle/schedule-pod.js';
import { createNodeHandler, createPodHandler } from '../../../src/scheduler/event-handlers.js';
import { CycleState } from '../../../src/scheduler/framework/cycle-state.js';
import type { Framework } from '../../../src/scheduler/framework/framework.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { preemptionLimits, type PreemptionArgs } from '../../../src/scheduler/framework/preemption/preemption-args.js';
import { WaitingPods } from '../../../src/scheduler/framework/waiting-pods.js';
import type { PreemptingHandle } from '../../../src/scheduler/plugins/default-preemption.js';
import { IN_TREE_PLUGINS, type PluginRegistry } from '../../../src/scheduler/plugins/registry.js';
import type { VolumeHandle } from '../../../src/scheduler/plugins/volumes/volume-listers.js';
import type { DisruptionBudget } from '../../../src/scheduler/preemption/budgets.js';
import { PreemptionEvaluator } from '../../../src/scheduler/preemption/evaluator.js';
import type { PreemptionReport } from '../../../src/scheduler/preemption/preemption-report.js';
import { buildProfiles, type Profile } from '../../../src/scheduler/profile.js';
import { createSchedulingQueue } from '../../../src/scheduler/queue/scheduling-queue.js';
import type { SchedulingQueue } from '../../../src/scheduler/queue/queue-types.js';
import { onNode, Placement, plainPostFilter, plainStatus, type Attempt, type Side, type SideOptions } from './side.js';

/** A profile with its algorithm. */
export interface FastLane {
  readonly profile: Profile;
  readonly scheduler: PodScheduler;
}

/** See the file header. */
export class FastSide implements Side {
  readonly cache = new SchedulerCache();
  readonly snapshot = new CacheSnapshot();
  readonly start = { index: 0 };
  /** By scheduler name. */
  readonly lanes: ReadonlyMap<string, FastLane>;
  readonly queue: SchedulingQueue;
  onWrite: VolumeHandle['update'];
  readonly #options: SideOptions;
  readonly #nodes: ReturnType<typeof createNodeHandler>;
  readonly #pods: ReturnType<typeof createPodHandler>;
  readonly #offset;
  #report: PreemptionReport | undefined;

  constructor(options: SideOptions, registry: PluginRegistry = IN_TREE_PLUGINS) {
    const { seed, configuration, clock } = options;
    this.#options = options;
    this.#offset = randomStream(seed, 'scheduler/preemption-offset');
    const waitingPods = new WaitingPods(clock);
    const profiles = buildProfiles(configuration, {
      clock,
      waitingPods,
      registry,
      createHandle: (framework) => this.#createHandle(framework),
    });
    const [first] = profiles as [Profile];
    this.queue = createSchedulingQueue({
      clock,
      queueSort: first.framework.queueSort,
      profiles: new Map(profiles.map(({ schedulerName, framework }) => [schedulerName, framework])),
      findPod: (key) => options.objects.find('Pod', key) as Pod | undefined,
    });
    const random = randomStream(seed, 'scheduler/tie-break');
    this.lanes = new Map(
      profiles.map((profile) => [
        profile.schedulerName,
        { profile, scheduler: this.#createScheduler(profile, random) },
      ]),
    );
    const targets = { cache: this.cache, queue: this.queue, waitingPodsOf: () => waitingPods };
    this.#nodes = createNodeHandler(targets);
    this.#pods = createPodHandler(targets);
  }

  changeNode(previous: Node | undefined, node: Node | undefined): void {
    if (previous === undefined) this.#nodes.onAdd?.(node as Node);
    else if (node === undefined) this.#nodes.onDelete?.(previous);
    else this.#nodes.onUpdate?.(previous, node);
  }

  changePod(previous: Pod | undefined, pod: Pod | undefined): void {
    if (previous === undefined) this.#pods.onAdd?.(pod as Pod);
    else if (pod === undefined) this.#pods.onDelete?.(previous);
    else this.#pods.onUpdate?.(previous, pod);
  }

  assume(pod: Pod, nodeName: string): void {
    this.cache.assumePod(new PodInfo(onNode(pod, nodeName)));
    this.queue.deleteNominatedPodIfExists(pod);
  }

  forget(pod: Pod, nodeName: string): void {
    this.cache.forgetPod(onNode(pod, nodeName));
  }

  nominate(pod: Pod, nodeName: string | undefined): void {
    this.queue.addNominatedPod(new PodInfo(pod), nodeName);
  }

  refresh(): void {
    this.cache.updateSnapshot(this.snapshot);
  }

  attempt(pod: Pod, isSpelledOut: boolean): Attempt {
    const { profile, scheduler } = this.laneOf(pod);
    this.refresh();
    this.#report = undefined;
    const { framework } = profile;
    const state = new CycleState();
    const podInfo = this.queue.get(keyOf(pod))?.podInfo ?? new PodInfo(pod);
    const decision = scheduler.decide(state, podInfo);
    const facts = choiceOf(decision, this.start.index);
    if (isSpelledOut) Object.assign(facts, detailsOfNodes(detailsOf({ scheduler, snapshot: this.snapshot }, decision)));
    const nodeName = decision.kind === 'placed' ? decision.nodeName : undefined;
    const placement = new Placement(framework, state, pod, nodeName ?? '');
    const attempt = { facts, nodeName, postFilter: undefined, report: undefined, placement };
    if (decision.kind !== 'unfit') return attempt;
    const { diagnosis } = decision;
    facts['unschedulablePlugins'] = [...diagnosis.unschedulablePlugins].sort();
    facts['pendingPlugins'] = [...diagnosis.pendingPlugins].sort();
    facts['absent'] = plainStatus(diagnosis.nodeToStatus.absentStatus);
    facts['message'] = fitErrorText(diagnosis, this.snapshot.size);
    if (framework.postFilters.length === 0) return attempt;
    const postFilter = framework.runPostFilter(state, podInfo, diagnosis.nodeToStatus);
    const report = this.#report;
    facts['postFilter'] = plainPostFilter(postFilter, report);
    return { ...attempt, postFilter, report };
  }

  laneOf({ spec }: Pod): FastLane {
    const lane = this.lanes.get(spec.schedulerName ?? 'default-scheduler');
    if (lane === undefined) throw new RangeError(`no profile ${spec.schedulerName ?? ''}`);
    return lane;
  }

  #createScheduler(
    { framework, percentageOfNodesToScore }: Profile,
    random: ReturnType<typeof randomStream>,
  ): PodScheduler {
    const { snapshot, start, queue: nominator } = this;
    const isEager = randomStream(this.#options.seed, 'eager').int(0, 1) === 1;
    return new PodScheduler({ framework, snapshot, nominator, random, percentageOfNodesToScore, start, isEager });
  }

  #createHandle(framework: () => Framework): PreemptingHandle & VolumeHandle {
    const { objects, clock } = this.#options;
    return {
      clock,
      snapshot: this.snapshot,
      bind: () => undefined,
      waitingPod: () => undefined,
      objects: (kind) => objects.list(kind),
      object: (kind, key) => objects.find(kind, key),
      indexed: (_kind, _index, value) => objects.volumesBy(value),
      onChange: (kind, listener) => objects.onChange(kind, listener),
      update: (kind, object, answer) => this.onWrite?.(kind, object, answer),
      createPreemptor: (_plugin, args) => this.#createPreemptor(framework(), args),
    };
  }

  #createPreemptor(framework: Framework, args: PreemptionArgs): PreemptionEvaluator {
    const { objects, clock, timestamps } = this.#options;
    return new PreemptionEvaluator({
      framework,
      snapshot: this.snapshot,
      nominator: this.queue,
      clock,
      timestamps,
      random: this.#offset,
      limits: preemptionLimits(args),
      findPod: (key) => objects.find('Pod', key) as Pod | undefined,
      budgets: () => objects.list('PodDisruptionBudget') as Iterable<DisruptionBudget>,
      remover: { remove: () => undefined, isPreempting: () => false },
      onReport: (_key, report) => {
        this.#report = report;
      },
    });
  }
}

/** A decision as plain data. */
function choiceOf(decision: Decision, start: number): Record<string, unknown> {
  if (decision.kind === 'error') return { kind: 'error', status: plainStatus(decision.status), start };
  if (decision.kind === 'unfit') return { kind: 'unfit', start };
  const { kind, nodeName, total, ties, position, drawn, isNominated } = decision;
  return { kind, start, nodeName, total, ties, position, drawn, isNominated };
}

/** What was said of single nodes. */
function detailsOfNodes({ decision, feasible, rejected, raw, normalized, totals, best }: DecisionDetails): object {
  if (decision.kind === 'error') return {};
  const nodes = { feasible, rejected: [...rejected].map(([name, status]) => [name, plainStatus(status)]) };
  return decision.kind === 'unfit' ? nodes : { ...nodes, raw, normalized, totals, best };
}
