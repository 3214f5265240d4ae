/** What a node has for pods and what its active pods ask for, in plain numbers. */
import type { ResourceList } from '../../api/objects/objects.js';
import type { ResourceAmounts } from '../../api/pods/pod-resources.js';
import { cpuMillis, wholeValue } from '../../api/values/quantity.js';
import { LateMap } from '../../kernel/late-collections.js';

/** A resource of which there is not enough. CPU in millicores, others in whole units. */
export interface Shortage {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

const PODS = 'pods';
const ONE_POD = 1;
/** Looked at in this order, others after them by name. */
const FIRST: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/** See the file header. */
export class NodeResources {
  readonly #allocatable = new Map<string, number>();
  readonly #used = new LateMap<string, number>();

  constructor(allocatable: ResourceList) {
    for (const [name, quantity] of Object.entries(allocatable)) {
      this.#allocatable.set(name, name === 'cpu' ? cpuMillis(quantity) : wholeValue(quantity));
    }
  }

  /** What does not suffice; resources that the node does not know are ignored. */
  shortages(requests: ResourceAmounts): readonly Shortage[] {
    let found: Shortage[] | undefined;
    const check = (resource: string, requested: number): void => {
      const shortage = requested > 0 ? this.#shortage(resource, requested) : undefined;
      if (shortage !== undefined) (found ??= []).push(shortage);
    };
    check(PODS, ONE_POD);
    for (const [name, amount] of requests) check(name, amount);
    return found === undefined ? NO_SHORTAGES : found.sort(byResource);
  }

  take(requests: ResourceAmounts): void {
    this.#add(PODS, ONE_POD);
    for (const [name, amount] of requests) this.#add(name, amount);
  }

  giveBack(requests: ResourceAmounts): void {
    this.#add(PODS, -ONE_POD);
    for (const [name, amount] of requests) this.#add(name, -amount);
  }

  /** What the node has for pods; `undefined` = it does not know the resource. */
  capacity(name: string): number | undefined {
    return this.#allocatable.get(name);
  }

  /** What the active pods ask for. */
  used(name: string): number {
    return this.#used.get(name) ?? 0;
  }

  #shortage(resource: string, requested: number): Shortage | undefined {
    const capacity = this.#allocatable.get(resource);
    const used = this.used(resource);
    return capacity === undefined || used + requested <= capacity ? undefined : { resource, requested, used, capacity };
  }

  #add(name: string, amount: number): void {
    this.#used.set(name, (this.#used.get(name) ?? 0) + amount);
  }
}

const NO_SHORTAGES: readonly Shortage[] = [];

function byResource({ resource: a }: Shortage, { resource: b }: Shortage): number {
  return rankOf(a) - rankOf(b) || (a < b ? -1 : 1);
}

function rankOf(resource: string): number {
  if (resource === PODS) return -1;
  const rank = FIRST.indexOf(resource);
  return rank === -1 ? FIRST.length : rank;
}
