/**
 * Watches: where one begins, and its frames. Mirrors the start table of the watch cache
 * (staging/src/k8s.io/apiserver/pkg/storage/cacher, v1.34, with streaming lists on).
 */
import { ApiError } from '../api/errors/api-error.js';
import type { Kind, Lease } from '../api/objects/objects.js';
import { parseVersion, versionSyntaxText } from '../apiserver/store/list-options.js';
import { expired, internalError, tooLargeVersion } from '../apiserver/store/api-errors.js';
import type { ApiServer, WatchEvent, WatchHandle } from '../apiserver/store/server-types.js';
import type { OpenWatch, WatchAnswer, WatchFrame } from './api-request.js';
import type { CollectionOptions } from './query-options.js';
import { JSON_HEADERS } from './status-answer.js';

/** Said in the bookmark that ends the present state. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** How frames show objects. */
export interface FrameView {
  /** Of a change; called in order. */
  change(type: WatchFrame['type'], object: object): WatchFrame;
  /** Of a bookmark at a version. */
  bookmark(resourceVersion: string, annotations?: Readonly<Record<string, string>>): object;
  /** Whether it shows lists alone, so that a watch has nothing to tell in it. */
  readonly isOfLists?: boolean;
}

interface Stream {
  readonly kind: Kind;
  readonly options: CollectionOptions;
  readonly view: FrameView;
  readonly beginning: Beginning;
}

interface Beginning {
  /** Changes after this one are told; `''` = the present state first. */
  readonly resourceVersion: string;
  readonly tellsEnd: boolean;
  /** Told in place of everything: a version of the future is one that does not come in time. */
  readonly problem?: ApiError;
}

/** @throws ApiError 400, 422 or 500 before anything is told */
export function watchAnswer(server: ApiServer, kind: Kind, options: CollectionOptions, view: FrameView): WatchAnswer {
  // A selector that cannot be read is refused before the headers are out.
  server.watch(kind, { ...options.selection, resourceVersion: String(server.version) }, () => undefined).close();
  const beginning = beginningOf(server, options);
  const { timeoutSeconds, allowWatchBookmarks: allowsBookmarks } = options;
  return {
    type: 'watch',
    status: 200,
    headers: JSON_HEADERS,
    timeoutSeconds,
    allowsBookmarks: allowsBookmarks && view.isOfLists !== true,
    open: (sink) => (view.isOfLists === true ? MUTE : openStream(server, { kind, options, view, beginning }, sink)),
  };
}

const MUTE: OpenWatch = {
  close: () => undefined,
  bookmark: () => ({ type: 'BOOKMARK', object: {} }),
  renewed: undefined,
};

function beginningOf(server: ApiServer, options: CollectionOptions): Beginning {
  const { resourceVersion = '', sendInitialEvents, allowWatchBookmarks, isWatch } = options;
  const version = resourceVersion === '' ? 0 : parseVersion(resourceVersion);
  if (version === undefined) {
    const what = `resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}`;
    throw internalError(`${what}: ${versionSyntaxText(resourceVersion)}`);
  }
  if (sendInitialEvents === true) {
    const isFuture = version > server.version;
    const problem = isFuture ? { problem: tooLargeVersion(version, server.version) } : {};
    return { resourceVersion: '', tellsEnd: allowWatchBookmarks, ...problem };
  }
  if (version > 0) {
    const isGone = version < server.watchesSince;
    const gone = expired(`too old resource version: ${version} (${server.watchesSince})`);
    return { resourceVersion, tellsEnd: false, ...(isGone ? { problem: gone } : {}) };
  }
  // Defaults for watches are set where the query asks for one (SetListOptionsDefaults).
  if (sendInitialEvents === undefined) return { resourceVersion: '', tellsEnd: allowWatchBookmarks && isWatch };
  return { resourceVersion: String(server.version), tellsEnd: false };
}

/** Opens it, tells its beginning, and what goes wrong as a frame. */
function openStream(
  server: ApiServer,
  { kind, options, view, beginning }: Stream,
  sink: (frame: WatchFrame) => void,
): OpenWatch {
  const { resourceVersion, tellsEnd, problem } = beginning;
  // Everything up to the server's version has been told when it is asked for; a watch may begin in the future.
  const bookmark = (annotations?: Readonly<Record<string, string>>): WatchFrame => {
    const version = Math.max(server.version, Number(resourceVersion));
    return { type: 'BOOKMARK', object: view.bookmark(String(version), annotations) };
  };
  const tell = (event: WatchEvent): void => {
    if (event.type !== 'BOOKMARK') sink(view.change(event.type, event.object));
  };
  let handle: WatchHandle | undefined;
  try {
    if (problem !== undefined) throw problem;
    handle = server.watch(kind, { ...options.selection, resourceVersion }, tell);
    if (tellsEnd) sink(bookmark({ [INITIAL_EVENTS_END]: 'true' }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    sink({ type: 'ERROR', object: error.toStatus() });
  }
  const renewed = kind === 'Lease' ? renewalsOf(server, options, view) : undefined;
  return { close: () => handle?.close(), bookmark: () => bookmark(), renewed };
}

/** Leases of healthy nodes are not written at each renewal, and what watches over nodes from outside must hear of it. */
function renewalsOf(server: ApiServer, options: CollectionOptions, view: FrameView): () => readonly WatchFrame[] {
  const told = new Map<string, string | undefined>();
  const read = (): readonly Lease[] => {
    const { items } = server.list('Lease', options.selection);
    const renewed = items.filter(({ metadata, spec }) => told.get(metadata.uid) !== spec?.renewTime);
    for (const { metadata, spec } of renewed) told.set(metadata.uid, spec?.renewTime);
    return renewed;
  };
  read();
  return () => read().map((lease) => view.change('MODIFIED', lease));
}
