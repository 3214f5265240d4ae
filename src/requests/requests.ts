/**
 * The room of API requests: what lies between a transport and the API server. A request comes in as method, path,
 * query, headers and body, and leaves as status, headers and a body, or as a watch; nothing here knows of sockets,
 * bytes or time. Each request is applied in the tick in which it is given. Mirrors the handlers of
 * staging/src/k8s.io/apiserver/pkg/endpoints (v1.34).
 */
import { ApiError } from '../api/errors/api-error.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { ApiAnswer, ApiRequest, StreamVerb } from './api-request.js';
import { discoveryAnswer } from './discovery.js';
import { chooseForm } from './negotiation.js';
import { pathParts, resourceRequest, type ResourceRequest } from './request-info.js';
import type { Asked } from './asked.js';
import { answerForObjects } from './resource-requests.js';
import { answerForComputed, NOTHING_COMPUTED, type ComputedSource } from './computed-requests.js';
import { ObjectView } from './object-view.js';
import { openApiAnswer } from './openapi.js';
import { booleanOption } from './query-options.js';
import { reviewAnswer } from './review-requests.js';
import { serverPathAnswer } from './server-paths.js';
import { isServedGroupVersion, servedResource, type ServedResource } from './served-resources.js';
import { methodNotAllowed, pageNotFound, resourceNotFound, statusAnswer } from './status-answer.js';
import { answerForSubresource, bound } from './subresource-requests.js';
import type { CellTime } from './tables/cells.js';

/** What the room stands on. */
export interface RequestsOptions {
  readonly server: ApiServer;
  /** Whose time the ages in tables are of. */
  readonly kernel: Pick<Kernel, 'clock' | 'timestamps'>;
  /** Resources whose objects are worked out when they are read, by `group/plural`. @defaultValue there are none */
  readonly computed?: Readonly<Record<string, ComputedSource>> | undefined;
  /** What is added to objects of a kind when they are read. @defaultValue nothing */
  readonly asRead?: Readonly<Record<string, (object: object) => object>> | undefined;
  /** Whether the owners of fields are kept for all writers, from the first request on. @defaultValue true */
  readonly managedFields?: boolean | undefined;
}

/** The room's door. */
export interface Requests {
  /** Answers a request, refusals included. */
  answer(request: ApiRequest): ApiAnswer;
}

/** Opens the room over an API server. */
export function createRequests(options: RequestsOptions): Requests {
  return {
    answer: (request) => {
      // Owners of fields are kept from the first request on: a cluster that is not asked does not pay for them.
      if (options.managedFields !== false) options.server.tracksFields = true;
      try {
        return route(options, request);
      } catch (error) {
        if (error instanceof ApiError) return statusAnswer(error);
        throw error;
      }
    },
  };
}

function route(ground: RequestsOptions, request: ApiRequest): ApiAnswer {
  const own = pathAnswer(request);
  if (own !== undefined) return own;
  const isWatch = booleanOption(request.query, 'watch') ?? false;
  const info = resourceRequest(request.method, request.path, isWatch);
  if (info === undefined || !isServedGroupVersion(info.group, info.version)) return pageNotFound();
  return answerForResource(ground, request, info);
}

/** Of a path that is no resource. */
function pathAnswer(request: ApiRequest): ApiAnswer | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const parts = pathParts(request.path);
  const [root] = parts;
  if (root === 'api' || root === 'apis') return discoveryAnswer(request, parts);
  return root === 'openapi' ? openApiAnswer(request, parts) : serverPathAnswer(request, parts);
}

const STREAMS: ReadonlySet<string> = new Set<StreamVerb>(['log', 'exec', 'attach', 'portforward', 'proxy']);
/** Subresources that show the object itself. */
const PARTS: ReadonlySet<string | undefined> = new Set([undefined, 'status', 'approval']);

function timeOf({ kernel: { clock, timestamps } }: RequestsOptions): CellTime {
  return { timestamps, nowMs: clock.now() };
}

function answerForResource(ground: RequestsOptions, request: ApiRequest, info: ResourceRequest): ApiAnswer {
  const resource = servedResource(info.group, info.version, info.resource ?? '');
  if (resource === undefined) throw resourceNotFound();
  checkVerb(resource, info);
  const { subresource, namespace, name } = info;
  if (subresource !== undefined && STREAMS.has(subresource)) {
    const place = { namespace, name, resource: resource.plural as 'pods' | 'services' | 'nodes', rest: info.rest };
    return { type: 'stream', verb: subresource as StreamVerb, ...place };
  }
  const { server } = ground;
  const form = chooseForm(request.headers['accept'], resource.stored !== undefined || resource.isComputed === true);
  const asRead = ground.asRead?.[resource.kind];
  const view = new ObjectView(resource, form, request.query, () => timeOf(ground), asRead);
  const { clock, timestamps } = ground.kernel;
  const kernelTime = (): string => timestamps.toTime(clock.now());
  const target = { namespace, name };
  if (resource.kind === 'Binding')
    return bound({ server, request, info, resource, kind: 'Pod', name: target, view, kernelTime });
  if (resource.isComputed === true) {
    const source = ground.computed?.[`${resource.group}/${resource.plural}`] ?? NOTHING_COMPUTED;
    return answerForComputed({ server, request, info, resource, view, source });
  }
  if (resource.stored === undefined) return reviewAnswer(request, resource) ?? notServed();
  const asked: Asked = { server, request, info, resource, kind: resource.stored, name: target, view, kernelTime };
  return PARTS.has(subresource) ? answerForObjects(asked) : answerForSubresource(asked);
}

function notServed(): never {
  throw resourceNotFound();
}

/** @throws ApiError 404 for an endpoint that there is not, 405 for a verb that it does not take */
function checkVerb(resource: ServedResource, { verb, name, namespace, subresource }: ResourceRequest): void {
  if (subresource !== undefined) {
    const found = resource.subresources.find((each) => each.name === subresource);
    if (found === undefined) throw resourceNotFound();
    if (!found.verbs.includes(verb)) throw methodNotAllowed();
    return;
  }
  const isOfCollection = name === '';
  if (!resource.verbs.includes(verb) || isOfCollection !== COLLECTION_VERBS.has(verb)) {
    if (verb !== 'watch' || isOfCollection) throw methodNotAllowed();
  }
  const needsNamespace = resource.isNamespaced && (verb === 'create' || !isOfCollection);
  if (needsNamespace && namespace === undefined) throw isOfCollection ? methodNotAllowed() : resourceNotFound();
  if (!resource.isNamespaced && namespace !== undefined) throw resourceNotFound();
}

const COLLECTION_VERBS: ReadonlySet<string> = new Set(['list', 'create', 'deletecollection', 'watch']);

/** Whether there is the resource of a path, whose query is looked over; its objects need not be. */
export function isServedPath(path: string): boolean {
  const [pathname = ''] = path.split('?');
  const info = resourceRequest('GET', pathname, false);
  const resource = info && servedResource(info.group, info.version, info.resource ?? '');
  if (resource === undefined) return false;
  return info?.subresource === undefined || resource.subresources.some(({ name }) => name === info.subresource);
}
