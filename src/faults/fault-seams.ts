/** Where faults take hold of a cluster: handles on its parts that exist without them. */
import type { Link } from '../bus/bus-types.js';
import type { Disturbance } from '../bus/disturbance.js';
import type { Clock } from '../kernel/engine/clock.js';
import type { RandomStream } from '../kernel/random.js';
import type {
  PoolOperation,
  ReplicatedComponent,
  RuntimeOperation,
  SingleParty,
  VolumeChoice,
  VolumeOperation,
} from './fault.js';

/** Name of the store behind the API server among the components. */
export const STORE = 'etcd';

/** What goes wrong with an operation: it fails with that text, or takes that much longer. */
export type RuntimeTrouble = { readonly error: string } | { readonly delayMs: number };

/** A machine with its kubelet. Each call that changes nothing is harmless. */
export interface MachineSwitch {
  startKubelet(): void;
  stopKubelet(): void;
  /**
   * Announces that the machine is going to be switched off. `onReleased` is told when nothing holds that up any more.
   * `false`: nothing does from the beginning.
   */
  shutDown(onReleased: () => void): boolean;
  /** Takes that back. */
  callOffShutdown(): void;
  powerOn(): void;
  powerOff(): void;
  /** `undefined` = it does what it is asked. `onMet` is told each time that it does not. */
  setRuntimeTrouble(operation: RuntimeOperation, trouble: RuntimeTrouble | undefined, onMet: () => void): void;
  /** The same of the storage behind its volumes, and of mounting them. */
  setVolumeTrouble(operation: VolumeOperation, trouble: RuntimeTrouble | undefined, onMet: () => void): void;
}

/** Something that runs or does not. Each call that changes nothing is harmless. */
export interface ProcessSwitch {
  start(): void;
  stop(): void;
}

/** Called with what a controller does. */
export interface WorkListener {
  /** Told right after each write was sent. */
  wrote(): void;
  /** Told before each reconcile; with it there is one at a time. */
  began?(): void;
}

/** A controller that can be stopped, and listened to. */
export interface ControllerSwitch extends ProcessSwitch {
  /** @returns what ends the listening */
  listen(listener: WorkListener): () => void;
}

/** See the file header. */
export interface FaultSeams {
  readonly clock: Clock;
  /** Opens a random stream of that name. */
  random(name: string): RandomStream;
  /** Names of the nodes that have a machine. */
  readonly nodes: Iterable<string>;
  machine(node: string): MachineSwitch;
  /** Zones in which there are machines. */
  readonly zones: Iterable<string>;
  zoneOf(node: string): string | undefined;
  /** Lets nothing through between pods of some machines. `onMet` is told when a container misses a peer by that. @returns what ends it */
  separate(isBetween: (node: string, other: string) => boolean, onMet: () => void): () => void;
  /** Names of the NodePools. */
  readonly pools: Iterable<string>;
  /** What goes wrong with an operation on a pool; `undefined` = nothing any more. `onMet` is told each time that it does. */
  setPoolTrouble(pool: string, operation: PoolOperation, trouble: RuntimeTrouble | undefined, onMet: () => void): void;
  /** Names of the PersistentVolumes. */
  readonly volumes: Iterable<string>;
  /** Claims that are bound, as `namespace/name`. */
  readonly claims: Iterable<string>;
  /** Takes a volume away from a node, and keeps it away. `onMet` is told each time that the node misses it. @returns what ends it */
  keepFrom(node: string, volume: VolumeChoice, onMet: () => void): () => void;
  /** Components that have a link to the API server, without the kubelets. */
  readonly components: Iterable<string>;
  /** The links of a party: one for each of its replicas. Not those of the store. */
  linksOf(target: SingleParty): readonly Link[];
  /** Every link that there is. */
  readonly links: Iterable<Link>;
  /** Lays a disturbance on every link, also on those that come later. @returns what takes it away again */
  disturbAll(disturbance: Disturbance): () => void;
  /** All replicas of a component. */
  replicas(component: ReplicatedComponent): ProcessSwitch;
  /** The API server forgets all changes so far. */
  forgetHistory(): void;
  /** Names of the controllers. */
  readonly controllers: Iterable<string>;
  controller(name: string): ControllerSwitch;
  /** Makes one more instance of a controller, not started yet; its stop is for good. */
  secondController(name: string): ProcessSwitch;
  /** Puts the clocks of a party's processes that much ahead, or behind where it is less than 0; ms. */
  skew(target: SingleParty, skewMs: number, onUsed: () => void): void;
}
