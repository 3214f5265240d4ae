/** What a node has for pods and what its active pods ask for, in plain numbers. */
import type { ResourceList } from '../api/objects.js';
import type { ResourceAmounts } from '../api/pod-resources.js';
import { cpuMillis, wholeValue } from '../api/quantity.js';

/** Why a kubelet refuses a pod. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

const PODS = 'pods';
const ONE_POD = 1;

/** See the file header. */
export class NodeResources {
  readonly #allocatable = new Map<string, number>();
  readonly #used = new Map<string, number>();

  constructor(allocatable: ResourceList) {
    for (const [name, quantity] of Object.entries(allocatable)) {
      this.#allocatable.set(name, name === 'cpu' ? cpuMillis(quantity) : wholeValue(quantity));
    }
  }

  /** The first resource that does not suffice; resources that the node does not know are ignored. */
  refusal(requests: ResourceAmounts): Rejection | undefined {
    const pods = this.#shortage(PODS, ONE_POD);
    if (pods !== undefined) return pods;
    for (const [name, amount] of requests) {
      const shortage = amount > 0 ? this.#shortage(name, amount) : undefined;
      if (shortage !== undefined) return shortage;
    }
    return undefined;
  }

  take(requests: ResourceAmounts): void {
    this.#add(PODS, ONE_POD);
    for (const [name, amount] of requests) this.#add(name, amount);
  }

  giveBack(requests: ResourceAmounts): void {
    this.#add(PODS, -ONE_POD);
    for (const [name, amount] of requests) this.#add(name, -amount);
  }

  #shortage(name: string, amount: number): Rejection | undefined {
    const capacity = this.#allocatable.get(name);
    const used = this.#used.get(name) ?? 0;
    if (capacity === undefined || used + amount <= capacity) return undefined;
    const amounts = `requested: ${amount}, used: ${used}, capacity: ${capacity}`;
    return { reason: `OutOf${name}`, message: `Node didn't have enough resource: ${name}, ${amounts}` };
  }

  #add(name: string, amount: number): void {
    this.#used.set(name, (this.#used.get(name) ?? 0) + amount);
  }
}
