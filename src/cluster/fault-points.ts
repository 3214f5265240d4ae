/** Where faults take hold of a cluster: its links, machines and controllers, by the names that users give them. */
import type { ApiServer } from '../apiserver/server-types.js';
import type { Bus, Link } from '../bus/bus-types.js';
import type { ReplicatedComponent, RuntimeOperation } from '../faults/fault.js';
import type { ControllerSwitch, FaultSeams, MachineSwitch, ProcessSwitch } from '../faults/fault-seams.js';
import { assert } from '../kernel/assert.js';
import type { Kernel } from '../kernel/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { ContainerRuntime } from '../kubelet/container-runtime.js';
import type { Kubelet } from '../kubelet/kubelet.js';
import type { ClusterControllers } from './cluster-controllers.js';
import type { NodeFleet } from './node-fleet.js';

const KUBELETS = 'kubelet/';

/** Where a container runtime keeps what it says to an operation. */
const RUNTIME_ERRORS = {
  pullImage: 'pullError',
  createSandbox: 'sandboxError',
  stopContainer: 'stopError',
} as const satisfies Readonly<Record<RuntimeOperation, keyof ContainerRuntime>>;

/** The parts of a cluster that faults act on. */
export interface FaultyParts {
  readonly kernel: Kernel;
  readonly bus: Bus;
  readonly fleet: NodeFleet;
  readonly controllers: ClusterControllers;
  readonly server: Pick<ApiServer, 'forgetHistory'>;
  readonly replicas: Readonly<Record<ReplicatedComponent, ProcessSwitch>>;
}

/** See the file header. */
export class FaultPoints implements FaultSeams {
  readonly #parts: FaultyParts;
  #instances = 1;

  constructor(parts: FaultyParts) {
    this.#parts = parts;
  }

  get clock(): FaultSeams['clock'] {
    return this.#parts.kernel.clock;
  }

  get nodes(): Iterable<string> {
    return this.#parts.fleet.names;
  }

  get components(): readonly string[] {
    return [...this.#parts.bus.links].map(({ party }) => party).filter((party) => !party.startsWith(KUBELETS));
  }

  get controllers(): readonly string[] {
    return this.#parts.controllers.names;
  }

  machine(node: string): MachineSwitch {
    const kubelet = this.#kubelet(node);
    return {
      startKubelet: () => kubelet.start(),
      stopKubelet: () => kubelet.stop(),
      powerOn: () => kubelet.powerOn(),
      powerOff: () => kubelet.powerOff(),
      setRuntimeError: (operation, error) => {
        kubelet.runtime[RUNTIME_ERRORS[operation]] = error;
      },
    };
  }

  nodeLink(node: string): Link {
    return this.componentLink(`${KUBELETS}${node}`);
  }

  componentLink(component: string): Link {
    const link = this.#parts.bus.link(component);
    assert(link !== undefined, `${component} must have a link`);
    return link;
  }

  get links(): readonly Link[] {
    return [...this.#parts.bus.links];
  }

  random(name: string): RandomStream {
    return this.#parts.kernel.random(name);
  }

  replicas(component: ReplicatedComponent): ProcessSwitch {
    return this.#parts.replicas[component];
  }

  forgetHistory(): void {
    this.#parts.server.forgetHistory();
  }

  controller(name: string): ControllerSwitch {
    return this.#parts.controllers.controller(name);
  }

  secondController(name: string): ProcessSwitch {
    this.#instances += 1;
    const manager = this.#parts.controllers.again(name, `kube-controller-manager/${this.#instances}`);
    return { start: () => manager.start(), stop: () => manager.dispose() };
  }

  #kubelet(node: string): Kubelet {
    const kubelet = this.#parts.fleet.kubelet(node);
    assert(kubelet !== undefined, `${node} must be a node of the cluster`);
    return kubelet;
  }
}
