/**
 * What clients learn of the resources that are served: the plain documents of /api and /apis, and both in one
 * (aggregated, with a tag by which a client keeps them). Mirrors apiserver/pkg/endpoints/discovery (v1.34).
 */
import { createHash } from 'node:crypto';
import type { AnswerHeaders, ApiAnswer, ApiRequest } from '../api-request.js';
import { acceptClauses } from '../negotiation.js';
import type { Served, ServedGroup, ServedResource, ServedVersion } from '../served-resources.js';
import { methodNotAllowed, objectAnswer, pageNotFound, resourceNotFound } from '../status-answer.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * Answers `/api…` and `/apis…` down to a group version. What upstream's aggregator answers for its groups, it answers
 * whatever the method; the core group and group versions are read alone.
 *
 * @throws ApiError 404, 405
 */
export function discoveryAnswer(request: ApiRequest, parts: readonly string[], served: Served): ApiAnswer {
  const [core, ...groups] = served.groups as readonly [ServedGroup, ...ServedGroup[]];
  const [root, first, second] = parts;
  if (root === 'api') {
    return read(request, first === undefined ? rootAnswer(request, [core], coreVersions) : versionAnswer(core, first));
  }
  if (first === undefined) return rootAnswer(request, groups, () => groupList(groups));
  const group = groups.find(({ name }) => name === first);
  if (group === undefined) return pageNotFound();
  if (second !== undefined) return read(request, versionAnswer(group, second));
  return objectAnswer({ kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(group) });
}

/** What has a route for GET alone. @throws ApiError 404, 405 */
function read({ method }: ApiRequest, answer: ApiAnswer | undefined): ApiAnswer {
  if (answer === undefined) throw resourceNotFound();
  if (method !== 'GET') throw methodNotAllowed();
  return answer;
}

/** Whether a server has a group, in whatever version. */
export function hasGroup({ groups }: Served, group: string): boolean {
  return groups.some(({ name }) => name === group);
}

function rootAnswer(request: ApiRequest, groups: readonly ServedGroup[], plain: () => object): ApiAnswer {
  if (!wantsAggregated(request.headers['accept'])) return objectAnswer(plain());
  const value = aggregatedDocument(groups);
  const etag = `"${hashOf(value)}"`;
  const headers: AnswerHeaders = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (request.headers['if-none-match'] === etag) return { type: 'empty', status: 304, headers };
  return objectAnswer(value, 200, { 'content-type': AGGREGATED, ...headers });
}

/** A clause that is not known is passed over; what comes first decides. */
function wantsAggregated(accept: string | undefined): boolean {
  for (const { type, parameters } of acceptClauses(accept)) {
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    const { g, v, as } = parameters;
    if (as === undefined) return false;
    if (as === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io' && v === 'v2') return true;
  }
  return false;
}

/** The tag of a document: SHA-512 of its JSON in upper case. */
export function hashOf(value: object | string): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return createHash('sha512').update(text).digest('hex').toUpperCase();
}

function coreVersions(): object {
  const addresses = [{ clientCIDR: '0.0.0.0/0', serverAddress: SERVER_ADDRESS }];
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: addresses };
}
/** The API server's own, as the endpoints of the service `kubernetes` have it. */
const SERVER_ADDRESS = '172.30.0.1:6443';

function groupList(groups: readonly ServedGroup[]): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupDocument) };
}

function groupDocument({ name, versions }: ServedGroup): object {
  const named = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: named, preferredVersion: named[0] };
}

function versionAnswer(group: ServedGroup, version: string): ApiAnswer | undefined {
  const found = group.versions.find((each) => each.version === version);
  if (found === undefined) return undefined;
  const groupVersion = group.name === '' ? version : `${group.name}/${version}`;
  const resources = found.resources.flatMap(resourceDocuments);
  const head = group.name === '' ? { kind: 'APIResourceList' } : { kind: 'APIResourceList', apiVersion: 'v1' };
  return objectAnswer({ ...head, groupVersion, resources });
}

function resourceDocuments(resource: ServedResource): readonly object[] {
  const { plural, singular, isNamespaced, kind, verbs, shortNames, categories, storageVersionHash } = resource;
  const own = {
    name: plural,
    singularName: singular,
    namespaced: isNamespaced,
    kind,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
  const parts = resource.subresources.map(({ name, verbs: partVerbs, kind: partKind = kind, group, version }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced: isNamespaced,
    ...(group === undefined ? {} : { group }),
    ...(version === undefined ? {} : { version }),
    kind: partKind,
    verbs: partVerbs,
  }));
  return [own, ...parts];
}

function aggregatedDocument(groups: readonly ServedGroup[]): object {
  const items = groups.map(({ name, versions }) => ({
    metadata: name === '' ? {} : { name },
    versions: versions.map(aggregatedVersion),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function aggregatedVersion({ version, resources, remote }: ServedVersion): object {
  if (remote !== undefined) {
    const known = remote.resources.length === 0 ? {} : { resources: remote.resources };
    return { version, ...known, freshness: remote.isStale ? 'Stale' : 'Current' };
  }
  return { version, resources: resources.map(aggregatedResource), freshness: 'Current' };
}

function aggregatedResource(resource: ServedResource): object {
  const { plural, singular, isNamespaced, kind, verbs, shortNames, categories, subresources } = resource;
  // Of custom resources the kind is told whole.
  const own = resource.custom === undefined ? { group: '', version: '' } : resource;
  const parts = subresources
    .map((part) => ({ group: own.group, version: own.version, ...part }))
    .map(({ name, verbs: partVerbs, kind: partKind = kind, group, version }) => ({
      subresource: name,
      responseKind: { group, version, kind: partKind },
      verbs: partVerbs,
    }));
  return {
    resource: plural,
    responseKind: { group: own.group, version: own.version, kind },
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(parts.length === 0 ? {} : { subresources: parts }),
  };
}
