/**
 * The bus: how every component reaches the API server, and the only way it does. It owns the links by
 * party and the connections over them. It never looks into what travels, and never decides when a
 * link fails: faults do, from outside. Stands for the network and for client-go (v1.34).
 */
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { Bus, CacheReading, Connection, ConnectOptions, Latency, Link, Lookout, OuterLink } from './bus-types.js';
import { WireConnection } from './connection.js';
import type { Disturbance } from './disturbance.js';
import { EventNames } from './event-names.js';
import { PartyLink } from './link.js';
import { createLookout } from './lookout.js';
import { RequestWatch } from './request-watch.js';

/** Options of all links of a bus. */
export interface BusOptions {
  /** One-way latency of links that have none of their own. @defaultValue fixed per link, drawn from 1..5 ms */
  readonly latency?: Latency | undefined;
}

/**
 * Builds the bus between components and one API server.
 *
 * @example
 * const bus = createBus(kernel, server);
 * const { client, informers } = bus.connect('kube-scheduler');
 */
export function createBus(kernel: Kernel, server: ApiServer, options: BusOptions = {}): Bus {
  return new LinkBus(kernel, server, options);
}

class LinkBus implements Bus {
  readonly lookout: Lookout;
  readonly requests = new RequestWatch();
  readonly #kernel: Kernel;
  readonly #server: ApiServer;
  readonly #latency: Latency | undefined;
  readonly #names: EventNames;
  readonly #links = new Map<string, PartyLink>();
  /** What lies on all links, with what takes it away from each. */
  readonly #everywhere = new Map<Disturbance, (() => void)[]>();
  readonly #connections = new Set<WireConnection>();
  readonly #forget = (connection: WireConnection): void => void this.#connections.delete(connection);

  constructor(kernel: Kernel, server: ApiServer, { latency }: BusOptions) {
    this.#kernel = kernel;
    this.#server = server;
    this.lookout = createLookout(server);
    this.#latency = latency;
    this.#names = new EventNames(kernel.clock, kernel.ids, kernel.timestamps);
  }

  get links(): Iterable<Link> {
    const links = this.#links;
    return { [Symbol.iterator]: () => links.values() };
  }

  caches(party?: string): readonly CacheReading[] {
    const readings: CacheReading[] = [];
    for (const connection of this.#connections) {
      if (party === undefined || connection.link.party === party) readings.push(...connection.caches);
    }
    return readings;
  }

  disturbAll(disturbance: Disturbance): () => void {
    this.#everywhere.set(disturbance, []);
    for (const link of this.#links.values()) this.#lay(disturbance, link);
    return () => {
      const removals = this.#everywhere.get(disturbance) ?? [];
      this.#everywhere.delete(disturbance);
      for (const remove of removals) remove();
    };
  }

  #lay(disturbance: Disturbance, link: Link): void {
    this.#everywhere.get(disturbance)?.push(link.disturb(disturbance));
  }

  link(party: string): Link | undefined {
    return this.#links.get(party);
  }

  outerLink(party: string): OuterLink {
    return this.#linkOf(party);
  }

  /** A party that connects again (its process restarted) finds its link as it left it. */
  connect(party: string, { latency, limit }: ConnectOptions = {}): Connection {
    const link = this.#linkOf(party, latency);
    const kernel = this.#kernel.at(party);
    const connection = new WireConnection(kernel, this.#server, link, limit, this.#names, this.#forget);
    this.#connections.add(connection);
    return connection;
  }

  #linkOf(party: string, latency?: Latency): PartyLink {
    const present = this.#links.get(party);
    if (present !== undefined) {
      if (latency !== undefined) present.latency = latency;
      return present;
    }
    const openStream = (): RandomStream => this.#kernel.random(`link/${party}`);
    const link = new PartyLink(party, latency ?? this.#latency, openStream, this.requests);
    this.#links.set(party, link);
    for (const disturbance of this.#everywhere.keys()) this.#lay(disturbance, link);
    return link;
  }

  dispose(): void {
    for (const connection of this.#connections) connection.dispose();
    for (const link of this.#links.values()) link.dispose();
    this.#links.clear();
  }
}
