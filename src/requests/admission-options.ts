/** The options of a request as admission is shown them (apimachinery/pkg/apis/meta/v1/types.go, v1.34). */
import type { ApiRequest } from './api-request.js';
import { deleteWish } from './delete-options.js';

const KINDS: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  delete: 'DeleteOptions',
  deletecollection: 'DeleteOptions',
};

/** Worked out when a plugin asks; undefined for a request that does not write. */
export function admissionOptions(verb: string, request: ApiRequest): (() => object) | undefined {
  const kind = KINDS[verb];
  if (kind === undefined) return undefined;
  const type = { kind, apiVersion: 'meta.k8s.io/v1' };
  return () => ({ ...type, ...(kind === 'DeleteOptions' ? ofDelete(request) : ofWrite(request.query)) });
}

function ofWrite(query: URLSearchParams): object {
  const dryRun = query.getAll('dryRun');
  const texts = ['fieldManager', 'fieldValidation'].flatMap((name) => {
    const value = query.get(name) ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  const force = query.get('force');
  return {
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...Object.fromEntries(texts),
    ...(force === null ? {} : { force: force !== 'false' && force !== '0' }),
  };
}

const STREAMS = ['stdin', 'stdout', 'stderr', 'tty'];

/** What the query of a connection says, as PodExecOptions and the like. */
export function connectOptions(subresource: string, query: URLSearchParams, rest: string): object {
  if (subresource === 'proxy') return { path: `/${rest}` };
  if (subresource === 'portforward') {
    const ports = query.getAll('ports').map(Number);
    return ports.length === 0 ? {} : { ports };
  }
  const isSet = (name: string): boolean => /^(?:true|1)$/.test(query.get(name) ?? '');
  const streams = STREAMS.filter((name) => isSet(name)).map((name) => [name, true] as const);
  const container = query.get('container') ?? '';
  const command = query.getAll('command');
  return {
    ...Object.fromEntries(streams),
    ...(container === '' ? {} : { container }),
    ...(subresource === 'exec' ? { command } : {}),
  };
}

function ofDelete(request: ApiRequest): object {
  const { options, isDryRun } = deleteWish(request);
  const stated = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(stated), ...(isDryRun ? { dryRun: ['All'] } : {}) };
}
