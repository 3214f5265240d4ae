import { isPodReady } from '../../api/conditions.js';
import { matchesLabels } from '../../api/labels.js';
import { keyOf, type core, type Pod, type Service } from '../../api/objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { BY_NAMESPACE } from '../../bus/object-index.js';
import { TriggerTimes } from '../endpoint-slice/trigger-times.js';
import { isEndpoint } from '../endpoint-slice/endpoints.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/**
 * Pods per millisecond that must lie between two syncs of a service: ten times as long as for its slices, since a sync
 * looks at every pod and writes all of their addresses in one object.
 */
const PODS_PER_MS = 1;

/** The memory of a run of the endpoints controller. */
export class EndpointsMemory {
  readonly services: Lister<'Service'>;
  readonly endpoints: Lister<'Endpoints'>;
  readonly #pods: Lister<'Pod'>;
  readonly #queue: ControllerContext['queue'];
  readonly #triggers = new Map<string, TriggerTimes>();
  /** Pods that a service had when it was last looked at. */
  readonly #sizes = new Map<string, number>();
  /** By pod; addresses never change. */
  readonly #addresses = new WeakMap<Pod, core.EndpointAddress>();

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
      onDelete: (pod) => this.#podChanged(undefined, pod),
    });
    const endpoints = context.watch('Endpoints', { onDelete: (object) => this.#queue.add(keyOf(object)) });
    this.endpoints = endpoints;
    // Those whose service went while the controller was down are found at its start only.
    endpoints.whenSynced(() => {
      for (const object of endpoints.list()) this.#queue.add(keyOf(object));
    });
  }

  /** The pods that a service selects, and the time of the change that a sync of it answers to. */
  look(key: string, service: Service): { readonly pods: readonly Pod[]; readonly trigger: string | undefined } {
    const { selector = {} } = service.spec;
    const pods = [...this.#pods.byIndex('namespace', service.metadata.namespace ?? '')].filter(({ metadata }) =>
      matchesLabels(selector, metadata.labels),
    );
    this.#sizes.set(key, pods.length);
    let triggers = this.#triggers.get(key);
    if (triggers === undefined) this.#triggers.set(key, (triggers = new TriggerTimes()));
    return { pods, trigger: triggers.next(service, new Map(pods.map((pod) => [pod.metadata.name, pod])), true) };
  }

  /** What `make` makes of a pod, made once. */
  addressOf(pod: Pod, make: () => core.EndpointAddress): core.EndpointAddress {
    let address = this.#addresses.get(pod);
    if (address === undefined) this.#addresses.set(pod, (address = make()));
    return address;
  }

  /** The service is gone. */
  forget(key: string): void {
    this.#triggers.delete(key);
    this.#sizes.delete(key);
    this.#queue.drop(key);
  }

  #podChanged(previous: Pod | undefined, pod: Pod): void {
    if (this.services.size === 0) return;
    if (previous !== undefined && !isSeen(previous, pod)) return;
    for (const service of this.services.byIndex('namespace', pod.metadata.namespace ?? '')) {
      const { selector } = service.spec;
      if (selector === undefined) continue;
      const isOf = ({ metadata }: Pod): boolean => matchesLabels(selector, metadata.labels);
      if (!isOf(pod) && (previous === undefined || !isOf(previous))) continue;
      const key = keyOf(service);
      this.#queue.addSpaced(key, (this.#sizes.get(key) ?? 0) / PODS_PER_MS);
    }
  }
}

/** Whether a change of a pod is one that services could tell of. */
function isSeen(previous: Pod, pod: Pod): boolean {
  return (
    previous.metadata.labels !== pod.metadata.labels ||
    previous.status.podIPs !== pod.status.podIPs ||
    previous.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
    previous.spec.nodeName !== pod.spec.nodeName ||
    isPodReady(previous) !== isPodReady(pod) ||
    isEndpoint(previous) !== isEndpoint(pod)
  );
}
