import type { NodePoolSpec } from '../api/objects/own-objects.js';
import type { Node, ResourceList } from '../api/objects/objects.js';
import { nodeSetups } from '../assembly/node-fleet.js';
import {
  CloudError,
  type Instance,
  type InstanceError,
  type NodeGroup as AutoscaledGroup,
} from '../controllers/cluster-autoscaler/autoscaler-seams.js';
import { parseDurationMs } from '../kernel/distribution.js';
import type { Troubles } from '../kernel/troubles.js';
import type { NodeSetup } from '../kubelet/kubelet.js';

/** On every Node of a pool: the pool's name. */
const POOL_LABEL = 'kubeloom.dev/pool';
const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
/** A machine that could not be made is tried again then, unless it was given up before. */
const RETRY_MS = 60_000;

const NONE: readonly Instance[] = [];

interface Machine {
  readonly name: string;
  readonly setup: NodeSetup;
  isThere: boolean;
  error: InstanceError | undefined;
  timer: { cancel(): void } | undefined;
}

/** What a pool acts on. */
export interface PoolMeans {
  readonly troubles: Troubles<string>;
  /** @returns a timer that may be cancelled */
  readonly after: (ms: number, work: () => void) => { cancel(): void };
  /** Starts machines. @returns why that cannot be */
  add(setups: readonly NodeSetup[]): string | undefined;
  resourcesOf(setup: NodeSetup): { readonly capacity: ResourceList; readonly allocatable: ResourceList };
  remove(machine: string): void;
  /** A machine was asked for, or is no longer wanted. */
  came(machine: string): void;
  went(machine: string): void;
  /** Another size was asked for than the object says. */
  asked(count: number): void;
  /** Something that the status tells may have changed. */
  readonly changed: () => void;
}

/** One pool with its machines: those that are there, and those that are about to be. */
export class Pool implements AutoscaledGroup {
  readonly name: string;
  readonly ready = new Set<string>();
  isTelling = false;
  /** Why there is not what was asked for. */
  message: string | undefined;
  readonly #means: PoolMeans;
  readonly #prefix: string;
  readonly #machines = new Map<string, Machine>();
  readonly #failed = new Set<Machine>();
  #spec: NodePoolSpec;
  #target = 0;
  /** Machines of an autoscaled pool never have the name of one before. */
  #next = 0;

  constructor(name: string, spec: NodePoolSpec, means: PoolMeans) {
    this.name = name;
    this.#spec = spec;
    this.#prefix = spec.namePrefix ?? `${name}-`;
    this.#means = means;
  }

  get id(): string {
    return this.name;
  }

  get isAutoscaled(): boolean {
    return this.#spec.autoscaling !== undefined;
  }

  get minSize(): number {
    return this.#spec.autoscaling?.min ?? 0;
  }

  get maxSize(): number {
    return this.#spec.autoscaling?.max ?? this.#target;
  }

  get price(): number | undefined {
    return this.#spec.autoscaling?.price;
  }

  get targetSize(): number {
    return this.#target;
  }

  get instances(): readonly Instance[] {
    return [...this.#machines.values()];
  }

  get size(): number {
    return this.#machines.size;
  }

  get failed(): readonly Instance[] {
    if (this.#failed.size === 0) return NONE;
    return this.instances.filter(({ error }) => error !== undefined);
  }

  get selector(): string {
    return `${POOL_LABEL}=${this.name}`;
  }

  /** Machines that are there. */
  get present(): number {
    let present = 0;
    for (const { isThere } of this.#machines.values()) if (isThere) present += 1;
    return present;
  }

  /** What its object says from now on. */
  take(spec: NodePoolSpec): void {
    this.#spec = spec;
    this.#target = spec.count ?? spec.autoscaling?.min ?? 0;
  }

  template(): Node {
    const setup = this.#setup(this.#next);
    const { labels, annotations, taints } = setup;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: setup.name,
        uid: '',
        resourceVersion: '',
        creationTimestamp: '',
        labels: { ...labels },
        annotations: { ...annotations },
      },
      spec: { taints: [...(taints ?? [])] },
      status: { ...this.#means.resourcesOf(setup), conditions: [] },
    };
  }

  increaseSize(by: number): void {
    const refusal = this.#means.troubles.errorOf(`resize ${this.name}`);
    if (refusal !== undefined) throw new CloudError(refusal);
    this.#ask(this.#target + by);
    this.resize(false);
  }

  decreaseTargetSize(by: number): void {
    this.#ask(Math.max(this.#target - by, this.present));
    this.resize(false);
  }

  deleteNodes(names: readonly string[]): void {
    const refusal = this.#means.troubles.errorOf(`resize ${this.name}`);
    if (refusal !== undefined) throw new CloudError(refusal);
    const known = names.filter((name) => this.#machines.has(name));
    this.#ask(this.#target - known.length);
    for (const name of known) this.#remove(name);
  }

  /** As many machines as are asked for. @param isAtOnce - whether new ones are there already */
  resize(isAtOnce: boolean): void {
    this.message = undefined;
    if (this.#target > this.#machines.size) this.#grow(this.#target - this.#machines.size, isAtOnce);
    const tooMany = this.#machines.size - this.#target;
    if (tooMany <= 0) return;
    // Those that are not there yet go first, and of the others those that came last.
    const names = [...this.#machines.values()].toReversed();
    const inOrder = [...names.filter(({ isThere }) => !isThere), ...names.filter(({ isThere }) => isThere)];
    for (const { name } of inOrder.slice(0, tooMany)) this.#remove(name);
  }

  #ask(count: number): void {
    this.#target = count;
    this.#means.asked(count);
  }

  #grow(count: number, isAtOnce: boolean): void {
    const added: Machine[] = [];
    for (let missing = count; missing > 0; missing -= 1) {
      const index = this.isAutoscaled ? this.#next : this.#machines.size;
      this.#next = Math.max(this.#next, index) + 1;
      const setup = this.#setup(index);
      const machine: Machine = { name: setup.name, setup, isThere: false, error: undefined, timer: undefined };
      this.#machines.set(machine.name, machine);
      this.#means.came(machine.name);
      added.push(machine);
    }
    if (isAtOnce) this.#start(added);
    else this.#provision(added);
  }

  #provision(machines: readonly Machine[]): void {
    const { troubles, after, changed } = this.#means;
    const { provisioningDelay = 0 } = this.#spec;
    const ownMs = typeof provisioningDelay === 'string' ? (parseDurationMs(provisioningDelay) ?? 0) : provisioningDelay;
    const delayMs = ownMs + troubles.delayOf(`create ${this.name}`);
    const problem = troubles.errorOf(`create ${this.name}`);
    if (problem !== undefined) {
      this.message = problem;
      const error = { errorClass: 'OutOfResource', code: 'RESOURCE_POOL_EXHAUSTED', message: problem };
      const timer = after(RETRY_MS, () => this.#provision(machines.filter((machine) => this.#isWanted(machine))));
      for (const machine of machines) this.#failed.add(Object.assign(machine, { error, timer }));
      changed();
      return;
    }
    if (delayMs === 0) return this.#start(machines);
    const timer = after(delayMs, () => this.#start(machines.filter((machine) => this.#isWanted(machine))));
    this.#noteWell(machines, { timer });
  }

  #start(machines: readonly Machine[]): void {
    if (machines.length === 0) return;
    const problem = this.#means.add(machines.map(({ setup }) => setup));
    if (problem !== undefined) {
      this.message = problem;
      for (const { name } of machines) this.#forget(name);
    } else this.#noteWell(machines, { isThere: true });
    this.#means.changed();
  }

  #noteWell(machines: readonly Machine[], change: Partial<Machine>): void {
    for (const machine of machines) {
      Object.assign(machine, { error: undefined, ...change });
      this.#failed.delete(machine);
    }
  }

  #isWanted(machine: Machine): boolean {
    return this.#machines.get(machine.name) === machine;
  }

  #remove(name: string): void {
    const machine = this.#forget(name);
    this.ready.delete(name);
    if (machine?.isThere === true) this.#means.remove(name);
    this.#means.changed();
  }

  #forget(name: string): Machine | undefined {
    const machine = this.#machines.get(name);
    if (machine !== undefined) this.#failed.delete(machine);
    this.#machines.delete(name);
    this.#means.went(name);
    return machine;
  }

  #setup(index: number): NodeSetup {
    const {
      count: _count,
      autoscaling: _autoscaling,
      provisioningDelay: _delay,
      zones = [],
      labels,
      ...shape
    } = this.#spec;
    const group = { ...shape, count: 1, namePrefix: this.#prefix, labels: { ...labels, [POOL_LABEL]: this.name } };
    const [first] = nodeSetups([group]);
    const zone = zones[index % Math.max(zones.length, 1)];
    const name = `${this.#prefix}${index}`;
    const ofZone = zone === undefined ? {} : { [ZONE]: zone };
    return { ...(first as NodeSetup), name, labels: { ...first?.labels, [HOSTNAME]: name, ...ofZone } };
  }
}
