/** A request for objects whose path has been read, and by whom its fields are written. */
import type { Kind, ObjectName } from '../api/objects/objects.js';
import type { ApiServer, FieldManager } from '../apiserver/store/server-types.js';
import type { ApiRequest } from './api-request.js';
import type { ObjectView } from './object-view.js';
import type { WriteOptions } from './query-options.js';
import type { ResourceRequest } from './request-info.js';
import type { ServedResource } from './served-resources.js';

/** A request whose path has been read. */
export interface Asked {
  readonly server: ApiServer;
  readonly request: ApiRequest;
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  /** Under which the objects are kept. */
  readonly kind: Kind;
  readonly name: ObjectName;
  readonly view: ObjectView;
  /** How the client is shown objects of another kind, which an endpoint below the object has. */
  readonly viewOf: (resource: ServedResource) => ObjectView;
  /** The present as a timestamp. */
  readonly kernelTime: () => string;
}

/** Tells the client of something, with its answer or its refusal. */
export function warnOf({ server }: Asked, texts: readonly string[]): void {
  for (const text of texts) server.request?.warn(text);
}

const LONGEST_MANAGER = 128;

/** The field manager of a request: as it says, else the program that sends it. */
export function managerOf({ headers }: ApiRequest, { fieldManager }: Pick<WriteOptions, 'fieldManager'>): string {
  const [program = ''] = (headers['user-agent'] ?? '').split('/');
  return fieldManager ?? (program.slice(0, LONGEST_MANAGER) || 'unknown');
}

/** Work in which all fields are written by the request's manager. */
export function asManager<T>(
  { server, request, info }: Asked,
  options: Pick<WriteOptions, 'fieldManager'>,
  work: () => T,
  own: Pick<FieldManager, 'applied' | 'isNothingApplied' | 'given'> = {},
): () => T {
  const manager = { name: managerOf(request, options), subresource: info.subresource ?? '', ...own };
  return () => {
    server.fieldManager = manager;
    try {
      return work();
    } finally {
      server.fieldManager = undefined;
    }
  };
}
