/**
 * Admission: what the server decides about a request beyond the rules of the object itself. It changes objects on
 * their way in or refuses them, by the chain of plugins (`chain/`, `plugin-order.ts`), and hands out what exists only
 * once, as registries do upstream; it stores nothing itself.
 */
import { deniedAccess, NOTHING_DENIED, type Claiming } from './device-access.js';
import { nameSuffix } from '../../kernel/ids.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { Kind, KindMap, Service } from '../../api/objects/objects.js';
import type { KubeObject } from '../../api/objects/kube-object.js';
import type { FieldError, ResourceKind } from '../../api/objects/resource-kind.js';
import { badRequest } from '../store/api-errors.js';
import type { Shelf, VersionedStore } from '../store/store.js';
import { AdmissionChain } from './chain/admission-chain.js';
import type { AdmissionPlugin } from './chain/admission-plugin.js';
import { Attributes, type AdmissionOperation } from './chain/attributes.js';
import type { AdmittedPart, AskedResource, BelowObject, RequestContext } from '../store/request-context.js';
import { NAMESPACE_LIFECYCLE, pluginsInOrder } from './plugin-order.js';
import { PodAdmission } from './pod-admission.js';
import type { WriteUsage } from './resource-quota.js';
import { ServiceAllocations } from './service-allocations.js';

/** What only the parts of a cluster can find wrong with objects of some kinds, on creation and on update alike. */
export type Validators = { readonly [K in Kind]?: (object: KindMap[K]) => readonly FieldError[] };

/** What admission is made with. */
export interface AdmissionMeans {
  readonly kernel: Kernel;
  readonly store: VersionedStore;
  /** Whether the plugin ServiceAccount is on. */
  readonly hasAccounts: boolean;
  readonly validators: Validators;
  /** Of the request that is being applied. */
  readonly context: () => RequestContext;
  readonly writeUsage: WriteUsage;
  /** Plugins of other parts, which come after those of the server itself and before ResourceQuota. */
  readonly plugins: readonly AdmissionPlugin[];
}

/** A request on its way through the chain. */
export interface Admitting<K extends Kind> {
  /** The first phase. @throws ApiError, AdmissionPending */
  mutated(): KindMap[K];
  /** The second phase, of the object in its final form. @throws ApiError, AdmissionPending */
  validate(object: KindMap[K] | undefined): void;
}

/** What is asked of the chain. */
export interface AdmissionRequest<K extends Kind> {
  readonly object: KindMap[K] | undefined;
  readonly previous: KindMap[K] | undefined;
  /** @defaultValue the object itself */
  readonly subresource?: string | undefined;
  /** The object's name or generateName, as refusals of the first phase show it. @defaultValue its name */
  readonly shownName?: string | undefined;
  /** Of a deletion, as what is deleted makes of them. @defaultValue those of the request */
  readonly options?: object | undefined;
  /** Whether a collection is deleted, of which it is one. */
  readonly isOneOfMany?: boolean | undefined;
}

/** See the file header. */
export class Admission {
  readonly #validators: Validators;
  readonly #store: VersionedStore;
  readonly #services: ServiceAllocations;
  readonly #chain: AdmissionChain;
  readonly #context: () => RequestContext;

  constructor({ kernel, store, hasAccounts, validators, context, plugins, writeUsage }: AdmissionMeans) {
    this.#validators = validators;
    this.#store = store;
    this.#context = context;
    const { clock, timestamps } = kernel;
    const namespaceAgeMs = (name: string): number => {
      const { creationTimestamp = '' } = store.shelf('Namespace').table.get(undefined, name)?.metadata ?? {};
      return creationTimestamp === '' ? Infinity : clock.now() - timestamps.toMs(creationTimestamp);
    };
    const accounts = { accounts: store.shelf('ServiceAccount'), namespaceAgeMs, isStrict: hasAccounts };
    const names = kernel.random('apiserver/token-volumes');
    const pods = new PodAdmission(store, accounts, () => nameSuffix(names));
    this.#chain = new AdmissionChain(pluginsInOrder({ store, kernel, pods, writeUsage }, plugins));
    this.#services = new ServiceAllocations(kernel);
  }

  /** The way of a request through the chain; undefined = no plugin sees it. */
  of<K extends Kind>(
    operation: AdmissionOperation,
    { resource }: Pick<Shelf<K>, 'resource'>,
    { object, previous, subresource = '', shownName, options, isOneOfMany }: AdmissionRequest<K>,
  ): Admitting<K> | undefined {
    const plugins = this.#chain.seeing(operation, resource, subresource);
    if (plugins.length === 0) return undefined;
    const { name } = ((object ?? previous) as KindMap[Kind]).metadata;
    const context = this.#context;
    const shown = shownName ?? (isOneOfMany === true ? 'Unknown' : name);
    const details = { options, isOneOfMany };
    const attributes = new Attributes(operation, resource, subresource, object, previous, shown, context, details);
    return {
      mutated() {
        AdmissionChain.mutate(plugins, attributes);
        if (attributes.object !== object) checkNamespace(attributes.object, object ?? previous);
        return attributes.object as KindMap[K];
      },
      validate(final) {
        attributes.object = final;
        if (isOneOfMany !== true) attributes.shownName = attributes.name;
        AdmissionChain.validate(plugins, attributes);
      },
    };
  }

  /** Has webhooks and policies see what is made below an object. @returns what they have made of it @throws ApiError, AdmissionPending */
  below<T extends object>(
    operation: 'CREATE' | 'CONNECT',
    { resource }: { readonly resource: AskedResource },
    subresource: string,
    asked: BelowObject & { readonly object: T },
  ): T {
    const part = this.part(operation, resource, subresource, asked);
    part.validate();
    return part.object;
  }

  /** As {@link below}, in two steps. @param resource - that of the path, which may be one that is answered and not kept */
  part<T extends object>(
    operation: AdmissionOperation,
    resource: AskedResource,
    subresource: string,
    { object, previous, kind, name, namespace }: BelowObject & { readonly object: T; readonly previous?: T },
  ): AdmittedPart<T> {
    const whole = resource as unknown as ResourceKind;
    const plugins = this.#chain.seeing(operation, whole, subresource).filter(({ seesBelow }) => seesBelow === true);
    if (plugins.length === 0) return { object, validate: () => undefined };
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    const typed = (part: T): KindMap[Kind] => ({ kind: kind.kind, apiVersion, ...part }) as unknown as KindMap[Kind];
    const details = { below: { kind, name, namespace } };
    const former = previous === undefined ? undefined : typed(previous);
    const context = this.#context;
    const attributes = new Attributes(operation, whole, subresource, typed(object), former, name, context, details);
    AdmissionChain.mutate(plugins, attributes);
    return {
      object: attributes.object as unknown as T,
      validate: () => AdmissionChain.validate(plugins, attributes),
    };
  }

  /** Whether plugins may have a request wait. */
  get mayWait(): boolean {
    return this.#chain.mayWait;
  }

  /** Whether objects of a kind are judged by a part of the cluster. */
  hasValidator(kind: Kind): boolean {
    return this.#validators[kind] !== undefined;
  }

  /** Whether a new object of a kind needs nothing but its namespace. */
  needsNamespaceOnly<K extends Kind>({ resource }: Pick<Shelf<K>, 'resource'>): boolean {
    if (this.hasValidator(resource.storedAs)) return false;
    return this.#chain.seeing('CREATE', resource, '').every(({ name }) => name === NAMESPACE_LIFECYCLE);
  }

  /** What a part of the cluster finds wrong with a valid object. */
  judge<K extends Kind>(kind: K, object: KindMap[K]): readonly FieldError[] {
    return this.#validators[kind]?.(object) ?? [];
  }

  /** What only some namespaces may ask for, or have. @param previous - what an update of a status replaces */
  denied<K extends Kind>(kind: K, object: KindMap[K], previous?: KindMap[K]): readonly FieldError[] {
    if (kind !== 'ResourceClaim' && kind !== 'ResourceClaimTemplate') return NOTHING_DENIED;
    return deniedAccess(this.#store.shelf('Namespace'), object as Claiming, previous as Claiming | undefined);
  }

  /** What an object asks for that cannot be had; `previous` is what an update replaces. */
  lacking<K extends Kind>(kind: K, object: KindMap[K], previous?: KindMap[K]): readonly FieldError[] {
    if (kind !== 'Service') return [];
    return this.#services.validate(object as Service, previous as Service | undefined);
  }

  /** Allocates to a valid object what exists only once, and takes back what `previous` had more. */
  claim<K extends Kind>(kind: K, object: KindMap[K], previous?: KindMap[K]): KindMap[K] {
    if (kind !== 'Service') return object;
    return this.#services.allocate(object as Service, previous as Service | undefined) as KindMap[K];
  }

  /** Takes back the claims of a removed object. */
  release<K extends Kind>(kind: K, object: KindMap[K]): void {
    if (kind === 'Service') this.#services.release(object as Service);
  }

  /** Remembers every allocation of now; the result brings them back. */
  savepoint(): () => void {
    return this.#services.savepoint();
  }
}

/** Plugins may change an object's namespace to no other. @throws ApiError 400 */
function checkNamespace(object: KubeObject | undefined, stated: KubeObject | undefined): void {
  if (object === undefined || object.metadata.namespace === stated?.metadata.namespace) return;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}
