/**
 * Keeps a view of a selection current over a wire: lists, watches from there, stops when the link is
 * cut, goes on from the last version when it heals, and lists anew when the history is gone (410).
 * Never keeps objects: those are its sink's. Mirrors client-go's Reflector, except that a healed link
 * is used at once: there is no back-off.
 */
import { ApiError, isApiError } from '../api/api-error.js';
import type { Kind, KindMap } from '../api/objects.js';
import type { ObjectList, Selection, WatchEvent, WatchHandle } from '../apiserver/server-types.js';
import type { LinkUser } from './link.js';
import type { Message, Wire } from './wire.js';

/** Who wants to know. */
export interface WatchSink<K extends Kind> {
  /** The whole selection at one version: the first list, or one after lost history. */
  onList(items: readonly KindMap[K][], version: number): void;
  onEvent(event: WatchEvent<K>): void;
  /** The API server refused the selection; nothing more comes. */
  onRefused(error: ApiError): void;
}

/** The version of a stream that must list. */
const NOTHING_KNOWN = -1;

/** See the file header. */
export class WatchStream<K extends Kind> implements LinkUser {
  readonly wire: Wire;
  readonly kind: K;
  readonly selection: Selection;
  readonly sink: WatchSink<K>;
  /** Version up to which the sink was told everything; -1 before the first list. */
  version = NOTHING_KNOWN;
  #session: WatchSession<K> | undefined;

  constructor(wire: Wire, kind: K, selection: Selection, sink: WatchSink<K>) {
    this.wire = wire;
    this.kind = kind;
    this.selection = selection;
    this.sink = sink;
  }

  /** Begins; the sink hears of it over the link. */
  start(): void {
    this.wire.join(this);
    this.resume();
  }

  /** Ends; the sink is told nothing more. */
  stop(): void {
    this.wire.leave(this);
    this.#session?.close();
    this.#session = undefined;
  }

  /** The link was cut. */
  breakOff(): void {
    const session = this.#session;
    if (session === undefined) return;
    // All that happened so far has been told: what a real API server's bookmarks would have said.
    if (session.isCurrent) this.version = this.wire.server.version;
    session.close();
    this.#session = undefined;
  }

  /** The link was restored. */
  resume(): void {
    this.#session?.close();
    this.#session = new WatchSession(this);
    this.wire.send(this.#session);
  }

  /** The API server no longer knows what happened since. */
  relist(): void {
    this.version = NOTHING_KNOWN;
    this.resume();
  }
}

/** One attempt to list, if need be, and watch. It is itself the message that goes to and fro. */
class WatchSession<K extends Kind> implements Message {
  dueMs = 0;
  readonly #stream: WatchStream<K>;
  #list: ObjectList<K> | undefined;
  #error: ApiError | undefined;
  #handle: WatchHandle | undefined;
  #eventsUnderWay = 0;
  #isClosed = false;

  constructor(stream: WatchStream<K>) {
    this.#stream = stream;
  }

  /** Whether the watch is open and every event of it has been delivered. */
  get isCurrent(): boolean {
    return this.#handle !== undefined && this.#eventsUnderWay === 0;
  }

  close(): void {
    this.#isClosed = true;
    this.#handle?.close();
    this.#handle = undefined;
  }

  arrive(): void {
    if (this.#isClosed) return;
    const { wire, version } = this.#stream;
    try {
      if (version !== NOTHING_KNOWN) return this.#watch(version);
      this.#list = wire.server.list(this.#stream.kind, this.#stream.selection);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#error = error;
    }
    wire.sendBack(this);
  }

  deliver(): void {
    if (this.#isClosed) return;
    const stream = this.#stream;
    const error = this.#error;
    if (error !== undefined) {
      if (isApiError(error, 'Expired') || isApiError(error, 'Gone')) return stream.relist();
      stream.stop();
      return stream.sink.onRefused(error);
    }
    const list = this.#list;
    if (list === undefined) return;
    this.#list = undefined;
    const version = Number(list.resourceVersion);
    stream.version = version;
    // The request for the watch goes out first: a sink's own requests come after it.
    stream.wire.send(this);
    stream.sink.onList(list.items, version);
  }

  lose(): void {
    /* the stream starts another session when the link is restored */
  }

  /** An event has come out of the link. */
  take(event: WatchEvent<K>): void {
    this.#eventsUnderWay -= 1;
    if (this.#isClosed) return;
    this.#stream.version = event.version;
    this.#stream.sink.onEvent(event);
  }

  #watch(version: number): void {
    const { wire, kind, selection } = this.#stream;
    const options = { ...selection, resourceVersion: String(version) };
    this.#handle = wire.server.watch(kind, options, (event) => {
      this.#eventsUnderWay += 1;
      wire.sendBack(new WatchDelivery(this, event));
    });
  }
}

/** One watch event on its way. */
class WatchDelivery<K extends Kind> implements Message {
  dueMs = 0;
  readonly #session: WatchSession<K>;
  readonly #event: WatchEvent<K>;

  constructor(session: WatchSession<K>, event: WatchEvent<K>) {
    this.#session = session;
    this.#event = event;
  }

  arrive(): void {
    /* comes from the API server */
  }

  deliver(): void {
    this.#session.take(this.#event);
  }

  lose(): void {
    /* the next session asks for it again */
  }
}
