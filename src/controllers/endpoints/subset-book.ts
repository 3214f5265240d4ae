/**
 * The places of a service's pods in the order of their addresses: a pod that changes costs its own place, and the order
 * is made when it is read, of what was in order and what came since. Pods that have not the same ports, which are few,
 * go the way of `packSubsets`.
 */
import type { core } from '../../api/objects/objects.js';
import { compareAddresses, packSubsets, portKey, subsetOf, type Place } from './subsets.js';

interface Entry {
  readonly address: core.EndpointAddress;
  readonly isReady: boolean;
  readonly places: readonly Place[];
  /** Which ports the pod has. */
  readonly portsKey: string;
  isGone: boolean;
}

/** See the file header. */
export class SubsetBook {
  readonly #byName = new Map<string, Entry>();
  /** By address, those that are gone among them; without what has come since they were read. */
  #sorted: Entry[] = [];
  #news: Entry[] = [];
  #isInOrder = true;
  /** How many pods have which ports. */
  readonly #portSets = new Map<string, number>();

  /** @param places - of the pod of that name: one address, once for each port; empty = it has none */
  set(name: string, places: readonly Place[]): void {
    const known = this.#byName.get(name);
    if (known !== undefined) this.#remove(name, known);
    const [first] = places;
    if (first === undefined) return;
    const { address, isReady } = first;
    const portsKey = places.map(({ port }) => portKey(port)).join(' ');
    const entry: Entry = { address, isReady, places, portsKey, isGone: false };
    this.#byName.set(name, entry);
    this.#news.push(entry);
    this.#isInOrder = false;
    this.#portSets.set(entry.portsKey, (this.#portSets.get(entry.portsKey) ?? 0) + 1);
  }

  subsets(): core.EndpointSubset[] {
    const entries = this.#inOrder();
    const [first] = entries;
    if (first === undefined) return [];
    if (this.#portSets.size > 1) return packSubsets(entries.flatMap(({ places }) => places));
    const ports = new Map(first.places.map(({ port }) => [portKey(port), port]));
    return [
      subsetOf(
        entries,
        [...ports.values()].flatMap((port) => port ?? []),
      ),
    ];
  }

  #remove(name: string, entry: Entry): void {
    this.#byName.delete(name);
    entry.isGone = true;
    this.#isInOrder = false;
    const count = this.#portSets.get(entry.portsKey) ?? 0;
    if (count > 1) this.#portSets.set(entry.portsKey, count - 1);
    else this.#portSets.delete(entry.portsKey);
  }

  /** No two pods have the same address and uid. */
  #inOrder(): readonly Entry[] {
    if (this.#isInOrder) return this.#sorted;
    const news = this.#news.filter(({ isGone }) => !isGone).sort((left, right) => compare(left, right));
    const merged: Entry[] = [];
    let next = 0;
    for (const entry of this.#sorted) {
      if (entry.isGone) continue;
      for (; next < news.length && compare(news[next] as Entry, entry) < 0; next += 1) merged.push(news[next] as Entry);
      merged.push(entry);
    }
    for (; next < news.length; next += 1) merged.push(news[next] as Entry);
    this.#sorted = merged;
    this.#news = [];
    this.#isInOrder = true;
    return merged;
  }
}

function compare(left: Entry, right: Entry): number {
  return compareAddresses(left.address, right.address);
}
