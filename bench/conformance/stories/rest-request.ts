/**
 * Requests by method and path, sent to an API server of ours: what the HTTP layer of a real one does before
 * a request reaches the registry. It finds kind, name and subresource in the path, the options in query and
 * body, the patch type in the content type; it decides nothing else. Discovery, tables, server-side apply
 * and field validation are not offered.
 */
import { ApiError } from '../../../src/api/errors/api-error.js';
import { kindRegistry } from '../../../src/api/kinds/registry.js';
import type { Draft, Kind, ObjectName } from '../../../src/api/objects/objects.js';
import { applyPatch } from '../../../src/api/patches/patch.js';
import { badRequest, internalError } from '../../../src/apiserver/store/api-errors.js';
import type {
  ApiServer,
  Binding,
  DeleteOptions,
  Eviction,
  ListOptions,
  Patch,
  ScalableKind,
  Scale,
} from '../../../src/apiserver/store/server-types.js';
import { isObject } from '../recorded-lines.js';
import type { RecordedRequest } from './story.js';

/** What a server says to a request. */
export interface RestAnswer {
  readonly code: number;
  /** Of a refusal; empty otherwise. */
  readonly message: string;
  /** The object or list, where there is one. */
  readonly value?: unknown;
}

/** Sends a request; one that is not offered is refused as a server does that does not know it. */
export function sendRequest(server: ApiServer, request: RecordedRequest): RestAnswer {
  try {
    const value = dispatch(server, request);
    return { code: request.method === 'POST' ? 201 : 200, message: '', value };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, message: error.message };
  }
}

/** Whether there is the resource of a path; its objects need not be. */
export function isServed(path: string): boolean {
  try {
    const { subresource } = parsePath(path);
    return subresource === undefined || SUBRESOURCES.has(subresource);
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Where a request goes. */
interface Target {
  readonly kind: Kind;
  readonly name: ObjectName;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** @throws ApiError 404 as a server answers that does not know the resource */
function parsePath(path: string): Target {
  const { pathname, searchParams: query } = new URL(path, 'http://server');
  const isCore = pathname.startsWith('/api/');
  const [group = '', ...parts] = isCore ? ['', ...pathname.split('/').slice(3)] : groupAndRest(pathname);
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] ?? '');
  const [plural = '', name = '', subresource] = isNamespaced ? parts.slice(2) : parts;
  if (isCore && plural === 'bindings') {
    return { kind: 'Pod', name: { namespace: parts[1], name: '' }, subresource: 'binding', query };
  }
  const found = Object.values(kindRegistry).find((each) => each.plural === plural && each.group === servedGroup(group));
  if (found === undefined) throw resourceNotFound();
  return { kind: found.kind, name: isNamespaced ? { namespace: parts[1], name } : { name }, subresource, query };
}

/** Events are told in two groups, and kept in one. */
function servedGroup(group: string): string {
  return group === 'events.k8s.io' ? '' : group;
}

function resourceNotFound(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource');
}

/** Of `/apis/<group>/<version>/…`. */
function groupAndRest(pathname: string): readonly string[] {
  const [, , group = '', , ...parts] = pathname.split('/');
  return [group, ...parts];
}

const SUBRESOURCES: ReadonlySet<string> = new Set(['binding', 'eviction', 'finalize', 'scale', 'status']);
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Without its parameters. */
function mediaType(contentType: string | null | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim() ?? '';
}

const PATCH_TYPES: Readonly<Record<string, Patch['type']>> = {
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/json-patch+json': 'json',
};

function dispatch(server: ApiServer, request: RecordedRequest): unknown {
  const target = parsePath(request.path);
  if (!target.query.has('dryRun')) return perform(server, target, request);
  return rolledBack(server, () => perform(server, target, request));
}

function perform(server: ApiServer, target: Target, request: RecordedRequest): unknown {
  const { method, contentType, body } = request;
  const { kind, name, subresource } = target;
  if (subresource !== undefined && !SUBRESOURCES.has(subresource)) throw resourceNotFound();
  switch (method) {
    case 'GET':
      return read(server, target);
    case 'POST':
      return post(server, target, body);
    case 'PUT':
      if (subresource === 'scale') return setScale(server, target, (body as Scale).spec.replicas);
      if (subresource === 'finalize') return server.finalizeNamespace(name.name);
      return server.update(kind, inNamespace(body, name) as Draft, subresource === 'status' ? 'status' : undefined);
    case 'PATCH': {
      const type = PATCH_TYPES[mediaType(contentType)];
      if (type === undefined) throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type');
      return patch(server, target, { type, body });
    }
    case 'DELETE':
      return remove(server, target, body);
    default:
      throw new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
  }
}

function read(server: ApiServer, { kind, name, subresource, query }: Target): unknown {
  if (subresource === 'scale') return encoded(server.getScale(kind as ScalableKind, name));
  const { namespace } = name;
  const options = { namespace, ...Object.fromEntries(query) } as Record<string, unknown> & ListOptions;
  if (query.has('watch')) return server.watch(kind, options, () => undefined).close();
  if (name.name !== '') return server.get(kind, name);
  return server.list(kind, { ...options, ...(query.has('limit') ? { limit: Number(query.get('limit')) } : {}) });
}

function post(server: ApiServer, { kind, name, subresource }: Target, body: unknown): unknown {
  const draft = inNamespace(body, name);
  switch (subresource) {
    case undefined:
      return server.create(kind, draft as Draft);
    case 'binding':
      if (name.name !== '' && (draft as Binding).metadata.name !== name.name)
        throw badRequest('name in URL does not match name in Binding object');
      return void server.bind(draft as Binding);
    case 'eviction':
      if ((draft as Eviction).metadata.name !== name.name)
        throw badRequest('name in URL does not match name in Eviction object');
      return server.evict(draft as Eviction);
    default:
      throw resourceNotFound();
  }
}

function patch(server: ApiServer, { kind, name, subresource }: Target, change: Patch): unknown {
  if (subresource !== 'scale') return server.patch(kind, name, change, subresource === 'status' ? 'status' : undefined);
  const patched = applyPatch(server.getScale(kind as ScalableKind, name), change) as Partial<Scale>;
  return setScale(server, { kind, name }, patched.spec?.replicas ?? 0);
}

function setScale(server: ApiServer, { kind, name }: Pick<Target, 'kind' | 'name'>, replicas: number): unknown {
  return encoded(server.setScale(kind as ScalableKind, name, replicas));
}

/** A scale of 0 is left out on the wire. */
function encoded({ spec, ...scale }: Scale): unknown {
  return { ...scale, spec: spec.replicas === 0 ? {} : spec };
}

function remove(server: ApiServer, { kind, name, query }: Target, body: unknown): unknown {
  const options = deleteOptions(query, body);
  if (options.dryRun !== undefined) return rolledBack(server, () => server.delete(kind, name, options));
  if (name.name !== '') return server.delete(kind, name, options);
  const [labelSelector, fieldSelector] = ['labelSelector', 'fieldSelector'].map((key) => query.get(key) ?? undefined);
  return server.deleteCollection(kind, { namespace: name.namespace, labelSelector, fieldSelector }, options);
}

type WiderDeleteOptions = DeleteOptions & { readonly dryRun?: unknown; readonly orphanDependents?: boolean };

/** The query wins over the body. @throws ApiError for a body that is no JSON, or options that exclude each other */
function deleteOptions(query: URLSearchParams, body: unknown): WiderDeleteOptions {
  const grace = query.get('gracePeriodSeconds');
  const propagationPolicy = query.get('propagationPolicy') as DeleteOptions['propagationPolicy'] | null;
  const options: WiderDeleteOptions = {
    ...(typeof body === 'string' ? parsedBody(body) : (body as WiderDeleteOptions | null)),
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
  };
  const { orphanDependents, propagationPolicy: policy } = options;
  if (orphanDependents === undefined) return options;
  if (policy === undefined) return { ...options, propagationPolicy: orphanDependents ? 'Orphan' : 'Background' };
  const why = `propagationPolicy: Invalid value: "${policy}": orphanDependents and deletionPropagation cannot be both set`;
  throw new ApiError(422, 'Invalid', `DeleteOptions.meta.k8s.io "" is invalid: ${why}`);
}

function parsedBody(body: string): WiderDeleteOptions {
  try {
    return JSON.parse(body) as WiderDeleteOptions;
  } catch {
    throw internalError("couldn't get version/kind; json parse error: unexpected end of JSON input");
  }
}

class Undone extends Error {}

/** Runs a request and takes everything back. */
function rolledBack(server: ApiServer, work: () => unknown): unknown {
  let value: unknown;
  try {
    server.transaction(() => {
      value = work();
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  return value;
}

/** The namespace of the path, which bodies may leave out. */
function inNamespace(body: unknown, { namespace }: ObjectName): unknown {
  const { metadata, ...rest } = isObject(body) ? body : {};
  return { ...rest, metadata: { ...(namespace === undefined ? {} : { namespace }), ...(metadata as object) } };
}
