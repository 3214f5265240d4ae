import { filter, map, type Observable } from 'rxjs';
import type { EventRecord } from '../api/objects/objects.js';
import type { ObjectEvent } from '../apiserver/store/server-types.js';

/** An `Event` object as it was written, with the simulated time of the write. */
export interface TimedEvent {
  readonly atMs: number;
  readonly event: EventRecord;
}

/** Each write of an `Event` object. */
export function timedEvents(watch: Observable<ObjectEvent<'Event'>>): Observable<TimedEvent> {
  return watch.pipe(
    filter(({ type }) => type !== 'DELETED'),
    map(({ atMs, object }) => ({ atMs, event: object })),
  );
}
