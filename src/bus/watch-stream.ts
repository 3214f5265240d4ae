/**
 * Tells of a selection over a wire: lists, watches from there, stops when the link is cut, goes on from
 * the last version when it heals, and lists anew when the history is gone (410). One stream for each
 * subscription (link-watch.ts). Never keeps objects: those are its listener's. Mirrors client-go's Reflector, except that a healed link
 * is used at once: only an answer that tells of trouble, or none, is followed by a back-off.
 */
import type { Observer } from 'rxjs';
import { ApiError } from '../api/errors/api-error.js';
import type { Kind } from '../api/objects/objects.js';
import type { ListOptions, ObjectList, Selection, WatchEvent, WatchHandle } from '../apiserver/store/server-types.js';
import type { Timer } from '../kernel/engine/clock.js';
import type { Delivery, LinkUser } from './bus-types.js';
import { HeldEvents } from './held-events.js';
import type { Hearing } from './renewal-ledger.js';
import type { Throttled } from './throttle.js';
import { REQUEST_TIMEOUT_MS, type Message, type Wire } from './wire.js';

/** The version of a stream that must list. */
const NOTHING_KNOWN = -1;
/** client-go's back-off of a Reflector, without its jitter. */
const FIRST_RETRY_MS = 800;
const LONGEST_RETRY_MS = 30_000;
/** Answers from here on say that the server has trouble, and that the same request may do later. */
const TROUBLE = 429;
const OK = 200;

/** See the file header. */
export class WatchStream<K extends Kind> implements LinkUser, Hearing {
  readonly wire: Wire;
  readonly kind: K;
  readonly selection: Selection;
  readonly listener: Observer<Delivery<K>>;
  /** Version up to which the listener was told everything; -1 before the first list. */
  version = NOTHING_KNOWN;
  /** Server time up to which the listener was told everything before the watch that is open now, ms. */
  heardBeforeMs = 0;
  #session: WatchSession<K> | undefined;
  #retry: Timer | undefined;
  #retryMs = FIRST_RETRY_MS;

  constructor(wire: Wire, kind: K, selection: Selection, listener: Observer<Delivery<K>>) {
    this.wire = wire;
    this.kind = kind;
    this.selection = selection;
    this.listener = listener;
  }

  get nowMs(): number {
    return this.wire.clock.now();
  }

  /** A latency that is drawn for each message counts as none. */
  get latencyMs(): number {
    const { latency } = this.wire.link;
    return typeof latency === 'number' ? latency : 0;
  }

  /** Since when the API server has been telling; `undefined` = it does not. */
  get openSinceMs(): number | undefined {
    return this.#session?.openSinceMs;
  }

  /** Whether a watch is open and everything that it had to tell has arrived. */
  get isCurrent(): boolean {
    return this.#session?.isCurrent === true;
  }

  /** Begins; the listener hears of it over the link. */
  start(): void {
    this.wire.join(this);
    this.resume();
  }

  /** Ends; the listener is told nothing more. */
  stop(): void {
    this.wire.leave(this);
    this.#forgetRetry();
    this.#session?.close();
    this.#session = undefined;
  }

  /** The connection is disposed of. */
  complete(): void {
    this.listener.complete();
  }

  /** The link was cut; what is open goes on as long as events get through. */
  breakOff(_isOutCut: boolean, isInCut: boolean): void {
    if (isInCut) this.#end();
  }

  /** Nothing that lags waits any longer, unless it lags for another reason as well. */
  hurry(): void {
    this.#session?.hurry();
  }

  /** The link was restored. */
  resume(): void {
    this.#forgetRetry();
    this.#end();
    this.#session = new WatchSession(this);
    this.wire.throttle.pass(this.#session);
  }

  /** The API server no longer knows what happened since. */
  relist(): void {
    this.version = NOTHING_KNOWN;
    this.resume();
  }

  /** A request for a list or a watch has failed, or will have after that time: another one follows. */
  retryAfter(failedMs: number): void {
    this.#forgetRetry();
    this.#retry = this.wire.clock.schedule(failedMs + this.#retryMs, () => this.resume());
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
  }

  /** A watch is open. */
  succeed(): void {
    this.#retryMs = FIRST_RETRY_MS;
  }

  #forgetRetry(): void {
    if (this.#retry !== undefined) this.wire.clock.cancel(this.#retry);
    this.#retry = undefined;
  }

  #end(): void {
    const session = this.#session;
    if (session === undefined) return;
    // All that happened so far has been told: what a real API server's bookmarks would have said.
    if (session.isCurrent) this.version = this.wire.server.version;
    const { openSinceMs = Infinity } = session;
    const toldUntilMs = this.nowMs - this.latencyMs;
    if (toldUntilMs >= openSinceMs) this.heardBeforeMs = toldUntilMs;
    session.close();
    this.#session = undefined;
    this.listener.next({ type: 'BROKEN', kind: this.kind, atMs: this.nowMs });
  }
}

const NO_LAG = { lagMs: 0, isMerging: false, isStale: false };

/** One attempt to list, if need be, and watch. It is itself the message that goes to and fro. */
class WatchSession<K extends Kind> implements Message, Throttled {
  dueMs = 0;
  readonly #stream: WatchStream<K>;
  #list: ObjectList<K> | undefined;
  #error: ApiError | undefined;
  #handle: WatchHandle | undefined;
  #openSinceMs: number | undefined;
  #eventsUnderWay = 0;
  #held: HeldEvents<K> | undefined;
  #isClosed = false;
  readonly #askedMs: number;
  #sentMs = 0;

  constructor(stream: WatchStream<K>) {
    this.#stream = stream;
    this.#askedMs = stream.nowMs;
  }

  /** Whether the watch is open and every event of it has been delivered. */
  get isCurrent(): boolean {
    return this.#handle !== undefined && this.#eventsUnderWay === 0;
  }

  get openSinceMs(): number | undefined {
    return this.#openSinceMs;
  }

  close(): void {
    this.#isClosed = true;
    this.#handle?.close();
    this.#handle = undefined;
    this.#held?.drop();
  }

  hurry(): void {
    if (this.#held !== undefined && this.#stream.wire.link.lagOf(this.#stream.kind) === undefined) this.#held.release();
  }

  /** A list and the watch that follows it are one request for the limit, as they are with WatchListClient. */
  go(): void {
    this.#sentMs = this.#stream.nowMs;
    if (!this.#isClosed) this.#stream.wire.send(this);
  }

  arrive(): void {
    if (this.#isClosed) return;
    const { wire, version, kind } = this.#stream;
    const fate = wire.link.fateOf(version === NOTHING_KNOWN ? 'list' : 'watch', kind, undefined);
    if (fate !== undefined && !(fate instanceof ApiError)) return this.#stream.retryAfter(REQUEST_TIMEOUT_MS);
    try {
      if (fate !== undefined) throw fate;
      if (version !== NOTHING_KNOWN) return this.#watch(version);
      this.#list = wire.server.list(kind, this.#listOptions());
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
      this.#count('list', error.code);
      if (error.reason === 'Expired' || error.reason === 'Gone') return stream.relist();
      // The kind has gone with its definition, and may come again.
      if (error.reason === 'NotFound') stream.version = NOTHING_KNOWN;
      if (error.code >= TROUBLE || error.reason === 'NotFound') return stream.retryAfter(0);
      stream.stop();
      return stream.listener.error(error);
    }
    const list = this.#list;
    if (list === undefined) return;
    this.#list = undefined;
    this.#count('list', OK);
    const version = Number(list.resourceVersion);
    stream.version = version;
    // The request for the watch goes out first: a listener's own requests come after it.
    stream.wire.send(this);
    const { items, renewals } = list;
    stream.listener.next({ type: 'LISTED', kind: stream.kind, items, version, atMs: stream.nowMs, renewals });
    stream.heardBeforeMs = stream.nowMs - stream.latencyMs;
  }

  lose(): void {
    /* the stream starts another session when the link is restored */
  }

  /** An event has come out of the link; `count` is for how many it stands. */
  take(event: WatchEvent<K>, count: number): void {
    this.#eventsUnderWay -= count;
    if (this.#isClosed) return;
    this.#stream.version = event.version;
    this.#stream.listener.next(event);
  }

  #watch(version: number): void {
    const { wire, kind, selection } = this.#stream;
    const options = { ...selection, resourceVersion: String(version) };
    this.#openSinceMs = wire.clock.now();
    this.#handle = wire.server.watch(kind, options, (event) => this.#tell(event));
    this.#stream.succeed();
    this.#count('watch', OK);
  }

  /** Tells those that listen to requests; a watch has no answer but what it tells. */
  #count(verb: 'list' | 'watch', code: number): void {
    const { wire, kind, selection, nowMs } = this.#stream;
    const { link } = wire;
    if (!link.requests.isListening) return;
    const isList = verb === 'list';
    link.requests.tell({
      atMs: nowMs,
      party: link.party,
      verb,
      kind,
      scope: selection.namespace === undefined ? 'cluster' : 'namespace',
      subresource: undefined,
      waitedMs: isList ? this.#sentMs - this.#askedMs : 0,
      tookMs: isList ? nowMs - this.#sentMs : undefined,
      code,
    });
  }

  #tell(event: WatchEvent<K>): void {
    const { wire, kind } = this.#stream;
    this.#eventsUnderWay += 1;
    const lag = wire.link.lagOf(kind);
    if (lag === undefined && this.#held?.isEmpty !== false) return wire.sendBack(new WatchDelivery(this, event, 1));
    this.#held ??= new HeldEvents(wire.clock, (held, count) => wire.sendBack(new WatchDelivery(this, held, count)));
    this.#held.hold(event, lag ?? NO_LAG);
  }

  /** What is listed is as old as what is told, where that is asked for. */
  #listOptions(): ListOptions {
    const { wire, kind, selection } = this.#stream;
    const lag = wire.link.lagOf(kind);
    if (lag?.isStale !== true) return selection;
    const nowMs = wire.clock.now();
    const laggingMs = lag.lagMs === Infinity ? nowMs : nowMs - lag.lagMs;
    const version = wire.server.versionAt(kind, Math.min(laggingMs, lag.pinnedMs ?? nowMs));
    return { ...selection, resourceVersion: String(version), resourceVersionMatch: 'Exact' };
  }
}

/** One watch event on its way. */
class WatchDelivery<K extends Kind> implements Message {
  dueMs = 0;
  readonly #session: WatchSession<K>;
  readonly #event: WatchEvent<K>;
  readonly #count: number;

  constructor(session: WatchSession<K>, event: WatchEvent<K>, count: number) {
    this.#session = session;
    this.#event = event;
    this.#count = count;
  }

  arrive(): void {
    /* comes from the API server */
  }

  deliver(): void {
    this.#session.take(this.#event, this.#count);
  }

  lose(): void {
    /* the next session asks for it again */
  }
}
