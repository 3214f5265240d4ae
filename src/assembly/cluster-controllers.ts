/**
 * The controllers of a cluster: those of the controller manager, and the user's own, each of which is a
 * process of its own with its own link and informers, as an operator is. It owns their processes and
 * nothing of what they do.
 */
import type { Bus } from '../bus/bus-types.js';
import {
  createControllerManager,
  SIDECAR_NAMES,
  type ControllerDefinition,
  type ControllerHandle,
  type ControllerManager,
  type ControllerProcess,
  type MetricApis,
} from '../controllers/controller-manager.js';
import { managerLimit, type ControllerSettings } from '../controllers/runtime/controller-settings.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { Troubles } from '../kernel/troubles.js';
import type { MachineWatch, Trail } from '../machines/trail.js';
import type { Metrics } from '../metrics/metrics.js';
import type { ManagerReplicas } from './manager-replicas.js';
import { checkDefinition } from '../options/controller-options.js';
import { OptionError } from '../options/option-error.js';

/** A controller of the user's own, as a process. */
export interface AddedController {
  readonly name: string;
  /** Whether it is started and its informers have synced. */
  readonly isRunning: boolean;
  /** Starts its process; one that runs, and was not asked to end, is left alone. */
  start(): void;
  /** Asks its process to end: it takes up no more work, and ends when the work under way has ended. */
  stop(): void;
  /** Ends its process at once: memory and queue are gone, answers under way are never heard of. */
  crash(): void;
  /** Ends it for good; its name is free again. */
  remove(): void;
}

/** What the controllers of a cluster are made of. */
export interface ControllerParts {
  readonly kernel: Kernel;
  readonly bus: Bus;
  readonly metrics: Metrics;
  readonly settings: ControllerSettings;
  readonly storage: Troubles<string>;
  readonly metricApis: MetricApis;
  readonly machineWatch: MachineWatch;
}

/** The link of a controller of the user's own. */
function operatorParty(name: string): string {
  return `operator/${name}`;
}

/** An operator's client has no limit unless it asks for one, as controller-runtime has it since v0.21. */
function operatorSettings(settings: ControllerSettings): ControllerSettings {
  return { ...settings, kubeAPIQPS: -1 };
}

/** See the file header. */
export class ClusterControllers implements ControllerManager {
  readonly #parts: ControllerParts;
  readonly #manager: ManagerReplicas;
  readonly #own = new Map<string, ControllerProcess>();
  readonly #definitions = new Map<string, ControllerDefinition>();
  /** Processes that stand beside the manager, by the controller that each of them is. */
  readonly #beside = new Map<string, ControllerManager>();

  constructor(parts: ControllerParts, manager: ManagerReplicas) {
    this.#parts = parts;
    this.#manager = manager;
  }

  get names(): readonly string[] {
    return [...new Set([...this.#manager.names, ...this.#own.keys(), ...this.#beside.keys()])];
  }

  controller(name: string): ControllerHandle {
    return (this.#own.get(name) ?? this.#beside.get(name) ?? this.#manager).controller(name);
  }

  /** Starts a process of the control plane that is a controller of its own, with a link of that name. */
  startBeside(definition: ControllerDefinition, process: ControllerManager): void {
    this.#beside.set(definition.name, process);
    this.#definitions.set(definition.name, definition);
    process.start();
  }

  stand(): void {
    this.#manager.stand();
  }

  /** Where the machines of all controllers have been. */
  *trails(): Iterable<Trail> {
    for (const name of this.names) yield* this.controller(name).trails;
  }

  /** Keys that wait to be worked on, of those controllers that have some. */
  *queued(): Iterable<readonly [controller: string, keys: number]> {
    for (const name of this.names) {
      const { queued } = this.controller(name);
      if (queued > 0) yield [name, queued];
    }
  }

  /** Starts the controller manager; controllers of the user's own start when they are added. */
  start(): void {
    this.#manager.start();
  }

  /**
   * Starts what stands beside a controller manager and is no part of it, for a cluster whose manager is another
   * program's: the sidecars of CSI drivers, each a process of its own.
   */
  startSidecars(): void {
    for (const name of SIDECAR_NAMES.filter((each) => this.#manager.names.includes(each))) {
      const process = this.again(name, operatorParty(name));
      this.#own.set(name, process);
      process.start();
    }
  }

  stop(): void {
    for (const process of this.#beside.values()) process.stop();
    for (const own of this.#own.values()) own.stop();
    this.#manager.stop();
  }

  dispose(): void {
    for (const process of this.#beside.values()) process.dispose();
    this.#beside.clear();
    for (const own of this.#own.values()) own.dispose();
    this.#own.clear();
    this.#manager.dispose();
  }

  /** Gives a controller a process of its own; the user's own have one. */
  separate(name: string): void {
    if (!this.#own.has(name) && !this.#beside.has(name)) this.#manager.separate(name);
  }

  /** The parties that a controller is, or is a part of. */
  partiesOf(name: string): readonly string[] {
    if (this.#beside.has(name)) return [name];
    return this.#own.has(name) ? [operatorParty(name)] : this.#manager.partiesOf(name);
  }

  /** One more instance of a controller, not started yet, as a process with a link of its own under that name. */
  again(name: string, party: string): ControllerProcess {
    const { kernel, bus, metrics, settings, storage, metricApis, machineWatch } = this.#parts;
    const isApart = this.#own.has(name) || this.#beside.has(name);
    const definition = isApart ? this.#definitions.get(name) : undefined;
    const own = definition === undefined ? settings : operatorSettings(settings);
    return createControllerManager({
      kernel: kernel.at(party),
      connection: bus.connect(party, { limit: managerLimit(own) }),
      metrics,
      settings: own,
      storage,
      metricApis,
      machineWatch,
      controllers: definition === undefined ? [name] : [],
      definitions: definition === undefined ? [] : [definition],
    });
  }

  /** Starts a controller of the user's own. @throws OptionError for a name that is taken or no name */
  add(definition: ControllerDefinition): AddedController {
    checkDefinition(definition);
    const { name } = definition;
    if (this.names.includes(name))
      throw new OptionError('controller.name', 'a name that no other controller has', name);
    const { kernel, bus, metrics, settings, storage, metricApis, machineWatch } = this.#parts;
    const party = operatorParty(name);
    const process = createControllerManager({
      kernel: kernel.at(party),
      connection: bus.connect(party),
      metrics,
      settings: operatorSettings(settings),
      storage,
      metricApis,
      machineWatch,
      controllers: [],
      definitions: [definition],
    });
    this.#own.set(name, process);
    this.#definitions.set(name, definition);
    let isEnding = false;
    const start = (): void => {
      if (this.#own.get(name) !== process) throw new OptionError('controller', 'one that was not removed', name);
      if (isEnding) process.stop();
      isEnding = false;
      process.start();
    };
    start();
    return {
      name,
      get isRunning() {
        return process.controller(name).isRunning;
      },
      start,
      stop() {
        isEnding = true;
        process.drain();
      },
      crash: () => process.stop(),
      remove: () => {
        if (this.#own.get(name) !== process) return;
        this.#own.delete(name);
        process.dispose();
      },
    };
  }
}
