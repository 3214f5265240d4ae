/**
 * The seams between components: links, the clients that send requests over them, and the informers
 * that receive watch events over them. Faults act on links, from outside.
 */
import type { Observable } from 'rxjs';
import type { GroupKind } from '../api/kinds/group-kind.js';
import type { Draft, Kind, KindMap, ObjectName, StringMap } from '../api/objects/objects.js';
import type { RecordedEvent } from '../api/objects/recorded-event.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { RateLimit } from '../kernel/token-bucket.js';
import type {
  Binding,
  Change,
  DeleteOptions,
  Eviction,
  ListOptions,
  ObjectEvent,
  ObjectList,
  Patch,
  Preconditions,
  Scale,
  Selection,
  Subresource,
  WatchEvent,
} from '../apiserver/store/server-types.js';
import type { Disturbance, RequestFate, RequestVerb, WatchLag } from './disturbance.js';
import type { RequestWatch } from './request-watch.js';

/** Milliseconds that a message needs, one way: fixed, or drawn for each message from the link's stream. */
export type Latency = number | ((random: RandomStream) => number);

/** Which way messages go, as the component sees it: `out` to the API server, `in` from it. */
export type LinkDirection = 'in' | 'out';

/**
 * The connection between one component and the API server. Messages of one direction never overtake
 * each other.
 */
export interface Link {
  /** The component at the far end, such as `kubelet/node-0` or `kube-scheduler`. */
  readonly party: string;
  /** One-way latency; may be changed while running. */
  latency: Latency;
  /** Whether requests, and events and answers, get through. */
  readonly isUp: boolean;
  /** Whether messages of one direction get through. */
  passes(direction: LinkDirection): boolean;
  /**
   * Cuts one direction, or both: what is in flight that way is lost. Without `in` watches break; without
   * `out` those that are open go on, and no request gets through.
   */
  cut(direction?: LinkDirection): void;
  /**
   * Heals one direction, or both. Once both get through, informers resume from their last version, or relist
   * if the history is gone.
   */
  restore(direction?: LinkDirection): void;
  /** Told {@link isUp} after each change of what gets through. */
  readonly changes$: Observable<boolean>;
  /** Whether every request is sure to be heard and answered: it is up, and no disturbance touches requests. */
  readonly isSteady: boolean;
  /** Told after each change of {@link isSteady}. */
  readonly steadiness$: Observable<boolean>;
  /** Whether it is up, and no disturbance touches anything on it: requests, watch events, or their latency. */
  readonly isCalm: boolean;
  /** Told after each change of {@link isCalm}. */
  readonly calm$: Observable<boolean>;
  /** Lays a disturbance on the link, behind those that are there. @returns what takes it away again */
  disturb(disturbance: Disturbance): () => void;
  /** Messages that were lost so far because it was cut. */
  readonly lostMessages: number;
  /** Requests that failed so far, of those with a callback for the answer: it was an error, or there was none. */
  readonly failedRequests: number;
}

/** Told of what happens to the link that it runs over. */
export interface LinkUser {
  /** Messages of these directions are lost from now on; at least one of them got through before. */
  breakOff(isOutCut: boolean, isInCut: boolean): void;
  /** Both directions get through again. */
  resume(): void;
  /** Events that lagged need not wait any longer, unless something else holds them. */
  hurry?(): void;
}

/** A link as the program at its far end meets it that is no part of the simulation, and has a wire of its own. */
export interface OuterLink extends Link {
  /** What becomes of a request that is sent now; `undefined` = it gets through. */
  fateOf(verb: RequestVerb, kind: Kind, name: string | undefined): RequestFate | undefined;
  /** How watch events of a kind lag now; `undefined` = they do not. */
  lagOf(kind: Kind): WatchLag | undefined;
  /** Milliseconds that the next message needs. */
  drawLatencyMs(): number;
  /** Has a user told of cuts and restorations, in order of joining. */
  join(user: LinkUser): void;
  leave(user: LinkUser): void;
}

/** Options of a change. */
export interface ChangeOptions {
  readonly subresource?: Subresource | undefined;
  readonly preconditions?: Preconditions | undefined;
  /** The real client asks for the object before it sends the change: two requests. @defaultValue false */
  readonly isReadFirst?: boolean | undefined;
  /** The manager as which the real client applies the change on the server. @defaultValue none: it patches */
  readonly appliedBy?: string | undefined;
}

/**
 * Requests to the API server over a link. Two forms: the plain methods take a callback and cost
 * little (kubelets, scheduler); `promised` gives promises that read well (controllers).
 * Over a cut link a request fails with {@link LinkDownError} after the request timeout.
 */
export interface Client {
  readonly link: Link;
  readonly promised: PromisedClient;
  create<K extends Kind>(kind: K, draft: Draft, answer?: AnswerOf<KindMap[K]>): void;
  /** Creates an Event record; there is no answer. */
  record(event: RecordedEvent): void;
  get<K extends Kind>(kind: K, name: ObjectName, answer: AnswerOf<KindMap[K]>): void;
  list<K extends Kind>(kind: K, options: ListOptions, answer: AnswerOf<ObjectList<K>>): void;
  update<K extends Kind>(kind: K, draft: Draft, subresource?: Subresource, answer?: AnswerOf<KindMap[K]>): void;
  patch<K extends Kind>(
    kind: K,
    name: ObjectName,
    patch: Patch,
    subresource?: Subresource,
    answer?: AnswerOf<KindMap[K]>,
  ): void;
  change<K extends Kind>(
    kind: K,
    name: ObjectName,
    change: Change<K>,
    options?: ChangeOptions,
    answer?: AnswerOf<KindMap[K]>,
  ): void;
  delete<K extends Kind>(kind: K, name: ObjectName, options?: DeleteOptions, answer?: AnswerOf<KindMap[K]>): void;
  deleteCollection<K extends Kind>(
    kind: K,
    selection: Selection,
    options?: DeleteOptions,
    answer?: AnswerOf<readonly KindMap[K][]>,
  ): void;
  bind(binding: Binding, answer?: AnswerOf<KindMap['Pod']>): void;
  evict(eviction: Eviction, answer?: AnswerOf<void>): void;
  finalizeNamespace(name: string, answer?: AnswerOf<void>): void;
  /** @throws ApiError 404, also for a kind that has no scale */
  getScale(target: GroupKind, name: ObjectName, answer: AnswerOf<Scale>): void;
  setScale(
    target: GroupKind,
    name: ObjectName,
    replicas: number,
    preconditions: Preconditions | undefined,
    answer: AnswerOf<Scale>,
  ): void;
  /** Reads what another API server answers behind this one: `read` is called at its end, and may throw an ApiError. */
  readBeside<T>(subject: BesideSubject, read: () => T, answer: AnswerOf<T>): void;
}

/** What is read beside the store, such as `PodMetrics` of a namespace. */
export interface BesideSubject {
  readonly kind: string;
  readonly namespace: string;
  /** Absent = a list. */
  readonly name?: string;
}

/** A client of a process, with a limit of its own on how fast its requests go out; those beyond it wait. */
export interface SendingClient extends Client {
  /**
   * For requests over the same limit that shall hold up the others as little as possible: of these one at a time
   * waits for a token, and what comes when 1,000 of them wait is dropped.
   */
  readonly inTurn: Client;
  /** Calls back once everything that was sent so far has gone out: at once, unless something waits for a token. */
  whenOut(then: () => void): void;
  /** The process has ended: requests that wait never go out, and the next process begins with a full burst. */
  forget(): void;
}

/** A callback for the outcome of a request: an error or a value. */
export type AnswerOf<T> = (error: Error | undefined, value: T | undefined) => void;

/** {@link Client} with promises; virtual time never overtakes their continuations. */
export interface PromisedClient {
  create<K extends Kind>(kind: K, draft: Draft): Promise<KindMap[K]>;
  get<K extends Kind>(kind: K, name: ObjectName): Promise<KindMap[K]>;
  list<K extends Kind>(kind: K, options?: ListOptions): Promise<ObjectList<K>>;
  update<K extends Kind>(kind: K, draft: Draft, subresource?: Subresource): Promise<KindMap[K]>;
  patch<K extends Kind>(kind: K, name: ObjectName, patch: Patch, subresource?: Subresource): Promise<KindMap[K]>;
  change<K extends Kind>(kind: K, name: ObjectName, change: Change<K>, options?: ChangeOptions): Promise<KindMap[K]>;
  delete<K extends Kind>(kind: K, name: ObjectName, options?: DeleteOptions): Promise<KindMap[K]>;
  deleteCollection<K extends Kind>(
    kind: K,
    selection: Selection,
    options?: DeleteOptions,
  ): Promise<readonly KindMap[K][]>;
  bind(binding: Binding): Promise<KindMap['Pod']>;
  evict(eviction: Eviction): Promise<void>;
  finalizeNamespace(name: string): Promise<void>;
  getScale(target: GroupKind, name: ObjectName): Promise<Scale>;
  setScale(
    target: GroupKind,
    name: ObjectName,
    replicas: number,
    preconditions: Preconditions | undefined,
  ): Promise<Scale>;
  readBeside<T>(subject: BesideSubject, read: () => T): Promise<T>;
}

/** What an informer tells: the cache already shows the new state. */
export interface InformerHandler<K extends Kind> {
  onAdd?(object: KindMap[K]): void;
  onUpdate?(previous: KindMap[K], object: KindMap[K]): void;
  /**
   * `object` is the last state known to the cache, which a relist may have left stale; `final` the one that the watch
   * told with the deletion, absent where a list did not show the object any more.
   */
  onDelete?(object: KindMap[K], final?: KindMap[K]): void;
  /** The watch broke: nothing is heard until it is open again. */
  onBreak?(): void;
}

/** A read-only cache of one kind, as fresh as the link lets it be. Iteration is in order of arrival. */
export interface Lister<K extends Kind> {
  get(name: ObjectName): KindMap[K] | undefined;
  getByKey(key: string): KindMap[K] | undefined;
  /** All objects, or those of one namespace. */
  list(namespace?: string): Iterable<KindMap[K]>;
  /** Objects under one value of an index that the informer was made with. */
  byIndex(index: string, value: string): Iterable<KindMap[K]>;
  readonly size: number;
}

/** Name of an index to the values under which an object is found. */
export type Indexers<K extends Kind> = Readonly<Record<string, (object: KindMap[K]) => readonly string[]>>;

/** Lists, then watches; survives broken links and lost history. */
export interface Informer<K extends Kind> extends Lister<K> {
  readonly kind: K;
  /** Handlers are told in order of registration; a late one first hears of everything in the cache. */
  addHandler(handler: InformerHandler<K>): () => void;
  /** Begins to list and watch; handlers hear of it over the link. */
  start(): void;
  /** Stops watching and empties the cache. */
  stop(): void;
  /** Whether the first list has arrived. */
  readonly hasSynced: boolean;
  /** Runs `task` once the first list has arrived (in a later tick, or now if it has). */
  whenSynced(task: () => void): void;
  /**
   * When the last renewal of an object was heard of, ms, as if each had been an event (see the
   * API server's `renewLease`); `undefined` for kinds that are not renewed by themselves, and unknown objects.
   */
  heardMs(key: string): number | undefined;
  /** Whether an object is renewed from time to time without events, and the watch that would tell them is open. */
  isRenewing(key: string): boolean;
  /** Version up to which the cache is known to be current. */
  readonly version: number;
}

/** Informers of one component, one per kind, shared by all of its code. */
export interface InformerFactory {
  /** The shared informer of a kind (all namespaces, no selectors); indexes of all callers add up until it starts. */
  informer<K extends Kind>(kind: K, indexers?: Indexers<K>): Informer<K>;
  /** Starts every informer that was asked for. */
  start(): void;
  stop(): void;
  /** Runs `task` once all have synced. */
  whenSynced(task: () => void): void;
}

/** Kubernetes Event types. */
export type EventType = 'Normal' | 'Warning';

/** Writes EventRecords for one component, merging what repeats as upstream does. */
export interface EventRecorder {
  record(
    regarding: {
      readonly kind: string;
      readonly apiVersion: string;
      readonly metadata: ObjectName & { readonly uid: string; readonly resourceVersion?: string };
    },
    type: EventType,
    reason: string,
    message: string,
    options?: {
      readonly action?: string;
      readonly fieldPath?: string;
      /** Of the Event object itself; not of one with an action. */
      readonly annotations?: StringMap;
      readonly related?: {
        readonly kind: string;
        readonly apiVersion: string;
        readonly metadata: ObjectName & { readonly uid: string };
      };
    },
  ): void;
  /** The process that recorded has ended: what waits is lost, and a new one knows of no event that was told before. */
  forget(): void;
}

/** Which events of a component count together, and how many of them it tells (client-go's EventSpamKeyFunc, v1.34). */
export interface EventLimit extends RateLimit {
  /** @param event - the object that it is about, by its uid, and the message as it would be told */
  keyOf(event: { readonly object: string; readonly reason: string; readonly message: string }): string;
}

/** What a recorder works with. */
export interface RecorderOptions {
  /** How many events it tells. @defaultValue client-go's: 25 of one object at once, and one more in five minutes */
  readonly limit?: EventLimit | undefined;
  /** Of a part of the component that has a clock of its own. @defaultValue the component's */
  readonly kernel?: Kernel;
  /** What events are written with. @defaultValue the connection's */
  readonly client?: Client;
}

/** The whole selection of a watch at one version: told first, and again where the history since was lost. */
export interface Listing<K extends Kind = Kind> {
  readonly type: 'LISTED';
  readonly kind: K;
  /** Ordered by namespace and name. */
  readonly items: readonly KindMap[K][];
  readonly version: number;
  /** Simulated time of its arrival, ms. */
  readonly atMs: number;
  /** Of objects that are renewed at regular times, by key; absent = none is. */
  readonly renewals: ObjectList<K>['renewals'];
}

/** What the watch had begun is over, as its link was cut or its history was lost; the next event or listing goes on from there. */
export interface Interruption<K extends Kind = Kind> {
  readonly type: 'BROKEN';
  readonly kind: K;
  /** Simulated time, ms. */
  readonly atMs: number;
}

/** What a watch hands to its listener: a change with what wrote it, a whole selection, or that it heard nothing for a while. */
export type Delivery<K extends Kind = Kind> = WatchEvent<K> | Listing<K> | Interruption<K>;

/**
 * Where components hear of objects. Every subscription is a watch of its own, and is told only what its selection
 * covers: the API server finds the watches of a change by its key, so that a change costs what its listeners cost.
 */
export interface Watching {
  /**
   * The objects of a selection as they are, then each change, in order of versions, each as it arrives: nothing is
   * kept back, joined or dropped for a listener that is slow, as simulated time stands still until it returns.
   * Fails with an ApiError for a selection that the API server refuses. Completes when disposed of.
   */
  watch<K extends Kind>(kind: K, selection?: Selection): Observable<Delivery<K>>;
}

/**
 * Watches beside the API server, with no link between, for what looks at a cluster and is no part of it: a change is
 * told within the request that makes it. A listener must only note it; its own requests come in a tick of their own.
 */
export interface Lookout extends Watching {
  /** As {@link Watching}; what is there already is told as ADDED. Never completes. */
  watch<K extends Kind>(kind: K, selection?: Selection): Observable<ObjectEvent<K>>;
  /** Changes alone, from the moment of the subscription on. */
  changes<K extends Kind>(kind: K, selection?: Selection): Observable<ObjectEvent<K>>;
}

/** One component's way to the API server. */
export interface Connection extends Watching {
  readonly link: Link;
  /** Its limit is that of the connection, and holds for lists and watches of informers as well. */
  readonly client: SendingClient;
  /** One more client, with a limit of its own. @param limit - `undefined` = none */
  openClient(limit: RateLimit | undefined): SendingClient;
  readonly informers: InformerFactory;
  /** An informer of its own over a selection, such as one node's pods. */
  select<K extends Kind>(kind: K, selection: Selection, indexers?: Indexers<K>): Informer<K>;
  /** Stops an informer that {@link select} made, for good. */
  release(informer: Pick<Informer<Kind>, 'stop'>): void;
  recorder(component: string, host?: string, options?: RecorderOptions): EventRecorder;
  /** Closes everything that was opened over the link. */
  dispose(): void;
}

/** A component's cache as it is, for comparison with what is stored. */
export interface CacheReading {
  readonly party: string;
  readonly kind: Kind;
  readonly selection: Selection;
  /** Whether the watch is open, and everything that it had to tell has arrived. */
  readonly isCurrent: boolean;
  readonly objects: Lister<Kind>;
  /**
   * Since when every renewal of an object has been heard of, ms; `undefined` for one that is not renewed, and
   * while the watch is broken.
   */
  heardSinceMs(key: string): number | undefined;
}

/** What a connection is like. */
export interface ConnectOptions {
  /** One-way latency of the link, also of connections that are there. @defaultValue the bus's */
  readonly latency?: Latency | undefined;
  /** How fast the requests of the connection's client may follow each other. @defaultValue as they come */
  readonly limit?: RateLimit | undefined;
}

/** Opens connections; knows every link by its party. */
export interface Bus {
  connect(party: string, options?: ConnectOptions): Connection;
  link(party: string): Link | undefined;
  /** The link of a party outside of the simulation; made where there is none. */
  outerLink(party: string): OuterLink;
  readonly links: Iterable<Link>;
  /** Lays a disturbance on every link, also on those that come later. @returns what takes it away again */
  disturbAll(disturbance: Disturbance): () => void;
  /** Watches beside the API server. */
  readonly lookout: Lookout;
  /** What hears of the requests of all components, those of informers among them. */
  readonly requests: Pick<RequestWatch, 'facts$'>;
  /** The caches of all components, or of one. */
  caches(party?: string): readonly CacheReading[];
  dispose(): void;
}

/** A request or its answer was lost on a cut link. */
export class LinkDownError extends Error {
  override readonly name = 'LinkDownError';
}
