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
  /** Whether it is below `watch/`, which upstream would have clients leave. */
  readonly isWatchPath: boolean;
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
  const isWatchPath = rest[0] === 'watch';
  const place = placeOf(isWatchPath ? rest.slice(1) : rest);
  const verb = isWatchPath ? 'watch' : verbOf(method, place.name !== '', isWatch);
  return { ...place, group, version, verb, isWatchPath };
}

/** Whether a path names a verb, and nothing for it: upstream has no idea what it is. */
export function isUnreadablePath(path: string): boolean {
  const [root, ...below] = pathParts(path);
  const rest = root === 'api' ? below.slice(1) : root === 'apis' ? below.slice(2) : [];
  return rest.length === 1 && (rest[0] === 'watch' || rest[0] === 'proxy');
}

type Place = Pick<ResourceRequest, 'resource' | 'namespace' | 'name' | 'subresource' | 'rest'>;

function placeOf(parts: readonly string[]): Place {
  const [first, second = '', third = ''] = parts;
  const isNamespaced = first === 'namespaces' && parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(third);
  const [resource, name = '', subresource, ...rest] = isNamespaced ? parts.slice(2) : parts;
  return { resource, namespace: isNamespaced ? second : undefined, name, subresource, rest: rest.join('/') };
}

/** A watch of one object, by the option of a list, is a plain request for it. */
function verbOf(method: string, isNamed: boolean, isWatch: boolean): string {
  const verb = VERBS[method] ?? method.toLowerCase();
  if (isNamed) return verb;
  if (verb === 'get') return isWatch ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

/** The segments of the decoded path, as Go reads it: slashes at its ends add none. */
export function pathParts(path: string): readonly string[] {
  const whole = decoded(path).replace(/^\/+|\/+$/g, '');
  return whole === '' ? [] : whole.split('/');
}

/** Whether Go reads the path at all. */
export function isEncodedWell(path: string): boolean {
  return !/%(?![\da-f]{2})/i.test(path);
}

function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    // Bytes that are no text.
    return Buffer.from(
      path.replace(/%([\da-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ).toString('utf8');
  }
}
