/** The scheduling algorithm alone: cache, framework and decisions, without API server, bus and queue. */
import type { Node, Pod } from '../../../src/api/objects.js';
import { randomStream } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { SchedulerCache } from '../../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../../src/scheduler/cache/snapshot.js';
import { PodScheduler, type Decision } from '../../../src/scheduler/cycle/schedule-pod.js';
import type { Nominator } from '../../../src/scheduler/cycle/nominated-filter.js';
import { CycleState } from '../../../src/scheduler/framework/cycle-state.js';
import { Framework } from '../../../src/scheduler/framework/framework.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import type { Status } from '../../../src/scheduler/framework/status.js';
import {
  buildPlugins,
  DEFAULT_PLUGINS,
  IN_TREE_PLUGINS,
  type PluginRegistry,
  type PluginSpec,
} from '../../../src/scheduler/plugins/registry.js';

export interface AlgorithmOptions {
  readonly percentageOfNodesToScore?: number;
  readonly isPlain?: boolean;
  readonly plugins?: readonly PluginSpec[];
  readonly registry?: PluginRegistry;
  readonly seed?: string;
}

/** One plugin's scores by node. */
export type ScoresByNode = Record<string, Record<string, number>>;

/** Everything about one decision, by node name. */
export interface DecisionDetails {
  readonly decision: Decision;
  /** Nodes that were visited, in order of the scan: feasible ones with `undefined`. */
  readonly feasible: readonly string[];
  readonly rejected: ReadonlyMap<string, Status>;
  readonly raw: ScoresByNode;
  readonly normalized: ScoresByNode;
  readonly totals: Record<string, number>;
  readonly best: readonly string[];
}

/** Nominations as a test sets them. */
export class TestNominator implements Nominator {
  readonly #byNode = new Map<string, PodInfo[]>();

  get nominatedCount(): number {
    return this.#byNode.size;
  }

  nominatedPodsForNode(nodeName: string): readonly PodInfo[] {
    return this.#byNode.get(nodeName) ?? [];
  }

  nominate(pod: Pod, nodeName: string): void {
    this.forget(pod);
    this.#byNode.set(nodeName, [...this.nominatedPodsForNode(nodeName), new PodInfo(pod)]);
  }

  forget(pod: Pod): void {
    for (const [node, pods] of this.#byNode) {
      const kept = pods.filter((each) => each.pod.metadata.uid !== pod.metadata.uid);
      if (kept.length === 0) this.#byNode.delete(node);
      else this.#byNode.set(node, kept);
    }
  }
}

/** See the file header. */
export class Algorithm {
  readonly cache = new SchedulerCache();
  readonly snapshot = new CacheSnapshot();
  readonly nominator = new TestNominator();
  readonly start = { index: 0 };
  readonly framework: Framework;
  readonly scheduler: PodScheduler;

  constructor(options: AlgorithmOptions = {}) {
    const clock = new VirtualClock();
    const plugins = buildPlugins(
      options.plugins ?? DEFAULT_PLUGINS,
      {
        clock,
        snapshot: this.snapshot,
        bind: () => undefined,
        waitingPod: () => undefined,
        objects: () => [],
      },
      options.registry ?? IN_TREE_PLUGINS,
    );
    this.framework = new Framework(plugins, clock);
    this.scheduler = new PodScheduler({
      framework: this.framework,
      snapshot: this.snapshot,
      nominator: this.nominator,
      random: randomStream(options.seed ?? 'test', 'scheduler/tie-break'),
      percentageOfNodesToScore: options.percentageOfNodesToScore ?? 0,
      start: this.start,
      isPlain: options.isPlain,
    });
  }

  addNodes(nodes: Iterable<Node>): void {
    for (const node of nodes) this.cache.setNode(node);
  }

  /** Decides without doing anything about it. */
  decide(pod: Pod): Decision {
    this.cache.updateSnapshot(this.snapshot);
    return this.scheduler.decide(new CycleState(), new PodInfo(pod));
  }

  /** Decides, and tells everything. */
  decideInDetail(pod: Pod): DecisionDetails {
    const decision = this.decide(pod);
    const { scan, scores } = this.scheduler;
    const { names } = this.snapshot.columns;
    const nameAt = (slots: Int32Array, index: number): string => names[slots[index] as number] as string;
    const feasible = Array.from({ length: scan.count }, (_, index) => nameAt(scan.slots, index));
    const rejected = new Map<string, Status>();
    if (decision.kind !== 'error') {
      for (const [name, status] of decision.diagnosis.nodeToStatus.entries()) rejected.set(name, status);
    }
    if (decision.kind === 'placed') {
      for (let index = 0; index < scan.rejectedCount; index += 1) {
        rejected.set(nameAt(scan.rejected, index), scan.statusOf(scan.rejectedVerdicts[index] as number));
      }
    }
    const byNode = (values: Float64Array): Record<string, number> =>
      Object.fromEntries(feasible.map((name, index) => [name, values[index] as number]));
    const details: DecisionDetails = {
      decision,
      feasible,
      rejected,
      raw: {},
      normalized: {},
      totals: {},
      best: feasible,
    };
    if (decision.kind !== 'placed' || !this.scheduler.hasScores) return details;
    for (const { name, raw, normalized } of scores.plugins) {
      details.raw[name] = byNode(raw);
      details.normalized[name] = byNode(normalized);
    }
    const totals = byNode(scores.totals);
    const best = feasible.filter((name) => totals[name] === decision.total);
    return { ...details, totals, best };
  }

  /** Puts a pod on a node, as if it had been bound. */
  place(pod: Pod, nodeName: string): Pod {
    const placed: Pod = { ...pod, spec: { ...pod.spec, nodeName } };
    this.cache.addPod(placed);
    return placed;
  }
}
