import { Observable } from 'rxjs';
import type { Kind } from '../api/objects/objects.js';
import type { ApiServer, ObjectEvent, WatchOptions } from '../apiserver/store/server-types.js';
import type { Lookout } from './bus-types.js';

/** See {@link Lookout}. */
export function createLookout(server: Pick<ApiServer, 'version' | 'watch'>): Lookout {
  const watch = <K extends Kind>(kind: K, optionsNow: () => WatchOptions): Observable<ObjectEvent<K>> =>
    new Observable((subscriber) => {
      const handle = server.watch(kind, optionsNow(), (event) => {
        if (event.type !== 'BOOKMARK') subscriber.next(event);
      });
      return () => handle.close();
    });
  return {
    watch: (kind, selection = {}) => watch(kind, () => selection),
    changes: (kind, selection) => watch(kind, () => ({ ...selection, resourceVersion: String(server.version) })),
  };
}
