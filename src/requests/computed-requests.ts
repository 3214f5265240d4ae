/** Requests for objects that are not kept but worked out when they are read: get, list and watch. */
import type { ObjectMeta } from '../api/objects/objects.js';
import { parseLabelSelector } from '../api/selectors/labels.js';
import { notFound } from '../apiserver/store/api-errors.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { ApiAnswer, ApiRequest, WatchFrame } from './api-request.js';
import type { ObjectView } from './object-view.js';
import { collectionOptions, type CollectionOptions } from './query-options.js';
import type { ResourceRequest } from './request-info.js';
import type { ServedResource } from './served-resources.js';
import { JSON_HEADERS } from './status-answer.js';

/** An object that is worked out. */
export interface ComputedObject {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'labels'>;
}

/** What knows of objects before they are worked out. */
export interface ComputedEntry {
  readonly metadata: ComputedObject['metadata'];
  /** Works the object out. */
  object(): object;
}

/** Where the objects of a resource come from. */
export interface ComputedSource {
  /** In the order in which a list has them; in all namespaces unless one is named. */
  entries(namespace: string | undefined): readonly ComputedEntry[];
  find(namespace: string | undefined, name: string): ComputedEntry | undefined;
  /** Tells of every change from now on, inside what brings it about. @returns what ends it */
  follow?(listener: (type: 'ADDED' | 'MODIFIED' | 'DELETED', entry: ComputedEntry) => void): () => void;
}

/** No objects. */
export const NOTHING_COMPUTED: ComputedSource = { entries: () => [], find: () => undefined };

/** A request for such objects. */
export interface ComputedRequest {
  readonly server: ApiServer;
  readonly request: ApiRequest;
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly view: ObjectView;
  readonly source: ComputedSource;
}

/** Answers it. @throws ApiError 400, 404 */
export function answerForComputed(asked: ComputedRequest): ApiAnswer {
  const { server, request, info, resource, view, source } = asked;
  const { namespace, name } = info;
  if (info.verb === 'get') {
    const found = source.find(namespace, name);
    if (found === undefined) throw notFound(resource, name);
    return view.single(found.object());
  }
  const options = collectionOptions(request.query, namespace);
  const isMeant = chosen(options, name);
  if (info.verb === 'watch') return watchOf(asked, options, isMeant);
  const entries = source.entries(namespace).filter(isMeant);
  return view.lazyList(entries.length, (index) => entries[index]?.object() ?? {}, {
    resourceVersion: String(server.version),
  });
}

/** By labels and by name, which is all that there is to choose by. */
function chosen({ selection }: CollectionOptions, wantedName: string): (entry: ComputedEntry) => boolean {
  const { labelSelector, fieldSelector = '' } = selection;
  const byLabels = labelSelector === undefined ? undefined : parseLabelSelector(labelSelector);
  const [, name = wantedName] = /(?:^|,)metadata\.name==?([^,]*)/.exec(fieldSelector) ?? [];
  const [, namespace] = /(?:^|,)metadata\.namespace==?([^,]*)/.exec(fieldSelector) ?? [];
  return ({ metadata }) =>
    (name === '' || metadata.name === name) &&
    (namespace === undefined || metadata.namespace === namespace) &&
    (selection.namespace === undefined || metadata.namespace === selection.namespace) &&
    (byLabels === undefined || byLabels.matches(metadata.labels));
}

/** What there is, unless the client knows it, then every change. */
function watchOf(
  { server, view, source, info }: ComputedRequest,
  { timeoutSeconds, allowWatchBookmarks, resourceVersion = '', sendInitialEvents }: CollectionOptions,
  isMeant: (entry: ComputedEntry) => boolean,
): ApiAnswer {
  const tellsState = sendInitialEvents ?? (resourceVersion === '' || resourceVersion === '0');
  const bookmark = (annotations?: Readonly<Record<string, string>>): WatchFrame => ({
    type: 'BOOKMARK',
    object: view.bookmark(String(server.version), annotations),
  });
  return {
    type: 'watch',
    status: 200,
    headers: JSON_HEADERS,
    timeoutSeconds,
    allowsBookmarks: allowWatchBookmarks,
    open: (sink) => {
      const tell = (type: WatchFrame['type'], entry: ComputedEntry): void => {
        if (isMeant(entry)) sink({ type, object: view.frame(entry.object()) });
      };
      if (tellsState) for (const entry of source.entries(info.namespace)) tell('ADDED', entry);
      if (sendInitialEvents === true) sink(bookmark({ 'k8s.io/initial-events-end': 'true' }));
      return { close: source.follow?.(tell) ?? (() => undefined), bookmark: () => bookmark() };
    },
  };
}
