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

/** A change of such a record as it is logged: a small object that all of them are like. */
export class KeptChange implements ObjectEvent<'Event'> {
  readonly #kept: KeptEvent;
  /** Number of the change: that of the record's write, or of its removal. */
  readonly version: number;
  readonly atMs: number;
  readonly by: string;

  constructor(kept: KeptEvent, version: number, atMs: number, by: string) {
    this.#kept = kept;
    this.version = version;
    this.atMs = atMs;
    this.by = by;
  }

  get type(): 'ADDED' | 'DELETED' {
    return this.version === this.#kept.number ? 'ADDED' : 'DELETED';
  }

  get kind(): 'Event' {
    return 'Event';
  }

  /** The record; one that is gone stands under the version of its removal. */
  get object(): EventRecord {
    const { object, number } = this.#kept;
    if (this.version === number) return object;
    const metadata = Object.freeze({ ...object.metadata, resourceVersion: String(this.version) });
    return Object.freeze({ ...object, metadata });
  }

  /** The record before the change; undefined of one that is new. */
  get previous(): EventRecord | undefined {
    return this.version === this.#kept.number ? undefined : this.#kept.object;
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
