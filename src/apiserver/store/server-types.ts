/**
 * What the API server offers within the program. Everything is synchronous: a request is
 * applied, or refused with an ApiError, in the tick in which it arrives. Latency, loss and partitions
 * belong to the links of bus/, never here.
 */
import type { CustomKind } from '../../api/custom/custom-kind.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import type { Draft, Kind, KindMap, ObjectName } from '../../api/objects/objects.js';
import type { ManagedFieldsEntry } from '../../api/objects/kube-object.js';
import type { RecordedEvent } from '../../api/objects/recorded-event.js';
import type { AdmittedPart, AskedResource, BelowObject, RequestContext } from './request-context.js';
import type { Renewals } from '../../api/objects/renewals.js';

/** How an object is changed by a patch. */
export type Patch =
  /** RFC 7386. */
  | { readonly type: 'merge'; readonly body: unknown }
  /** Kubernetes' strategic merge patch. */
  | { readonly type: 'strategic'; readonly body: unknown }
  /** RFC 6902. */
  | { readonly type: 'json'; readonly body: unknown };

/**
 * A patch by code, for components inside the program: applied to the stored object when the request
 * arrives, as a patch without resourceVersion is. Must be pure; returning its argument is a no-op.
 * Only what the endpoint may change is kept (spec for the main resource, status for `status`).
 */
export type Change<K extends Kind> = (current: KindMap[K]) => KindMap[K];

/** Parts of an object with an endpoint of their own. */
export type Subresource = 'status' | 'approval' | 'ephemeralcontainers' | 'resize';

/** Conditions that must hold for a request to be applied; otherwise 409. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/** Options of DELETE. */
export interface DeleteOptions {
  /** Seconds; absent = the object's own (pods: spec.terminationGracePeriodSeconds). */
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly propagationPolicy?: PropagationPolicy | undefined;
}

/** As a server takes them. */
export interface ServerDeleteOptions extends DeleteOptions {
  /** Whether a collection is deleted, of which it is one: plugins are told no name. @defaultValue false */
  readonly isOneOfMany?: boolean;
}

/** Which objects a list or a watch covers. */
export interface Selection {
  /** Absent = all namespaces. */
  readonly namespace?: string | undefined;
  /** Kubernetes' text form, such as `app=web,tier!=db`. */
  readonly labelSelector?: string | undefined;
  /** Kubernetes' text form, such as `spec.nodeName=n1`. */
  readonly fieldSelector?: string | undefined;
}

/** Options of a list. */
export interface ListOptions extends Selection {
  /** Absent = latest, `0` = any, otherwise not older than (or exactly, with `resourceVersionMatch`). */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
}

/** The answer to a list, ordered by namespace/name; all items stand at one version. */
export interface ObjectList<K extends Kind> {
  readonly items: readonly KindMap[K][];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  /** Of objects of the kind that are renewed at regular times, by key; absent = none is. */
  readonly renewals?: ReadonlyMap<string, Renewals>;
}

/** The party of writes that are calls of the program itself, or the API server's own. */
export const USER = 'user';

/** A change of one object as watchers see it. */
export interface ObjectEvent<K extends Kind = Kind> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: K;
  /** The object after the change; for DELETED its last state under the version of the deletion. */
  readonly object: KindMap[K];
  /** Store-wide version of the change. */
  readonly version: number;
  /** Simulated time of the change; synthetic ADDED events of a new watch carry the present. */
  readonly atMs: number;
  /**
   * What wrote it: the party of a link, such as `kube-scheduler` or `kubelet/node-0`, or `user` for calls of the
   * program itself; `undefined` in the synthetic ADDED events of a new watch.
   */
  readonly by: string | undefined;
  /** The resourceVersion that the write said it replaces; `undefined` = it named none. */
  readonly named: string | undefined;
  /** How the object is renewed from then on, until its next event: those renewals have no events of their own. */
  readonly renewals?: Renewals;
}

/** Says how far the history has come, without a change. */
export interface BookmarkEvent<K extends Kind = Kind> {
  readonly type: 'BOOKMARK';
  readonly kind: K;
  readonly version: number;
  readonly atMs: number;
}

/** What a watch tells. */
export type WatchEvent<K extends Kind = Kind> = ObjectEvent<K> | BookmarkEvent<K>;

/** Options of a watch. */
export interface WatchOptions extends Selection {
  /** Events after this version; absent or `0` = synthetic ADDED events for the current state first. */
  readonly resourceVersion?: string | undefined;
}

/** A watch that is open; closing it twice is harmless. */
export interface WatchHandle {
  close(): void;
}

/** The body of a binding. */
export interface Binding {
  readonly metadata: ObjectName & { readonly uid?: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly target: { readonly kind?: string; readonly name: string };
}

/** The body of an eviction (policy/v1). */
export interface Eviction {
  /** Of the pod. */
  readonly metadata: ObjectName;
  readonly deleteOptions?: (DeleteOptions & { readonly dryRun?: readonly string[] | undefined }) | undefined;
  /** Everything is checked and nothing written. @defaultValue false */
  readonly dryRun?: boolean | undefined;
}

/** The /scale subresource. */
export interface Scale {
  readonly metadata: ObjectName & {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
  readonly spec: { readonly replicas: number };
  /** Some custom kinds have no selector. */
  readonly status: { readonly replicas: number; readonly selector?: string };
}

/** Kinds with a /scale subresource; some custom kinds have it as well. */
export type ScalableKind = 'Deployment' | 'ReplicaSet' | 'ReplicationController' | 'StatefulSet' | 'NodePool';

/** The maker of a request, as far as the ownership of fields is concerned. */
export interface FieldManager {
  readonly name: string;
  /** The endpoint below the object; empty for the object itself. */
  readonly subresource: string;
  /** @defaultValue 'Update' */
  readonly operation?: ManagedFieldsEntry['operation'] | undefined;
  /** What the managed fields are after the write, where the request has found that out (server-side apply). */
  readonly applied?: readonly ManagedFieldsEntry[] | undefined;
  /** Whether what has been applied is as it was before. @defaultValue false */
  readonly isNothingApplied?: boolean | undefined;
  /** What the request itself says that the managed fields were before it; empty = they are forgotten. */
  readonly given?: readonly ManagedFieldsEntry[] | undefined;
}

/** How a {@link Change} is written. */
export interface ServerChangeOptions {
  readonly subresource?: Subresource | undefined;
  readonly preconditions?: Preconditions | undefined;
  /** The manager that owns what changes as by an apply. @defaultValue the writer owns it as by an update */
  readonly appliedBy?: string | undefined;
}

/** How many replicas an object is to have. */
export interface ScaleWish {
  readonly present: Scale;
  readonly replicas: number;
}

/** The kind of the scale of whatever object. */
export const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;

/** The kinds of what is made below pods and stored nowhere. */
export const POD_PARTS = {
  binding: { group: '', version: 'v1', kind: 'Binding' },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction' },
} as const;

/** What a connection to an object is asked for with, such as PodExecOptions. */
export interface ConnectOptions {
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly options: object;
}

/** Requests of a kind's endpoints. All throw ApiError when refused. */
export interface ApiServer {
  /**
   * Applies a request in the name of a component: watches are told of its writes as that component's.
   *
   * @param party - what its link is called
   */
  as<Request, T>(party: string, apply: (request: Request) => T, request: Request): T;
  /** The manager that the fields of the request at hand go to; absent = the party that it is applied for. */
  fieldManager: FieldManager | undefined;
  /** What admission is to know of the request at hand; absent = one of the party that it is applied for. */
  request: RequestContext | undefined;
  /** Which manager what is made now belongs to: set while a cluster gets what it begins with. */
  beginsAs: string | undefined;

  /** Changes before this version are told to no client: the watch caches were not there yet. */
  watchesSince: number;
  /** Whether `metadata.managedFields` are kept. It costs time and memory with every write. @defaultValue false */
  tracksFields: boolean;
  /** Creates; returns the stored object. `draft.metadata.namespace` defaults to `default`. */
  create<K extends Kind>(kind: K, draft: Draft): KindMap[K];
  /**
   * Keeps an object as another cluster had it, with its uid, times, generation and status: neither admission nor a
   * watch is told of it. Only before the first watch is opened.
   *
   * @throws ApiError for an object that cannot be read, or that this server would not take
   */
  load<K extends Kind>(kind: K, draft: Draft): KindMap[K];
  /** As {@link load}, of an object that every cluster begins with: no write, and no version, is spent on it. */
  place<K extends Kind>(kind: K, draft: Draft): KindMap[K];
  /** The objects that were loaded are all there: the history begins after them. @param digest - stands for them in the trace */
  endLoad(digest: string): void;
  /** Creates an Event record of a name that no other record has; its object is made when something asks for it. */
  record(event: RecordedEvent): void;
  get<K extends Kind>(kind: K, name: ObjectName): KindMap[K];
  /** Like get, but absence is an answer and not an error. */
  find<K extends Kind>(kind: K, name: ObjectName): KindMap[K] | undefined;
  list<K extends Kind>(kind: K, options?: ListOptions): ObjectList<K>;
  /**
   * PUT; with metadata.resourceVersion only if it is still the stored one.
   *
   * @param isPatched - whether a patch has come to the draft: another uid is a fault of it then, and no precondition
   */
  update<K extends Kind>(kind: K, draft: Draft, subresource?: Subresource, isPatched?: boolean): KindMap[K];
  patch<K extends Kind>(kind: K, name: ObjectName, patch: Patch, subresource?: Subresource): KindMap[K];
  /** See {@link Change}. */
  change<K extends Kind>(kind: K, name: ObjectName, change: Change<K>, options?: ServerChangeOptions): KindMap[K];
  /** The object as it stands after the request: marked, or its last state when it was removed. */
  delete<K extends Kind>(kind: K, name: ObjectName, options?: ServerDeleteOptions): KindMap[K];
  deleteCollection<K extends Kind>(kind: K, selection: Selection, options?: DeleteOptions): readonly KindMap[K][];
  bind(binding: Binding): KindMap['Pod'];
  /** A connection to an object is asked for: what admission may refuse. @throws ApiError, AdmissionPending */
  connect(kind: Kind, name: ObjectName, subresource: string, wish: ConnectOptions): void;
  /** Deletes a pod if its PodDisruptionBudget lets it go. @throws ApiError 429 if it does not */
  evict(eviction: Eviction): void;
  getScale(kind: ScalableKind, name: ObjectName): Scale;
  setScale(kind: ScalableKind, name: ObjectName, replicas: number, preconditions?: Preconditions): Scale;
  /** Has plugins see a scale before it is written. @param write - the change of the object, which they see no more */
  scaling<T>(kind: Kind, name: ObjectName, wish: ScaleWish, write: (replicas: number) => T): T;
  /** Has plugins see what is created below an object, or answered and not kept. @throws ApiError, AdmissionPending */
  admits<T extends object>(
    resource: AskedResource,
    subresource: string,
    asked: BelowObject & { readonly object: T },
  ): AdmittedPart<T>;
  /**
   * Says what holds a namespace up.
   *
   * @param finalizers - of its spec; by default those that there are but `kubernetes`: its content is gone
   */
  finalizeNamespace(name: string, finalizers?: readonly string[]): void;
  /**
   * Opens a watch. `sink` is called inside the writing request, in version order; it must only note
   * the event (links deliver it later). The bus alone calls this, and hands watches out as Observables.
   * @throws ApiError 410 Expired when the history no longer reaches back to the version
   */
  watch<K extends Kind>(kind: K, options: WatchOptions, sink: (event: WatchEvent<K>) => void): WatchHandle;
  /**
   * All writes that `work` makes, or, when it throws, none: no watch is told of any of them before it has
   * returned. There is no such thing in Kubernetes; it is what lets a user apply many objects at once.
   */
  transaction<T>(work: () => T): T;
  /** The newest version that a kind had at a time, or the oldest one that its history still knows. */
  versionAt(kind: Kind, ms: number): number;
  /** Forgets all changes so far: watches cannot resume from before now, and lists not be older. */
  forgetHistory(): void;
  /** The store's newest version. */
  readonly version: number;
  /** Versions that it serves beyond those of every server; see optional-kinds.ts. */
  readonly optionalVersions: readonly string[];
  /** The kinds that definitions of custom resources have brought, the same list until one of those changes. */
  readonly customKinds: readonly CustomKind[];
  /** The description of a kind, one that a definition has brought included. @throws ApiError 404 */
  describe<K extends Kind>(kind: K): ResourceKind<K>;
  /** Number of stored objects of a kind. */
  count(kind: Kind): number;
  /**
   * Says that a node's lease is renewed at regular times from now on, or, with `undefined`, no longer:
   * renewals are computed when it is read, and watches are told of their beginning and their end. Those of
   * other leaders have another namespace than `kube-node-lease`.
   *
   * @param onGone - told when the lease is taken away meanwhile: the next renewal will not find it
   */
  renewLease(node: string, renewals: Renewals | undefined, namespace?: string, onGone?: () => void): void;
  /** The run is over: leases stay as they are shown, though what renewed them is taken down. */
  close(): void;
}
