/**
 * The cluster's own controls as Kubernetes objects, group kubeloom.dev: Clock, Fault, Load and NodePool are kept like any
 * other object and acted on here; Explanation, Invariant and the resource metrics are worked out when they are read.
 * It acts from outside, as a program does: no part of a cluster knows of it. It has no counterpart upstream.
 */
import type { ClockSpec, FaultObject, LoadObject, NodePoolObject } from '../api/objects/own-objects.js';
import type { Validators } from '../apiserver/admission/admission.js';
import { createServedObjects } from '../assembly/served-objects.js';
import type { SchedulerReplicas } from '../assembly/scheduler-replicas.js';
import type { FaultInjector } from '../faults/fault-injector.js';
import type { OfferedLoad } from '../offered-load/offered-load.js';
import type { InvariantMonitor } from '../observers/invariants/invariant-monitor.js';
import type { RequestsOptions } from '../requests/requests.js';
import type { ClusterMetrics } from './cluster-metrics.js';
import { ClockControl, validateClock } from './clock-control.js';
import { explanations } from './computed/explanations.js';
import { invariants } from './computed/invariants.js';
import { nodeMetrics, podMetrics } from './computed/resource-metrics.js';
import { controlFaults, validateFault } from './fault-control.js';
import { runKwokNodes } from './kwok-nodes.js';
import { LoadControl, validateLoad } from './load-control.js';
import { RemoteSeams } from './remote-seams.js';
import { PoolControl, validatePool, type PoolParts } from './pool-control.js';

/** What the controls act on, and what they show. */
export interface ControlledParts extends PoolParts {
  readonly scheduler: SchedulerReplicas;
  readonly invariants: InvariantMonitor;
  readonly offeredLoad: OfferedLoad;
  readonly clusterMetrics: Pick<ClusterMetrics, 'usage'>;
  /** Where services are, behind which servers outside of the cluster stand. */
  readonly services: ReadonlyMap<string, string>;
}

/** What is wrong with objects of the group. @param faults - asked when a fault is written */
export function controlValidators(faults: () => FaultInjector): Validators {
  return {
    Clock: (object) => validateClock(object),
    Fault: (object) => validateFault(object as FaultObject, faults()),
    Load: (object) => validateLoad(object as LoadObject),
    NodePool: (object) => validatePool(object as NodePoolObject),
  };
}

/** See the file header. */
export class Controls {
  readonly clock: ClockControl;
  /** Pools of nodes, which are the cloud of the cluster autoscaler. */
  readonly pools: PoolControl;
  /** Servers outside of the cluster. */
  readonly remotes: RemoteSeams;
  readonly #parts: ControlledParts;
  readonly #load: LoadControl;

  /** @param speed - of the cluster as it was made; absent = virtual time */
  constructor(parts: ControlledParts, speed: number | undefined) {
    this.#parts = parts;
    this.clock = new ClockControl(parts, { mode: speed === undefined ? 'Virtual' : 'RealTime', speed: speed ?? 1 });
    this.#load = new LoadControl(parts, parts.offeredLoad);
    controlFaults(parts);
    this.pools = new PoolControl(parts);
    const hasMetricsServer = parts.clusterMetrics.usage !== undefined;
    this.remotes = new RemoteSeams(parts.server, parts.services, hasMetricsServer);
    runKwokNodes(parts, (node) => this.pools.holds(node));
  }

  /** Makes the objects that are there wherever a cluster is served, unless they are. */
  open(clock: ClockSpec): void {
    createServedObjects(this.#parts.kernel, this.#parts.server);
    this.remotes.open();
    this.clock.open(clock);
  }

  /** What requests need to show the group. @param lagMs - how far simulated time is behind real time */
  requestOptions(
    lagMs: () => number,
  ): Pick<RequestsOptions, 'computed' | 'asRead' | 'hasMetricsServer' | 'toldResources'> {
    const { scheduler, kernel, invariants: monitor } = this.#parts;
    return this.remotes.requestOptions({
      hasMetricsServer: this.#parts.clusterMetrics.usage !== undefined,
      asRead: {
        Clock: (object) => this.clock.shown(object, lagMs()),
        Load: (object) => this.#load.shown(object),
      },
      computed: {
        'kubeloom.dev/explanations': explanations(this.#parts, scheduler),
        'kubeloom.dev/invariants': invariants(monitor, kernel.timestamps),
        'metrics.k8s.io/nodes': nodeMetrics(this.#parts),
        'metrics.k8s.io/pods': podMetrics(this.#parts),
      },
    });
  }
}
