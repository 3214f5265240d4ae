/**
 * The cluster autoscaler: looks every 10 s whether pods want for nodes, and nodes for pods, and has a cloud make or take
 * away machines. It decides nothing about pods: where they could go is asked of the scheduler's filters. Mirrors
 * cluster-autoscaler v1.34 `core/static_autoscaler.go`, whose `RunOnce` reads in the same order.
 */
import { ApiError } from '../../api/errors/api-error.js';
import type { RandomStream } from '../../kernel/random.js';
import { LinkDownError } from '../../bus/bus-types.js';
import {
  defineController,
  type ControllerContext,
  type ControllerDefinition,
} from '../runtime/controller-definition.js';
import { AutoscalerEventLimit, AutoscalerEvents } from './autoscaler-events.js';
import { AutoscalerMemory } from './autoscaler-memory.js';
import { AutoscalerMetrics } from './autoscaler-metrics.js';
import { CloudError, type Cloud, type CreatePlacement } from './autoscaler-seams.js';
import type { AutoscalerSettings } from './autoscaler-settings.js';
import { ClusterState } from './cluster-state.js';
import { DeletionTracker } from './scale-down/deletion-tracker.js';
import { HintedPlacement } from './hinted-placement.js';
import { areAllNew, podsToHelp } from './pod-lists.js';
import { ScaleDownActuator } from './scale-down/scale-down-actuator.js';
import { ScaleDownPlanner } from './scale-down/scale-down-planner.js';
import { ScaleUp, type ScaleUpMeans, type ScaleUpResult } from './scale-up.js';
import { StatusWriter } from './status-writer.js';
import { TemplateNodes, type TemplateNode } from './template-nodes.js';

/** Name of the controller, of its lease, and of its link. */
export const CLUSTER_AUTOSCALER = 'cluster-autoscaler';

const SCAN = 'scan';
/** Coroutines that wait are keys of the queue as well. */
const MOST_AT_ONCE = 10_000;
/** No scale-up and no scale-down was lately when a run begins. */
const LONG_AGO_MS = 3_600_000;

/** What the autoscaler acts on. */
export interface AutoscalerParts {
  readonly settings: AutoscalerSettings;
  readonly cloud: Cloud;
  readonly createPlacement: CreatePlacement;
  /** Chooses among groups that are equally good. */
  readonly random: RandomStream;
}

/** See the file header. */
export function clusterAutoscaler(parts: AutoscalerParts): ControllerDefinition {
  const { kubeClientQPS: qps, kubeClientBurst: burst } = parts.settings;
  const eventLimit = new AutoscalerEventLimit();
  return defineController({
    name: CLUSTER_AUTOSCALER,
    concurrentSyncs: MOST_AT_ONCE,
    // What it waits for are answers and its own pauses.
    holdsClock: false,
    clientLimit: () => ({ qps, burst }),
    eventLimit,
    setup(context) {
      const run = new AutoscalerRun(context, parts, new AutoscalerEvents(context.recorder, eventLimit));
      context.queue.addAfter(SCAN, parts.settings.scanInterval);
      return run;
    },
    async reconcile(context, key, run) {
      if (key !== SCAN) return run.resume(key);
      await run.scan();
      context.queue.addAfter(SCAN, parts.settings.scanInterval);
    },
  });
}

/** One run of the autoscaler's process. */
class AutoscalerRun {
  readonly #context: ControllerContext;
  readonly #settings: AutoscalerSettings;
  readonly #cloud: Cloud;
  readonly #memory: AutoscalerMemory;
  readonly #events: AutoscalerEvents;
  readonly #metrics: AutoscalerMetrics;
  readonly #state: ClusterState;
  readonly #templates: TemplateNodes;
  readonly #scaleUp: ScaleUp;
  readonly #planner: ScaleDownPlanner;
  readonly #actuator: ScaleDownActuator;
  readonly #status: StatusWriter;
  readonly #deletions = new DeletionTracker();
  readonly #hints = new HintedPlacement();
  #isCleanedUp = false;
  #lastScaleUpMs: number;
  #lastDeletionMs: number;
  #lastFailureMs: number;

  constructor(
    context: ControllerContext,
    { settings, cloud, createPlacement, random }: AutoscalerParts,
    events: AutoscalerEvents,
  ) {
    const { kernel, api } = context;
    this.#context = context;
    this.#settings = settings;
    this.#cloud = cloud;
    this.#memory = new AutoscalerMemory(context, settings, cloud, createPlacement);
    this.#events = events;
    this.#metrics = new AutoscalerMetrics(context.metrics);
    this.#lastScaleUpMs = this.#lastDeletionMs = this.#lastFailureMs = kernel.clock.now() - LONG_AGO_MS;
    const memory = this.#memory;
    const { timestamps } = kernel;
    const epochMs = -timestamps.toMs('1970-01-01T00:00:00Z');
    const nowMs = (): number => kernel.clock.now();
    const unixSeconds = (): number => Math.floor((epochMs + nowMs()) / 1000);
    const common = {
      cloud,
      settings,
      memory,
      events: this.#events,
      metrics: this.#metrics,
      deletions: this.#deletions,
    };
    this.#state = new ClusterState(common);
    this.#templates = new TemplateNodes(memory, cloud, settings);
    const means: ScaleUpMeans = { ...common, state: this.#state, templates: this.#templates, random };
    this.#scaleUp = new ScaleUp(means);
    this.#planner = new ScaleDownPlanner({ ...common, timestamps, unixSeconds });
    const pause = (ms: number): Promise<void> => memory.pause(ms);
    this.#actuator = new ScaleDownActuator({ ...common, api, timestamps, nowMs, unixSeconds, pause });
    this.#status = new StatusWriter({ api, events: this.#events, timestamps });
  }

  /** A pause is over. */
  resume(key: string): void {
    this.#memory.resume(key);
  }

  async scan(): Promise<void> {
    try {
      await this.#begin();
      const nowMs = this.#memory.nowMs;
      const candidates = this.#look(nowMs);
      if (candidates !== undefined) await this.#scaleDown(candidates, nowMs);
      if (this.#settings.writeStatusConfigmap) await this.#status.write(this.#state, this.#cloud);
    } catch (error) {
      if (!isExpected(error)) throw error;
      this.#metrics.failed('apiCallError');
    }
  }

  async #begin(): Promise<void> {
    if (this.#isCleanedUp) return;
    if (this.#settings.writeStatusConfigmap) await this.#status.begin();
    await this.#actuator.cleanUp();
    this.#isCleanedUp = true;
  }

  /** All that needs no request. @returns how many nodes could go; `undefined` = this is no time to ask */
  #look(nowMs: number): number | undefined {
    const { placement } = this.#memory;
    placement.fork();
    try {
      return this.#lookAtPicture(nowMs);
    } finally {
      placement.revert();
    }
  }

  #lookAtPicture(nowMs: number): number | undefined {
    const { nodes, roster } = this.#memory;
    this.#memory.catchUp();
    const built = this.#templates.build(nowMs);
    this.#state.update(nodes, roster, nowMs);
    this.#showState();
    this.#removeUnregistered(nowMs);
    if (!this.#state.isHealthy) {
      this.#planner.forget();
      this.#events.log('Warning', 'ClusterUnhealthy', 'Cluster is unhealthy');
      return undefined;
    }
    this.#removeFailed();
    if (this.#fixSizes(nowMs)) return undefined;
    const aside = this.#addUpcoming(built);
    const isNew = this.#helpPods(built, nowMs);
    if (!this.#settings.scaleDownEnabled) return undefined;
    const candidates = this.#planner.update(aside, nowMs);
    this.#noteCandidates(nowMs);
    const isInCooldown = isNew || this.#isInCooldown(nowMs);
    this.#metrics.showScaleDown(this.#planner.unneeded.size, isInCooldown);
    if (this.#settings.enforceNodeGroupMinSize)
      this.#note(this.#scaleUp.toMinSizes(this.#readyNodes, built, nowMs), nowMs);
    return isInCooldown ? 0 : candidates;
  }

  async #scaleDown(candidates: number, nowMs: number): Promise<void> {
    try {
      if (candidates > 0) {
        const { empty, drain } = this.#planner.nodesToDelete(nowMs);
        this.#metrics.showUnremovable(this.#planner.unremovable);
        if (await this.#actuator.begin(empty, drain)) {
          this.#lastDeletionMs = nowMs;
          this.#state.recalculate();
        }
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#lastFailureMs = nowMs;
      this.#metrics.failed('apiCallError');
    }
    await this.#actuator.updateSoftTaints(this.#planner.unneeded);
  }

  get #readyNodes(): number {
    let ready = 0;
    for (const { isReady, node } of this.#memory.nodes.values())
      if (isReady && node.spec.unschedulable !== true) ready += 1;
    return ready;
  }

  #showState(): void {
    const { cores, memoryBytes } = this.#memory.totals;
    this.#metrics.showTotals(cores, memoryBytes);
    this.#metrics.showState(this.#state, this.#cloud);
  }

  /** Machines that do not register go, as far as their groups may get smaller. */
  #removeUnregistered(nowMs: number): void {
    for (const [group, names] of this.#state.longUnregistered(nowMs)) {
      const removed = names.slice(0, Math.max(0, group.targetSize - group.minSize));
      if (removed.length === 0) continue;
      try {
        group.deleteNodes(removed);
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        const why = error.message;
        for (const name of removed) {
          this.#events.log('Warning', 'DeleteUnregisteredFailed', `Failed to remove node ${name}: ${why}`);
        }
        return;
      }
      for (const name of removed) this.#events.log('Normal', 'DeleteUnregistered', `Removed unregistered node ${name}`);
      this.#metrics.unregisteredRemoved(removed.length);
    }
  }

  /** Machines that could not be made go. */
  #removeFailed(): void {
    for (const [group, names] of this.#state.failedInstances()) {
      try {
        group.deleteNodes(names);
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
      }
    }
    this.#state.recalculate();
  }

  /** Groups that have had too few machines for too long ask for no more than they have. */
  #fixSizes(nowMs: number): boolean {
    let isFixed = false;
    for (const group of this.#cloud.groups) {
      const shortfall = this.#state.shortfallOf(group.id, nowMs);
      if (shortfall === 0) continue;
      group.decreaseTargetSize(shortfall);
      isFixed = true;
    }
    return isFixed;
  }

  /** Nodes that are about to come are in the picture as if they were there. @returns those that are registered already */
  #addUpcoming(built: ReadonlyMap<string, TemplateNode>): ReadonlySet<string> {
    const { placement } = this.#memory;
    const aside = new Set<string>();
    for (const [group, { count, registered }] of this.#state.upcoming()) {
      const template = built.get(group);
      if (template === undefined) continue;
      for (let index = 0; index < count; index += 1) {
        const { node, pods } = this.#templates.copyOf(template);
        placement.addNode(node, pods);
      }
      for (const name of registered) {
        aside.add(name);
        placement.removeNode(name);
      }
    }
    return aside;
  }

  /** @returns whether more pods may be about to come, so that nothing is done before the next look */
  #helpPods(built: ReadonlyMap<string, TemplateNode>, nowMs: number): boolean {
    const { timestamps } = this.#context.kernel;
    this.#metrics.showPending(this.#memory.pending.length);
    const pods = podsToHelp({
      memory: this.#memory,
      settings: this.#settings,
      deletions: this.#deletions,
      hints: this.#hints,
      timestamps,
    });
    if (pods.length === 0) return false;
    const { maxNodesTotal } = this.#settings;
    const ready = this.#readyNodes;
    if (maxNodesTotal > 0 && ready >= maxNodesTotal) {
      const text = `Max total nodes in cluster reached: ${maxNodesTotal}`;
      this.#events.log('Warning', 'MaxNodesTotalReached', text);
      this.#scaleUp.tellLimited(pods);
      return false;
    }
    if (areAllNew(pods, nowMs, timestamps)) return true;
    this.#note(this.#scaleUp.run(pods, ready, built, nowMs), nowMs);
    return false;
  }

  #note(result: ScaleUpResult, nowMs: number): void {
    if (result === 'successful') this.#lastScaleUpMs = nowMs;
    if (result === 'error') this.#metrics.failed('cloudProviderError');
  }

  #noteCandidates(nowMs: number): void {
    const counts = new Map<string, number>();
    for (const name of this.#planner.unneeded.keys()) {
      const group = this.#cloud.groupOf(name)?.id;
      if (group !== undefined) counts.set(group, (counts.get(group) ?? 0) + 1);
    }
    this.#status.report.noteCandidates(counts, nowMs);
  }

  #isInCooldown(nowMs: number): boolean {
    const { scaleDownDelayAfterAdd, scaleDownDelayAfterFailure, scaleDownDelayAfterDelete } = this.#settings;
    return (
      this.#lastScaleUpMs + scaleDownDelayAfterAdd > nowMs ||
      this.#lastFailureMs + scaleDownDelayAfterFailure > nowMs ||
      this.#lastDeletionMs + scaleDownDelayAfterDelete > nowMs
    );
  }
}

/** Answers of the API server and of links; the next look may go better. */
function isExpected(error: unknown): boolean {
  return error instanceof LinkDownError || error instanceof ApiError;
}
