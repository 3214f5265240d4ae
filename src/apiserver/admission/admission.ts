/**
 * Admission: what the server decides about a request beyond the rules of the object itself, in
 * upstream's order: NamespaceLifecycle, ServiceAccount, TaintNodesByCondition, Priority,
 * DefaultTolerationSeconds, DefaultStorageClass, RuntimeClass. It changes objects on their way in or refuses them; it never stores.
 */
import { nameSuffix } from '../../kernel/ids.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { Kind, KindMap, Node, ObjectName, Pod, PriorityClass, Service } from '../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import type { Shelf, VersionedStore } from '../store/store.js';
import { guardResize } from './claim-resize.js';
import { withDefaultClass } from './default-storage-class.js';
import { guardImmortalNamespace, guardNamespace } from './namespace-lifecycle.js';
import { PodAdmission } from './pod-admission.js';
import { guardDefaultClass, guardSystemClass } from './priority.js';
import { ServiceAllocations } from './service-allocations.js';
import { withNotReadyTaint } from './taint-nodes-by-condition.js';

/** What only the parts of a cluster can find wrong with objects of some kinds, on creation and on update alike. */
export type Validators = { readonly [K in Kind]?: (object: KindMap[K]) => readonly FieldError[] };

/** See the file header. */
export class Admission {
  readonly #validators: Validators;
  readonly #store: VersionedStore;
  readonly #pods: PodAdmission;
  readonly #services: ServiceAllocations;

  /** @param hasAccounts - whether the plugin ServiceAccount is on */
  constructor(kernel: Kernel, store: VersionedStore, hasAccounts: boolean, validators: Validators) {
    this.#store = store;
    this.#validators = validators;
    const { clock, timestamps } = kernel;
    const namespaceAgeMs = (name: string): number => {
      const { creationTimestamp = '' } = store.shelf('Namespace').table.get(undefined, name)?.metadata ?? {};
      return creationTimestamp === '' ? Infinity : clock.now() - timestamps.toMs(creationTimestamp);
    };
    const accounts = { accounts: store.shelf('ServiceAccount'), namespaceAgeMs, isStrict: hasAccounts };
    const names = kernel.random('apiserver/token-volumes');
    this.#pods = new PodAdmission(store, accounts, () => nameSuffix(names));
    this.#services = new ServiceAllocations(kernel);
  }

  /** @param name - the object's name, or its generateName, as refusals show it. @throws ApiError 403, 404 */
  admitCreate<K extends Kind>(shelf: Shelf<K>, object: KindMap[K], name: string): KindMap[K] {
    const { namespace } = object.metadata;
    if (namespace !== undefined) guardNamespace(this.#store.shelf('Namespace'), namespace, shelf.resource, name);
    switch (shelf.resource.kind) {
      case 'Pod':
        return this.#pods.admitCreate(object as Pod, name) as KindMap[K];
      case 'Node':
        return withNotReadyTaint(object as Node) as KindMap[K];
      case 'PersistentVolumeClaim': {
        const classes = this.#store.shelf('StorageClass').table.values();
        return withDefaultClass(object as PersistentVolumeClaim, classes) as KindMap[K];
      }
      case 'PriorityClass':
        guardDefaultClass(object as PriorityClass, this.#store.shelf('PriorityClass'));
        return object;
      default:
        return object;
    }
  }

  /**
   * Admission of what is created under a pod, such as a binding or an eviction: a namespace on its way out takes none.
   *
   * @throws ApiError 403, 404
   */
  admitPodSubresource({ namespace = 'default', name }: ObjectName): void {
    guardNamespace(this.#store.shelf('Namespace'), namespace, this.#store.shelf('Pod').resource, name);
  }

  /** Admission of an update of the main resource. @throws ApiError 403 */
  admitUpdate<K extends Kind>(shelf: Shelf<K>, next: KindMap[K], previous: KindMap[K]): KindMap[K] {
    switch (shelf.resource.kind) {
      case 'Pod':
        return this.#pods.admitUpdate(next as Pod, previous as Pod) as KindMap[K];
      case 'PriorityClass':
        guardDefaultClass(next as PriorityClass, this.#store.shelf('PriorityClass'));
        return next;
      default:
        return next;
    }
  }

  /** What is refused of a valid update, whatever else was decided about it. @throws ApiError 403 */
  guardUpdate<K extends Kind>({ resource }: Shelf<K>, next: KindMap[K], previous: KindMap[K]): void {
    if (resource.kind !== 'PersistentVolumeClaim') return;
    const classes = this.#store.shelf('StorageClass');
    guardResize(next as PersistentVolumeClaim, previous as PersistentVolumeClaim, resource, classes);
  }

  /** @throws ApiError 403 for what the cluster cannot do without */
  admitDelete(kind: Kind, name: string): void {
    if (kind === 'Namespace') guardImmortalNamespace(name, this.#store.shelf(kind).resource);
    if (kind === 'PriorityClass') guardSystemClass(name, this.#store.shelf(kind).resource);
  }

  /** Whether objects of a kind are judged by a part of the cluster. */
  hasValidator(kind: Kind): boolean {
    return this.#validators[kind] !== undefined;
  }

  /** What only the server can find wrong with a valid object; `previous` is what an update replaces. */
  validate<K extends Kind>(kind: K, object: KindMap[K], previous?: KindMap[K]): readonly FieldError[] {
    if (kind === 'Service') return this.#services.validate(object as Service, previous as Service | undefined);
    return this.#validators[kind]?.(object) ?? [];
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
