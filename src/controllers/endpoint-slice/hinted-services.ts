import type { AddressType } from './endpoints.js';
import { isOverloaded, type ZoneCounts, type ZoneShares } from './topology-hints.js';

/** How many endpoints of which services are for which zones, where the services are by topology. */
export class HintedServices {
  readonly #counts = new Map<string, Map<AddressType, ZoneCounts>>();

  get size(): number {
    return this.#counts.size;
  }

  has(serviceKey: string): boolean {
    return this.#counts.has(serviceKey);
  }

  set(serviceKey: string, type: AddressType, counts: ZoneCounts): void {
    const byType = this.#counts.get(serviceKey) ?? new Map<AddressType, ZoneCounts>();
    this.#counts.set(serviceKey, byType.set(type, counts));
  }

  drop(serviceKey: string): void {
    this.#counts.delete(serviceKey);
  }

  /** Keys of the services of which a zone has too few endpoints now. */
  overloaded(shares: ZoneShares | undefined): string[] {
    const keys: string[] = [];
    for (const [key, byType] of this.#counts) {
      if ([...byType.values()].some((counts) => isOverloaded(counts, shares))) keys.push(key);
    }
    return keys;
  }
}
