import { Observable } from 'rxjs';
import type { Kind } from '../api/objects/objects.js';
import type { ApiServer, Selection, WatchEvent } from '../apiserver/store/server-types.js';
import type { Clock } from '../kernel/engine/clock.js';

/**
 * Watch events for the user of the program, current state first. They are handed over in a tick of
 * their own at the same simulated time, outside the request that caused them, so that a subscriber
 * may call the cluster in turn. Each subscription is a watch of its own.
 */
export function deliveredWatch<K extends Kind>(
  server: ApiServer,
  clock: Clock,
  kind: K,
  selection: Selection,
  closed$: Observable<unknown>,
): Observable<WatchEvent<K>> {
  return new Observable((subscriber) => {
    let queue: WatchEvent<K>[] = [];
    const flush = (): void => {
      const events = queue;
      queue = [];
      for (const event of events) {
        if (subscriber.closed) return;
        subscriber.next(event);
      }
    };
    const handle = server.watch(kind, selection, (event) => {
      if (queue.length === 0) clock.schedule(0, flush);
      queue.push(event);
    });
    subscriber.add(() => handle.close());
    subscriber.add(closed$.subscribe({ complete: () => subscriber.complete() }));
  });
}
