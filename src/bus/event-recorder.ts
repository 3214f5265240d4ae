/**
 * Writes Event objects (core/v1) for one component. Events with an `action` are written and merged as
 * the events.k8s.io recorder of kube-scheduler does, the others as the older one of kubelet and
 * controllers. Refused events are dropped, as upstream; while the link is cut, up to 1,000 wait.
 */
import { isApiError } from '../api/errors/api-error.js';
import type { Draft, EventRecord } from '../api/objects/objects.js';
import { type EventReference, type EventWriter, type RecordedEvent } from '../api/objects/recorded-event.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { Client, EventLimit, EventRecorder, EventType, LinkUser } from './bus-types.js';
import { EventCorrelator, type Observation, type Verdict } from './event-correlator.js';
import type { EventNames } from './event-names.js';
import { EventSeriesBook, type EventSeries } from './event-series.js';
import type { Wire } from './wire.js';

/** Events that wait for a cut link; client-go drops those that do not fit in its queue either. */
const LARGEST_BACKLOG = 1000;
/** Namespace of events about cluster-scoped objects. */
const DEFAULT_NAMESPACE = 'default';

type Regarding = Parameters<EventRecorder['record']>[0];
type RecordOptions = NonNullable<Parameters<EventRecorder['record']>[4]>;

/** What a recorder is made with. */
export interface RecorderMeans {
  readonly kernel: Kernel;
  readonly wire: Wire;
  readonly client: Client;
  readonly names: EventNames;
  readonly limit: EventLimit | undefined;
}

/** See the file header. */
export class WireEventRecorder implements EventRecorder, LinkUser {
  readonly #kernel: Kernel;
  readonly #wire: Wire;
  readonly #client: Client;
  readonly #names: EventNames;
  readonly #component: string;
  readonly #host: string | undefined;
  readonly #writer: EventWriter;
  readonly #limit: EventLimit | undefined;
  #doer: EventWriter | undefined;
  /** What was recorded last: a container's records refer to it alike. */
  #regarding: { readonly metadata: object; readonly reference: EventReference } | undefined;
  #correlator: EventCorrelator | undefined;
  #series: EventSeriesBook | undefined;
  #backlog: (() => void)[] | undefined;

  constructor({ kernel, wire, client, names, limit }: RecorderMeans, component: string, host?: string) {
    this.#limit = limit;
    this.#kernel = kernel;
    this.#wire = wire;
    this.#client = client;
    this.#names = names;
    this.#component = component;
    this.#host = host;
    const source = host === undefined ? { component } : { component, host };
    this.#writer = { source, component, instance: host ?? '' };
  }

  record(regarding: Regarding, type: EventType, reason: string, message: string, options: RecordOptions = {}): void {
    const { action, fieldPath = '' } = options;
    if (action !== undefined) return this.#recordSeries(regarding, type, reason, message, action, options);
    this.#correlator ??= new EventCorrelator(this.#limit);
    const { metadata } = regarding;
    const nowMs = this.#kernel.clock.now();
    const object =
      metadata.uid === '' ? `${regarding.kind}/${metadata.namespace ?? ''}/${metadata.name}` : metadata.uid;
    const newName = (): string => this.#names.next(metadata.name);
    const verdict = this.#correlator.correlate({ object, type, reason, message, fieldPath }, nowMs, newName);
    if (verdict === undefined) return;
    const { observation, isMerged } = verdict;
    if (observation.count === 1 && !isMerged && options.annotations === undefined) {
      const event = this.#recorded(regarding, type, reason, observation, fieldPath);
      return this.#write(() => this.#client.record(event));
    }
    const draft = this.#legacyDraft(regarding, type, reason, verdict, options);
    if (observation.count === 1) this.#write(() => this.#client.create('Event', draft));
    else this.#write(() => this.#raise(metadata.namespace ?? DEFAULT_NAMESPACE, observation.name, draft));
  }

  /** @internal the link is up again: what waited is written. */
  resume(): void {
    const backlog = this.#backlog ?? [];
    this.#backlog = undefined;
    this.#wire.leave(this);
    for (const write of backlog) write();
  }

  /** @internal */
  breakOff(): void {
    /* requests notice it themselves */
  }

  forget(): void {
    if (this.#backlog !== undefined) this.#wire.leave(this);
    this.dispose();
  }

  /** Forgets everything; the clock holds nothing of this recorder afterwards. */
  dispose(): void {
    this.#series?.dispose();
    this.#series = undefined;
    this.#correlator = undefined;
    this.#backlog = undefined;
  }

  #write(write: () => void): void {
    if (this.#wire.isDisposed) return;
    if (this.#wire.link.passes('out')) return write();
    if (this.#backlog === undefined) {
      this.#backlog = [];
      this.#wire.join(this);
    }
    if (this.#backlog.length < LARGEST_BACKLOG) this.#backlog.push(write);
  }

  /** A higher count for an Event object; if it is gone, it is created with all that is known. */
  #raise(namespace: string, name: string, draft: Draft): void {
    const { count, lastTimestamp, message } = draft as Partial<EventRecord>;
    this.#client.change(
      'Event',
      { namespace, name },
      (current) => ({
        ...current,
        ...(count === undefined ? {} : { count }),
        ...(lastTimestamp === undefined ? {} : { lastTimestamp }),
        message: message ?? '',
      }),
      undefined,
      (error) => {
        if (isApiError(error, 'NotFound')) this.#client.create('Event', draft);
      },
    );
  }

  #recordSeries(
    regarding: Regarding,
    type: EventType,
    reason: string,
    message: string,
    action: string,
    { related, fieldPath = '' }: RecordOptions,
  ): void {
    this.#series ??= new EventSeriesBook(this.#kernel.clock, (series) => this.#writeSeries(series));
    const { metadata } = regarding;
    const relatedUid = related?.metadata.uid ?? '';
    const key = `${type}\n${action}\n${reason}\n${metadata.uid}\n${metadata.resourceVersion ?? ''}\n${fieldPath}\n${relatedUid}`;
    if (this.#series.count(key)) return;
    const namespace = metadata.namespace ?? DEFAULT_NAMESPACE;
    const name = this.#names.next(metadata.name);
    this.#series.add(key, namespace, name);
    const { clock, timestamps } = this.#kernel;
    this.#doer ??= this.#createDoer();
    const event: RecordedEvent = {
      name,
      namespace,
      regarding: reference(regarding, fieldPath),
      type,
      reason,
      message,
      time: timestamps.toMicroTime(clock.now()),
      writer: this.#doer,
      action,
      ...(related === undefined ? {} : { related: reference(related, '') }),
    };
    this.#write(() => this.#client.record(event));
  }

  /** Of records of what the component did. */
  #createDoer(): EventWriter {
    const component = this.#component;
    return { source: {}, component, instance: this.#host === undefined ? component : `${component}-${this.#host}` };
  }

  #writeSeries({ namespace, name, count, lastMs }: EventSeries): void {
    const series = { count, lastObservedTime: this.#kernel.timestamps.toMicroTime(lastMs) };
    this.#write(() => this.#client.change('Event', { namespace, name }, (current) => ({ ...current, series })));
  }

  #recorded(
    regarding: Regarding,
    type: EventType,
    reason: string,
    { name, message }: Observation,
    fieldPath: string,
  ): RecordedEvent {
    const { clock, timestamps } = this.#kernel;
    return {
      name,
      namespace: regarding.metadata.namespace ?? DEFAULT_NAMESPACE,
      regarding: this.#reference(regarding, fieldPath),
      type,
      reason,
      message,
      time: timestamps.toTime(clock.now()),
      writer: this.#writer,
    };
  }

  /** The same one again for the same state of an object, if it cannot have changed meanwhile. */
  #reference(regarding: Regarding, fieldPath: string): EventReference {
    const { metadata, kind } = regarding;
    const { reference: last } = this.#regarding?.metadata === metadata ? this.#regarding : {};
    if (last?.kind === kind && (last.fieldPath ?? '') === fieldPath && Object.isFrozen(metadata)) return last;
    const fresh = reference(regarding, fieldPath);
    this.#regarding = { metadata, reference: fresh };
    return fresh;
  }

  /** Merged events name no reporting component: upstream's aggregator leaves it out. */
  #legacyDraft(
    regarding: Regarding,
    type: EventType,
    reason: string,
    { observation, message, isMerged }: Verdict,
    { fieldPath = '', annotations }: RecordOptions,
  ): Draft {
    const { clock, timestamps } = this.#kernel;
    const namespace = regarding.metadata.namespace ?? DEFAULT_NAMESPACE;
    return {
      metadata: { name: observation.name, namespace, ...(annotations === undefined ? {} : { annotations }) },
      involvedObject: reference(regarding, fieldPath),
      reason,
      message,
      source: this.#writer.source,
      firstTimestamp: timestamps.toTime(observation.firstMs),
      lastTimestamp: timestamps.toTime(clock.now()),
      count: observation.count,
      type,
      reportingComponent: isMerged ? '' : this.#component,
      reportingInstance: isMerged ? '' : (this.#host ?? ''),
    };
  }
}

/** A core/v1 ObjectReference. */
function reference({ kind, apiVersion, metadata }: Regarding, fieldPath: string): EventReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    ...(apiVersion === '' ? {} : { apiVersion }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(fieldPath === '' ? {} : { fieldPath }),
  };
}
