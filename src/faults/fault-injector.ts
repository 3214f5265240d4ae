/**
 * Faults at work: each takes hold of a seam of the cluster from outside and lets it go when it is healed.
 * Faults may overlap: a seam is whole again once the last fault on it is healed. The injector never decides
 * what a fault leads to, and no part of the cluster depends on it. It has no counterpart upstream.
 */
import { printedValue } from '../kernel/printed-value.js';
import type { Timer } from '../kernel/engine/clock.js';
import type { Link } from '../bus/bus-types.js';
import type { Disturbance, RequestVerb } from '../bus/disturbance.js';
import type { Kind } from '../api/objects/objects.js';
import type {
  CrashAfterWritesFault,
  Fault,
  LinkTarget,
  PartitionTarget,
  PartyTarget,
  PoolOperation,
  ReplicatedComponent,
  RuntimeOperation,
  VolumeChoice,
  VolumeOperation,
} from './fault.js';
import { findUnreadable } from '../kernel/unreadable.js';
import { FaultError } from './fault-error.js';
import { skewOf } from './fault-fields.js';
import type { FaultSeams } from './fault-seams.js';
import { FaultTally } from './fault-tally.js';
import { counted, disturbanceOf, disturbedLink, isStore, storeCut, type LinkFault } from './link-disturbances.js';
import { OperationTroubles } from './operation-troubles.js';
import { separationOf } from './partition.js';
import { lastingMs, readFault } from './read-fault.js';
import { nodeOf, partsOf, partyOf } from './zone-faults.js';

const READING: readonly RequestVerb[] = ['get', 'list', 'watch'];
/** What a component writes besides its work. */
const BESIDES: readonly Kind[] = ['Event', 'Lease'];

/** A fault that was injected. */
export interface FaultHandle {
  /** Numbered from 1 within a cluster. */
  readonly id: number;
  readonly fault: Fault;
  readonly isActive: boolean;
  /** Ends the fault; calling it twice is harmless. */
  heal(): void;
}

/** Hears of what becomes of a fault, inside what happens: it must only note it. */
export interface FaultListener {
  /** Told each time that the fault takes effect. */
  met?(): void;
  /** Told when it ends, for whatever reason. */
  healed?(): void;
}

/** Hears of every fault, inside what happens: it must only note it. */
export interface FaultFollower {
  begun(handle: FaultHandle): void;
  healed(handle: FaultHandle): void;
}

/** See the file header. */
export class FaultInjector {
  readonly #seams: FaultSeams;
  readonly #active = new Map<number, ActiveFault>();
  /** How many faults hold each seam. */
  readonly #holds = new Map<string, number>();
  readonly #runtimes: OperationTroubles<RuntimeOperation>;
  readonly #volumes: OperationTroubles<VolumeOperation>;
  readonly #pools: OperationTroubles<PoolOperation>;
  readonly #skews = new Map<string, number>();
  /** What faults have come to so far. */
  readonly tally = new FaultTally();
  #followers: readonly FaultFollower[] = [];
  #injected = 0;

  constructor(seams: FaultSeams) {
    this.#seams = seams;
    this.#runtimes = new OperationTroubles((node, ...trouble) => seams.machine(node).setRuntimeTrouble(...trouble));
    this.#volumes = new OperationTroubles((node, ...trouble) => seams.machine(node).setVolumeTrouble(...trouble));
    this.#pools = new OperationTroubles((pool, ...trouble) => seams.setPoolTrouble(pool, ...trouble));
  }

  /** Requests of components that failed so far: refused for whatever reason, or without an answer. */
  get failedRequests(): number {
    let failed = 0;
    for (const link of this.#seams.links) failed += link.failedRequests;
    return failed;
  }

  /** Faults that are not healed yet, in order of their beginning. */
  get active(): readonly FaultHandle[] {
    return [...this.#active.values()];
  }

  /**
   * Whether the fault could be injected into this cluster, whatever users still make in it: volumes and claims need not
   * be there yet. @throws FaultError that says why not
   */
  check(fault: Fault): void {
    readFault(fault, this.#seams, true);
  }

  /**
   * Begins a fault.
   *
   * @example
   * const partition = cluster.faults.inject({ cut: { node: 'node-1' }, for: '10m' });
   * @throws FaultError that names the field, what it got and what is allowed
   */
  inject(fault: Fault, listener: FaultListener = {}): FaultHandle {
    const lasting = lastingMs(readFault(fault, this.#seams).for);
    this.#injected += 1;
    const id = this.#injected;
    const count = this.tally.add(fault);
    const met = (): void => {
      count();
      listener.met?.();
    };
    const active = new ActiveFault(id, fault, this.#holdParts(fault, id, met), () => {
      this.#healed(id);
      listener.healed?.();
    });
    this.#active.set(id, active);
    for (const follower of this.#followers) follower.begun(active);
    const { clock } = this.#seams;
    if (lasting !== undefined) active.timer = clock.schedule(lasting, () => active.heal());
    return active;
  }

  /** Has it hear of every fault, those that hold already first. @returns what ends that */
  follow(follower: FaultFollower): () => void {
    if (!isFollower(follower)) throw new FaultError([], 'follower must have the functions begun and healed');
    for (const handle of this.active) follower.begun(handle);
    this.#followers = [...this.#followers, follower];
    return () => {
      this.#followers = this.#followers.filter((other) => other !== follower);
    };
  }

  /** Cuts a link, one way or both ways. @throws FaultError */
  cut(target: LinkTarget & { readonly direction?: 'in' | 'out' }): FaultHandle {
    return this.inject({ cut: target });
  }

  /** Keeps pods of some machines from reaching those of others. @throws FaultError */
  partition(target: PartitionTarget): FaultHandle {
    return this.inject({ partition: target });
  }

  /** Takes a volume away from a node, even one in use, and keeps it away until healed. @throws FaultError */
  breakAttachment(target: VolumeChoice & { readonly node: string }): FaultHandle {
    return this.inject({ breakAttachment: target });
  }

  /** Ends a kubelet's process; what runs on its node goes on. @throws FaultError */
  stopKubelet(node: string): FaultHandle {
    return this.inject({ stopKubelet: { node } });
  }

  /** Switches a machine off, with all that runs on it; healed, it boots. @throws FaultError */
  powerOff(node: string): FaultHandle {
    return this.inject({ powerOff: { node } });
  }

  /**
   * Shuts a machine down in good order: its pods end as the kubelet's configuration gives them time, then it goes dark;
   * healed, it boots. @throws FaultError
   */
  shutDown(node: string): FaultHandle {
    return this.inject({ shutDown: { node } });
  }

  /** Ends a controller as in a crash. @throws FaultError */
  stopController(controller: string): FaultHandle {
    return this.inject({ stopController: { controller } });
  }

  /** Runs a controller once more beside itself; healed, the second instance ends. @throws FaultError */
  runTwice(controller: string): FaultHandle {
    return this.inject({ runTwice: { controller } });
  }

  /** Puts a party's clock ahead, or behind. @throws FaultError */
  skewClock(target: PartyTarget & { readonly by: number | string }): FaultHandle {
    return this.inject({ skewClock: target });
  }

  /** Ends every fault, the last one first. */
  healAll(): void {
    for (const handle of this.active.toReversed()) handle.heal();
  }

  /** Ends a fault by its number; one that is over is left alone. @throws FaultError for a number that was never given */
  heal(id: number): void {
    const last = this.#injected;
    if (!Number.isInteger(id) || id < 1 || id > last) {
      const given = last === 0 ? 'none was injected so far' : `in 1..${last}`;
      throw new FaultError(
        ['id'],
        `must be the number of a fault that was injected (${given}), got ${printedValue(id)}`,
      );
    }
    this.#active.get(id)?.heal();
  }

  #healed(id: number): void {
    const active = this.#active.get(id);
    if (active?.timer !== undefined) this.#seams.clock.cancel(active.timer);
    this.#active.delete(id);
    if (active !== undefined) for (const follower of this.#followers) follower.healed(active);
  }

  /** Of a zone each of its nodes. */
  #holdParts(whole: Fault, id: number, met: () => void): () => void {
    const parts = partsOf(whole, { nodes: this.#seams.nodes, zoneOf: (node) => this.#seams.zoneOf(node) });
    const names = parts.map(({ node }) => (node === undefined ? `faults/${id}` : `faults/${id}/${node}`));
    return together(parts.map(({ fault }, index) => this.#hold(fault, names[index] as string, met)));
  }

  /** Takes hold; `met` is told each time that the fault takes effect. @returns what lets go */
  #hold(fault: Fault, stream: string, met: () => void): () => void {
    if ('cut' in fault) return this.#cut(fault.cut, fault.cut.direction, met);
    if ('partition' in fault) return this.#partition(fault.partition, met);
    if ('breakAttachment' in fault) {
      return this.#seams.keepFrom(fault.breakAttachment.node, fault.breakAttachment, met);
    }
    if ('failRuntime' in fault)
      return this.#runtimes.add({ ...fault.failRuntime, node: nodeOf(fault.failRuntime) }, met);
    if ('failVolume' in fault) return this.#volumes.add({ ...fault.failVolume, node: nodeOf(fault.failVolume) }, met);
    if ('failPool' in fault) {
      const { pool, ...failing } = fault.failPool;
      return this.#pools.add({ ...failing, node: pool }, met);
    }
    if ('crashAfterWrites' in fault) return this.#crashAfter(fault.crashAfterWrites, met);
    if ('skewClock' in fault) return this.#skew(fault.skewClock, met);
    if ('restartApiServer' in fault) return this.#breakAll(fault.restartApiServer.forgetsHistory === true, met);
    if ('stopComponent' in fault) return this.#stopReplicas(fault.stopComponent.component, met);
    if ('stopKubelet' in fault) return this.#holdMachine('kubelet', nodeOf(fault.stopKubelet), met);
    if ('shutDown' in fault) return this.#shutDown(nodeOf(fault.shutDown), met);
    if ('powerOff' in fault) return this.#holdMachine('power', nodeOf(fault.powerOff), met);
    if ('stopController' in fault) return this.#stop(fault.stopController.controller, met);
    if ('runTwice' in fault) return this.#runTwice(fault.runTwice.controller, met);
    return this.#disturb(fault, stream, met);
  }

  #disturb(fault: LinkFault, stream: string, met: () => void): () => void {
    const { clock } = this.#seams;
    const disturbance = disturbanceOf(fault, clock.now(), () => this.#seams.random(stream));
    return this.#lay(disturbedLink(fault), counted(disturbance, met));
  }

  #lay(target: LinkTarget, disturbance: Disturbance): () => void {
    if (isStore(target)) return this.#seams.disturbAll(disturbance);
    return together(this.#seams.linksOf(partyOf(target)).map((link) => link.disturb(disturbance)));
  }

  #cut(target: LinkTarget, direction: 'in' | 'out' | undefined, met: () => void): () => void {
    if (isStore(target)) return this.#seams.disturbAll(counted(storeCut(direction), met));
    return together(this.#seams.linksOf(partyOf(target)).map((link) => this.#cutLink(link, direction, met)));
  }

  #partition(target: PartitionTarget, met: () => void): () => void {
    return this.#seams.separate(
      separationOf(target, (node) => this.#seams.zoneOf(node)),
      met,
    );
  }

  #cutLink(link: Link, direction: 'in' | 'out' | undefined, met: () => void): () => void {
    const way = (one: 'in' | 'out'): string => `link/${link.party}/${one}`;
    const ways = direction === undefined ? [way('out'), way('in')] : [way(direction)];
    if (ways.some((each) => !this.#isHeld(each))) met();
    return this.#holdAll(ways, () => {
      const [isOutCut, isInCut] = [this.#isHeld(way('out')), this.#isHeld(way('in'))];
      if (isOutCut && isInCut) return link.cut();
      if (!isOutCut && !isInCut) return link.restore();
      link.restore(isOutCut ? 'in' : 'out');
      link.cut(isOutCut ? 'out' : 'in');
    });
  }

  #breakAll(forgetsHistory: boolean, met: () => void): () => void {
    const cuts = [...this.#seams.links].map((link) => this.#cutLink(link, undefined, met));
    return () => {
      if (forgetsHistory) this.#seams.forgetHistory();
      for (const restore of cuts) restore();
    };
  }

  #skew({ by, ...target }: PartyTarget & { readonly by: number | string }, met: () => void): () => void {
    const skewMs = Math.round(skewOf(by) ?? 0);
    const party = partyOf(target);
    const key = JSON.stringify(party);
    const add = (ms: number): void => {
      const total = (this.#skews.get(key) ?? 0) + ms;
      this.#skews.set(key, total);
      this.#seams.skew(party, total, met);
    };
    add(skewMs);
    return () => add(-skewMs);
  }

  #crashAfter(fault: CrashAfterWritesFault['crashAfterWrites'], met: () => void): () => void {
    if ('component' in fault) return this.#crashComponentAfter(fault.component, fault.writes, met);
    const { controller: name, writes, inOneReconcile } = fault;
    let left = writes;
    let start: (() => void) | undefined;
    const silence = this.#seams.controller(name).listen({
      wrote: () => {
        left -= 1;
        if (left === 0) start ??= this.#stop(name, met);
      },
      ...(inOneReconcile === true ? { began: () => (left = writes) } : {}),
    });
    return () => {
      silence();
      start?.();
    };
  }

  /** Its replicas end in the same moment; nothing that they would send behind the last write arrives. */
  #crashComponentAfter(component: ReplicatedComponent, writes: number, met: () => void): () => void {
    let left = writes;
    let start: (() => void) | undefined;
    let isHealed = false;
    const crash = (): void => {
      if (!isHealed) start = this.#stopReplicas(component, met);
    };
    const { clock } = this.#seams;
    const counting: Disturbance = {
      fateOf: ({ verb, kind }) => {
        if (left === 0 && start === undefined) return 'lost';
        if (left === 0 || READING.includes(verb) || BESIDES.includes(kind)) return undefined;
        left -= 1;
        return left === 0 ? { onArrival: () => void clock.schedule(0, crash) } : undefined;
      },
    };
    const replicas = [...this.#seams.components].filter((name) => name.replace(/-\d+$/, '') === component);
    const release = together(replicas.map((replica) => this.#lay({ component: replica }, counting)));
    return () => {
      isHealed = true;
      release();
      start?.();
    };
  }

  #stopReplicas(component: ReplicatedComponent, met: () => void): () => void {
    const key = `replicas/${component}`;
    const replicas = this.#seams.replicas(component);
    if (!this.#isHeld(key)) this.#crashed(component, met);
    return this.#holdAll([key], () => (this.#isHeld(key) ? replicas.stop() : replicas.start()));
  }

  #holdMachine(part: 'kubelet' | 'power', node: string, met: () => void): () => void {
    const machine = this.#seams.machine(node);
    if (!this.#isHeld(`power/${node}`) && !this.#isHeld(`${part}/${node}`)) this.#crashed('kubelet', met);
    return this.#holdAll([`${part}/${node}`], () => {
      if (this.#isHeld(`power/${node}`)) return machine.powerOff();
      machine.powerOn();
      if (this.#isHeld(`kubelet/${node}`)) machine.stopKubelet();
      else machine.startKubelet();
    });
  }

  /** The machine is off once nothing holds that up; what is healed before leaves it on. */
  #shutDown(node: string, met: () => void): () => void {
    const machine = this.#seams.machine(node);
    const key = `shutdown/${node}`;
    let isHealed = false;
    let powerOn: (() => void) | undefined;
    const goDark = (): void => {
      if (!isHealed) powerOn ??= this.#holdMachine('power', node, met);
    };
    const letGo = this.#holdAll([key], () => {
      if (!this.#isHeld(key)) machine.callOffShutdown();
    });
    if (machine.shutDown(goDark)) met();
    else goDark();
    return () => {
      isHealed = true;
      letGo();
      powerOn?.();
    };
  }

  #stop(name: string, met: () => void): () => void {
    const key = `controller/${name}`;
    const controller = this.#seams.controller(name);
    if (!this.#isHeld(key)) this.#crashed(name, met);
    return this.#holdAll([key], () => (this.#isHeld(key) ? controller.stop() : controller.start()));
  }

  #crashed(name: string, met: () => void): void {
    this.tally.crashed(name);
    met();
  }

  #runTwice(name: string, met: () => void): () => void {
    const second = this.#seams.secondController(name);
    second.start();
    met();
    return () => second.stop();
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

function together(ends: readonly (() => void)[]): () => void {
  return () => {
    for (const end of ends) end();
  };
}

/** Of a caller without types. */
function isFollower(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || findUnreadable(given, 1) !== undefined) return false;
  const { begun, healed } = given as Readonly<Record<string, unknown>>;
  return typeof begun === 'function' && typeof healed === 'function';
}
