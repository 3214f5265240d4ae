/**
 * The API server: every request of every kind, in the order in which upstream's handles it: decode and
 * defaults, admission, what the kind prepares, validation, store, watch log. It owns the objects, the
 * versions and the history. It is synchronous, knows neither latency nor HTTP, and runs no controller.
 * Mirrors kube-apiserver v1.34 (staging/src/k8s.io/apiserver and pkg/registry).
 */
import type { Kernel } from '../kernel/engine/kernel.js';
import { isCustomKind, type CustomKind } from '../api/custom/custom-kind.js';
import { refuseInvalid } from '../api/errors/field-errors.js';
import { kindsIn, USUAL_KINDS } from '../api/kinds/optional-kinds.js';
import { keyOf, type Draft, type Kind, type KindMap, type ObjectName } from '../api/objects/objects.js';
import { draftOf, isStoredAsTold, type RecordedEvent } from '../api/objects/recorded-event.js';
import { dns1123Subdomain } from '../api/values/names.js';
import { applyPatch } from '../api/patches/patch.js';
import type { Renewals } from '../api/objects/renewals.js';
import type { QuotaAmounts } from '../api/quota/quota-amounts.js';
import { withUsage, type ResourceQuota } from '../api/quota/quota-object.js';
import type { ResourceKind } from '../api/objects/resource-kind.js';
import { Admission, type Admitting } from './admission/admission.js';
import { componentContext } from './admission/chain/component-user.js';
import { lookup } from './store/lookup.js';
import type { AdmittedPart, AskedResource, BelowObject, RequestContext } from './store/request-context.js';
import { guardNamespace, INITIAL_NAMESPACES } from './admission/namespace-lifecycle.js';
import { SYSTEM_PRIORITY_CLASSES } from './admission/priority.js';
import { alreadyExists, badRequest, internalError, notFound, strategicRefused } from './store/api-errors.js';
import { admittedUpdate } from './requests/admitted-update.js';
import { Binder, guardBinding, validateBinding } from './requests/binding.js';
import { isEndedByUpdate, planDeletion, shownDeleteOptions, withNamespaceFinalizers } from './requests/deletion.js';
import { evict } from './requests/eviction.js';
import { partUpdate } from './requests/part-updates.js';
import { DefinitionLife } from './requests/definition-life.js';
import { guardTermination } from './requests/definition-steps.js';
import { EventExpiry } from './requests/event-expiry.js';
import { ObjectLoader } from './requests/loaded-object.js';
import { setLeaseRenewals, withRenewals } from './requests/lease-renewals.js';
import { keptAsOften, updatedGeneration, validateKept, validateFinalizers } from './requests/metadata.js';
import { nextMain, nextStatus, sharingUnchanged, formLike, keptForm } from './requests/next-state.js';
import { ObjectLists } from './requests/object-list.js';
import {
  checkChangePreconditions,
  checkDeletePreconditions,
  checkPatchedMetadata,
  checkPropagationPolicy,
  checkUpdateVersion,
} from './requests/preconditions.js';
import { writingAs, customPaths, requireScalable, shownScale, validateScale, withReplicas } from './requests/scale.js';
import { isUnchanged, judgeUnchanged } from './requests/unchanged.js';
import { compileSelection } from './store/selection.js';
import {
  USER,
  POD_PARTS,
  SCALE_KIND,
  type ApiServer,
  type Binding,
  type Change,
  type ConnectOptions,
  type DeleteOptions,
  type Eviction,
  type FieldManager,
  type ServerChangeOptions,
  type ServerDeleteOptions,
  type ListOptions,
  type ObjectList,
  type Patch,
  type Preconditions,
  type ScalableKind,
  type Scale,
  type ScaleWish,
  type Selection,
  type Subresource,
  type WatchEvent,
  type WatchHandle,
  type WatchOptions,
} from './store/server-types.js';
import { decodedDraft, namedObject } from './requests/drafts.js';
import { losesOwners, noteBeginning, withOwners } from './requests/field-owners.js';
import type { ApiServerOptions } from './server-options.js';
import { VersionedStore, type Shelf } from './store/store.js';
import { openWatch } from './requests/watch-opening.js';

/** Events that are kept of each kind unless the options say otherwise. */
const WATCH_HISTORY = 16_384;
/** The party of writes that the API server makes of its own accord. */
const ITSELF = 'kube-apiserver';
/** Field manager of writes that the program itself makes. */
const PROGRAM = 'kubeloom';

/** That of a component's writes: the name of its program, which ends at the first slash. */
function managerOf(party: string): string {
  return party.split('/', 1)[0] ?? party;
}

const DEFAULT_NAMESPACE = 'default';
/** That of the first write. */
const OLDEST_VERSION = 1;
/** A server with the namespaces and priority classes that every cluster has. */
export function createApiServer(kernel: Kernel, options: ApiServerOptions = {}): ApiServer {
  const server = new KubeApiServer(kernel, options);
  options.load?.(server);
  server.beginsAs = ITSELF;
  for (const name of INITIAL_NAMESPACES) {
    if (server.find('Namespace', { name }) === undefined) server.create('Namespace', { metadata: { name } });
  }
  for (const { name, value, description } of SYSTEM_PRIORITY_CLASSES) {
    if (server.find('PriorityClass', { name }) !== undefined) continue;
    server.create('PriorityClass', { metadata: { name }, value, description });
  }
  server.beginsAs = undefined;
  return server;
}

class KubeApiServer implements ApiServer {
  fieldManager: FieldManager | undefined;
  tracksFields = false;
  beginsAs: string | undefined;
  watchesSince = 0;
  readonly optionalVersions: readonly string[];
  request: RequestContext | undefined;
  readonly #kernel: Kernel;
  readonly #loader: ObjectLoader;
  readonly #onWarning: ((warning: string) => void) | undefined;
  readonly #store: VersionedStore;
  readonly #admission: Admission;
  /** The scale that is being written, which plugins see in the place of the object. */
  #scaling: AdmittedPart<Scale> | undefined;
  readonly #lists: ObjectLists;
  readonly #definitions: DefinitionLife;
  readonly #binder = new Binder();
  readonly #expiry: EventExpiry;
  #isClosed = false;

  constructor(
    kernel: Kernel,
    {
      watchHistory = WATCH_HISTORY,
      serviceAccounts: hasAccounts = false,
      validators = {},
      admission = () => [],
      onWarning,
      optionalVersions = [],
    }: ApiServerOptions,
  ) {
    this.#kernel = kernel;
    this.#loader = new ObjectLoader(kernel);
    this.#onWarning = onWarning;
    this.optionalVersions = optionalVersions;
    const kinds = [...USUAL_KINDS, ...kindsIn(optionalVersions)];
    this.#store = new VersionedStore(kernel, kinds, watchHistory);
    const store = this.#store;
    const context = (): RequestContext => this.request ?? componentContext(store.origin.by, onWarning);
    const plugins = admission(store);
    this.#admission = new Admission({
      kernel,
      store,
      hasAccounts,
      validators,
      context,
      plugins,
      writeUsage: (quota, used) => this.#writeUsage(quota, used),
    });
    this.#lists = new ObjectLists(kernel, this.#store);
    this.#definitions = new DefinitionLife({
      server: this,
      kernel,
      asItself: (write) => this.#asItself(write),
      isClosed: () => this.#isClosed,
    });
    this.#expiry = new EventExpiry(kernel.clock, (write) => this.#store.expire(write));
  }

  as<Request, T>(party: string, apply: (request: Request) => T, request: Request): T {
    const { origin } = this.#store;
    origin.by = party;
    try {
      return apply(request);
    } finally {
      origin.by = USER;
    }
  }

  get version(): number {
    return this.#store.version;
  }

  get customKinds(): readonly CustomKind[] {
    return this.#store.customKinds;
  }

  describe<K extends Kind>(kind: K): ResourceKind<K> {
    return this.#store.shelf(kind).resource;
  }

  versionAt(kind: Kind, ms: number): number {
    return Math.max(OLDEST_VERSION, this.#store.shelf(kind).log.versionAt(ms));
  }

  forgetHistory(): void {
    this.#store.forgetHistory();
  }

  count(kind: Kind): number {
    return this.#store.shelf(kind).table.size;
  }

  create<K extends Kind>(kind: K, draft: Draft): KindMap[K] {
    const shelf = this.#store.shelf(kind);
    const { resource } = shelf;
    const decoded = this.#decoded(resource, draft);
    const { name: wantedName = '', generateName = '', resourceVersion = '' } = decoded.metadata ?? {};
    if (isCustomKind(resource)) guardTermination(resource, wantedName);
    const draftObject = this.#named(shelf, decoded);
    const named = this.#owned(shelf, draftObject, undefined, { part: '', stated: draftObject });
    const shownName = wantedName || generateName || 'Unknown';
    const asked = { object: named, previous: undefined, shownName };
    // What a cluster begins with was there before those who judge.
    const admitting = this.beginsAs === undefined ? this.#admission.of('CREATE', shelf, asked) : undefined;
    const object = resource.prepareForCreate(admitting?.mutated() ?? named, this.request?.warn);
    const errors = resource.validateCreate(object, this.request?.group);
    const serverErrors = [...this.#admission.lacking(kind, object), ...this.#admission.judge(kind, object)];
    const denied = this.#admission.denied(kind, object);
    if (denied.length + errors.length + serverErrors.length > 0) {
      refuseInvalid(resource, object, [...denied, ...errors, ...serverErrors]);
    }
    this.request?.judged?.(kind, object);
    admitting?.validate(object);
    // The storage refuses it, which a dry run does not reach.
    const statedVersion = resourceVersion || object.metadata.resourceVersion;
    if (statedVersion !== '' && this.request?.isDryRun !== true)
      throw internalError('resourceVersion should not be set on objects to be created');
    const { namespace, name } = object.metadata;
    const taken = shelf.table.get(namespace, name);
    if (taken !== undefined) throw alreadyExists(resource, taken.metadata, generateName !== '');
    const stored = this.#store.add(shelf, this.#admission.claim(kind, keptForm(resource, object)));
    return noteBeginning(resource, this.#noteWrite(stored), draftObject, this.beginsAs);
  }

  load<K extends Kind>(kind: K, draft: Draft): KindMap[K] {
    const shelf = this.#store.shelf(kind);
    return this.#store.load(shelf, this.#admission.claim(kind, this.#loader.loadedInto(shelf, draft)));
  }

  place<K extends Kind>(kind: K, draft: Draft): KindMap[K] {
    const shelf = this.#store.shelf(kind);
    const object = this.#loader.loaded(shelf.resource, draft);
    return noteBeginning(shelf.resource, this.#store.place(shelf, object), object, this.beginsAs);
  }

  endLoad(digest: string): void {
    this.#loader.forget();
    this.#store.forgetHistory();
    this.#kernel.trace.add(`load ${digest}`);
  }

  record(event: RecordedEvent): void {
    const shelf = this.#store.shelf('Event');
    const { namespace, name } = event;
    if (!this.#canKeep(event)) return void this.create('Event', draftOf(event));
    const uid = this.#kernel.ids.uid();
    guardNamespace(this.#store.shelf('Namespace'), namespace, shelf.resource, name);
    // Recorders name no two alike: only others may have taken the name.
    if (shelf.table.hasSettled(namespace, name)) throw alreadyExists(shelf.resource, { name }, false);
    const creationTimestamp = this.#kernel.timestamps.toTime(this.#kernel.clock.now());
    this.#expiry.note(this.#store.keep(shelf, event, uid, creationTimestamp));
  }

  /** Whether a record is stored as it is told, if its namespace takes it: what `create` does beyond that is without effect. */
  #canKeep(event: RecordedEvent): boolean {
    const { name, namespace, regarding } = event;
    if (this.tracksFields || this.#store.isInTransaction) return false;
    if (!this.#admission.needsNamespaceOnly(this.#store.shelf('Event'))) return false;
    if ((regarding.namespace ?? DEFAULT_NAMESPACE) !== namespace || !isStoredAsTold(event)) return false;
    return dns1123Subdomain(name).length === 0;
  }

  get<K extends Kind>(kind: K, name: ObjectName): KindMap[K] {
    const found = this.find(kind, name);
    if (found === undefined) throw notFound(this.#store.shelf(kind).resource, name.name);
    return found;
  }

  find<K extends Kind>(kind: K, name: ObjectName): KindMap[K] | undefined {
    const shelf = this.#store.shelf(kind);
    const stored = lookup(shelf, name);
    if (stored === undefined || shelf.renewals.size === 0) return stored;
    return withRenewals<K>(this.#kernel, stored, shelf.renewals.get(keyOf(stored)));
  }

  list<K extends Kind>(kind: K, options: ListOptions = {}): ObjectList<K> {
    return this.#lists.list(this.#store.shelf(kind), options);
  }

  update<K extends Kind>(kind: K, draft: Draft, subresource?: Subresource, isPatched = false): KindMap[K] {
    const shelf = this.#store.shelf(kind);
    const { resource } = shelf;
    const { name = '', namespace, uid, resourceVersion } = draft.metadata ?? {};
    if (name === '') throw badRequest('metadata.name: Required value: name is required');
    const previous = lookup(shelf, { namespace, name });
    if (previous === undefined) {
      if (resource.createsOnUpdate && subresource === undefined) return this.create(kind, draft);
      throw notFound(resource, name);
    }
    if (!isPatched) checkChangePreconditions(resource, previous.metadata, { uid });
    const decoded = this.#decoded(resource, draft, previous);
    checkUpdateVersion(resource, previous.metadata, resourceVersion);
    return this.#applyTo(resourceVersion, shelf, decoded, previous, subresource);
  }

  patch<K extends Kind>(kind: K, name: ObjectName, patch: Patch, subresource?: Subresource): KindMap[K] {
    const shelf = this.#store.shelf(kind);
    const { resource } = shelf;
    if (patch.type === 'strategic' && isCustomKind(resource)) throw strategicRefused();
    const previous = this.#stored(shelf, name);
    const patched = applyPatch(previous, patch);
    checkPatchedMetadata(resource, previous.metadata, patched.metadata);
    const decoded = this.#decoded(resource, patched, previous);
    return this.#applyTo(patched.metadata?.resourceVersion, shelf, decoded, previous, subresource);
  }

  change<K extends Kind>(kind: K, name: ObjectName, change: Change<K>, options: ServerChangeOptions = {}): KindMap[K] {
    const shelf = this.#store.shelf(kind);
    const previous = this.#stored(shelf, name);
    if (options.preconditions !== undefined) {
      checkChangePreconditions(shelf.resource, previous.metadata, options.preconditions);
    }
    const wanted = change(previous);
    if (wanted === previous) return previous;
    const { preconditions, subresource, appliedBy } = options;
    const write = (): KindMap[K] => this.#applyTo(preconditions?.resourceVersion, shelf, wanted, previous, subresource);
    if (appliedBy === undefined) return write();
    return writingAs(this, { name: appliedBy, operation: 'Apply', subresource: subresource ?? '' }, write);
  }

  delete<K extends Kind>(kind: K, name: ObjectName, options: ServerDeleteOptions = {}): KindMap[K] {
    const shelf = this.#store.shelf(kind);
    checkPropagationPolicy(options.propagationPolicy);
    const stored = this.#stored(shelf, name);
    checkDeletePreconditions(shelf.resource, stored.metadata, options.preconditions);
    const shown = shownDeleteOptions(kind, stored, options, this.request?.options);
    const { isOneOfMany } = options;
    const asked = { object: undefined, previous: stored, options: shown, isOneOfMany };
    const admitting = this.#admission.of('DELETE', shelf, asked);
    admitting?.mutated();
    admitting?.validate(undefined);
    if (kind === 'CustomResourceDefinition') {
      const marked = this.#definitions.ending(stored) as KindMap[K];
      return marked === stored ? stored : this.#noteWrite(this.#store.replace(shelf, marked, stored));
    }
    const { nowMs, timestamps } = { nowMs: this.#kernel.clock.now(), timestamps: this.#kernel.timestamps };
    const { marked, isRemoved } = planDeletion(kind, stored, options, { nowMs, timestamps });
    const left = marked === stored ? stored : this.#store.replace(shelf, marked as KindMap[K], stored);
    return isRemoved ? this.#remove(shelf, left) : left;
  }

  deleteCollection<K extends Kind>(
    kind: K,
    { namespace, labelSelector, fieldSelector }: Selection,
    options: DeleteOptions = {},
  ): readonly KindMap[K][] {
    const { items } = this.list(kind, { namespace, labelSelector, fieldSelector });
    return items.map(({ metadata }) => this.delete(kind, metadata, { ...options, isOneOfMany: true }));
  }

  bind(stated: Binding): KindMap['Pod'] {
    const shelf = this.#store.shelf('Pod');
    const binding = this.#belowPod('binding', stated);
    validateBinding(binding);
    const { namespace = 'default', name } = binding.metadata;
    const pod = shelf.table.get(namespace, name);
    guardBinding(binding, pod);
    const time = this.#kernel.timestamps.toTime(this.#kernel.clock.now());
    return this.#store.replace(shelf, this.#binder.bound(pod, binding, time), pod);
  }

  connect(kind: Kind, name: ObjectName, subresource: string, { kind: shown, options }: ConnectOptions): void {
    const about = { kind: shown, namespace: name.namespace, name: name.name, object: options };
    this.#admission.below('CONNECT', this.#store.shelf(kind), subresource, about);
  }

  evict(stated: Eviction): void {
    const eviction = this.#belowPod('eviction', stated);
    const work = (): void => evict(this, eviction, this.#kernel.timestamps.toTime(this.#kernel.clock.now()));
    if (this.#admission.mayWait) this.transaction(work);
    else work();
  }

  getScale(kind: ScalableKind, name: ObjectName): Scale {
    const { resource } = this.#store.shelf(kind);
    requireScalable(resource);
    return shownScale(resource, this.get(kind, name));
  }

  setScale(kind: ScalableKind, name: ObjectName, replicas: number, preconditions?: Preconditions): Scale {
    const { resource } = this.#store.shelf(kind);
    requireScalable(resource);
    const present = shownScale(resource, this.get(kind, name));
    const paths = customPaths(resource);
    return this.scaling(kind, name, { present, replicas }, (admitted) => {
      validateScale(name.name, admitted);
      const scale = () =>
        this.change(kind, name, (current) => withReplicas(current, paths, admitted), { preconditions });
      return shownScale(resource, writingAs(this, { name: this.#writer, subresource: 'scale' }, scale));
    });
  }

  scaling<T>(kind: Kind, { namespace, name }: ObjectName, wish: ScaleWish, write: (replicas: number) => T): T {
    const { present, replicas } = wish;
    const { resource } = this.#store.shelf(kind);
    const object = { ...present, spec: { ...present.spec, replicas } };
    const part = this.#admission.part('UPDATE', resource, 'scale', {
      object,
      previous: present,
      kind: SCALE_KIND,
      name,
      namespace,
    });
    this.#scaling = part;
    try {
      return write(part.object.spec?.replicas ?? 0);
    } finally {
      this.#scaling = undefined;
    }
  }

  admits<T extends object>(
    resource: AskedResource,
    subresource: string,
    asked: BelowObject & { readonly object: T },
  ): AdmittedPart<T> {
    return this.#admission.part('CREATE', resource, subresource, asked);
  }

  finalizeNamespace(name: string, finalizers?: readonly string[]): void {
    const shelf = this.#store.shelf('Namespace');
    const previous = this.#stored(shelf, { name });
    this.#commit(shelf, withNamespaceFinalizers(previous, finalizers), previous);
  }

  watch<K extends Kind>(kind: K, options: WatchOptions, sink: (event: WatchEvent<K>) => void): WatchHandle {
    const shelf = this.#store.shelf(kind);
    const selection = compileSelection(shelf.resource, options);
    const { namespace, resourceVersion = '' } = options;
    const present = { version: this.#store.version, atMs: this.#kernel.clock.now() };
    return openWatch(shelf, { selection, namespace, resourceVersion, sink }, present);
  }

  transaction<T>(work: () => T): T {
    const restoreAllocations = this.#admission.savepoint();
    try {
      return this.#store.transaction(work);
    } catch (error) {
      restoreAllocations();
      throw error;
    }
  }

  renewLease(name: string, renewals: Renewals | undefined, namespace?: string, onGone?: () => void): void {
    if (this.#isClosed) return;
    setLeaseRenewals(this.#kernel, this.#store, { namespace, name }, renewals, onGone);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** What is created under a pod, as admission lets it through: a namespace on its way out takes none. */
  #belowPod<T extends Binding | Eviction>(subresource: keyof typeof POD_PARTS, object: T): T {
    const { namespace = DEFAULT_NAMESPACE, name } = object.metadata;
    const shelf = this.#store.shelf('Pod');
    guardNamespace(this.#store.shelf('Namespace'), namespace, shelf.resource, name);
    const about = { kind: POD_PARTS[subresource], namespace, name, object };
    return this.#admission.below('CREATE', shelf, subresource, about);
  }

  /** What was drawn for the request at hand when it was first tried, or what `make` gives. */
  #draw<T>(make: () => T): T {
    const { attempts } = this.request ?? {};
    return attempts === undefined ? make() : attempts.draw(make);
  }

  #present(): string {
    return this.#draw(() => this.#kernel.timestamps.toTime(this.#kernel.clock.now()));
  }

  /** @param stored - what an update is of; pods have conditions with nulls there, which no draft keeps */
  #decoded<K extends Kind>(resource: ResourceKind<K>, draft: Draft, stored?: KindMap[K]): Draft {
    return decodedDraft(resource, draft, { stored, manager: this.fieldManager, warn: this.#onWarning });
  }

  /** Writes of the server's own accord, within a request or beside them. */
  #asItself(write: () => void): void {
    const { fieldManager } = this;
    const { origin } = this.#store;
    const { by, named } = origin;
    this.fieldManager = undefined;
    origin.by = ITSELF;
    try {
      write();
    } finally {
      this.fieldManager = fieldManager;
      origin.by = by;
      origin.named = named;
    }
  }

  /** What is used of a quota, as admission has found it. */
  #writeUsage({ metadata }: ResourceQuota, used: QuotaAmounts): void {
    const change: Change<'ResourceQuota'> = (quota) => withUsage(quota, used);
    this.#asItself(() => void this.change('ResourceQuota', metadata, change, { subresource: 'status' }));
  }

  #named<K extends Kind>(shelf: Shelf<K>, draft: Draft): KindMap[K] {
    const { ids } = this.#kernel;
    return namedObject(shelf, draft, {
      nameSuffix: () => this.#draw(() => ids.nameSuffix()),
      uid: () => this.#draw(() => ids.uid()),
      present: () => this.#present(),
    });
  }

  #stored<K extends Kind>(shelf: Shelf<K>, name: ObjectName): KindMap[K] {
    const stored = lookup(shelf, name);
    if (stored === undefined) throw notFound(shelf.resource, name.name);
    return stored;
  }

  /** As `#apply`, for a request that names the version that it replaces. */
  #applyTo<K extends Kind>(
    named: string | undefined,
    shelf: Shelf<K>,
    wanted: Pick<Draft, 'metadata'>,
    previous: KindMap[K],
    subresource: Subresource | undefined,
  ): KindMap[K] {
    const { origin } = this.#store;
    origin.named = named === '' || named === '0' ? undefined : named;
    try {
      const next = this.#apply(shelf, wanted, previous, subresource);
      const { applied, given } = this.fieldManager ?? {};
      if (next !== previous || (applied ?? given) === undefined) return next;
      // Nothing changed but the owners of fields.
      const owned = this.#owned(shelf, previous, previous, { part: '', stated: previous });
      return owned === previous ? previous : this.#store.replace(shelf, owned, previous);
    } finally {
      origin.named = undefined;
    }
  }

  /** What update, patch and change share: from what is wanted, in its own version, to what is stored. */
  #apply<K extends Kind>(
    shelf: Shelf<K>,
    wanted: Pick<Draft, 'metadata'>,
    stored: KindMap[K],
    subresource: Subresource | undefined,
  ): KindMap[K] {
    const { resource } = shelf;
    const previous = formLike(resource, stored, wanted);
    const next = this.#next(shelf, wanted, previous, subresource);
    if (isUnchanged(resource, next, { previous, stored })) return stored;
    return this.#commit(shelf, keptForm(resource, next), stored);
  }

  /** What is to be stored; `previous` itself when nothing changes. */
  #next<K extends Kind>(
    shelf: Shelf<K>,
    wanted: Pick<Draft, 'metadata'>,
    previous: KindMap[K],
    subresource: Subresource | undefined,
  ): KindMap[K] {
    const { resource } = shelf;
    const { group, warn } = this.request ?? {};
    // Of a custom resource's status nothing else is looked at.
    const isCustomStatus = subresource === 'status' && isCustomKind(resource);
    const kept = isCustomStatus ? [] : validateKept(wanted.metadata, previous.metadata);
    if (subresource === 'status') {
      const stated = nextStatus(wanted, previous, isCustomStatus);
      const admitting = this.#admission.of('UPDATE', shelf, { object: stated, previous, subresource });
      const mutated = admitting?.mutated();
      const admitted = admittedUpdate(resource, { previous, stated, mutated, group, isStatus: true }, isCustomStatus);
      const prepared = resource.prepareForStatusUpdate(admitted, previous);
      const next = sharingUnchanged(prepared, previous);
      if (next === previous && kept.length === 0 && !losesOwners(this, shelf.resource, wanted, previous)) {
        judgeUnchanged(resource, next, { warn }, subresource);
        admitting?.validate(next);
        return previous;
      }
      refuseInvalid(resource, next, [
        ...keptAsOften(resource, [...validateFinalizers(next.metadata, previous.metadata), ...kept], group),
        ...this.#admission.denied(resource.storedAs, next, previous),
        ...resource.validateStatusUpdate(next, previous, { warn }),
      ]);
      admitting?.validate(next);
      return this.#owned(shelf, next, previous, { part: 'status', stated: isCustomStatus ? wanted : next });
    }
    if (subresource !== undefined) {
      const { next: parted, errors } = partUpdate(subresource, wanted as Draft, previous, this.#present());
      const admitting = this.#admission.of('UPDATE', shelf, { object: parted, previous, subresource });
      const next = sharingUnchanged(admitting?.mutated() ?? parted, previous);
      refuseInvalid(resource, next, [...keptAsOften(resource, kept, group), ...(next === previous ? [] : errors)]);
      admitting?.validate(next);
      if (next === previous) return previous;
      const generation = updatedGeneration(resource.generation, next, previous);
      const owned = this.#owned(shelf, next, previous, { part: subresource, stated: next });
      return { ...owned, metadata: { ...owned.metadata, generation } };
    }
    const stated = nextMain(resource, wanted, previous);
    // What is said of the status has no owner, but must be of its type for the rest to have them.
    const own = isCustomKind(resource) ? { ...wanted, metadata: stated.metadata } : stated;
    // Hooks see who owns it; nothing else in admission asks for that.
    const shown = this.#admission.mayWait ? this.#owned(shelf, stated, previous, { part: '', stated: own }) : stated;
    const admitting = this.#admittingUpdate(shelf, shown, previous);
    const admitted = { previous, stated: shown, mutated: admitting?.mutated() ?? shown, group };
    const prepared = resource.prepareForUpdate(admittedUpdate(resource, admitted, isCustomKind(resource)), previous);
    const valid = sharingUnchanged(prepared, previous);
    const counted = resource.generation === 'stated-spec' ? sharingUnchanged(stated, previous) : undefined;
    const isSame = valid === previous && (counted ?? previous) === previous && kept.length === 0;
    if (isSame && !losesOwners(this, shelf.resource, wanted, previous)) {
      judgeUnchanged(resource, valid, { warn });
      this.request?.judged?.(resource.storedAs, valid, previous);
      admitting?.validate(valid);
      // What the kind does not keep may have an owner all the same.
      const isKept = prepared === stated && !isCustomKind(resource);
      return isKept ? previous : this.#owned(shelf, previous, previous, { part: '', stated: own });
    }
    // What can be had is found out before the rest is judged.
    refuseInvalid(resource, valid, this.#admission.lacking(resource.storedAs, valid, previous));
    const changes = [...validateFinalizers(valid.metadata, previous.metadata), ...kept];
    refuseInvalid(resource, valid, [
      ...resource.validateUpdate(valid, previous, { group, kept: changes, warn }),
      ...this.#admission.judge(resource.storedAs, valid),
    ]);
    this.request?.judged?.(resource.storedAs, valid, previous);
    admitting?.validate(valid);
    const next = this.#admission.claim(resource.storedAs, valid, previous);
    const generation = updatedGeneration(resource.generation, counted ?? next, previous);
    const owned = this.#owned(shelf, next, previous, { part: '', stated: own });
    if (generation === undefined || generation === next.metadata.generation) return owned;
    return { ...owned, metadata: { ...owned.metadata, generation } };
  }

  /** Of an object that is scaled plugins see the scale alone. */
  #admittingUpdate<K extends Kind>(
    shelf: Shelf<K>,
    object: KindMap[K],
    previous: KindMap[K],
  ): Admitting<K> | undefined {
    const { validate } = this.#scaling ?? {};
    if (validate !== undefined) return { mutated: () => object, validate };
    return this.#admission.of('UPDATE', shelf, { object, previous });
  }

  /** The object with the owners of what a request `stated`, where they are kept: what admission adds has none. */
  #owned<K extends Kind>(
    { resource }: Shelf<K>,
    next: KindMap[K],
    previous: KindMap[K] | undefined,
    { part, stated }: { readonly part: string; readonly stated: object },
  ): KindMap[K] {
    if (!this.tracksFields) return next;
    const time = this.#present();
    const manager = this.fieldManager ?? { name: this.#writer, subresource: part };
    return withOwners(resource, next, previous, { manager, time, stated, asked: this.request });
  }

  /** Stores an update, or removes what only waited for its finalizers. */
  #commit<K extends Kind>(shelf: Shelf<K>, next: KindMap[K], previous: KindMap[K]): KindMap[K] {
    if (next === previous) return previous;
    if (!isEndedByUpdate(shelf.resource.storedAs, next, previous))
      return this.#noteWrite(this.#store.replace(shelf, next, previous));
    this.#remove(shelf, previous);
    return next;
  }

  #remove<K extends Kind>(shelf: Shelf<K>, stored: KindMap[K]): KindMap[K] {
    this.#admission.release(shelf.resource.storedAs, stored);
    const removed = this.#store.remove(shelf, stored);
    const { resource, table } = shelf;
    if (table.size === 0 && isCustomKind(resource)) this.#definitions.emptied(resource);
    return removed;
  }

  /** What a request owns fields as that names no manager. */
  get #writer(): string {
    const { by } = this.#store.origin;
    return by === USER ? PROGRAM : managerOf(by);
  }

  /** Records begin their time to live anew with every write. */
  #noteWrite<T extends KindMap[Kind]>(stored: T): T {
    if (stored.kind === 'Event' && stored.apiVersion === 'v1') {
      const { namespace, name, resourceVersion } = stored.metadata;
      this.#expiry.note({ namespace, name, version: resourceVersion });
    }
    if (stored.kind === 'CustomResourceDefinition') this.#definitions.step(stored);
    return stored;
  }
}
