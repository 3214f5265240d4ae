/**
 * Which methods the path of a resource takes, as the routes that upstream installs for its storage
 * (apiserver/pkg/endpoints/installer.go, v1.34): a path without any route is not found, one that has some does not
 * allow other methods.
 */
import { ApiError } from '../api/errors/api-error.js';
import { badRequest, notFound } from '../apiserver/store/api-errors.js';
import { booleanOption } from './query-options.js';
import type { ApiRequest } from './api-request.js';
import { checkWritten } from './negotiation.js';
import type { ResourceRequest } from './request-info.js';
import type { ServedResource } from './served-resources.js';
import { methodNotAllowed, resourceNotFound } from './status-answer.js';

const COLLECTION_VERBS = ['list', 'create', 'deletecollection'];
const ITEM_VERBS = ['get', 'update', 'patch', 'delete'];
/** Of a namespaced resource without a namespace: all of them may be listed. */
const LISTED = ['list'];
/** Endpoints that write what they like. */
const UNWRITTEN: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
const PROXY_VERBS = ['create', 'get', 'update', 'patch', 'delete', 'options'];

/** @throws ApiError 404 for a path that there is not, 405 for a method that it does not take */
export function checkRoute(request: ApiRequest, info: ResourceRequest, resource: ServedResource): void {
  const verbs = verbsOfPath(info, resource);
  if (verbs === undefined || verbs.length === 0) throw missing(info, resource);
  const isHead = request.method === 'HEAD' && info.subresource !== 'proxy';
  const isOtherWatch = info.isWatchPath && request.method !== 'GET';
  if (isHead || isOtherWatch || !verbs.includes(info.verb === 'watch' ? 'list' : info.verb)) throw methodNotAllowed();
  if (info.subresource === undefined || !UNWRITTEN.has(info.subresource)) {
    checkWritten(request.headers['accept'], info.name === '' && (info.verb === 'list' || info.verb === 'watch'));
  }
  const needsNamespace = info.name !== '' || info.verb === 'deletecollection';
  if (resource.isNamespaced && info.namespace === '' && needsNamespace && info.verb !== 'update') {
    throw badRequest('Namespace parameter required.');
  }
}

/** Of a custom resource it is the object whose endpoint there is not (apiextensions-apiserver's customresource_handler.go). */
function missing({ name, subresource }: ResourceRequest, resource: ServedResource): ApiError {
  const isEndpoint = resource.custom !== undefined && subresource !== undefined;
  return isEndpoint ? notFound(resource, name) : resourceNotFound();
}

/** @throws ApiError 400 for a name that no path can have (apimachinery/pkg/api/validation/path/name.go) */
export function checkName(name: string): void {
  const whole = name === '.' || name === '..' ? [`may not be '${name}'`] : [];
  const faults = whole.length > 0 || !name.includes('%') ? whole : ["may not contain '%'"];
  if (faults.length > 0) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${faults.join(';')}`);
}

/** What may be asked of the path; undefined = there is no such path. */
function verbsOfPath(info: ResourceRequest, resource: ServedResource): readonly string[] | undefined {
  const { name, namespace, subresource, rest, isWatchPath } = info;
  const { isNamespaced, verbs, subresources } = resource;
  const hasPlace = isNamespaced === (namespace !== undefined);
  if (isWatchPath) {
    const isKnown = subresource === undefined && (hasPlace || (isNamespaced && name === ''));
    return isKnown && verbs.includes('watch') ? LISTED : undefined;
  }
  if (subresource !== undefined) {
    const found = hasPlace ? subresources.find((each) => each.name === subresource) : undefined;
    if (subresource === 'proxy') return found && PROXY_VERBS;
    return rest === '' ? found?.verbs : undefined;
  }
  if (name !== '') return hasPlace ? verbs.filter((verb) => ITEM_VERBS.includes(verb)) : undefined;
  if (hasPlace) return verbs.filter((verb) => COLLECTION_VERBS.includes(verb));
  return isNamespaced && verbs.includes('list') ? LISTED : undefined;
}

/** @throws ApiError 405 for a watch of what cannot be watched */
export function checkWatch({ verb }: ResourceRequest, { group, plural, verbs }: ServedResource): void {
  if (verb !== 'watch' || verbs.includes('watch')) return;
  const qualified = group === '' ? plural : `${plural}.${group}`;
  const message = `watch is not supported on resources of kind ${JSON.stringify(qualified)}`;
  const details = { ...(group === '' ? {} : { group }), kind: plural };
  throw new ApiError(405, 'MethodNotAllowed', message, details);
}

/** Whether a request of that query for a collection watches it. */
export function asksToWatch(query: URLSearchParams): boolean {
  return booleanOption(query, 'watch') ?? false;
}
