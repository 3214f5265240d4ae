import { PodsByNode } from './pods-by-node.js';
import { getCondition } from '../../api/objects/conditions.js';
import { matchesLabels } from '../../api/selectors/labels.js';
import { ZONE_LABEL } from '../../api/objects/node-zone.js';
import { keyOf, nameKey, type EndpointSlice, type Node, type Pod, type Service } from '../../api/objects/objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { BY_NAMESPACE } from '../../bus/object-index.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { EndpointTable } from './endpoint-table.js';
import { concernsServices, type AddressType } from './endpoints.js';
import { HintedServices } from './hinted-services.js';
import { MANAGED_BY_LABEL, MANAGER, SERVICE_LABEL } from './slice-packing.js';
import { SliceTracker } from './slice-tracker.js';
import { zoneShares } from './topology-hints.js';
import { TriggerTimes } from './trigger-times.js';

/** After a change of a slice by others, upstream waits this long for more of them. */
const FOREIGN_CHANGE_DELAY_MS = 1000;
/**
 * Pods per millisecond that must lie between two syncs of a service: upstream's sync looks at every pod, and
 * writes slices at no more than 20 requests a second (kube-controller-manager's --kube-api-qps).
 */
const PODS_PER_MS = 10;
const BY_SERVICE = {
  service: ({ metadata: { namespace, labels } }: EndpointSlice) => {
    const name = labels?.[SERVICE_LABEL];
    return name === undefined ? [] : [nameKey(namespace, name)];
  },
};

/** What is remembered of a service for as long as there is one, whatever it selects. */
interface ServicePast {
  readonly tracker: SliceTracker;
  readonly triggers: TriggerTimes;
}

/** What one service has to do with: the pods that it selects, and what its slices were last. */
export class ServiceRecord {
  readonly selector: Readonly<Record<string, string>>;
  /** Keys of the pods that the selector takes, with their numbers in order of arrival. */
  readonly pods = new Map<string, number>();
  readonly tracker: SliceTracker;
  readonly triggers: TriggerTimes;
  /** Keys of pods that a sync has to look at. */
  #changed = new Set<string>();
  #areAllChanged = true;
  readonly #changedNodes = new Set<string>();
  /** As of the last sync; absent until a node has changed. */
  #byNode: PodsByNode | undefined;
  #arrivals = 0;
  #tables = new Map<AddressType, EndpointTable>();
  #tablesFor: Service | undefined;

  constructor(selector: Readonly<Record<string, string>>, { tracker, triggers }: ServicePast) {
    this.selector = selector;
    this.tracker = tracker;
    this.triggers = triggers;
  }

  join(podKey: string): void {
    this.#arrivals += 1;
    this.pods.set(podKey, this.#arrivals);
    this.#changed.add(podKey);
  }

  leave(podKey: string): void {
    this.pods.delete(podKey);
    this.#changed.add(podKey);
  }

  /** The pod is to be looked at in the next sync. */
  note(podKey: string): void {
    this.#changed.add(podKey);
  }

  /** The pods of a node are; those that are noted so already know that there was none. */
  noteNode(name: string): void {
    this.#changedNodes.add(name);
  }

  /**
   * Takes the keys of the pods to be looked at, in order of arrival, those that have left first.
   *
   * @param nodeOf - name of the node that a pod is on, by the pod's key
   */
  takeChanged(
    service: Service,
    nodeOf: (podKey: string) => string | undefined,
  ): { readonly keys: readonly string[]; readonly areAll: boolean } {
    if (this.#tablesFor !== service) {
      this.#tablesFor = service;
      this.#tables = new Map();
      this.#areAllChanged = true;
    }
    const areAll = this.#areAllChanged;
    if (!areAll && this.#changedNodes.size > 0) {
      this.#byNode ??= new PodsByNode(this.pods.keys(), nodeOf);
      for (const node of this.#changedNodes) {
        // What has changed besides since the last sync is noted already.
        for (const key of this.#byNode.on(node)) if (this.pods.has(key) && nodeOf(key) === node) this.#changed.add(key);
      }
    }
    this.#changedNodes.clear();
    const left = [...this.#changed].filter((key) => !this.pods.has(key));
    const present = areAll ? [...this.pods.keys()] : [...this.#changed].filter((key) => this.pods.has(key));
    this.#changed = new Set();
    this.#areAllChanged = false;
    if (this.#byNode !== undefined) {
      for (const key of left) this.#byNode.set(key, undefined);
      for (const key of present) this.#byNode.set(key, nodeOf(key));
    }
    return { keys: [...left, ...present.sort((a, b) => this.orderOf(a) - this.orderOf(b))], areAll };
  }

  orderOf(podKey: string): number {
    return this.pods.get(podKey) ?? 0;
  }

  /** Its endpoints in a family of addresses. */
  tableOf(type: AddressType): EndpointTable {
    let table = this.#tables.get(type);
    if (table === undefined) this.#tables.set(type, (table = new EndpointTable()));
    return table;
  }
}

/**
 * The memory of a run of the controller: which service selects which pod is kept up to date event by
 * event, so that a pod's change costs no more than the services it belongs to.
 */
export class EndpointSliceMemory {
  readonly services: Lister<'Service'>;
  readonly pods: Lister<'Pod'>;
  readonly nodes: Lister<'Node'>;
  readonly slices: Lister<'EndpointSlice'>;
  readonly hintedServices = new HintedServices();
  readonly #queue: ControllerContext['queue'];
  readonly #mapOrder: ControllerContext['mapOrder'];
  readonly #records = new Map<string, ServiceRecord>();
  readonly #pasts = new Map<string, ServicePast>();
  /** Keys of services with a selector, by namespace. */
  readonly #selecting = new Map<string, Set<string>>();
  /** Keys of the services that select a pod; pods of none are absent. */
  readonly #servicesOfPod = new Map<string, readonly string[]>();

  constructor(context: ControllerContext) {
    this.#queue = context.queue;
    this.#mapOrder = context.mapOrder;
    this.nodes = context.watch('Node', {
      // A pod whose node was not there is looked at in each sync.
      onAdd: () => this.#shareOut(),
      onUpdate: (previous, node) => {
        if (previous.metadata.labels?.[ZONE_LABEL] !== node.metadata.labels?.[ZONE_LABEL]) this.#nodeChanged(node);
        else if (isReadyNode(previous) !== isReadyNode(node)) this.#shareOut();
      },
      onDelete: (node) => this.#nodeChanged(node),
    });
    this.pods = context.informer('Pod', BY_NAMESPACE);
    this.services = context.watch('Service', {
      onAdd: (service) => this.#serviceSeen(service),
      onUpdate: (_previous, service) => this.#serviceSeen(service),
      onDelete: (service) => this.#queue.add(keyOf(service)),
    });
    context.watch('Pod', {
      onAdd: (pod) => this.#podAdded(pod),
      onUpdate: (previous, pod) => this.#podUpdated(previous, pod),
      onDelete: (pod) => this.#podDeleted(pod),
    });
    this.slices = context.watch(
      'EndpointSlice',
      {
        onAdd: (slice) => this.#sliceSeen(slice),
        onUpdate: (previous, slice) => this.#sliceUpdated(previous, slice),
        onDelete: (slice) => this.#sliceDeleted(slice),
      },
      BY_SERVICE,
    );
  }

  /** The record of a service; `undefined` when it selects no pods of its own. */
  recordOf(key: string): ServiceRecord | undefined {
    return this.#records.get(key);
  }

  /** Slices that this controller keeps for a service. */
  slicesOf(key: string): EndpointSlice[] {
    return [...this.slices.byIndex('service', key)].filter(isManaged);
  }

  /** The service is gone; its slices go with it, by their owner references. */
  forget(key: string): void {
    this.#dropRecord(key);
    this.#pasts.delete(key);
    this.hintedServices.drop(key);
    this.#queue.drop(key);
  }

  #serviceSeen(service: Service): void {
    const key = keyOf(service);
    const { selector, type } = service.spec;
    const record = this.#records.get(key);
    if (selector === undefined || Object.keys(selector).length === 0 || type === 'ExternalName') {
      this.#dropRecord(key);
    } else if (record?.selector !== selector) this.#select(key, service, selector);
    this.#queue.add(key);
  }

  #select(key: string, { metadata: { namespace = '' } }: Service, selector: Readonly<Record<string, string>>): void {
    this.#dropRecord(key);
    const record = new ServiceRecord(selector, this.#pastOf(key));
    this.#records.set(key, record);
    const selecting = this.#selecting.get(namespace);
    if (selecting === undefined) this.#selecting.set(namespace, new Set([key]));
    else selecting.add(key);
    for (const pod of this.pods.byIndex('namespace', namespace)) {
      if (matchesLabels(selector, pod.metadata.labels)) this.#join(keyOf(pod), key, record);
    }
  }

  #pastOf(key: string): ServicePast {
    let past = this.#pasts.get(key);
    if (past === undefined) {
      const tracker = new SliceTracker(this.#mapOrder?.slicesToldFirst(key) === true);
      this.#pasts.set(key, (past = { tracker, triggers: new TriggerTimes() }));
    }
    return past;
  }

  #join(podKey: string, serviceKey: string, record: ServiceRecord): void {
    record.join(podKey);
    this.#servicesOfPod.set(podKey, [...(this.#servicesOfPod.get(podKey) ?? []), serviceKey]);
  }

  #dropRecord(key: string): void {
    const record = this.#records.get(key);
    if (record === undefined) return;
    this.#records.delete(key);
    this.#selecting.get(key.slice(0, key.indexOf('/')))?.delete(key);
    for (const podKey of record.pods.keys()) {
      const services = (this.#servicesOfPod.get(podKey) ?? []).filter((service) => service !== key);
      if (services.length === 0) this.#servicesOfPod.delete(podKey);
      else this.#servicesOfPod.set(podKey, services);
    }
  }

  /** Notes its pods for the next syncs of their services; upstream does not sync for a change of nodes either. */
  #nodeChanged({ metadata }: Node): void {
    for (const record of this.#records.values()) record.noteNode(metadata.name);
    this.#shareOut();
  }

  /** Enqueues services with zones that have more endpoints than their share by now. */
  #shareOut(): void {
    if (this.hintedServices.size === 0) return;
    for (const key of this.hintedServices.overloaded(zoneShares(this.nodes.list()))) this.#queue.add(key);
  }

  /** Also for a pod without an address: the sync of its services finds that another pod's node is gone. */
  #podAdded(pod: Pod): void {
    const podKey = keyOf(pod);
    this.#joinServices(podKey, pod);
    this.#enqueueServicesOf(podKey);
  }

  /** A change of labels alone concerns the services that it joins or leaves (determineNeededServiceUpdates, v1.34). */
  #podUpdated(previous: Pod, pod: Pod): void {
    if (this.#records.size === 0) return;
    const podKey = keyOf(pod);
    const before = this.#servicesOfPod.get(podKey) ?? [];
    const isSamePod = previous.metadata.uid === pod.metadata.uid;
    if (isSamePod && previous.metadata.labels === pod.metadata.labels) {
      for (const key of before) this.#records.get(key)?.note(podKey);
      if (before.length > 0 && concernsServices(previous, pod)) this.#enqueueServicesOf(podKey);
      return;
    }
    this.#leaveServices(podKey);
    this.#joinServices(podKey, pod);
    const now = this.#servicesOfPod.get(podKey) ?? [];
    const isConcerned = !isSamePod || concernsServices(previous, pod);
    for (const key of new Set([...before, ...now])) {
      if (isConcerned || before.includes(key) !== now.includes(key)) this.#enqueueSpaced(key);
    }
  }

  #podDeleted(pod: Pod): void {
    if (this.#records.size === 0) return;
    const podKey = keyOf(pod);
    this.#enqueueServicesOf(podKey);
    this.#leaveServices(podKey);
  }

  #joinServices(podKey: string, { metadata: { namespace = '', labels } }: Pod): void {
    for (const key of this.#selecting.get(namespace) ?? []) {
      const record = this.#records.get(key);
      if (record === undefined || !matchesLabels(record.selector, labels)) continue;
      if (!record.pods.has(podKey)) this.#join(podKey, key, record);
    }
  }

  #leaveServices(podKey: string): void {
    for (const key of this.#servicesOfPod.get(podKey) ?? []) this.#records.get(key)?.leave(podKey);
    this.#servicesOfPod.delete(podKey);
  }

  #enqueueServicesOf(podKey: string): void {
    for (const key of this.#servicesOfPod.get(podKey) ?? []) this.#enqueueSpaced(key);
  }

  #enqueueSpaced(key: string): void {
    this.#queue.addSpaced(key, (this.#records.get(key)?.pods.size ?? 0) / PODS_PER_MS);
  }

  #sliceSeen(slice: EndpointSlice): void {
    const key = serviceKeyOf(slice);
    if (key === undefined || !isManaged(slice)) return;
    const record = this.#records.get(key);
    if (record === undefined || record.tracker.isForeign(slice)) this.#queue.addAfter(key, FOREIGN_CHANGE_DELAY_MS);
  }

  #sliceUpdated(previous: EndpointSlice, slice: EndpointSlice): void {
    const before = serviceKeyOf(previous);
    if (before !== undefined && before !== serviceKeyOf(slice)) this.#queue.addAfter(before, FOREIGN_CHANGE_DELAY_MS);
    if (isManaged(previous) === isManaged(slice)) return this.#sliceSeen(slice);
    const key = serviceKeyOf(slice);
    if (key !== undefined) this.#queue.addAfter(key, FOREIGN_CHANGE_DELAY_MS);
  }

  #sliceDeleted(slice: EndpointSlice): void {
    const key = serviceKeyOf(slice);
    if (key === undefined || !isManaged(slice)) return;
    const past = this.#pasts.get(key);
    if (past !== undefined && !past.tracker.noteDeletion(slice)) {
      this.#queue.addAfter(key, FOREIGN_CHANGE_DELAY_MS);
    }
  }
}

function isReadyNode({ status }: Node): boolean {
  return getCondition(status.conditions, 'Ready')?.status === 'True';
}

function isManaged({ metadata: { labels } }: EndpointSlice): boolean {
  return labels?.[MANAGED_BY_LABEL] === MANAGER;
}

function serviceKeyOf(slice: EndpointSlice): string | undefined {
  return BY_SERVICE.service(slice)[0];
}
