/**
 * What a path asks for: group, version, resource, name, subresource and verb. Mirrors
 * staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go (v1.34).
 */

/** A request for objects of a group version. */
export interface ResourceRequest {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Absent for the group version itself (discovery). */
  readonly resource: string | undefined;
  readonly namespace: string | undefined;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string | undefined;
  /** What follows the subresource, for proxies. */
  readonly rest: string;
}

/** Endpoints of a namespace itself; any other word after its name is a resource in it. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The parts of a path below `/api/<version>` or `/apis/<group>/<version>`; undefined for any other path. */
export function resourceRequest(method: string, path: string, isWatch: boolean): ResourceRequest | undefined {
  const parts = pathParts(path);
  const [root, ...below] = parts;
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group, version, ...rest] = root === 'api' ? ['', ...below] : below;
  if (group === undefined || version === undefined) return undefined;
  const isLegacyWatch = rest[0] === 'watch';
  const place = placeOf(isLegacyWatch ? rest.slice(1) : rest);
  return { ...place, group, version, verb: verbOf(method, place.name !== '', isWatch || isLegacyWatch) };
}

type Place = Pick<ResourceRequest, 'resource' | 'namespace' | 'name' | 'subresource' | 'rest'>;

function placeOf(parts: readonly string[]): Place {
  const [first, second = '', third = ''] = parts;
  const isNamespaced = first === 'namespaces' && parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(third);
  const [resource, name = '', subresource, ...rest] = isNamespaced ? parts.slice(2) : parts;
  return { resource, namespace: isNamespaced ? second : undefined, name, subresource, rest: rest.join('/') };
}

function verbOf(method: string, isNamed: boolean, isWatch: boolean): string {
  const verb = VERBS[method] ?? method.toLowerCase();
  if (verb === 'get' && isWatch) return 'watch';
  if (isNamed) return verb;
  if (verb === 'get') return 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

/** The decoded segments; a trailing slash adds none. */
export function pathParts(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .filter((part, index, all) => part !== '' || index < all.length - 1)
    .map(decoded);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
