/**
 * The endpoints of a service that share their ports, as they should be and as its slices have them, kept up change by
 * change: a sync costs what has changed since the last one, however many pods the service has. It writes nothing and
 * trusts no write: what slices have is read from the slices themselves, once for each version of one.
 */
import { isSameJson } from '../../api/values/canonical-json.js';
import type { discovery, EndpointSlice } from '../../api/objects/objects.js';
import { endpointKey } from './endpoints.js';

interface Wanted {
  readonly endpoint: discovery.Endpoint;
  /** Number of the pod in order of arrival. */
  readonly order: number;
}

/** A slice as it was read. */
interface Page {
  slice: EndpointSlice;
  /** Its endpoints that stand in no slice before it, by key. */
  readonly keys: Map<string, discovery.Endpoint>;
  /** Keys of endpoints that are not wanted, or not like this. */
  readonly differing: Set<string>;
}

/** See the file header. Keys are those of {@link endpointKey}. */
export class EndpointBook {
  readonly ports: discovery.EndpointPort[];
  readonly #wanted = new Map<string, Wanted>();
  /** Keys of wanted endpoints that no slice has. */
  readonly #unplaced = new Set<string>();
  /** By key: the page that has it. */
  readonly #placed = new Map<string, Page>();
  /** By uid of the slice. */
  readonly #pages = new Map<string, Page>();
  /** Two slices have the same endpoint: then all are read anew each time, in their order. */
  #hasDoubles = false;

  constructor(ports: discovery.EndpointPort[]) {
    this.ports = ports;
  }

  /** Number of wanted endpoints. */
  get size(): number {
    return this.#wanted.size;
  }

  /** @param order - number of the pod in order of arrival */
  want(key: string, endpoint: discovery.Endpoint, order: number): void {
    this.#wanted.set(key, { endpoint, order });
    const page = this.#placed.get(key);
    if (page === undefined) this.#unplaced.add(key);
    else this.#compare(page, key);
  }

  unwant(key: string): void {
    this.#wanted.delete(key);
    this.#unplaced.delete(key);
    this.#placed.get(key)?.differing.add(key);
  }

  /** Reads the slices that have become others since the last time; the order counts where two have one endpoint. */
  read(slices: readonly EndpointSlice[]): void {
    const present = new Set(slices.map(({ metadata }) => metadata.uid));
    for (const [uid, page] of this.#pages) if (!present.has(uid)) this.#forget(page);
    for (const slice of slices) {
      const page = this.#pages.get(slice.metadata.uid);
      if (page === undefined) this.#take(slice);
      else if (page.slice !== slice) this.#follow(page, slice);
    }
    if (!this.#hasDoubles) return;
    this.#forgetAll();
    for (const slice of slices) this.#take(slice);
  }

  /** The endpoints of a slice that are still wanted there, as they should be. */
  refreshed({ metadata, endpoints }: EndpointSlice): {
    readonly kept: discovery.Endpoint[];
    readonly isChanged: boolean;
  } {
    const page = this.#pages.get(metadata.uid);
    if (page === undefined || page.differing.size === 0) return { kept: endpoints, isChanged: false };
    return {
      kept: this.#hasDoubles ? this.#sifted(page, endpoints) : this.#replaced(page, endpoints),
      isChanged: true,
    };
  }

  /** Without doubles: what differs is looked up, and nothing else. */
  #replaced({ keys, differing }: Page, endpoints: readonly discovery.Endpoint[]): discovery.Endpoint[] {
    const kept: (discovery.Endpoint | undefined)[] = [...endpoints];
    for (const key of differing) {
      const endpoint = keys.get(key);
      if (endpoint === undefined) continue;
      const wanted = this.#wanted.get(key)?.endpoint;
      kept[kept.indexOf(endpoint)] = wanted !== undefined && isSame(wanted, endpoint) ? endpoint : wanted;
    }
    return kept.filter((endpoint) => endpoint !== undefined);
  }

  /** Of endpoints that stand twice, the first. */
  #sifted(page: Page, endpoints: readonly discovery.Endpoint[]): discovery.Endpoint[] {
    const kept: discovery.Endpoint[] = [];
    const seen = new Set<string>();
    for (const endpoint of endpoints) {
      const key = endpointKey(endpoint);
      const wanted = this.#wanted.get(key)?.endpoint;
      if (wanted === undefined || this.#placed.get(key) !== page || seen.has(key)) continue;
      seen.add(key);
      kept.push(isSame(wanted, endpoint) ? endpoint : wanted);
    }
    return kept;
  }

  /** The wanted endpoints that no slice has, by key, in order of their pods' arrival. */
  unplaced(): Map<string, discovery.Endpoint> {
    const orderOf = (key: string): number => this.#wanted.get(key)?.order ?? 0;
    const keys = [...this.#unplaced].sort((a, b) => orderOf(a) - orderOf(b));
    return new Map(keys.map((key) => [key, (this.#wanted.get(key) as Wanted).endpoint]));
  }

  #take(slice: EndpointSlice): void {
    const page: Page = { slice, keys: new Map(), differing: new Set() };
    this.#pages.set(slice.metadata.uid, page);
    for (const endpoint of slice.endpoints) this.#place(page, endpoint);
  }

  /** Another version of a slice: endpoints that both have are the same objects, and cost no look at their content. */
  #follow(page: Page, slice: EndpointSlice): void {
    const before = page.slice.endpoints;
    const after = slice.endpoints;
    page.slice = slice;
    const shorter = Math.min(before.length, after.length);
    let start = 0;
    while (start < shorter && before[start] === after[start]) start += 1;
    // Few endpoints change at a time: a look through the others costs less than sets of all.
    for (let index = start; index < before.length; index += 1) {
      const endpoint = before[index] as discovery.Endpoint;
      if (after.includes(endpoint)) continue;
      const key = endpointKey(endpoint);
      page.differing.delete(key);
      if (!page.keys.delete(key)) continue;
      this.#placed.delete(key);
      if (this.#wanted.has(key)) this.#unplaced.add(key);
    }
    for (let index = start; index < after.length; index += 1) {
      const endpoint = after[index] as discovery.Endpoint;
      if (!before.includes(endpoint) && after.indexOf(endpoint) === index) this.#place(page, endpoint);
    }
  }

  #place(page: Page, endpoint: discovery.Endpoint): void {
    const key = endpointKey(endpoint);
    if (this.#placed.has(key)) {
      this.#hasDoubles = true;
      page.differing.add(key);
      return;
    }
    this.#placed.set(key, page);
    this.#unplaced.delete(key);
    page.keys.set(key, endpoint);
    const wanted = this.#wanted.get(key)?.endpoint;
    if (wanted === undefined || !isSame(wanted, endpoint)) page.differing.add(key);
  }

  #forget(page: Page): void {
    this.#pages.delete(page.slice.metadata.uid);
    for (const key of page.keys.keys()) {
      this.#placed.delete(key);
      if (this.#wanted.has(key)) this.#unplaced.add(key);
    }
  }

  #forgetAll(): void {
    for (const page of this.#pages.values()) this.#forget(page);
    this.#hasDoubles = false;
  }

  #compare({ keys, differing }: Page, key: string): void {
    const wanted = this.#wanted.get(key)?.endpoint;
    const endpoint = keys.get(key);
    if (wanted !== undefined && endpoint !== undefined && isSame(wanted, endpoint)) differing.delete(key);
    else differing.add(key);
  }
}

/** Hints are given to endpoints when all slices are packed, and are no reason to pack them anew. */
function isSame(wanted: discovery.Endpoint, placed: discovery.Endpoint): boolean {
  if (wanted === placed) return true;
  const { hints: _hints, ...endpoint } = placed;
  return isSameJson(wanted, endpoint);
}
