/** Where faults take hold of a cluster: handles on its parts that exist without them. */
import type { Link } from '../bus/bus-types.js';
import type { Clock } from '../kernel/clock.js';
import type { RandomStream } from '../kernel/random.js';
import type { ReplicatedComponent, RuntimeOperation } from './fault.js';

/** A machine with its kubelet. Each call that changes nothing is harmless. */
export interface MachineSwitch {
  startKubelet(): void;
  stopKubelet(): void;
  powerOn(): void;
  powerOff(): void;
  /** What the container runtime says when it is asked to do something; `undefined` = it does it. */
  setRuntimeError(operation: RuntimeOperation, error: string | undefined): void;
}

/** Something that runs or does not. Each call that changes nothing is harmless. */
export interface ProcessSwitch {
  start(): void;
  stop(): void;
}

/** A controller, with an ear for what it sends. */
export interface ControllerSwitch extends ProcessSwitch {
  /** `listener` is told right after each write was sent. @returns what ends that */
  onWrite(listener: () => void): () => void;
}

/** See the file header. */
export interface FaultSeams {
  readonly clock: Clock;
  /** Opens a random stream of that name. */
  random(name: string): RandomStream;
  /** Names of the nodes that have a machine. */
  readonly nodes: Iterable<string>;
  machine(node: string): MachineSwitch;
  nodeLink(node: string): Link;
  /** Components that have a link to the API server, without the kubelets. */
  readonly components: Iterable<string>;
  componentLink(component: string): Link;
  /** Every link that there is. */
  readonly links: Iterable<Link>;
  /** All replicas of a component. */
  replicas(component: ReplicatedComponent): ProcessSwitch;
  /** The API server forgets all changes so far. */
  forgetHistory(): void;
  /** Names of the controllers. */
  readonly controllers: Iterable<string>;
  controller(name: string): ControllerSwitch;
  /** Makes one more instance of a controller, not started yet; its stop is for good. */
  secondController(name: string): ProcessSwitch;
}
