/**
 * The versioned store: every kind's present objects and history, and the one counter that numbers all
 * writes. A write is: number it, freeze it, keep it, log it, trace it, tell the watches. It knows
 * nothing of requests and rules. Mirrors what etcd and the watch cache do upstream.
 */
import type { Kernel } from '../../kernel/engine/kernel.js';
import { keyOf, type Kind, type KindMap } from '../../api/objects/objects.js';
import { unknownKind } from '../../api/kinds/known-kind.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import type { RecordedEvent } from '../../api/objects/recorded-event.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import { isCustomKind, type CustomKind } from '../../api/custom/custom-kind.js';
import type { AskConversion } from '../../api/custom/conversion.js';
import { CustomKinds } from './custom-kinds.js';
import { KeptChange, KeptEvent } from './kept-event.js';
import { KindTable } from './kind-table.js';
import { USER } from './server-types.js';
import type { Shelf } from './shelf.js';
import { TraceRecorder } from './trace-record.js';
import { WatchHub } from './watch-hub.js';
import { WatchLog, type ChangeEvent } from './watch-log.js';

/** The party of a write, and the version that its request named: noted in the event. */
export interface WriteOrigin {
  by: string;
  named: string | undefined;
}

export type { Shelf } from './shelf.js';

/** See the file header. */
export class VersionedStore {
  /** Of the request that is being applied. */
  readonly origin: WriteOrigin = { by: USER, named: undefined };
  readonly #kernel: Kernel;
  readonly #shelves: { readonly [K in Kind]: Shelf<K> };
  readonly #custom: CustomKinds;
  readonly #recorder: TraceRecorder;
  #version = 0;
  /** Writes of a transaction that is under way: kept, but not yet told. */
  #untold: Write[] | undefined;

  /** @param watchHistory - changes kept per kind */
  constructor(kernel: Kernel, kinds: readonly Kind[], watchHistory: number) {
    this.#kernel = kernel;
    this.#recorder = new TraceRecorder(kernel.trace);
    // Without the names that every object inherits, which are no kinds.
    const shelves = Object.create(null) as Partial<Record<Kind, unknown>>;
    for (const kind of kinds) {
      shelves[kind] = createShelf(kindRegistry[kind] as unknown as ResourceKind, watchHistory);
    }
    this.#shelves = shelves as { readonly [K in Kind]: Shelf<K> };
    this.#custom = new CustomKinds(
      this.#shelves.CustomResourceDefinition,
      (resource, hub) => ({ ...createShelf(resource, watchHistory), ...(hub && { hub }) }),
      (kind) => kind in shelves,
    );
  }

  /** Number of the newest write. */
  get version(): number {
    return this.#version;
  }

  /** Whether writes wait for the end of a transaction. */
  get isInTransaction(): boolean {
    return this.#untold !== undefined;
  }

  /** What is kept of one kind. @throws ApiError 404 that names the known kinds */
  shelf<K extends Kind>(kind: K): Shelf<K> {
    const shelf: Shelf<K> | undefined = typeof kind === 'string' ? this.#shelves[kind] : undefined;
    if (shelf !== undefined) return shelf;
    const custom = typeof kind === 'string' ? this.#custom.shelf(kind) : undefined;
    if (custom === undefined) throw unknownKind(kind);
    return custom as unknown as Shelf<K>;
  }

  /** The kinds that definitions have brought, the same list until one of those changes. */
  get customKinds(): readonly CustomKind[] {
    return this.#custom.all;
  }

  /** Has objects of definitions with webhooks converted by these. */
  convertBy(ask: AskConversion): void {
    this.#custom.ask = ask;
  }

  /** Forgets all changes so far. */
  forgetHistory(): void {
    for (const { log } of Object.values(this.#shelves)) log.forget(this.#version);
    for (const { log } of this.#custom.shelves()) log.forget(this.#version);
  }

  /** Stores a new object under the next version; it and its metadata become the store's own. */
  add<K extends Kind>(shelf: Shelf<K>, object: KindMap[K]): KindMap[K] {
    this.#version += 1;
    const metadata = object.metadata as { resourceVersion: string };
    metadata.resourceVersion = String(this.#version);
    Object.freeze(metadata);
    Object.freeze(object);
    shelf.table.put(object);
    this.#tell(shelf, 'ADDED', object, undefined);
    return object;
  }

  /** Keeps an object that was there before the history begins: nothing is told of it. */
  load<K extends Kind>(shelf: Shelf<K>, object: KindMap[K]): KindMap[K] {
    this.#version += 1;
    const metadata = Object.freeze({ ...object.metadata, resourceVersion: String(this.#version) });
    const stored = Object.freeze({ ...object, metadata }) as KindMap[K];
    shelf.table.put(stored);
    return stored;
  }

  /** Keeps an object that every cluster has: it takes no version of its own. */
  place<K extends Kind>(shelf: Shelf<K>, object: KindMap[K]): KindMap[K] {
    const metadata = Object.freeze({ ...object.metadata, resourceVersion: '1' });
    const stored = Object.freeze({ ...object, metadata }) as KindMap[K];
    shelf.table.put(stored);
    return stored;
  }

  /** As {@link add}, of a record that becomes an object when something asks for it; not within a transaction. */
  keep(shelf: Shelf<'Event'>, event: RecordedEvent, uid: string, creationTimestamp: string): KeptEvent {
    this.#version += 1;
    const kept = new KeptEvent(event, uid, creationTimestamp, this.#version);
    const change = new KeptChange(kept, this.#version, this.#kernel.clock.now(), this.origin.by);
    shelf.table.defer(kept);
    shelf.log.append(change, undefined);
    this.#recorder.recordKept(change.atMs, kept);
    if (shelf.hub.isHeard) shelf.hub.publish(change.told, undefined);
    return kept;
  }

  /** Takes an Event record out, unless it was written again: of a kept one that nothing has asked for no object is made. */
  expire(write: Pick<KeptEvent, 'name' | 'version'> & { readonly namespace: string | undefined }): void {
    const shelf = this.shelf('Event');
    if (write instanceof KeptEvent && this.#drop(shelf, write)) return;
    const stored = shelf.table.get(write.namespace, write.name);
    if (stored?.metadata.resourceVersion === write.version) this.remove(shelf, stored);
  }

  /** As {@link remove}, of a kept record; `false` when it has become an object, or is gone. */
  #drop(shelf: Shelf<'Event'>, kept: KeptEvent): boolean {
    if (!shelf.table.removeDeferred(kept)) return false;
    this.#version += 1;
    const change = new KeptChange(kept, this.#version, this.#kernel.clock.now(), this.origin.by);
    shelf.log.append(change, undefined);
    this.#recorder.recordDropped(change, kept);
    if (shelf.hub.isHeard) shelf.hub.publish(change.told, change.previous);
    return true;
  }

  /** Stores the next state of an object under the next version. */
  replace<K extends Kind>(shelf: Shelf<K>, next: KindMap[K], previous: KindMap[K]): KindMap[K] {
    const stored = this.#numbered(next);
    shelf.table.put(stored, previous);
    this.#tell(shelf, 'MODIFIED', stored, previous);
    return stored;
  }

  /** Takes an object out; its last state stands under the version of the removal. */
  remove<K extends Kind>(shelf: Shelf<K>, stored: KindMap[K]): KindMap[K] {
    const last = this.#numbered(stored);
    const { namespace, name } = stored.metadata;
    shelf.table.remove(namespace, name);
    this.#tell(shelf, 'DELETED', last, stored);
    return last;
  }

  /**
   * All writes of `work`, or, when it throws, none of them; no watch is told of any before it has returned.
   * Inside another transaction it is a part of that one, which may go on without it.
   */
  transaction<T>(work: () => T): T {
    const isPart = this.#untold !== undefined;
    const writes = this.#untold ?? [];
    const [before, version] = [writes.length, this.#version];
    this.#untold = writes;
    try {
      return work();
    } catch (error) {
      for (const write of writes.splice(before).reverse()) write.undo();
      this.#version = version;
      throw error;
    } finally {
      if (!isPart) {
        this.#untold = undefined;
        for (const write of writes) write.tell();
      }
    }
  }

  #numbered<K extends Kind>(object: KindMap[K]): KindMap[K] {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    return Object.freeze({ ...object, metadata: Object.freeze(metadata) }) as KindMap[K];
  }

  #tell<K extends Kind>(
    shelf: Shelf<K>,
    type: ChangeEvent<K>['type'],
    object: KindMap[K],
    previous: KindMap[K] | undefined,
  ): void {
    const atMs = this.#kernel.clock.now();
    const { by, named } = this.origin;
    const version = this.#version;
    const change: ChangeEvent<K> = { type, kind: shelf.resource.storedAs, object, version, atMs, by, named };
    const renewals = shelf.renewals.size === 0 ? undefined : shelf.renewals.get(keyOf(object));
    const event = renewals === undefined || type === 'DELETED' ? change : { ...change, renewals };
    if (this.#untold === undefined) return this.#publish(shelf, event, previous);
    this.#untold.push({
      tell: () => this.#publish(shelf, event, previous),
      undo: () => {
        if (previous === undefined) shelf.table.remove(object.metadata.namespace, object.metadata.name);
        else shelf.table.put(previous);
      },
    });
  }

  #publish<K extends Kind>(shelf: Shelf<K>, event: ChangeEvent<K>, previous: KindMap[K] | undefined): void {
    shelf.log.append(event, previous);
    this.#recorder.record(event, previous);
    shelf.hub.publish(event, previous);
    if (event.type === 'DELETED' && shelf.onRenewedGone.size > 0) shelf.onRenewedGone.get(keyOf(event.object))?.();
  }
}

/** One write of a transaction. */
interface Write {
  tell(): void;
  undo(): void;
}

function nameOf({ metadata }: KindMap[Kind]): string {
  return metadata.name;
}

function createShelf<K extends Kind>(resource: ResourceKind<K>, watchHistory: number): Shelf<K> {
  // Which fields of a custom kind can be selected changes with its definition.
  const nodeNameOf = isCustomKind(resource) ? undefined : resource.selectableFields['spec.nodeName'];
  return {
    resource,
    table: new KindTable(nodeNameOf),
    // Of all that concerns a node, a kubelet asks for its pods and for the node itself.
    log: new WatchLog(watchHistory, resource.storedAs === 'Node' ? nameOf : nodeNameOf),
    hub: new WatchHub(nodeNameOf),
    renewals: new Map(),
    onRenewedGone: new Map(),
  };
}
