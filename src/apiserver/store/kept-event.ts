import type { EventRecord } from '../../api/objects/objects.js';
import { objectOf, type RecordedEvent } from '../../api/objects/recorded-event.js';
import { DeferredObject } from './deferred-object.js';

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
