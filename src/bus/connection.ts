import type { Observable } from 'rxjs';
import type { Kind } from '../api/objects/objects.js';
import type { Selection, ApiServer } from '../apiserver/store/server-types.js';
import { assert } from '../kernel/assert.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { RateLimit } from '../kernel/token-bucket.js';
import type {
  CacheReading,
  Connection,
  Delivery,
  EventRecorder,
  Indexers,
  Informer,
  InformerFactory,
  Link,
  RecorderOptions,
  SendingClient,
} from './bus-types.js';
import { WireClient } from './client.js';
import type { EventNames } from './event-names.js';
import { WireEventRecorder } from './event-recorder.js';
import { WireInformerFactory } from './informer-factory.js';
import { WireInformer } from './informer.js';
import { LinkWatch } from './link-watch.js';
import type { PartyLink } from './link.js';
import { Throttle } from './throttle.js';
import { Wire } from './wire.js';

/** One process' use of a link: everything that it opened, so that it can be closed at once. */
export class WireConnection implements Connection {
  readonly client: SendingClient;
  readonly #kernel: Kernel;
  readonly #wire: Wire;
  readonly #names: EventNames;
  readonly #onDispose: (connection: WireConnection) => void;
  #informers: WireInformerFactory | undefined;
  #selected: { stop(): void; readonly reading: CacheReading }[] | undefined;
  #clients: WireClient[] | undefined;
  #recorders: WireEventRecorder[] | undefined;

  constructor(
    kernel: Kernel,
    server: ApiServer,
    link: PartyLink,
    limit: RateLimit | undefined,
    names: EventNames,
    onDispose: (connection: WireConnection) => void,
  ) {
    this.#kernel = kernel;
    this.#wire = new Wire(link, server, kernel.clock, limit);
    this.#names = names;
    this.#onDispose = onDispose;
    this.client = new WireClient(this.#wire, this.#wire.throttle);
  }

  openClient(limit: RateLimit | undefined): SendingClient {
    this.#assertOpen();
    const client = new WireClient(this.#wire, new Throttle(this.#wire.clock, limit));
    this.#clients ??= [];
    this.#clients.push(client);
    return client;
  }

  get link(): Link {
    return this.#wire.link;
  }

  get informers(): InformerFactory {
    this.#informers ??= new WireInformerFactory(this.#wire);
    return this.#informers;
  }

  get caches(): readonly CacheReading[] {
    return [...(this.#informers?.readings ?? []), ...(this.#selected ?? []).map(({ reading }) => reading)];
  }

  select<K extends Kind>(kind: K, selection: Selection, indexers?: Indexers<K>): Informer<K> {
    this.#assertOpen();
    const informer = new WireInformer(this.#wire, kind, selection, indexers);
    this.#selected ??= [];
    this.#selected.push(informer);
    return informer;
  }

  release(informer: { stop(): void }): void {
    informer.stop();
    this.#selected = this.#selected?.filter((other) => other !== informer);
  }

  watch<K extends Kind>(kind: K, selection: Selection = {}): Observable<Delivery<K>> {
    this.#wire.server.describe(kind);
    return new LinkWatch(this.#wire, kind, selection).deliveries$;
  }

  recorder(component: string, host?: string, options: RecorderOptions = {}): EventRecorder {
    this.#assertOpen();
    const { kernel = this.#kernel, client = this.client, limit } = options;
    const means = { kernel, wire: this.#wire, client, names: this.#names, limit };
    const recorder = new WireEventRecorder(means, component, host);
    this.#recorders ??= [];
    this.#recorders.push(recorder);
    return recorder;
  }

  /** Requests that are under way are lost, and their answers are never told. */
  dispose(): void {
    if (this.#wire.isDisposed) return;
    this.#informers?.stop();
    for (const informer of this.#selected ?? []) informer.stop();
    for (const recorder of this.#recorders ?? []) recorder.dispose();
    for (const client of this.#clients ?? []) client.forget();
    this.#wire.dispose();
    this.#onDispose(this);
  }

  #assertOpen(): void {
    assert(!this.#wire.isDisposed, `the connection of ${this.link.party} must not be used after dispose()`);
  }
}
