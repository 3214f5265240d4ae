import type { ChangeLog } from '../framework/change-log.js';
import type { QueuedPod } from './queued-pod.js';

/** Asks the plugins that keep pods out. */
export interface GateKeepers {
  /** Whether the plugin that keeps the pod out would let it in now. */
  isOpenFor(info: QueuedPod): boolean;
  /** For which pods, by uid, a plugin has opened, in each profile that has it; `undefined` = it may open at any time. */
  openingsOf(plugin: string): readonly ChangeLog[] | undefined;
}

interface Gate {
  /** Pods that the plugin refused when it was last called, by uid; it has not opened for them since. */
  readonly closed: Map<string, QueuedPod>;
  /** Pods that may be let in: for them no event has come since. */
  readonly open: Set<QueuedPod>;
  /** How far each of the plugin's logs was read. */
  readonly read: Map<ChangeLog, number>;
}

/**
 * Gated pods by the plugin that keeps them out. An event that finds the gate closed changes nothing for
 * them, so that a plugin that tells for which pods it opens is not called for all its pods at each event.
 */
export class GatedPods {
  readonly #keepers: GateKeepers;
  readonly #gates = new Map<string, Gate>();
  #size = 0;

  constructor(keepers: GateKeepers) {
    this.#keepers = keepers;
  }

  get size(): number {
    return this.#size;
  }

  add(info: QueuedPod, plugin: string): void {
    const { open, closed } = this.#gateOf(plugin);
    const isClosed = this.#keepers.openingsOf(plugin) !== undefined && !this.#keepers.isOpenFor(info);
    if (isClosed) closed.set(info.pod.metadata.uid, info);
    else open.add(info);
    this.#size += 1;
  }

  delete(info: QueuedPod, plugin: string): void {
    const { open, closed } = this.#gateOf(plugin);
    const { uid } = info.pod.metadata;
    if (open.delete(info)) this.#size -= 1;
    else if (closed.get(uid) === info) {
      closed.delete(uid);
      this.#size -= 1;
    }
  }

  /** The pods of a plugin that an event may let in. */
  admissible(plugin: string): Iterable<QueuedPod> {
    const gate = this.#gateOf(plugin);
    for (const log of this.#keepers.openingsOf(plugin) ?? []) {
      const from = gate.read.get(log) ?? 0;
      if (from === log.end) continue;
      gate.read.set(log, log.end);
      if (from < log.begin) this.#askAll(gate);
      else for (let position = from; position < log.end; position += 1) this.#open(gate, log.at(position));
    }
    return gate.open;
  }

  clear(): void {
    this.#gates.clear();
    this.#size = 0;
  }

  #open({ open, closed }: Gate, uid: string): void {
    const info = closed.get(uid);
    if (info === undefined) return;
    closed.delete(uid);
    open.add(info);
  }

  #askAll(gate: Gate): void {
    for (const [uid, info] of gate.closed) if (this.#keepers.isOpenFor(info)) this.#open(gate, uid);
  }

  #gateOf(plugin: string): Gate {
    let gate = this.#gates.get(plugin);
    if (gate === undefined) {
      gate = { closed: new Map(), open: new Set(), read: new Map() };
      this.#gates.set(plugin, gate);
    }
    return gate;
  }
}
