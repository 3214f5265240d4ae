import { Observable, type Subscriber } from 'rxjs';
import type { ApiError } from '../api/errors/api-error.js';
import { keyOf, type Kind, type KindMap } from '../api/objects/objects.js';
import type { Selection, WatchEvent } from '../apiserver/store/server-types.js';
import { ObjectCache, type DifferenceListener } from './object-cache.js';
import { WatchStream, type WatchSink } from './watch-stream.js';
import type { Wire } from './wire.js';

/**
 * Watch events of a selection over a wire as a cold Observable: each subscription lists and watches
 * for itself. After lost history the differences are told, so that no deletion is missed.
 *
 * @param open - holds those that must complete when the connection is disposed of
 */
export function watchOver<K extends Kind>(
  wire: Wire,
  kind: K,
  selection: Selection,
  open: Set<{ complete(): void }>,
): Observable<WatchEvent<K>> {
  return new Observable((subscriber) => {
    if (wire.isDisposed) return subscriber.complete();
    const stream = new WatchStream(wire, kind, selection, new WatchRelay(kind, wire, subscriber));
    open.add(subscriber);
    subscriber.add(() => {
      open.delete(subscriber);
      stream.stop();
    });
    stream.start();
  });
}

/** Turns lists into events by remembering what was told. */
class WatchRelay<K extends Kind> implements WatchSink<K> {
  readonly #kind: K;
  readonly #wire: Wire;
  readonly #subscriber: Subscriber<WatchEvent<K>>;
  readonly #known = new ObjectCache<K>();

  constructor(kind: K, wire: Wire, subscriber: Subscriber<WatchEvent<K>>) {
    this.#kind = kind;
    this.#wire = wire;
    this.#subscriber = subscriber;
  }

  onList(items: readonly KindMap[K][], version: number): void {
    this.#known.replace(items, this.#teller(version));
  }

  onEvent(event: WatchEvent<K>): void {
    if (event.type === 'DELETED') this.#known.drop(keyOf(event.object));
    else if (event.type !== 'BOOKMARK') this.#known.put(event.object);
    this.#subscriber.next(event);
  }

  onRefused(error: ApiError): void {
    this.#subscriber.error(error);
  }

  #teller(version: number): DifferenceListener<K> {
    const kind = this.#kind;
    const atMs = this.#wire.clock.now();
    return {
      onAdd: (object) => this.#subscriber.next({ type: 'ADDED', kind, object, version, atMs }),
      onUpdate: (_previous, object) => this.#subscriber.next({ type: 'MODIFIED', kind, object, version, atMs }),
      onDelete: (object) => this.#subscriber.next({ type: 'DELETED', kind, object, version, atMs }),
    };
  }
}
