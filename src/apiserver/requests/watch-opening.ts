/** How a watch begins: with the present state, or with what happened since a version; then it goes live. */
import { nameKey, type Kind, type KindMap } from '../../api/objects/objects.js';
import { internalError } from '../store/api-errors.js';
import { parseVersion, versionSyntaxText } from '../store/list-options.js';
import type { WatchRoute, WatchSelection } from '../store/selection.js';
import type { WatchEvent, WatchHandle } from '../store/server-types.js';
import type { Shelf } from '../store/store.js';
import { Telling } from '../store/watch-hub.js';
import type { ChangeEvent } from '../store/watch-log.js';

/** What a new watch is opened with. */
export interface WatchOpening<K extends Kind> {
  readonly selection: WatchSelection<K>;
  readonly namespace: string | undefined;
  /** As the request has it. */
  readonly resourceVersion: string;
  readonly sink: (event: WatchEvent<K>) => void;
}

/**
 * Tells the sink where the watch stands, and every later change.
 *
 * @throws ApiError 410 when the history is gone; 500 for a version that is no number, as upstream
 */
export function openWatch<K extends Kind>(
  shelf: Shelf<K>,
  { selection, namespace, resourceVersion, sink }: WatchOpening<K>,
  present: { readonly version: number; readonly atMs: number },
): WatchHandle {
  const afterVersion = parseWatchVersion(resourceVersion);
  if (afterVersion === 0) {
    const { kind } = shelf.resource;
    for (const object of shelf.table.sorted(namespace)) {
      if (selection.covers(object)) sink({ type: 'ADDED', kind, object, ...present, by: undefined, named: undefined });
    }
  } else if (afterVersion < present.version) {
    const tell = (event: ChangeEvent<K>, previous: KindMap[K] | undefined): void => {
      const heard = new Telling(event, previous).through(selection);
      if (heard !== undefined) sink(heard);
    };
    const { route } = selection;
    const isOfNode = route.by === 'nodeName' || (route.by === 'name' && shelf.resource.storedAs === 'Node');
    const isTold = isOfNode && shelf.log.replayNodeAfter(afterVersion, route.key, tell);
    if (!isTold) {
      shelf.log.replayAfter(afterVersion, (event, previous) => {
        if (isOnRoute(route, event.object.metadata)) tell(event, previous);
      });
    }
  }
  return shelf.hub.subscribe({ selection, afterVersion, sink });
}

function parseWatchVersion(text: string): number {
  const version = text === '' ? 0 : parseVersion(text);
  if (version !== undefined) return version;
  throw internalError(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${versionSyntaxText(text)}`);
}

/** Names and namespaces never change, so the route itself may decide about them. */
function isOnRoute(
  route: WatchRoute,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
): boolean {
  if (route.by === 'namespace') return namespace === route.key;
  if (route.by === 'object') return nameKey(namespace, name) === route.key;
  return route.by !== 'name' || name === route.key;
}
