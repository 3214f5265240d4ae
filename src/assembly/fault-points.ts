/** Where faults take hold of a cluster: its links, machines and controllers, by the names that users give them. */
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { Bus, Link } from '../bus/bus-types.js';
import type { Disturbance } from '../bus/disturbance.js';
import type {
  PoolOperation,
  ReplicatedComponent,
  RuntimeOperation,
  SingleParty,
  VolumeChoice,
  VolumeOperation,
} from '../faults/fault.js';
import type {
  ControllerSwitch,
  FaultSeams,
  MachineSwitch,
  ProcessSwitch,
  RuntimeTrouble,
} from '../faults/fault-seams.js';
import { assert } from '../kernel/assert.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { Troubles } from '../kernel/troubles.js';
import type { RandomStream } from '../kernel/random.js';
import type { ContainerRuntime } from '../kubelet/containers/container-runtime.js';
import type { Kubelet } from '../kubelet/kubelet.js';
import { BrokenAttachments } from './broken-attachments.js';
import type { ClusterControllers } from './cluster-controllers.js';
import type { NodeFleet } from './node-fleet.js';

const KUBELETS = 'kubelet/';

/** Where a container runtime keeps what it says to an operation. */
const RUNTIME_ERRORS = {
  pullImage: 'pullError',
  createSandbox: 'sandboxError',
  stopContainer: 'stopError',
} as const satisfies Readonly<Record<RuntimeOperation, keyof ContainerRuntime>>;
/** Where it keeps how much longer it takes. */
const RUNTIME_DELAYS = {
  pullImage: 'pullDelayMs',
  createSandbox: 'sandboxDelayMs',
  stopContainer: undefined,
} as const satisfies Readonly<Record<RuntimeOperation, keyof ContainerRuntime | undefined>>;

/** The parts of a cluster that faults act on. */
export interface FaultyParts {
  readonly kernel: Kernel;
  readonly bus: Bus;
  readonly fleet: NodeFleet;
  /** Behind CSI drivers. */
  readonly storage: Troubles<string>;
  /** Behind pools of nodes, by operation and pool such as `create spot`. */
  readonly pools: Troubles<string>;
  readonly controllers: ClusterControllers;
  readonly server: ApiServer;
  readonly replicas: Readonly<Record<ReplicatedComponent, ProcessSwitch>>;
}

/** See the file header. */
export class FaultPoints implements FaultSeams {
  readonly #parts: FaultyParts;
  readonly #attachments: BrokenAttachments;
  #instances = 1;

  constructor(parts: FaultyParts) {
    this.#parts = parts;
    this.#attachments = new BrokenAttachments(parts);
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
      shutDown: (onReleased) => kubelet.shutDown(onReleased),
      callOffShutdown: () => kubelet.callOffShutdown(),
      powerOn: () => kubelet.powerOn(),
      powerOff: () => kubelet.powerOff(),
      setRuntimeTrouble: (operation, trouble, onMet) => this.#trouble(node, operation, trouble, onMet),
      setVolumeTrouble: (operation, trouble, onMet) => this.#volumeTrouble(node, operation, trouble, onMet),
    };
  }

  get zones(): Iterable<string> {
    const { fleet } = this.#parts;
    return new Set([...fleet.names].flatMap((node) => fleet.zoneOf(node) ?? []));
  }

  zoneOf(node: string): string | undefined {
    return this.#parts.fleet.zoneOf(node);
  }

  separate(isBetween: (node: string, other: string) => boolean, onMet: () => void): () => void {
    return this.#parts.fleet.network.separate(isBetween, onMet);
  }

  get pools(): Iterable<string> {
    return this.#parts.server.list('NodePool').items.map(({ metadata }) => metadata.name);
  }

  setPoolTrouble(pool: string, operation: PoolOperation, trouble: RuntimeTrouble | undefined, onMet: () => void): void {
    this.#parts.pools.set(`${operation} ${pool}`, trouble, onMet);
  }

  get volumes(): Iterable<string> {
    return this.#attachments.volumes;
  }

  get claims(): Iterable<string> {
    return this.#attachments.claims;
  }

  keepFrom(node: string, volume: VolumeChoice, onMet: () => void): () => void {
    return this.#attachments.keepFrom(node, volume, onMet);
  }

  linksOf(target: SingleParty): readonly Link[] {
    if ('controller' in target) this.#parts.controllers.separate(target.controller);
    return this.#partiesOf(target).map((party) => {
      const link = this.#parts.bus.link(party);
      assert(link !== undefined, `${party} must have a link`);
      return link;
    });
  }

  disturbAll(disturbance: Disturbance): () => void {
    return this.#parts.bus.disturbAll(disturbance);
  }

  skew(target: SingleParty, skewMs: number, onUsed: () => void): void {
    for (const party of this.#partiesOf(target)) this.#parts.kernel.skew(party, skewMs, onUsed);
  }

  #partiesOf(target: SingleParty): readonly string[] {
    if ('node' in target) return [`${KUBELETS}${target.node}`];
    return 'controller' in target ? this.#parts.controllers.partiesOf(target.controller) : [target.component];
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

  /** Drivers attach and detach from afar; mounting is done by the machine itself. */
  #volumeTrouble(
    node: string,
    operation: VolumeOperation,
    trouble: RuntimeTrouble | undefined,
    onMet: () => void,
  ): void {
    if (operation === 'attach' || operation === 'detach') {
      this.#parts.storage.set(`${operation} ${node}`, trouble, onMet);
    } else this.#kubelet(node).mounts.troubles.set(operation, trouble, onMet);
  }

  #trouble(node: string, operation: RuntimeOperation, trouble: RuntimeTrouble | undefined, onMet: () => void): void {
    const { runtime } = this.#kubelet(node);
    runtime[RUNTIME_ERRORS[operation]] = trouble !== undefined && 'error' in trouble ? trouble.error : undefined;
    const delay = RUNTIME_DELAYS[operation];
    if (delay !== undefined) runtime[delay] = trouble !== undefined && 'delayMs' in trouble ? trouble.delayMs : 0;
    runtime.onTrouble(operation, onMet);
  }

  #kubelet(node: string): Kubelet {
    const kubelet = this.#parts.fleet.kubelet(node);
    assert(kubelet !== undefined, `${node} must be a node of the cluster`);
    return kubelet;
  }
}
