/**
 * A cache of one kind, or of a selection of it, that listens to a watch over a link, and handlers
 * that are called with each change once the cache shows it. Users of the same kind share one informer
 * (informer-factory.ts). Mirrors client-go's SharedIndexInformer; unlike it, there is no periodic resync,
 * and a list tells differences only.
 */
import type { Subscription } from 'rxjs';
import { keyOf, type Kind, type KindMap } from '../api/objects/objects.js';
import type { ObjectEvent, Selection } from '../apiserver/store/server-types.js';
import type { CacheReading, Delivery, Indexers, Informer, InformerHandler, Lister, Listing } from './bus-types.js';
import { LinkWatch } from './link-watch.js';
import { listen } from './rx/listen.js';
import { ObjectCache, type DifferenceListener } from './object-cache.js';
import { RenewalLedger } from './renewal-ledger.js';
import type { Wire } from './wire.js';

const NO_HANDLERS: readonly never[] = [];

/** See the file header. */
export class WireInformer<K extends Kind> extends ObjectCache<K> implements Informer<K>, DifferenceListener<K> {
  readonly kind: K;
  readonly #watch: LinkWatch<K>;
  #subscription: Subscription | undefined;
  #handlers: readonly InformerHandler<K>[] = NO_HANDLERS;
  #waiting: (() => void)[] | undefined;
  #hasSynced = false;
  /** Only leases are renewed by themselves. */
  readonly #ledger: RenewalLedger | undefined;

  constructor(wire: Wire, kind: K, selection: Selection, indexers?: Indexers<K>) {
    wire.server.describe(kind);
    super();
    this.kind = kind;
    this.#watch = new LinkWatch(wire, kind, selection);
    if (kind === 'Lease') this.#ledger = new RenewalLedger(this.#watch);
    if (indexers !== undefined) this.addIndexers(indexers);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get version(): number {
    return this.#watch.version;
  }

  /** What it shows, and whether that should be what is stored. */
  get reading(): CacheReading {
    const { wire, selection, isCurrent } = this.#watch;
    const objects = this as unknown as Lister<Kind>;
    const heardSinceMs = (key: string): number | undefined => this.#ledger?.heardSinceMs(key);
    return { party: wire.link.party, kind: this.kind, selection, isCurrent, objects, heardSinceMs };
  }

  addHandler(handler: InformerHandler<K>): () => void {
    this.#handlers = this.#handlers.concat(handler);
    if (handler.onAdd !== undefined) for (const object of [...this.list()]) handler.onAdd(object);
    return () => {
      this.#handlers = this.#handlers.filter((other) => other !== handler);
    };
  }

  start(): void {
    if (this.#isStarted) return;
    this.#subscription = listen(this.#watch.deliveries$, (delivery) => this.#hear(delivery));
  }

  stop(): void {
    if (!this.#isStarted) return;
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
    this.#hasSynced = false;
    this.clear();
    this.#ledger?.clear();
  }

  heardMs(key: string): number | undefined {
    return this.#ledger?.heardMs(key);
  }

  isRenewing(key: string): boolean {
    return this.#ledger?.isRenewing(key) ?? false;
  }

  whenSynced(task: () => void): void {
    if (this.#hasSynced) return task();
    this.#waiting ??= [];
    this.#waiting.push(task);
  }

  /** A selection that the API server refuses is a bug of the program: the error ends the run. */
  #hear(delivery: Delivery<K>): void {
    switch (delivery.type) {
      case 'LISTED':
        return this.#listed(delivery);
      case 'BROKEN':
        return this.#broken();
      case 'BOOKMARK':
        return;
      default:
        this.#changed(delivery);
    }
  }

  #listed({ items, renewals }: Listing<K>): void {
    this.#ledger?.listed(items, renewals);
    this.replace(items, this);
    this.#ledger?.forgetGone();
    if (!this.#isStarted) return this.clear();
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const task of waiting) task();
  }

  #changed(event: ObjectEvent<K>): void {
    this.#ledger?.told(event as unknown as ObjectEvent<'Lease'>);
    const { object } = event;
    if (event.type === 'DELETED') {
      // Handlers get the last object that the cache showed: there may be later changes that never came.
      const previous = this.drop(keyOf(object));
      if (previous !== undefined) this.onDelete(previous, object);
      this.#ledger?.forgetGone();
      return;
    }
    this.replaceOne(keyOf(object), object, this);
  }

  #broken(): void {
    for (const handler of this.#handlers) if (this.#isStarted) handler.onBreak?.();
  }

  get #isStarted(): boolean {
    return this.#subscription !== undefined;
  }

  // A handler may stop the informer: those behind it, and what is left of a list, are not told.
  onAdd(object: KindMap[K]): void {
    for (const handler of this.#handlers) if (this.#isStarted) handler.onAdd?.(object);
  }

  onUpdate(previous: KindMap[K], object: KindMap[K]): void {
    for (const handler of this.#handlers) if (this.#isStarted) handler.onUpdate?.(previous, object);
  }

  onDelete(object: KindMap[K], final?: KindMap[K]): void {
    for (const handler of this.#handlers) if (this.#isStarted) handler.onDelete?.(object, final);
  }
}
