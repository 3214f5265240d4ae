import { zoneKeyOf } from '../../api/objects/node-zone.js';
import type { Node } from '../../api/objects/objects.js';

/**
 * Node names by zone in order of arrival; lists them zone by zone in turn. Mirrors kube-scheduler
 * v1.34 `backend/cache.nodeTree`.
 */
export class NodeTree {
  /** Insertion order of the map is the order of the zones. */
  readonly #zones = new Map<string, string[]>();
  readonly #zoneOf = new Map<string, string>();

  /** Number of nodes. */
  get size(): number {
    return this.#zoneOf.size;
  }

  /** Adds the node, or moves it to the end of another zone if its zone has changed. */
  set(node: Node): void {
    const { name } = node.metadata;
    const zone = zoneKeyOf(node);
    const present = this.#zoneOf.get(name);
    if (present === zone) return;
    if (present !== undefined) this.remove(name);
    this.#zoneOf.set(name, zone);
    const names = this.#zones.get(zone);
    if (names === undefined) this.#zones.set(zone, [name]);
    else names.push(name);
  }

  remove(name: string): void {
    const zone = this.#zoneOf.get(name);
    if (zone === undefined) return;
    this.#zoneOf.delete(name);
    const names = this.#zones.get(zone) ?? [];
    names.splice(names.indexOf(name), 1);
    if (names.length === 0) this.#zones.delete(zone);
  }

  /** Every name: the first of each zone, the second of each zone, and so on. */
  list(): string[] {
    const zones = [...this.#zones.values()];
    const names: string[] = [];
    for (let round = 0; names.length < this.size; round += 1) {
      for (const zone of zones) {
        const name = zone[round];
        if (name !== undefined) names.push(name);
      }
    }
    return names;
  }
}
