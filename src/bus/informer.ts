/**
 * A cache of one kind, or of a selection of it, that follows the API server over a wire, and handlers
 * that hear of each change once the cache shows it. Never asks for anything twice: who wants the same
 * kind shares the informer (informer-factory.ts). Mirrors client-go's SharedIndexInformer; unlike it,
 * there is no periodic resync, and a list tells differences only.
 */
import type { ApiError } from '../api/errors/api-error.js';
import { requireKind } from '../api/kinds/known-kind.js';
import { keyOf, type Kind, type KindMap } from '../api/objects/objects.js';
import type { ObjectList, Selection, WatchEvent } from '../apiserver/store/server-types.js';
import type { CacheReading, Indexers, Informer, InformerHandler, Lister } from './bus-types.js';
import { ObjectCache, type DifferenceListener } from './object-cache.js';
import { RenewalLedger } from './renewal-ledger.js';
import { WatchStream, type WatchSink } from './watch-stream.js';
import type { Wire } from './wire.js';

const NO_HANDLERS: readonly never[] = [];

/** See the file header. */
export class WireInformer<K extends Kind>
  extends ObjectCache<K>
  implements Informer<K>, WatchSink<K>, DifferenceListener<K>
{
  readonly kind: K;
  readonly #stream: WatchStream<K>;
  #handlers: readonly InformerHandler<K>[] = NO_HANDLERS;
  #waiting: (() => void)[] | undefined;
  #isStarted = false;
  #hasSynced = false;
  /** Only leases are renewed by themselves. */
  readonly #ledger: RenewalLedger | undefined;

  constructor(wire: Wire, kind: K, selection: Selection, indexers?: Indexers<K>) {
    requireKind(kind);
    super();
    this.kind = kind;
    this.#stream = new WatchStream(wire, kind, selection, this);
    if (kind === 'Lease') this.#ledger = new RenewalLedger(this.#stream);
    if (indexers !== undefined) this.addIndexers(indexers);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get version(): number {
    return Math.max(0, this.#stream.version);
  }

  /** What it shows, and whether that should be what is stored. */
  get reading(): CacheReading {
    const { wire, selection, isCurrent } = this.#stream;
    const objects = this as unknown as Lister<Kind>;
    const heardSinceMs = (key: string): number | undefined => this.#ledger?.heardSinceMs(key);
    return { party: wire.link.party, kind: this.kind, selection, isCurrent, objects, heardSinceMs };
  }

  addHandler(handler: InformerHandler<K>): () => void {
    this.#handlers = [...this.#handlers, handler];
    if (handler.onAdd !== undefined) for (const object of [...this.list()]) handler.onAdd(object);
    return () => {
      this.#handlers = this.#handlers.filter((other) => other !== handler);
    };
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#stream.start();
  }

  stop(): void {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#hasSynced = false;
    this.#stream.stop();
    this.#stream.version = -1;
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

  onList(items: readonly KindMap[K][], _version: number, renewals: ObjectList<K>['renewals']): void {
    this.#ledger?.listed(items, renewals);
    this.replace(items, this);
    if (!this.#isStarted) return this.clear();
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const task of waiting) task();
  }

  onEvent(event: WatchEvent<K>): void {
    if (event.type === 'BOOKMARK') return;
    this.#ledger?.told(event as unknown as WatchEvent<'Lease'>);
    const { object } = event;
    if (event.type === 'DELETED') {
      // What is taken away is what was shown: between the two there may be changes that nobody has told.
      const previous = this.drop(keyOf(object));
      if (previous !== undefined) this.onDelete(previous);
      return;
    }
    this.replaceOne(keyOf(object), object, this);
  }

  onBreak(): void {
    for (const handler of this.#handlers) if (this.#isStarted) handler.onBreak?.();
  }

  /** A selection that the API server refuses was written by our own code. */
  onRefused(error: ApiError): void {
    throw error;
  }

  // A handler may stop the informer: those behind it, and what is left of a list, are not told.
  onAdd(object: KindMap[K]): void {
    for (const handler of this.#handlers) if (this.#isStarted) handler.onAdd?.(object);
  }

  onUpdate(previous: KindMap[K], object: KindMap[K]): void {
    for (const handler of this.#handlers) if (this.#isStarted) handler.onUpdate?.(previous, object);
  }

  onDelete(object: KindMap[K]): void {
    for (const handler of this.#handlers) if (this.#isStarted) handler.onDelete?.(object);
  }
}
