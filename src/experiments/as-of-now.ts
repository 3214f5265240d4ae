/** What a request of a history needs of the objects here, to say the same to them. */
import type { ClusterRequest } from '../cluster/api-call.js';
import type { Cluster } from '../cluster/cluster.js';
import { isFields, type HistoricRequest } from '../transfer/history/history.js';

type Asked = Pick<Cluster, 'ask'>;

const MERGE = 'application/merge-patch+json';

/** See the file header: an update is of the version that stands here, a patch is of the type that it had there. */
export async function asOfNow(cluster: Asked, made: HistoricRequest): Promise<ClusterRequest> {
  const { method, path, body, headers, answer } = made;
  const request = {
    method,
    path,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  };
  if (method === 'PUT') return { ...request, ...(await ofThisVersion(cluster, path, body)) };
  if (answer === undefined || body === undefined) return request;
  const [strategic, merged] = [await dryRun(cluster, request), await dryRun(cluster, asMerge(request))];
  return !isAlike(body, strategic, answer) && isAlike(body, merged, answer) ? asMerge(request) : request;
}

/** Kinds without unconditional updates ask for the version. */
async function ofThisVersion(
  cluster: Asked,
  path: string,
  body: object | undefined,
): Promise<{ readonly body?: object }> {
  if (body === undefined) return {};
  const { body: stands, status } = await cluster.ask({ method: 'GET', path: path.replace(/\?.*/, '') });
  const { resourceVersion } = metadataOf(stands);
  if (status >= 400 || resourceVersion === undefined) return { body };
  return { body: { ...body, metadata: { ...metadataOf(body), resourceVersion } } };
}

function metadataOf(object: unknown): { readonly resourceVersion?: unknown } {
  const { metadata } = (isFields(object) ? object : {}) as { readonly metadata?: unknown };
  return isFields(metadata) ? metadata : {};
}

function asMerge(request: ClusterRequest): ClusterRequest {
  return { ...request, headers: { ...request.headers, 'content-type': MERGE } };
}

async function dryRun(cluster: Asked, request: ClusterRequest): Promise<unknown> {
  const path = `${request.path}${request.path.includes('?') ? '&' : '?'}dryRun=All`;
  const { status, body } = await cluster.ask({ ...request, path });
  return status < 400 ? body : undefined;
}

/** Whether the lists of a patch have become of the same shape: as many items with the same fields. */
function isAlike(patch: unknown, here: unknown, there: unknown): boolean {
  if (Array.isArray(patch)) return isSameShape(here, there);
  if (!isFields(patch)) return true;
  return Object.entries(patch).every(([field, part]) => isAlike(part, fieldOf(here, field), fieldOf(there, field)));
}

function isSameShape(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSameShape(item, other[index]));
  }
  if (!isFields(one) || !isFields(other)) return typeof one === typeof other;
  const fields = Object.keys(one);
  return (
    fields.length === Object.keys(other).length &&
    fields.every((field) => Object.hasOwn(other, field) && isSameShape(one[field], other[field]))
  );
}

function fieldOf(value: unknown, field: string): unknown {
  return isFields(value) && Object.hasOwn(value, field) ? value[field] : undefined;
}
