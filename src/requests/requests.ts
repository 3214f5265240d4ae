/**
 * The room of API requests: what lies between a transport and the API server. A request comes in as method, path,
 * query, headers and body, and leaves as status, headers and a body, or as a watch; nothing here knows of sockets,
 * bytes or time. Each request is applied in the tick in which it is given. Mirrors the handlers of
 * staging/src/k8s.io/apiserver/pkg/endpoints (v1.34).
 */
import { ApiError } from '../api/errors/api-error.js';
import type { AnyObject, Kind } from '../api/objects/objects.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { Metrics } from '../metrics/metrics.js';
import type { RemoteService } from '../api/aggregation/remote-service.js';
import { remoteServicesOf } from '../apiserver/requests/remote-services.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { RequestAttempts } from '../apiserver/store/request-context.js';
import { admissionOptions, connectOptions } from './admission-options.js';
import {
  accessOf,
  actingUser,
  NobodyImpersonated,
  authorize,
  questionOf,
  questionOfPath,
} from './access/authorizer.js';
import { issuerAnswer } from './access/issuer-discovery.js';
import { reviewAnswer } from './access/review-requests.js';
import type { AccessQuestion } from './access/policy-rules.js';
import {
  ISSUER,
  ServiceAccountTokens,
  type ReadToken,
  type TokenSeal,
  type TokenWish,
} from './access/service-account-tokens.js';
import { tokenIssued } from './access/token-request.js';
import {
  ADMINISTRATOR,
  type AuthorizationMode,
  type ApiAnswer,
  type ApiRequest,
  type RequestUser,
  type StreamVerb,
} from './api-request.js';
import { componentStatusAnswer } from './component-statuses.js';
import { deprecationWarnings, withWarnings } from './warnings.js';
import { discoveryAnswer, hasGroup } from './discovery/discovery.js';
import { badRequest } from '../apiserver/store/api-errors.js';
import { checkStreamed, chooseForm, inAskedType, isAcceptable } from './negotiation.js';
import { isEncodedWell, isUnreadablePath, pathParts, resourceRequest, type ResourceRequest } from './request-info.js';
import { checkTimeout } from './request-timeout.js';
import { asksToWatch, checkRoute, checkWatch } from './routes.js';
import type { Asked } from './asked.js';
import { answerForObjects } from './resource-requests.js';
import { answerForComputed, NOTHING_COMPUTED, type ComputedSource } from './computed-requests.js';
import { objectWarnings } from './object-warnings/object-warnings.js';
import { ObjectView } from './object-view.js';
import { openApiAnswer } from './openapi/openapi.js';
import { collectionOptions } from './query-options.js';
import { exposeRequestMetrics } from './request-metrics.js';
import { serverPathAnswer } from './server-paths.js';
import { remoteAnswer, remoteFor, withRemotes, type ToldResources } from './discovery/remote-groups.js';
import { servedHere } from './custom/served-kinds.js';
import { BUILT_IN, type Served, type ServedResource } from './served-resources.js';
import {
  BAD_PATH,
  NO_CACHE,
  pageNotFound,
  resourceNotFound,
  statusAnswer,
  unanswerable,
  unreadablePath,
} from './status-answer.js';
import { answerForSubresource, bound } from './subresource-requests.js';
import type { CellTime } from './tables/cells.js';

/** What the room stands on. */
export interface RequestsOptions {
  readonly server: ApiServer;
  /** Counts requests and stored objects under upstream's names. @defaultValue nothing is counted */
  readonly metrics?: Metrics | undefined;
  /** The clock by which the ages in tables are told. */
  readonly kernel: Pick<Kernel, 'clock' | 'timestamps'>;
  /** Resources whose objects are worked out when they are read, by `group/plural`. @defaultValue there are none */
  readonly computed?: Readonly<Record<string, ComputedSource>> | undefined;
  /** Whether metrics.k8s.io is served. @defaultValue true */
  readonly hasMetricsServer?: boolean | undefined;
  /** What is added to objects of a kind when they are read. @defaultValue nothing */
  readonly asRead?: Readonly<Record<string, (object: object) => object>> | undefined;
  /** Whether the owners of fields are kept for all writers, from the first request on. @defaultValue true */
  readonly managedFields?: boolean | undefined;
  /**
   * What users may do that are no members of `system:masters`: what roles that are bound to them allow, or everything.
   * @defaultValue RBAC
   */
  readonly authorization?: AuthorizationMode | undefined;
  /** What servers behind services have told of their resources. @defaultValue nothing */
  readonly toldResources?: ToldResources | undefined;
}

/** The room's door. */
export interface Requests {
  /**
   * Answers a request, refusals included.
   *
   * @param attempts - of a request that its transport tries again when it has to wait
   * @throws AdmissionPending when a plugin of admission has it wait: nothing was written
   */
  answer(request: ApiRequest, attempts?: RequestAttempts): ApiAnswer;
  /** The user of a service account's token; `undefined` = it is none, or good no more. */
  userOfToken(token: string): RequestUser | undefined;
  /** Issues a token as a kubelet asks for one. */
  issueToken(wish: TokenWish): string;
  /** For clients over a network: signs tokens with a seal of the server's, and has reviews ask it of its own tokens. */
  secureTokens(seal: TokenSeal, read: (token: string) => RequestUser | undefined): void;
}

/** Opens the room over an API server. */
export function createRequests(options: RequestsOptions): Requests {
  const { metrics, server } = options;
  const count = metrics === undefined ? undefined : exposeRequestMetrics(metrics, server);
  const tokens = new ServiceAccountTokens(options.server, options.kernel);
  const readers: ((token: string) => RequestUser | undefined)[] = [];
  const readToken = (token: string): ReadToken | undefined => {
    for (const read of readers) {
      const user = read(token);
      if (user !== undefined) return { user, audiences: [ISSUER] };
    }
    return tokens.read(token);
  };
  const ground: Ground = { ...options, tokens, readToken };
  return {
    userOfToken: (token) => tokens.read(token)?.user,
    issueToken: (wish) => tokens.issue(wish).token,
    secureTokens: (seal, read) => {
      tokens.sealWith(seal);
      readers.push(read);
    },
    answer: (request, attempts) => {
      // Owners of fields are kept from the first request on: a cluster that is not asked does not pay for them.
      if (options.managedFields !== false) server.tracksFields = true;
      attempts?.begin();
      const answer = answered({ ...ground, attempts }, request);
      count?.(request, answer);
      return answer;
    },
  };
}

interface Ground extends RequestsOptions {
  readonly tokens: ServiceAccountTokens;
  readonly readToken: (token: string) => ReadToken | undefined;
  readonly attempts?: RequestAttempts | undefined;
}

function answered(room: Ground, request: ApiRequest): ApiAnswer {
  const { authorization = room.authorization } = request;
  return refusalOr(request, () => route({ ...room, authorization }, request));
}

function refusalOr(request: ApiRequest, answer: () => ApiAnswer): ApiAnswer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof NobodyImpersonated) {
      return unanswerable(request, error.message, { 'cache-control': NO_CACHE });
    }
    if (!(error instanceof ApiError)) throw error;
    const refusal = statusAnswer(error);
    const { headers } = request;
    // One that cannot be written as it is accepted is written nevertheless, for people.
    if (!isAcceptable(headers['accept'])) return { ...refusal, isIndented: true };
    return inAskedType(refusal, headers['accept']);
  }
}

function route(ground: Ground, request: ApiRequest): ApiAnswer {
  if (!isEncodedWell(request.path)) return BAD_PATH;
  if (isUnreadablePath(request.path)) return unreadablePath(request);
  const info = resourceRequest(request.method, request.path, asksToWatch(request.query));
  if (info === undefined || !isLasting(info)) checkTimeout(request.query);
  const user = actingUser(ground.server, request, ground.authorization);
  const served = servedHere(ground.server, ground.hasMetricsServer !== false);
  const remotes = remoteServicesOf(ground.server);
  if (info?.resource === undefined) {
    check(ground, user, questionOfPath(request));
    const shown = withRemotes(served, remotes, ground.toldResources);
    return remotePathAnswer(request, shown, remotes, user) ?? pathAnswer(request, shown, ground.tokens);
  }
  check(ground, user, questionOf(info, request.query));
  const remote = remoteFor(served, remotes, info.group, info.version);
  if (remote !== undefined) return remoteAnswer(remote, user);
  const resource = served.resource(info.group, info.version, info.resource ?? '');
  if (resource === undefined) {
    if (!hasGroup(served, info.group)) return pageNotFound();
    throw resourceNotFound();
  }
  // Of a custom resource it is warned before its path is looked at.
  const isCustom = resource.custom !== undefined;
  if (!isCustom) checkRoute(request, info, resource);
  const warnings = [...deprecationWarnings(info, resource)];
  const { server, attempts } = ground;
  const warn = (text: string): unknown => warnings.includes(text) || warnings.push(text);
  const options = admissionOptions(info.verb, request);
  const access = ground.authorization === 'AlwaysAllow' ? undefined : accessOf(server, user);
  const judged = (kind: Kind, object: AnyObject, previous?: AnyObject): void => {
    for (const text of objectWarnings(kind, object, previous)) warn(text);
  };
  const { group, version } = info;
  server.request = { user, group, version, access, isDryRun: false, options, warn, judged, attempts };
  let answer: ApiAnswer;
  try {
    answer = refusalOr(request, () => {
      if (isCustom) checkRoute(request, info, resource);
      return answerForResource(ground, { ...request, user }, info, resource);
    });
  } finally {
    server.request = undefined;
  }
  return warnings.length === 0 || answer.type === 'stream' ? answer : withWarnings(answer, warnings);
}

function check({ server, authorization }: Ground, user: RequestUser, question: AccessQuestion): void {
  if (authorization !== 'AlwaysAllow') authorize(server, user, question);
}

/** Of a path of a group version that another server serves. */
function remotePathAnswer(
  request: ApiRequest,
  served: Served,
  remotes: readonly RemoteService[],
  user: RequestUser,
): ApiAnswer | undefined {
  const [root, group = '', version = ''] = pathParts(request.path);
  if (root !== 'apis' || version === '') return undefined;
  const remote = remoteFor(served, remotes, group, version);
  if (remote !== undefined) return remoteAnswer(remote, user);
  const known = served.groups.find(({ name }) => name === group);
  return known?.versions.every((each) => each.remote !== undefined) === true ? pageNotFound() : undefined;
}

/** Of a path that is no resource, or no more than a group version. */
function pathAnswer(request: ApiRequest, served: Served, { published }: ServiceAccountTokens): ApiAnswer {
  const parts = pathParts(request.path);
  const [root] = parts;
  if (root === 'api' || root === 'apis') {
    return inAskedType(discoveryAnswer(request, parts, served), request.headers['accept']);
  }
  const answer = (root === 'openapi' ? openApiAnswer : serverPathAnswer)(request, parts, served);
  return answer ?? issuerAnswer(request, parts, published) ?? pageNotFound();
}

/** Whether a request goes on for as long as its client wants it. */
function isLasting({ verb, subresource = '' }: ResourceRequest): boolean {
  return verb === 'watch' || STREAMS.has(subresource);
}

const STREAMS: ReadonlySet<string> = new Set<StreamVerb>(['log', 'exec', 'attach', 'portforward', 'proxy']);
/** Subresources that show the object itself. */
const PARTS: ReadonlySet<string | undefined> = new Set([
  undefined,
  'status',
  'approval',
  'ephemeralcontainers',
  'resize',
]);

function timeOf({ kernel: { clock, timestamps } }: RequestsOptions): CellTime {
  return { timestamps, nowMs: clock.now() };
}

function answerForResource(
  ground: Ground,
  request: ApiRequest,
  info: ResourceRequest,
  resource: ServedResource,
): ApiAnswer {
  const { subresource, namespace, name } = info;
  checkWatch(info, resource);
  if (subresource !== undefined && STREAMS.has(subresource)) {
    if (subresource !== 'log') connect(ground.server, request, info, resource);
    const place = { namespace, name, resource: resource.plural as 'pods' | 'services' | 'nodes', rest: info.rest };
    return { type: 'stream', verb: subresource as StreamVerb, ...place };
  }
  const { server } = ground;
  // What is wrong with the options of a collection is said before the form of an answer is looked at.
  if (info.verb === 'list' || info.verb === 'watch') collectionOptions(request.query, namespace);
  const form = chooseForm(
    request.headers['accept'],
    resource.stored !== undefined || resource.isComputed === true || resource.verbs.includes('get'),
  );
  if (info.verb === 'watch') checkStreamed(form);
  const asRead = ground.asRead?.[resource.kind];
  const viewOf = (shown: ServedResource): ObjectView =>
    new ObjectView(shown, form, request.query, () => timeOf(ground), asRead);
  const view = viewOf(resource);
  const { clock, timestamps } = ground.kernel;
  const present = (): string => timestamps.toTime(clock.now());
  // What waits for a webhook is tried again at the time of its first try.
  const kernelTime = (): string => ground.attempts?.draw(present) ?? present();
  const target = { namespace, name };
  if (resource.kind === 'Binding')
    return bound({ server, request, info, resource, kind: 'Pod', name: target, view, viewOf, kernelTime });
  if (resource.isComputed === true) {
    const source = ground.computed?.[`${resource.group}/${resource.plural}`] ?? NOTHING_COMPUTED;
    return answerForComputed({ server, request, info, resource, view, source });
  }
  if (resource.kind === 'ComponentStatus') return componentStatusAnswer(info, request, view);
  if (resource.stored === undefined) {
    const { readToken } = ground;
    const means = { server, user: request.user ?? ADMINISTRATOR, readToken, time: kernelTime };
    return reviewAnswer(request, resource, namespace, means) ?? notServed();
  }
  const kind = resource.stored;
  const asked: Asked = { server, request, info, resource, kind, name: target, view, viewOf, kernelTime };
  if (subresource === 'token') return tokenIssued(asked, ground.tokens);
  return PARTS.has(subresource) ? answerForObjects(asked) : answerForSubresource(asked);
}

/** Has admission see that a connection is asked for. @throws ApiError, AdmissionPending */
function connect(
  server: ApiServer,
  { query }: ApiRequest,
  { subresource = '', namespace, name, rest }: ResourceRequest,
  { group, version, stored, subresources }: ServedResource,
): void {
  if (query.has('dryRun')) throw badRequest('dryRun is not supported');
  const kind = subresources.find((each) => each.name === subresource)?.kind;
  if (stored === undefined || kind === undefined) return;
  const options = connectOptions(subresource, query, rest);
  server.connect(stored, { name, namespace }, subresource, { kind: { group, version, kind }, options });
}

function notServed(): never {
  throw resourceNotFound();
}

/** Whether there is the resource of a path, whose query is looked over; its objects need not be. */
export function isServedPath(path: string): boolean {
  const [pathname = ''] = path.split('?');
  const info = resourceRequest('GET', pathname, false);
  const resource = info && BUILT_IN.resource(info.group, info.version, info.resource ?? '');
  if (resource === undefined) return false;
  return info?.subresource === undefined || resource.subresources.some(({ name }) => name === info.subresource);
}
