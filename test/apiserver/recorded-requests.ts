import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../src/api/api-error.js';
import { kindRegistry } from '../../src/api/kinds/registry.js';
import type { Draft, Kind, ObjectName } from '../../src/api/objects.js';
import type { ApiServer, Binding, DeleteOptions, ListOptions, Patch } from '../../src/apiserver/server-types.js';

/** A request to a real API server. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string | null;
  readonly body?: unknown;
}

/** What was recorded of an object, as far as the replay looks at it. */
export interface RecordedObject {
  readonly kind?: string;
  readonly metadata: Record<string, unknown> & { readonly name: string; readonly resourceVersion: string };
  readonly spec?: { readonly nodeName?: string };
}

/** One line of a recording: a request with its answer, or an event of a watch. */
export interface RecordedLine {
  readonly name?: string;
  readonly action?: string;
  readonly request?: RecordedRequest;
  readonly status?: number;
  readonly response?: unknown;
  readonly res?: string;
  readonly event?: { readonly type: string; readonly object: RecordedObject };
}

/** The lines of a recording; undefined where the recordings are not at hand. */
export function readRecording(file: string): readonly RecordedLine[] | undefined {
  const path = join(process.cwd(), '..', 'shared', 'observations', file);
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RecordedLine);
}

/** Code and text of an answer, without what differs from run to run. */
export interface Answer {
  readonly code: number;
  readonly message: string;
}

/** The recorded answer in the form of {@link perform}. */
export function recordedAnswer({ status = 0, response }: RecordedLine): Answer {
  const { code = status, message = '' } = (response ?? {}) as { readonly code?: number; readonly message?: string };
  return status < 300 ? { code: 200, message: '' } : { code, message: comparable(message) };
}

/** Sends a recorded request to a server. */
export function perform(server: ApiServer, request: RecordedRequest): Answer {
  try {
    dispatch(server, request);
    return { code: 200, message: '' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, message: comparable(error.message) };
  }
}

/** The diff behind a forbidden update is upstream's own representation; uids and versions are each run's. */
function comparable(message: string): string {
  const [text = ''] = message.split('\n');
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/(in record \(|object meta: |resource version: \d+ \()\d+/g, '$1<version>');
}

interface Target {
  readonly kind: Kind;
  readonly name: ObjectName;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

function parsePath(path: string): Target {
  const { pathname, searchParams: query } = new URL(path, 'http://server');
  const parts = pathname.split('/').slice(pathname.startsWith('/api/') ? 3 : 4);
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2;
  const [plural, name = '', subresource] = isNamespaced ? parts.slice(2) : parts;
  const found = Object.values(kindRegistry).find((each) => each.plural === (plural === 'bindings' ? 'pods' : plural));
  if (found === undefined) throw new Error(`no kind at ${path}`);
  return { kind: found.kind, name: isNamespaced ? { namespace: parts[1], name } : { name }, subresource, query };
}

const PATCH_TYPES: Readonly<Record<string, Patch['type']>> = {
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/json-patch+json': 'json',
};

function dispatch(server: ApiServer, { method, path, contentType, body }: RecordedRequest): void {
  const { kind, name, subresource, query } = parsePath(path);
  switch (method) {
    case 'GET':
      read(server, kind, name, query);
      return;
    case 'POST':
      if (subresource === 'binding' || path.endsWith('/bindings')) server.bind(inNamespace(body, name) as Binding);
      else server.create(kind, inNamespace(body, name) as Draft);
      return;
    case 'PUT':
      server.update(kind, inNamespace(body, name) as Draft, subresource === 'status' ? 'status' : undefined);
      return;
    case 'PATCH': {
      const type = PATCH_TYPES[contentType ?? ''];
      if (type === undefined) throw new Error(`no patch type ${contentType}`);
      server.patch(kind, name, { type, body }, subresource === 'status' ? 'status' : undefined);
      return;
    }
    case 'DELETE':
      remove(server, kind, name, query, body);
      return;
    default:
      throw new Error(`no method ${method}`);
  }
}

function read(server: ApiServer, kind: Kind, name: ObjectName, query: URLSearchParams): void {
  const { namespace } = name;
  const options = { namespace, ...Object.fromEntries(query) } as Record<string, unknown> & ListOptions;
  if (query.has('watch')) server.watch(kind, options, () => undefined).close();
  else if (name.name !== '') server.get(kind, name);
  else server.list(kind, { ...options, ...(query.has('limit') ? { limit: Number(query.get('limit')) } : {}) });
}

function remove(server: ApiServer, kind: Kind, name: ObjectName, query: URLSearchParams, body: unknown): void {
  const grace = query.get('gracePeriodSeconds');
  const options = {
    ...(body as DeleteOptions | null),
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
  };
  const labelSelector = query.get('labelSelector') ?? undefined;
  if (name.name === '') server.deleteCollection(kind, { namespace: name.namespace, labelSelector }, options);
  else server.delete(kind, name, options);
}

/** The namespace of the path, which bodies may leave out. */
function inNamespace(body: unknown, { namespace }: ObjectName): unknown {
  const { metadata, ...rest } = body as { readonly metadata?: object };
  return { ...rest, metadata: { ...(namespace === undefined ? {} : { namespace }), ...metadata } };
}
