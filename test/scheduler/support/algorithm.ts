/** The scheduling algorithm alone: cache, framework and decisions, without API server, bus and queue. */
import { detailsOf, type DecisionDetails } from '../../../bench/conformance/decision-details.js';
import { Nominations } from '../../../bench/conformance/nominations.js';
import type { Node, Pod } from '../../../src/api/objects/objects.js';
import { randomStream } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/engine/virtual-clock.js';
import { SchedulerCache } from '../../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../../src/scheduler/cache/snapshot.js';
import { PodScheduler, type Decision } from '../../../src/scheduler/cycle/schedule-pod.js';
import { CycleState } from '../../../src/scheduler/framework/cycle-state.js';
import { Framework } from '../../../src/scheduler/framework/framework.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import {
  buildPlugins,
  DEFAULT_PLUGINS,
  IN_TREE_PLUGINS,
  type PluginRegistry,
  type PluginSpec,
} from '../../../src/scheduler/plugins/registry.js';

export type { DecisionDetails };

export interface AlgorithmOptions {
  readonly percentageOfNodesToScore?: number;
  readonly isPlain?: boolean;
  readonly isEager?: boolean;
  readonly plugins?: readonly PluginSpec[];
  readonly registry?: PluginRegistry;
  readonly seed?: string;
}

/** See the file header. */
export class Algorithm {
  readonly cache = new SchedulerCache();
  readonly snapshot = new CacheSnapshot();
  readonly nominator = new Nominations();
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
      isEager: options.isEager,
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
    return detailsOf(this, this.decide(pod));
  }

  /** Puts a pod on a node, as if it had been bound. */
  place(pod: Pod, nodeName: string): Pod {
    const placed: Pod = { ...pod, spec: { ...pod.spec, nodeName } };
    this.cache.addPod(placed);
    return placed;
  }
}
