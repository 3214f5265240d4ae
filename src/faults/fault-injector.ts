/**
 * Faults at work: each takes hold of a seam of the cluster from outside and lets it go when it is healed.
 * Faults may overlap: a seam is whole again once nobody holds it any more. The injector never decides
 * what a fault leads to, and no part of the cluster knows of it. It has no counterpart upstream.
 */
import { assert } from '../kernel/assert.js';
import type { Timer } from '../kernel/clock.js';
import type { Link } from '../bus/bus-types.js';
import type { CrashAfterWritesFault, FailRuntimeFault, Fault, LinkTarget, ReplicatedComponent } from './fault.js';
import type { FaultSeams, ProcessSwitch } from './fault-seams.js';
import { disturbanceOf, disturbedLink, type LinkFault } from './link-disturbances.js';
import { lastingMs, readFault } from './read-fault.js';

/** What a runtime says that does not answer. */
const DEADLINE_EXCEEDED = 'rpc error: code = DeadlineExceeded desc = context deadline exceeded';

/** A fault that was injected. */
export interface FaultHandle {
  /** Numbered from 1 within a cluster. */
  readonly id: number;
  readonly fault: Fault;
  readonly isActive: boolean;
  /** Ends the fault; calling it twice is harmless. */
  heal(): void;
}

/** See the file header. */
export class FaultInjector {
  readonly #seams: FaultSeams;
  readonly #active = new Map<number, ActiveFault>();
  /** How many faults hold each seam. */
  readonly #holds = new Map<string, number>();
  /** What runtimes say by node and operation, in order of the faults' beginning. */
  readonly #runtimeErrors = new Map<string, readonly { readonly error: string }[]>();
  #injected = 0;

  constructor(seams: FaultSeams) {
    this.#seams = seams;
  }

  /** Faults that are not healed yet, in order of their beginning. */
  get active(): readonly FaultHandle[] {
    return [...this.#active.values()];
  }

  /** Whether the fault could be injected now. @throws FaultError that says why not */
  check(fault: Fault): void {
    readFault(fault, this.#seams);
  }

  /**
   * Begins a fault.
   *
   * @example
   * const partition = cluster.faults.inject({ cut: { node: 'node-1' }, for: '10m' });
   * @throws FaultError that names the field, what it got and what is allowed
   */
  inject(fault: Fault): FaultHandle {
    const lasting = lastingMs(readFault(fault, this.#seams).for);
    this.#injected += 1;
    const id = this.#injected;
    const active = new ActiveFault(id, fault, this.#hold(fault, id), () => this.#healed(id));
    this.#active.set(id, active);
    const { clock } = this.#seams;
    if (lasting !== undefined) active.timer = clock.schedule(lasting, () => active.heal());
    return active;
  }

  /** Cuts a link, one way or both ways. @throws FaultError */
  cut(target: LinkTarget & { readonly direction?: 'in' | 'out' }): FaultHandle {
    return this.inject({ cut: target });
  }

  /** Ends a kubelet's process; what runs on its node goes on. @throws FaultError */
  stopKubelet(node: string): FaultHandle {
    return this.inject({ stopKubelet: { node } });
  }

  /** Switches a machine off, with all that runs on it; healed, it boots. @throws FaultError */
  powerOff(node: string): FaultHandle {
    return this.inject({ powerOff: { node } });
  }

  /** Ends a controller as in a crash. @throws FaultError */
  stopController(controller: string): FaultHandle {
    return this.inject({ stopController: { controller } });
  }

  /** Runs a controller once more beside itself; healed, the second instance ends. @throws FaultError */
  runTwice(controller: string): FaultHandle {
    return this.inject({ runTwice: { controller } });
  }

  /** Ends every fault, the last one first. */
  healAll(): void {
    for (const handle of this.active.toReversed()) handle.heal();
  }

  /** Ends a fault by its number; one that is over is left alone. @throws InvariantError for a number that was never given */
  heal(id: number): void {
    assert(id >= 1 && id <= this.#injected, `fault ${id} must be one that was injected`);
    this.#active.get(id)?.heal();
  }

  #healed(id: number): void {
    const { timer } = this.#active.get(id) ?? {};
    if (timer !== undefined) this.#seams.clock.cancel(timer);
    this.#active.delete(id);
  }

  /** Takes hold. @returns what lets go */
  #hold(fault: Fault, id: number): () => void {
    if ('cut' in fault) return this.#cut(this.#link(fault.cut), fault.cut.direction);
    if ('restartApiServer' in fault) return this.#breakAll(fault.restartApiServer.forgetsHistory === true);
    if ('failRuntime' in fault) return this.#failRuntime(fault.failRuntime);
    if ('crashAfterWrites' in fault) return this.#crashAfter(fault.crashAfterWrites);
    if ('stopComponent' in fault) return this.#stopReplicas(fault.stopComponent.component);
    if ('stopKubelet' in fault) return this.#holdMachine('kubelet', fault.stopKubelet.node);
    if ('powerOff' in fault) return this.#holdMachine('power', fault.powerOff.node);
    if ('stopController' in fault) return this.#stop(fault.stopController.controller);
    if ('runTwice' in fault) return runs(this.#seams.secondController(fault.runTwice.controller));
    return this.#disturb(fault, id);
  }

  #link(target: LinkTarget): Link {
    return 'node' in target ? this.#seams.nodeLink(target.node) : this.#seams.componentLink(target.component);
  }

  #disturb(fault: LinkFault, id: number): () => void {
    return this.#link(disturbedLink(fault)).disturb(disturbanceOf(fault, () => this.#seams.random(`faults/${id}`)));
  }

  #cut(link: Link, direction?: 'in' | 'out'): () => void {
    const way = (one: 'in' | 'out'): string => `link/${link.party}/${one}`;
    const ways = direction === undefined ? [way('out'), way('in')] : [way(direction)];
    return this.#holdAll(ways, () => {
      const [isOutCut, isInCut] = [this.#isHeld(way('out')), this.#isHeld(way('in'))];
      if (isOutCut && isInCut) return link.cut();
      if (!isOutCut && !isInCut) return link.restore();
      link.restore(isOutCut ? 'in' : 'out');
      link.cut(isOutCut ? 'out' : 'in');
    });
  }

  #breakAll(forgetsHistory: boolean): () => void {
    const cuts = [...this.#seams.links].map((link) => this.#cut(link));
    return () => {
      if (forgetsHistory) this.#seams.forgetHistory();
      for (const restore of cuts) restore();
    };
  }

  /** The runtime says what the last of several faults has it say. */
  #failRuntime({ node, operation, error = DEADLINE_EXCEEDED }: FailRuntimeFault['failRuntime']): () => void {
    const machine = this.#seams.machine(node);
    const key = `${node}/${operation}`;
    const said = { error };
    const settle = (): void => machine.setRuntimeError(operation, this.#runtimeErrors.get(key)?.at(-1)?.error);
    this.#runtimeErrors.set(key, [...(this.#runtimeErrors.get(key) ?? []), said]);
    settle();
    return () => {
      this.#runtimeErrors.set(
        key,
        (this.#runtimeErrors.get(key) ?? []).filter((other) => other !== said),
      );
      settle();
    };
  }

  #crashAfter({ controller: name, writes }: CrashAfterWritesFault['crashAfterWrites']): () => void {
    let left = writes;
    let start: (() => void) | undefined;
    const silence = this.#seams.controller(name).onWrite(() => {
      left -= 1;
      if (left === 0) start = this.#stop(name);
    });
    return () => {
      silence();
      start?.();
    };
  }

  #stopReplicas(component: ReplicatedComponent): () => void {
    const key = `replicas/${component}`;
    const replicas = this.#seams.replicas(component);
    return this.#holdAll([key], () => (this.#isHeld(key) ? replicas.stop() : replicas.start()));
  }

  #holdMachine(part: 'kubelet' | 'power', node: string): () => void {
    const machine = this.#seams.machine(node);
    return this.#holdAll([`${part}/${node}`], () => {
      if (this.#isHeld(`power/${node}`)) return machine.powerOff();
      machine.powerOn();
      if (this.#isHeld(`kubelet/${node}`)) machine.stopKubelet();
      else machine.startKubelet();
    });
  }

  #stop(name: string): () => void {
    const key = `controller/${name}`;
    const controller = this.#seams.controller(name);
    return this.#holdAll([key], () => (this.#isHeld(key) ? controller.stop() : controller.start()));
  }

  #holdAll(keys: readonly string[], settle: () => void): () => void {
    const add = (change: 1 | -1): void => {
      for (const key of keys) this.#holds.set(key, (this.#holds.get(key) ?? 0) + change);
      settle();
    };
    add(1);
    return () => add(-1);
  }

  #isHeld(key: string): boolean {
    return (this.#holds.get(key) ?? 0) > 0;
  }
}

class ActiveFault implements FaultHandle {
  /** Ends the fault when its time is over. */
  timer: Timer | undefined;
  #isActive = true;

  constructor(
    readonly id: number,
    readonly fault: Fault,
    private readonly release: () => void,
    private readonly onHealed: () => void,
  ) {}

  get isActive(): boolean {
    return this.#isActive;
  }

  heal(): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    this.onHealed();
    this.release();
  }
}

function runs(process: ProcessSwitch): () => void {
  process.start();
  return () => process.stop();
}
