/** The process of the cluster autoscaler: it stands for election by a lease of its own, and works while it leads. */
import { CLUSTER_AUTOSCALER, clusterAutoscaler } from '../controllers/cluster-autoscaler/cluster-autoscaler.js';
import type { Cloud, CreatePlacement } from '../controllers/cluster-autoscaler/autoscaler-seams.js';
import type { AutoscalerSettings } from '../controllers/cluster-autoscaler/autoscaler-settings.js';
import {
  createControllerManager,
  type ControllerDefinition,
  type ControllerHandle,
  type ControllerManager,
} from '../controllers/controller-manager.js';
import { PlacementSimulation } from '../scheduler/simulation/placement-simulation.js';
import type { SchedulerOptions } from '../scheduler/scheduler.js';
import type { ControllerParts } from './cluster-controllers.js';
import { ElectedReplica, type ReplicaSite } from './elected-replica.js';

/** What the autoscaler is made of. */
export interface AutoscalerReplicaParts extends ControllerParts, ReplicaSite {
  readonly autoscaler: AutoscalerSettings;
  readonly cloud: Cloud;
  /** Whose filters say where pods could go. */
  readonly scheduler: Pick<SchedulerOptions, 'configuration' | 'registry'>;
}

/** See the file header. */
export class AutoscalerReplica implements ControllerManager {
  readonly names = [CLUSTER_AUTOSCALER];
  readonly definition: ControllerDefinition;
  readonly #elected: ElectedReplica;
  readonly #manager: ControllerManager;
  /** It is not to run, whichever replica leads. */
  #isStopped = false;

  constructor(parts: AutoscalerReplicaParts) {
    const { bus, autoscaler, cloud } = parts;
    const party = CLUSTER_AUTOSCALER;
    const kernel = parts.kernel.at(party);
    const random = kernel.random('cluster-autoscaler/expander');
    this.definition = clusterAutoscaler({
      settings: autoscaler,
      cloud,
      random,
      createPlacement: placementOf(parts.scheduler),
    });
    this.#manager = createControllerManager({
      kernel,
      connection: bus.connect(party),
      metrics: parts.metrics,
      settings: parts.settings,
      storage: parts.storage,
      metricApis: parts.metricApis,
      machineWatch: parts.machineWatch,
      controllers: [],
      definitions: [this.definition],
    });
    this.#elected = new ElectedReplica(parts, { name: party, eventSource: party, replicas: 1 }, 0, {
      stand: () => {
        if (!this.#isStopped) this.#manager.stand();
      },
      start: () => {
        if (!this.#isStopped) this.#manager.start();
      },
      stop: () => this.#manager.stop(),
    });
  }

  start(): void {
    this.#elected.start();
  }

  stand(): void {
    this.start();
  }

  /** Ends its process as in a crash. */
  stop(): void {
    this.#elected.stop();
  }

  dispose(): void {
    this.stop();
    this.#manager.dispose();
  }

  controller(name: string): ControllerHandle {
    const handle = this.#manager.controller(name);
    return {
      get isRunning() {
        return handle.isRunning;
      },
      get sinceMs() {
        return handle.sinceMs;
      },
      get queued() {
        return handle.queued;
      },
      get trails() {
        return handle.trails;
      },
      stand: () => handle.stand(),
      start: () => {
        this.#isStopped = false;
        if (this.#elected.isLeading) handle.start();
        else if (this.#elected.isStarted) handle.stand();
      },
      stop: () => {
        this.#isStopped = true;
        handle.stop();
      },
      listen: (listener) => handle.listen(listener),
      // It is a process of its own already.
      separate: () => undefined,
    };
  }
}

/** The scheduler's filters over the informers of a controller. */
function placementOf({ configuration, registry }: AutoscalerReplicaParts['scheduler']): CreatePlacement {
  return (context, { counts, onTouched }) =>
    new PlacementSimulation(
      {
        clock: context.kernel.clock,
        client: context.client,
        informer: (kind, indexers) => context.informer(kind, indexers),
        watch: (kind, handler) => context.watch(kind, handler),
      },
      { configuration, registry, counts, onTouched },
    );
}
