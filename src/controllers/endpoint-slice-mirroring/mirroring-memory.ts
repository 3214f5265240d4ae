import { keyOf, nameKey, type Endpoints, type EndpointSlice, type Service } from '../../api/objects/objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { MANAGED_BY_LABEL, SERVICE_LABEL } from '../endpoint-slice/slice-packing.js';
import { SliceTracker } from '../endpoint-slice/slice-tracker.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/** The value by which slices say that they are mirrors. */
export const MIRROR = 'endpointslicemirroring-controller.k8s.io';
const SKIP_LABEL = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER_ANNOTATION = 'control-plane.alpha.kubernetes.io/leader';
const BY_MIRRORED = { mirrored: (slice: EndpointSlice) => (isMirror(slice) ? [serviceKeyOf(slice)] : []) };

/** Whether an object is one of those that are mirrored, as far as it says itself. */
export function isMirrored({ metadata: { labels, annotations } }: Endpoints): boolean {
  return labels?.[SKIP_LABEL] !== 'true' && annotations?.[LEADER_ANNOTATION] === undefined;
}

/** The memory of a run of the controller: what it has written of which service's slices. */
export class MirroringMemory {
  readonly endpoints: Lister<'Endpoints'>;
  readonly services: Lister<'Service'>;
  readonly #slices: Lister<'EndpointSlice'>;
  readonly #queue: ControllerContext['queue'];
  readonly #trackers = new Map<string, SliceTracker>();

  constructor(context: ControllerContext) {
    this.#queue = context.queue;
    // Endpoints come last: of those that the process knows already it hears at once, and looks for service and slices.
    this.#slices = context.watch(
      'EndpointSlice',
      {
        onAdd: (slice) => this.#sliceSeen(slice),
        onUpdate: (previous, slice) => this.#sliceUpdated(previous, slice),
        onDelete: (slice) => {
          if (isMirror(slice) && this.#trackers.get(serviceKeyOf(slice))?.noteDeletion(slice) === false) {
            this.#queue.add(serviceKeyOf(slice));
          }
        },
      },
      BY_MIRRORED,
    );
    this.services = context.watch('Service', {
      onAdd: (service) => this.#serviceSeen(service),
      onUpdate: (previous, service) => {
        if (hasSelector(previous) !== hasSelector(service)) this.#queue.add(keyOf(service));
      },
      onDelete: (service) => this.#serviceSeen(service),
    });
    this.endpoints = context.watch('Endpoints', {
      onAdd: (endpoints) => this.#endpointsSeen(endpoints),
      onUpdate: (previous, endpoints) => {
        if (isMirrored(previous) || isMirrored(endpoints)) this.#enqueue(keyOf(endpoints));
      },
      onDelete: (endpoints) => this.#endpointsSeen(endpoints),
    });
  }

  /** Mirrors of an object. */
  slicesOf(key: string): readonly EndpointSlice[] {
    return [...this.#slices.byIndex('mirrored', key)];
  }

  trackerOf(key: string): SliceTracker {
    let tracker = this.#trackers.get(key);
    if (tracker === undefined) this.#trackers.set(key, (tracker = new SliceTracker()));
    return tracker;
  }

  /** A slice that is as it should be, though it may not have been written in this run. */
  note(key: string, slice: EndpointSlice): void {
    const tracker = this.trackerOf(key);
    if (tracker.isForeign(slice)) tracker.noteWrite(slice);
  }

  forget(key: string): void {
    this.#trackers.delete(key);
  }

  #serviceSeen(service: Service): void {
    if (!hasSelector(service)) this.#queue.add(keyOf(service));
  }

  #endpointsSeen(endpoints: Endpoints): void {
    if (isMirrored(endpoints)) this.#enqueue(keyOf(endpoints));
  }

  /** Those of a service that selects its pods have no mirrors; upstream finds that out in a sync. */
  #enqueue(key: string): void {
    const service = this.services.getByKey(key);
    if (service === undefined || !hasSelector(service) || this.slicesOf(key).length > 0) this.#queue.add(key);
  }

  #sliceSeen(slice: EndpointSlice): void {
    if (isMirror(slice) && this.trackerOf(serviceKeyOf(slice)).isForeign(slice)) this.#queue.add(serviceKeyOf(slice));
  }

  #sliceUpdated(previous: EndpointSlice, slice: EndpointSlice): void {
    const [before, now] = [serviceKeyOf(previous), serviceKeyOf(slice)];
    if (before !== now || isMirror(previous) !== isMirror(slice)) {
      for (const key of new Set([before, now])) if (key !== '') this.#queue.add(key);
    } else this.#sliceSeen(slice);
  }
}

function hasSelector({ spec }: Service): boolean {
  return spec.selector !== undefined;
}

function isMirror({ metadata: { labels } }: EndpointSlice): boolean {
  return labels?.[MANAGED_BY_LABEL] === MIRROR && labels[SERVICE_LABEL] !== undefined;
}

/** Empty for a slice of none. */
function serviceKeyOf({ metadata: { namespace, labels } }: EndpointSlice): string {
  const name = labels?.[SERVICE_LABEL] ?? '';
  return name === '' ? '' : nameKey(namespace, name);
}
