/** The replicas of the controller manager: the controllers of the one that leads work. */
import {
  createControllerManager,
  type ControllerHandle,
  type ControllerManager,
} from '../controllers/controller-manager.js';
import type { ControllerSettings } from '../controllers/controller-settings.js';
import { assert } from '../kernel/assert.js';
import type { Metrics } from '../metrics/metrics.js';
import { ElectedReplica, replicaParty, type ReplicaSite } from './elected-replica.js';

const COMPONENT = 'kube-controller-manager';

/** What controller managers are made of. */
export interface ManagerParts extends ReplicaSite {
  readonly metrics: Metrics;
  readonly settings: ControllerSettings;
  readonly controllers: readonly string[] | undefined;
}

interface Replica {
  readonly elected: ElectedReplica;
  readonly manager: ControllerManager;
}

/** See the file header. */
export class ManagerReplicas implements ControllerManager {
  readonly names: readonly string[];
  readonly #replicas: readonly Replica[];
  /** Controllers that were stopped by name: those of the next leader do not start either. */
  readonly #stopped = new Set<string>();

  constructor(parts: ManagerParts, replicas: number) {
    this.#replicas = Array.from({ length: replicas }, (_, index) => this.#create(parts, replicas, index));
    this.names = this.#replicas[0]?.manager.names ?? [];
  }

  start(): void {
    for (const { elected } of this.#replicas) elected.start();
  }

  /** Ends every replica as in a crash. */
  stop(): void {
    for (const { elected } of this.#replicas) elected.stop();
  }

  dispose(): void {
    this.stop();
    for (const { manager } of this.#replicas) manager.dispose();
  }

  /** The controller of that name, whoever leads. */
  controller(name: string): ControllerHandle {
    assert(this.names.includes(name), `controller must be one of ${this.names.join(', ')}, got ${name}`);
    const handles = this.#replicas.map(({ elected, manager }) => ({ elected, handle: manager.controller(name) }));
    return {
      get isRunning() {
        return handles.some(({ handle }) => handle.isRunning);
      },
      start: () => {
        this.#stopped.delete(name);
        for (const { elected, handle } of handles) if (elected.isLeading) handle.start();
      },
      stop: () => {
        this.#stopped.add(name);
        for (const { handle } of handles) handle.stop();
      },
      onWrite(listener) {
        const removals = handles.map(({ handle }) => handle.onWrite(listener));
        return () => removals.forEach((remove) => remove());
      },
    };
  }

  #create(parts: ManagerParts, replicas: number, index: number): Replica {
    const { kernel, bus, metrics, settings, controllers } = parts;
    const connection = bus.connect(replicaParty(COMPONENT, index));
    const manager = createControllerManager({ kernel, connection, metrics, settings, controllers });
    const elected = new ElectedReplica(parts, { name: COMPONENT, eventSource: COMPONENT, replicas }, index, {
      start: () => {
        manager.start();
        for (const name of this.#stopped) manager.controller(name).stop();
      },
      stop: () => manager.stop(),
    });
    return { elected, manager };
  }
}
