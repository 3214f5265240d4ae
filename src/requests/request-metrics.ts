/** What an API server tells of its requests and of what it keeps (apiserver/pkg/endpoints/metrics, v1.34). */
import { kindsIn, USUAL_KINDS } from '../api/kinds/optional-kinds.js';
import { kindRegistry } from '../api/kinds/registry.js';
import type { Kind } from '../api/objects/objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { Metrics } from '../metrics/metrics.js';
import type { ApiAnswer, ApiRequest } from './api-request.js';
import { booleanOption } from './query-options.js';
import { resourceRequest } from './request-info.js';

/** What all metrics of requests are told apart by. */
export const REQUEST_LABELS = [
  'verb',
  'dry_run',
  'group',
  'version',
  'resource',
  'subresource',
  'scope',
  'component',
] as const;
const LABELS = [...REQUEST_LABELS, 'code'] as const;
const VERBS: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT' };
const SWITCHING_PROTOCOLS = 101;

/** Registers them. @returns what is to be told of each request that was answered */
export function exposeRequestMetrics(
  metrics: Metrics,
  server: ApiServer,
): (request: ApiRequest, answer: ApiAnswer) => void {
  const stored = (): readonly { readonly group: string; readonly plural: string; readonly value: number }[] =>
    [
      ...[...USUAL_KINDS, ...kindsIn(server.optionalVersions)].map((kind) => kindRegistry[kind]),
      ...server.customKinds.map(({ kind, group, plural }) => ({ kind: `${kind}.${group}` as Kind, group, plural })),
    ].map(({ kind, group, plural }) => ({ group, plural, value: server.count(kind) }));
  metrics.computed(
    'apiserver_storage_objects',
    'Number of stored objects at the time of last check split by kind.',
    'gauge',
    () =>
      stored().map(({ group, plural, value }) => ({
        labels: { resource: group === '' ? plural : `${plural}.${group}` },
        value,
      })),
  );
  metrics.computed('apiserver_resource_objects', 'Objects that are stored, by resource.', 'gauge', () =>
    stored().map(({ group, plural, value }) => ({ labels: { group, resource: plural }, value })),
  );
  const total = metrics.counter(
    'apiserver_request_total',
    'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
    LABELS,
  );
  return (request, answer) => {
    const code = answer.type === 'stream' ? SWITCHING_PROTOCOLS : answer.status;
    total.inc({ ...requestLabels(request), component: 'apiserver', code });
  };
}

/** What a request is counted by. */
type RequestLabels = Readonly<Record<Exclude<(typeof LABELS)[number], 'component' | 'code'>, string>>;

/** The labels of a request under which upstream counts it. */
export function requestLabels({ method, path, query }: Pick<ApiRequest, 'method' | 'path' | 'query'>): RequestLabels {
  const info = resourceRequest(method, path, asksForWatch(query));
  const dryRun = query.get('dryRun') ?? '';
  if (info?.resource === undefined) {
    return { verb: method, dry_run: dryRun, group: '', version: '', resource: '', subresource: '', scope: '' };
  }
  const { verb, group, version, resource, namespace, name, subresource = '' } = info;
  const ofCollection = namespace === undefined ? 'cluster' : 'namespace';
  const scope = name === '' ? ofCollection : 'resource';
  const shown = VERBS[verb] ?? verb.toUpperCase();
  return { verb: shown, dry_run: dryRun, group, version, resource, subresource, scope };
}

/** What is refused as no boolean is no watch. */
function asksForWatch(query: URLSearchParams): boolean {
  try {
    return booleanOption(query, 'watch') === true;
  } catch {
    return false;
  }
}
