import type { EventRecord } from '../../api/objects/objects.js';
import { objectOf, type RecordedEvent } from '../../api/objects/recorded-event.js';
import { DeferredObject } from './deferred-object.js';
import type { ObjectEvent } from './server-types.js';

/** An Event record as it was told, with what the server sets on a new object. */
export class KeptEvent extends DeferredObject<EventRecord> {
  readonly event: RecordedEvent;
  readonly uid: string;
  readonly creationTimestamp: string;
  /** Number of the write. */
  readonly number: number;

  constructor(event: RecordedEvent, uid: string, creationTimestamp: string, number: number) {
    super();
    this.event = event;
    this.uid = uid;
    this.creationTimestamp = creationTimestamp;
    this.number = number;
  }

  get namespace(): string {
    return this.event.namespace;
  }

  get name(): string {
    return this.event.name;
  }

  /** Its resourceVersion. */
  get version(): string {
    return String(this.number);
  }

  protected override make(): EventRecord {
    const { namespace, name, uid, version: resourceVersion, creationTimestamp } = this;
    const metadata = Object.freeze({ name, namespace, uid, resourceVersion, creationTimestamp });
    return Object.freeze(objectOf(this.event, metadata));
  }
}

/** The write of such a record as it is logged: a small object that all of them are like. */
export class KeptChange implements ObjectEvent<'Event'> {
  readonly #kept: KeptEvent;
  readonly atMs: number;
  readonly by: string;

  constructor(kept: KeptEvent, atMs: number, by: string) {
    this.#kept = kept;
    this.atMs = atMs;
    this.by = by;
  }

  get type(): 'ADDED' {
    return 'ADDED';
  }

  get kind(): 'Event' {
    return 'Event';
  }

  get object(): EventRecord {
    return this.#kept.object;
  }

  get version(): number {
    return this.#kept.number;
  }

  get named(): undefined {
    return undefined;
  }

  /** As watches are told of it: plain data, as every other event is. */
  get told(): ObjectEvent<'Event'> {
    const { type, kind, object, version, atMs, by, named } = this;
    return { type, kind, object, version, atMs, by, named };
  }
}
