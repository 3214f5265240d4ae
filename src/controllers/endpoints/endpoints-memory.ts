import { matchesLabels } from '../../api/selectors/labels.js';
import { keyOf, parseKey, type core, type Pod, type Service, type StringMap } from '../../api/objects/objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { BY_NAMESPACE } from '../../bus/object-index.js';
import { TriggerTimes } from '../endpoint-slice/trigger-times.js';
import { concernsServices } from '../endpoint-slice/endpoints.js';
import { SubsetBook } from './subset-book.js';
import type { Place } from './subsets.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/**
 * Pods per millisecond that must lie between two syncs of a service: ten times as long as for its slices, since a sync
 * looks at every pod and writes all of their addresses in one object.
 */
const PODS_PER_MS = 1;

/** What a service selects, kept up by what pods tell. */
interface Members {
  readonly selector: StringMap;
  /** As of the last look, by what the service said then. */
  book: SubsetBook;
  spec: Service['spec'] | undefined;
  /** By name. */
  readonly pods: Map<string, Pod>;
  /** By name: what has become of pods since the service was last looked at; absent = the service has it no longer. */
  changed: Map<string, Pod | undefined>;
  /** The service has not been looked at since its pods were gathered. */
  isNew: boolean;
}

/** The memory of a run of the endpoints controller: a sync costs no look at pods that the service does not select. */
export class EndpointsMemory {
  readonly services: Lister<'Service'>;
  readonly endpoints: Lister<'Endpoints'>;
  readonly #pods: Lister<'Pod'>;
  readonly #queue: ControllerContext['queue'];
  readonly #triggers = new Map<string, TriggerTimes>();
  /** By service: what those that have been looked at select. */
  readonly #members = new Map<string, Members>();
  /** By namespace: their keys. */
  readonly #selecting = new Map<string, Set<string>>();
  /** By pod: the services among them that select it. */
  readonly #servicesOfPod = new Map<string, readonly string[]>();

  constructor(context: ControllerContext) {
    this.#queue = context.queue;
    this.#pods = context.informer('Pod', BY_NAMESPACE);
    const enqueue = (service: Service): void => this.#queue.add(keyOf(service));
    this.services = context.watch(
      'Service',
      { onAdd: enqueue, onUpdate: (_previous, service) => enqueue(service), onDelete: enqueue },
      BY_NAMESPACE,
    );
    context.watch('Pod', {
      onAdd: (pod) => this.#podChanged(undefined, pod),
      onUpdate: (previous, pod) => this.#podChanged(previous, pod),
      onDelete: (pod) => this.#podGone(pod),
    });
    const endpoints = context.watch('Endpoints', { onDelete: (object) => this.#queue.add(keyOf(object)) });
    this.endpoints = endpoints;
    // Endpoints that lost their service while the controller was down are found at its start only.
    endpoints.whenSynced(() => {
      for (const object of endpoints.list()) this.#queue.add(keyOf(object));
    });
  }

  /**
   * The subsets of a service, and the time of the change that a sync of it answers to.
   *
   * @param placesOf - the places of a pod that the service selects; asked for pods that have changed
   */
  look(
    key: string,
    service: Service,
    placesOf: (service: Service, pod: Pod) => readonly Place[],
  ): { readonly subsets: readonly core.EndpointSubset[]; readonly trigger: string | undefined } {
    const members = this.#membersOf(key, service);
    const { pods, changed, isNew } = members;
    const isAsBefore = members.spec === service.spec && !isNew;
    if (!isAsBefore) members.book = new SubsetBook();
    members.spec = service.spec;
    for (const [name, pod] of isAsBefore ? changed : pods)
      members.book.set(name, pod === undefined ? [] : placesOf(service, pod));
    members.changed = new Map();
    members.isNew = false;
    let triggers = this.#triggers.get(key);
    if (triggers === undefined) this.#triggers.set(key, (triggers = new TriggerTimes()));
    return { subsets: members.book.subsets(), trigger: triggers.next(service, isNew ? pods : changed, isNew) };
  }

  /** Gathered from all pods of the namespace where the service is new, or selects others than before. */
  #membersOf(key: string, { metadata: { namespace = '' }, spec: { selector = {} } }: Service): Members {
    const known = this.#members.get(key);
    if (known?.selector === selector) return known;
    if (known !== undefined) this.#leaveAll(key, known);
    const pods = new Map<string, Pod>();
    for (const pod of this.#pods.byIndex('namespace', namespace)) {
      if (!matchesLabels(selector, pod.metadata.labels)) continue;
      pods.set(pod.metadata.name, pod);
      const podKey = keyOf(pod);
      this.#servicesOfPod.set(podKey, [...(this.#servicesOfPod.get(podKey) ?? []), key]);
    }
    const book = new SubsetBook();
    const members: Members = { selector, pods, changed: new Map(), isNew: true, book, spec: undefined };
    this.#members.set(key, members);
    const inNamespace = this.#selecting.get(namespace);
    if (inNamespace === undefined) this.#selecting.set(namespace, new Set([key]));
    else inNamespace.add(key);
    return members;
  }

  /** The service is gone. */
  forget(key: string): void {
    const members = this.#members.get(key);
    if (members !== undefined) this.#leaveAll(key, members);
    this.#triggers.delete(key);
    this.#members.delete(key);
    this.#selecting.get(parseKey(key).namespace ?? '')?.delete(key);
    this.#queue.drop(key);
  }

  /** A service that has not been looked at yet waits for that, and sees all of its pods then. */
  #podChanged(previous: Pod | undefined, pod: Pod): void {
    if (this.#members.size === 0) return;
    const podKey = keyOf(pod);
    const before = this.#servicesOfPod.get(podKey) ?? [];
    if (previous === undefined || previous.metadata.labels !== pod.metadata.labels) this.#match(podKey, pod);
    const services = this.#servicesOfPod.get(podKey);
    if (services === undefined) return;
    const isReason = previous === undefined || concernsServices(previous, pod);
    for (const key of services) this.#note(key, pod.metadata.name, pod, isReason || !before.includes(key));
  }

  #podGone(pod: Pod): void {
    const podKey = keyOf(pod);
    for (const key of this.#servicesOfPod.get(podKey) ?? []) this.#note(key, pod.metadata.name, undefined, true);
    this.#servicesOfPod.delete(podKey);
  }

  /** Which services select the pod, by its labels of now; those that selected it before hear that it left. */
  #match(podKey: string, pod: Pod): void {
    const { namespace = '', name, labels } = pod.metadata;
    const before = this.#servicesOfPod.get(podKey) ?? [];
    const now: string[] = [];
    for (const key of this.#selecting.get(namespace) ?? []) {
      const selector = this.#members.get(key)?.selector;
      if (selector !== undefined && matchesLabels(selector, labels)) now.push(key);
    }
    for (const key of before) if (!now.includes(key)) this.#note(key, name, undefined, true);
    if (now.length > 0) this.#servicesOfPod.set(podKey, now);
    else this.#servicesOfPod.delete(podKey);
  }

  /** @param isReason - for a sync; the next one sees the change in any case */
  #note(key: string, name: string, pod: Pod | undefined, isReason: boolean): void {
    const members = this.#members.get(key);
    if (members === undefined) return;
    if (pod === undefined) members.pods.delete(name);
    else members.pods.set(name, pod);
    members.changed.set(name, pod);
    if (isReason) this.#queue.addSpaced(key, members.pods.size / PODS_PER_MS);
  }

  #leaveAll(key: string, { pods }: Members): void {
    for (const pod of pods.values()) {
      const podKey = keyOf(pod);
      const services = (this.#servicesOfPod.get(podKey) ?? []).filter((service) => service !== key);
      if (services.length === 0) this.#servicesOfPod.delete(podKey);
      else this.#servicesOfPod.set(podKey, services);
    }
  }
}
