/**
 * The places of a service's pods, kept up pod by pod in the order of their addresses: what a sync needs is read off,
 * however many pods the service has. Pods that have not the same ports, which are few, go the way of `packSubsets`.
 */
import type { core } from '../../api/objects/objects.js';
import { compareAddresses, packSubsets, portKey, subsetOf, type Place } from './subsets.js';

interface Entry {
  readonly address: core.EndpointAddress;
  readonly isReady: boolean;
  readonly places: readonly Place[];
  /** Which ports the pod has. */
  readonly portsKey: string;
}

/** See the file header. */
export class SubsetBook {
  readonly #byName = new Map<string, Entry>();
  /** By address. */
  readonly #sorted: Entry[] = [];
  /** How many pods have which ports. */
  readonly #portSets = new Map<string, number>();

  /** @param places - of the pod of that name: one address, once for each port; empty = it has none */
  set(name: string, places: readonly Place[]): void {
    const known = this.#byName.get(name);
    if (known !== undefined) this.#remove(name, known);
    const [first] = places;
    if (first === undefined) return;
    const { address, isReady } = first;
    const entry: Entry = { address, isReady, places, portsKey: places.map(({ port }) => portKey(port)).join(' ') };
    this.#byName.set(name, entry);
    this.#sorted.splice(this.#indexOf(entry), 0, entry);
    this.#portSets.set(entry.portsKey, (this.#portSets.get(entry.portsKey) ?? 0) + 1);
  }

  subsets(): core.EndpointSubset[] {
    const [first] = this.#sorted;
    if (first === undefined) return [];
    if (this.#portSets.size > 1) return packSubsets(this.#sorted.flatMap(({ places }) => places));
    const ports = new Map(first.places.map(({ port }) => [portKey(port), port]));
    return [
      subsetOf(
        this.#sorted,
        [...ports.values()].flatMap((port) => port ?? []),
      ),
    ];
  }

  #remove(name: string, entry: Entry): void {
    this.#byName.delete(name);
    this.#sorted.splice(this.#indexOf(entry), 1);
    const count = this.#portSets.get(entry.portsKey) ?? 0;
    if (count > 1) this.#portSets.set(entry.portsKey, count - 1);
    else this.#portSets.delete(entry.portsKey);
  }

  /** Where the entry stands, or would: no two pods have the same address and uid. */
  #indexOf(entry: Entry): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareAddresses((this.#sorted[middle] as Entry).address, entry.address) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
