/** The replicas of the controller manager: the controllers of the one that leads work. */
import type { Bus } from '../bus/bus-types.js';
import {
  controllerPart,
  createControllerManager,
  type ControllerHandle,
  type ControllerManager,
  type MetricApis,
} from '../controllers/controller-manager.js';
import { managerLimit, type ControllerSettings } from '../controllers/runtime/controller-settings.js';
import { assert } from '../kernel/assert.js';
import type { Troubles } from '../kernel/troubles.js';
import type { MachineWatch } from '../machines/trail.js';
import type { Metrics } from '../metrics/metrics.js';
import { ElectedReplica, replicaParty, type ReplicaSite } from './elected-replica.js';

const COMPONENT = 'kube-controller-manager';

/** What controller managers are made of. */
export interface ManagerParts extends ReplicaSite {
  readonly metrics: Metrics;
  readonly settings: ControllerSettings;
  readonly storage: Troubles<string>;
  readonly metricApis: MetricApis;
  readonly controllers: readonly string[] | undefined;
  readonly machineWatch: MachineWatch;
}

interface Replica {
  readonly elected: ElectedReplica;
  readonly manager: ControllerManager;
  readonly party: string;
}

/** See the file header. */
export class ManagerReplicas implements ControllerManager {
  readonly names: readonly string[];
  readonly #bus: Bus;
  readonly #settings: ControllerSettings;
  readonly #replicas: readonly Replica[];
  /** Controllers that were stopped by name: those of the next leader do not start either. */
  readonly #stopped = new Set<string>();
  readonly #handles = new Map<string, ControllerHandle>();

  constructor(parts: ManagerParts, replicas: number) {
    this.#bus = parts.bus;
    this.#settings = parts.settings;
    this.#replicas = Array.from({ length: replicas }, (_, index) => this.#create(parts, replicas, index));
    this.names = this.#replicas[0]?.manager.names ?? [];
  }

  start(): void {
    for (const { elected } of this.#replicas) elected.start();
  }

  stand(): void {
    this.start();
  }

  /** Ends every replica as in a crash. */
  stop(): void {
    for (const { elected } of this.#replicas) elected.stop();
  }

  dispose(): void {
    this.stop();
    for (const { manager } of this.#replicas) manager.dispose();
  }

  /** The controller of that name, in whichever replica leads. */
  controller(name: string): ControllerHandle {
    // Queues are read every simulated second while a run is measured.
    const known = this.#handles.get(name);
    if (known !== undefined) return known;
    const handle = this.#handleOf(name);
    this.#handles.set(name, handle);
    return handle;
  }

  #handleOf(name: string): ControllerHandle {
    assert(this.names.includes(name), `controller must be one of ${this.names.join(', ')}, got ${name}`);
    const handles = this.#replicas.map(({ elected, manager }) => ({ elected, handle: manager.controller(name) }));
    return {
      get isRunning() {
        return handles.some(({ handle }) => handle.isRunning);
      },
      get sinceMs() {
        return handles.find(({ handle }) => handle.sinceMs !== undefined)?.handle.sinceMs;
      },
      get queued() {
        return handles.reduce((sum, { handle }) => sum + handle.queued, 0);
      },
      get trails() {
        return handles.flatMap(({ handle }) => handle.trails);
      },
      stand: () => handles.forEach(({ handle }) => handle.stand()),
      start: () => {
        this.#stopped.delete(name);
        for (const { elected, handle } of handles) {
          if (elected.isLeading) handle.start();
          else if (elected.isStarted) handle.stand();
        }
      },
      stop: () => {
        this.#stopped.add(name);
        for (const { handle } of handles) handle.stop();
      },
      listen(listener) {
        const removals = handles.map(({ handle }) => handle.listen(listener));
        return () => removals.forEach((remove) => remove());
      },
      separate: (connect) => handles.forEach(({ handle }) => handle.separate(connect)),
    };
  }

  /** Gives a controller a process of its own in each replica. */
  separate(name: string): void {
    const limit = managerLimit(this.#settings);
    for (const { manager, party } of this.#replicas) {
      manager.controller(name).separate(() => this.#bus.connect(controllerPart(party, name), { limit }));
    }
  }

  /** Its process, or its part of the process, in each replica. */
  partiesOf(name: string): readonly string[] {
    return this.#replicas.map(({ party }) => controllerPart(party, name));
  }

  #create(parts: ManagerParts, replicas: number, index: number): Replica {
    const { bus, metrics, settings, storage, metricApis, controllers, machineWatch } = parts;
    const party = replicaParty(COMPONENT, index);
    const kernel = parts.kernel.at(party);
    const connection = bus.connect(party, { limit: managerLimit(settings) });
    const manager = createControllerManager({
      kernel,
      connection,
      metrics,
      settings,
      storage,
      metricApis,
      controllers,
      machineWatch,
    });
    const elected = new ElectedReplica(parts, { name: COMPONENT, eventSource: COMPONENT, replicas }, index, {
      stand: () => {
        manager.stand();
        for (const name of this.#stopped) manager.controller(name).stop();
      },
      start: () => {
        manager.start();
        for (const name of this.#stopped) manager.controller(name).stop();
      },
      stop: () => manager.stop(),
    });
    return { elected, manager, party };
  }
}
