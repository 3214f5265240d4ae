/**
 * The endpoint slice controller: for each service that selects pods, slices that list them with their
 * addresses, ports and conditions. It never looks at what runs, only at what pods' statuses say.
 * Mirrors kube-controller-manager v1.34 pkg/controller/endpointslice.
 *
 * One deliberate difference: syncs are spaced by the number of a service's pods, which stands for the
 * time that upstream's sync takes.
 */
import { ApiError, isApiError } from '../../api/errors/api-error.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import {
  keyOf,
  type Draft,
  type EndpointSlice,
  type Pod,
  type Service,
  type StringMap,
} from '../../api/objects/objects.js';
import { controllerReference } from '../../api/objects/owners.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { EndpointSliceMemory, type ServiceRecord } from './endpoint-slice-memory.js';
import type { PodEndpoint } from './endpoint-table.js';
import {
  addressOfType,
  addressTypesOf,
  endpointOf,
  endpointPorts,
  isEndpoint,
  portsKey,
  type AddressType,
} from './endpoints.js';
import { packSlices, sliceLabels, type SliceChanges, type WantedSlice } from './slice-packing.js';
import { isByTopology, withTopologyHints, zoneShares } from './topology-hints.js';
import { withTrafficHints } from './traffic-hints.js';

const TRIGGER_ANNOTATION = 'endpoints.kubernetes.io/last-change-trigger-time';
const HINTS_ENABLED = 'Topology Aware Hints has been enabled';
const HINTS_DISABLED = 'Topology Aware Hints has been disabled';
const RETRY_DELAYS = { baseDelayMs: 1000, maxDelayMs: 1_000_000 };

/** See the file header. */
export const endpointSliceController = defineController({
  name: 'endpointslice-controller',
  component: 'endpoint-slice-controller',
  maxRetries: 15,
  retryDelays: RETRY_DELAYS,
  setup: (context) => new EndpointSliceMemory(context),
  reconcile(context, key, memory) {
    const service = memory.services.getByKey(key);
    if (service === undefined) {
      memory.forget(key);
      return undefined;
    }
    const record = memory.recordOf(key);
    return record === undefined ? undefined : new ServiceSync(context, memory, service, record).run();
  },
});

/** One sync of one service. */
class ServiceSync {
  readonly #context: ControllerContext;
  readonly #memory: EndpointSliceMemory;
  readonly #service: Service;
  readonly #record: ServiceRecord;
  readonly #labels: StringMap;
  readonly #missingNodes: string[] = [];

  constructor(context: ControllerContext, memory: EndpointSliceMemory, service: Service, record: ServiceRecord) {
    this.#context = context;
    this.#memory = memory;
    this.#service = service;
    this.#record = record;
    const { clusterIP = '' } = service.spec;
    const isHeadless = clusterIP === '' || clusterIP === 'None';
    this.#labels = sliceLabels(service.metadata.labels ?? {}, service.metadata.name, isHeadless);
  }

  async run(): Promise<void> {
    const existing = this.#memory.slicesOf(keyOf(this.#service));
    // It is no fault of the service, which hears nothing of it.
    if (this.#record.tracker.isStale(existing)) throw new RetryError('EndpointSlice informer cache is out of date');
    try {
      await this.#sync(existing);
    } catch (error) {
      if (error instanceof RetryError || error instanceof ApiError) {
        const { namespace = '', name } = this.#service.metadata;
        const text = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${error.message}`;
        this.#context.recorder.record(this.#service, 'Warning', 'FailedToUpdateEndpointSlices', text);
      }
      throw error;
    }
  }

  async #sync(existing: readonly EndpointSlice[]): Promise<void> {
    const living = existing.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const types = addressTypesOf(this.#service);
    const trigger = this.#takeChanges(types);
    for (const slice of living) if (!types.some((type) => type === slice.addressType)) await this.#remove(slice);
    for (const type of types) {
      const slices = living.filter(({ addressType }) => addressType === type);
      const { books } = this.#record.tableOf(type);
      const changes = packSlices(type, slices, books, (slice) => this.#hasStaleLabels(slice));
      const { hinted, news } = this.#withHints(type, changes, slices);
      await this.#write(hinted, trigger);
      if (news !== undefined) this.#tellHints(news, type);
    }
    const [first, ...others] = new Set(this.#missingNodes);
    if (first !== undefined) throw new RetryError(others.length === 0 ? first : `[${[first, ...others].join(', ')}]`);
  }

  /** Hints by topology go before those that the service's distribution asks for, even if there can be none. */
  #withHints(
    type: AddressType,
    changes: SliceChanges,
    existing: readonly EndpointSlice[],
  ): { readonly hinted: SliceChanges; readonly news?: string } {
    const { hintedServices } = this.#memory;
    const key = keyOf(this.#service);
    const { metadata, spec } = this.#service;
    const wasHinted = hintedServices.has(key);
    if (!isByTopology(metadata.annotations)) {
      hintedServices.drop(key);
      const hinted = withTrafficHints(spec.trafficDistribution, changes, existing);
      return wasHinted ? { hinted, news: HINTS_DISABLED } : { hinted };
    }
    const topology = withTopologyHints(changes, existing, zoneShares(this.#memory.nodes.list()));
    if ('refusal' in topology) {
      hintedServices.drop(key);
      return { hinted: withTrafficHints(undefined, changes, existing), news: topology.refusal };
    }
    hintedServices.set(key, type, topology.counts);
    return wasHinted ? { hinted: topology.changes } : { hinted: topology.changes, news: HINTS_ENABLED };
  }

  #tellHints(news: string, type: AddressType): void {
    const isGood = news === HINTS_ENABLED;
    const reason = isGood ? 'TopologyAwareHintsEnabled' : 'TopologyAwareHintsDisabled';
    const text = `${news}, addressType: ${type}`;
    this.#context.recorder.record(this.#service, isGood ? 'Normal' : 'Warning', reason, text);
  }

  /** Looks at the pods that have changed since the last sync; returns the time that the slices' annotation gets. */
  #takeChanges(types: readonly AddressType[]): string | undefined {
    const record = this.#record;
    const { keys, areAll } = record.takeChanged(
      this.#service,
      (podKey) => this.#memory.pods.getByKey(podKey)?.spec.nodeName,
    );
    const pods = new Map<string, Pod | undefined>();
    for (const key of keys) {
      const pod = record.pods.has(key) ? this.#memory.pods.getByKey(key) : undefined;
      pods.set(key.slice(key.indexOf('/') + 1), pod);
      for (const type of types)
        record.tableOf(type).set(key, record.orderOf(key), pod && this.#endpointOf(pod, key, type));
    }
    return record.triggers.next(this.#service, pods, areAll);
  }

  #endpointOf(pod: Pod, key: string, type: AddressType): PodEndpoint | undefined {
    const address = isEndpoint(pod) ? addressOfType(pod, type) : undefined;
    if (address === undefined) return undefined;
    const node = pod.spec.nodeName === undefined ? undefined : this.#memory.nodes.getByKey(pod.spec.nodeName);
    // A pod on a node that is missing has to be looked at again.
    if (node === undefined) this.#record.note(key);
    if (this.#isOnMissingNode(pod)) return undefined;
    const ports = endpointPorts(this.#service, pod);
    return { ports, portsKey: portsKey(ports), endpoint: endpointOf(pod, address, this.#service, node) };
  }

  /** Such pods are for pod garbage collection; until then the service does without them, and looks again. */
  #isOnMissingNode({ metadata, spec: { nodeName } }: Pod): boolean {
    if (nodeName !== undefined && this.#memory.nodes.getByKey(nodeName) !== undefined) return false;
    const { metadata: own, spec } = this.#service;
    if (spec.publishNotReadyAddresses === true) return false;
    const service = `${own.namespace ?? ''}/${own.name}`;
    this.#missingNodes.push(`skipping Pod ${metadata.name} for Service ${service}: Node ${nodeName ?? ''} Not Found`);
    return true;
  }

  #hasStaleLabels({ metadata }: EndpointSlice): boolean {
    return !isSameJson(metadata.labels ?? {}, this.#labels);
  }

  /** A service on its way out gets no new slices. */
  async #write({ create, update, remove }: SliceChanges, trigger: string | undefined): Promise<void> {
    if (this.#service.metadata.deletionTimestamp === undefined) {
      for (const wanted of create) await this.#create(wanted, trigger);
    }
    for (const wanted of update) await this.#update(wanted, trigger);
    for (const slice of remove) await this.#remove(slice);
  }

  async #create({ addressType, endpoints, ports }: WantedSlice, trigger: string | undefined): Promise<void> {
    const { namespace, name } = this.#service.metadata;
    const draft: Draft = {
      metadata: {
        ...(namespace === undefined ? {} : { namespace }),
        generateName: `${name}-`,
        labels: this.#labels,
        ...(trigger === undefined ? {} : { annotations: { [TRIGGER_ANNOTATION]: trigger } }),
        ownerReferences: [controllerReference(this.#service)],
      },
      addressType,
      endpoints,
      ports,
    };
    await this.#record.tracker.write(undefined, this.#context.api.create('EndpointSlice', draft));
  }

  async #update({ original, endpoints, ports }: WantedSlice, trigger: string | undefined): Promise<void> {
    if (original === undefined) return;
    const { metadata } = original;
    const { annotations: before = {}, ...kept } = metadata;
    const { [TRIGGER_ANNOTATION]: _former, ...others } = before;
    const annotations = trigger === undefined ? others : { ...others, [TRIGGER_ANNOTATION]: trigger };
    const draft = {
      ...original,
      metadata: {
        ...kept,
        labels: this.#labels,
        ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
        ownerReferences: [controllerReference(this.#service)],
      },
      endpoints,
      ports,
    } as unknown as Draft;
    await this.#record.tracker.write(metadata.uid, this.#context.api.update('EndpointSlice', draft));
  }

  async #remove(slice: EndpointSlice): Promise<void> {
    try {
      await this.#context.api.delete('EndpointSlice', slice.metadata, { preconditions: { uid: slice.metadata.uid } });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    this.#record.tracker.expectDeletion(slice);
  }
}
