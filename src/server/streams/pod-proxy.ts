/**
 * The proxy of the API server: requests for `pods/NAME/proxy` and `services/NAME/proxy` go to a server in a container
 * (apimachinery's util/proxy, and ResourceLocation of pods and services, v1.34). Nodes have none here.
 */
import { ApiError } from '../../api/errors/api-error.js';
import type { Pod, Service } from '../../api/objects/objects.js';
import { notFound } from '../../apiserver/store/api-errors.js';
import type { PodServers, ServerAddress, ServerAnswer } from '../../apiserver/requests/pod-servers.js';
import type { ApiRequest, StreamAnswer } from '../../requests/api-request.js';

/** What a proxy looks up. */
export interface ProxyMeans {
  readonly servers: PodServers;
  hasNode(name: string): boolean;
  /** @throws ApiError NotFound */
  pod(namespace: string, name: string): Pod;
  /** @throws ApiError NotFound */
  service(namespace: string, name: string): Service;
}

/** A name in a path: `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. */
const TARGET = /^(?:(?:(https?):)?([^:]+):([^:]*)|([^:]+))$/;
const NODES = { kind: 'Node', group: '', plural: 'nodes' };
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

/** What a server in a container answers. @throws ApiError for a place that there is not */
export function proxied(
  means: ProxyMeans,
  { resource, namespace = '', name, rest }: StreamAnswer,
  asked: ApiRequest,
): ServerAnswer {
  const { method, query } = asked;
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  const match = TARGET.exec(name);
  if (match === null) throw badTarget(resource, name);
  const [, scheme = 'http', named, port = '', plain] = match;
  const target = { namespace, name: named ?? plain ?? '', port, isTls: scheme === 'https', shown: name };
  if (resource === 'nodes') {
    if (!means.hasNode(target.name)) throw notFound(NODES, target.name);
    throw unreachable('connect: connection refused');
  }
  const place = resource === 'pods' ? podPlace(means, target) : servicePlace(means, target);
  if (rest === '' && !asked.path.endsWith('/') && (method === 'GET' || method === 'HEAD')) {
    return { status: 301, headers: { location: `${asked.path}/${search}` }, body: '' };
  }
  const server = means.servers.at(place);
  if (server === undefined) throw unreachable(`${place.address}:${place.port}: connect: connection refused`);
  if (target.isTls !== (server.certificate !== undefined)) {
    const why = target.isTls ? 'http: server gave HTTP response to HTTPS client' : 'EOF';
    throw unavailable(`error trying to reach service: ${why}`);
  }
  const { body, headers } = asked;
  const known = Object.entries(headers).filter((each): each is [string, string] => each[1] !== undefined);
  const text = body !== undefined && 'text' in body ? body.text : '';
  const path = `/${rest}${asked.path.endsWith('/') && rest !== '' && !rest.endsWith('/') ? '/' : ''}${search}`;
  const answer = server.ask({
    method,
    path,
    headers: Object.fromEntries(known),
    body: Buffer.from(text).toString('latin1'),
  });
  return throughProxy(answer, rest === '' ? asked.path : asked.path.slice(0, asked.path.lastIndexOf(`/${rest}`)));
}

/** Attributes of pages that name other pages. */
const LINK =
  /(<[a-z]+\b[^>]*?\s(?:action|background|cite|classid|codebase|data|href|icon|longdesc|manifest|poster|profile|src|usemap)\s*=\s*["'])(\/(?!\/)[^"']*)/gi;
/** How pages begin, as Go's net/http tells them from plain text. */
const PAGE = /^\s*<(?:!DOCTYPE HTML|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[\s>]/i;

/** An answer with its links within its server leading through the proxy (apimachinery/pkg/util/proxy/transport.go). */
function throughProxy(answer: ServerAnswer, place: string): ServerAnswer {
  const root = place.replace(/\/$/, '');
  const inside = (link: string): string => (link.startsWith(root) ? link : root + link);
  const headers = Object.fromEntries(
    Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const { location } = headers;
  const moved = location?.startsWith('/') === true ? { location: inside(location) } : {};
  const type = headers['content-type'] ?? (PAGE.test(answer.body) ? HTML : 'text/plain; charset=utf-8');
  const body = type.startsWith('text/html')
    ? answer.body.replace(LINK, (_all, before: string, link: string) => before + inside(link))
    : answer.body;
  return { ...answer, headers: { ...headers, ...moved, 'content-type': type }, body };
}

const HTML = 'text/html; charset=utf-8';

interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly port: string;
  readonly isTls: boolean;
  /** As the path has it. */
  readonly shown: string;
}

function podPlace(means: ProxyMeans, { namespace, name, port, isTls }: Target): ServerAddress {
  const { spec, status } = means.pod(namespace, name);
  const stated = spec.containers.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort;
  const number = port === '' ? (stated ?? (isTls ? HTTPS_PORT : HTTP_PORT)) : Number(port);
  if ((status.podIP ?? '') === '') throw new ApiError(400, 'BadRequest', 'address not allowed');
  return { address: status.podIP ?? '', port: number };
}

function servicePlace(means: ProxyMeans, { namespace, name, port, shown }: Target): ServerAddress {
  const { ports = [] } = means.service(namespace, name).spec;
  const isNumber = /^\d+$/.test(port);
  const found = isNumber
    ? ports.find((each) => each.port === Number(port))
    : ports.find((each) => (each.name ?? '') === port);
  if (found === undefined && isNumber) {
    throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  }
  const place = found === undefined ? undefined : means.servers.behind(namespace, name, found.port);
  if (place === undefined) throw unavailable(`no endpoints available for service ${JSON.stringify(shown)}`);
  return place;
}

function badTarget(resource: StreamAnswer['resource'], name: string): ApiError {
  return new ApiError(400, 'BadRequest', `invalid ${resource.slice(0, -1)} request ${JSON.stringify(name)}`);
}

function unreachable(why: string): ApiError {
  return unavailable(`error trying to reach service: dial tcp ${why}`);
}

function unavailable(message: string): ApiError {
  return new ApiError(503, 'ServiceUnavailable', message, {});
}
