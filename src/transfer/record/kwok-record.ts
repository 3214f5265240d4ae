/** What `kwokctl snapshot export --record` writes: a snapshot, and patches with the times since then. */
import { ImportError } from '../import/import-error.js';
import { type SourceObject } from '../import/source-objects.js';
import { isFields, LeftOutTally, resourcePath, type HistoricRequest, type History } from './history.js';

const GROUP = 'action.kwok.x-k8s.io/';
const NANOSECONDS_PER_MS = 1_000_000;
/** Are told anew, or follow from others. */
const TRANSIENT: readonly string[] = ['events', 'leases', 'endpoints', 'endpointslices', 'controllerrevisions'];
/** Bookkeeping of the other server. */
const BOOKKEEPING: readonly string[] = [
  'managedFields',
  'resourceVersion',
  'uid',
  'creationTimestamp',
  'generation',
  'selfLink',
];
const REVISION = 'deployment.kubernetes.io/revision';

export function isKwokRecord(objects: readonly SourceObject[]): boolean {
  return objects.some(({ value }) => isPatch(value));
}

function isPatch({ apiVersion, kind }: Readonly<Record<string, unknown>>): boolean {
  return typeof apiVersion === 'string' && apiVersion.startsWith(GROUP) && kind === 'ResourcePatch';
}

/** @throws ImportError for a patch that is not one */
export function kwokHistory(all: readonly SourceObject[]): History {
  const objects = all.filter(({ value }) => !isPatch(value));
  const tally = new LeftOutTally();
  const owned = new Set(objects.filter(({ value }) => isOwned(value)).map(({ value }) => keyOf(value)));
  const requests = all.filter(({ value }) => isPatch(value)).flatMap((each) => requestOf(each, owned, tally));
  const sorted = requests.toSorted((a, b) => a.atMs - b.atMs);
  return { form: 'kwok', objects, requests: sorted, endMs: sorted.at(-1)?.atMs ?? 0, leftOut: tally.counts };
}

function requestOf(
  { value, place }: SourceObject,
  owned: Set<string>,
  tally: LeftOutTally,
): readonly HistoricRequest[] {
  const { resource, target, method, durationNanosecond, template } = value;
  if (!isFields(resource) || typeof resource['resource'] !== 'string')
    throw new ImportError(place, 'resource', 'must name a resource');
  if (!isFields(target) || typeof target['name'] !== 'string')
    throw new ImportError(place, 'target', 'must have a name');
  const atMs = Number(durationNanosecond) / NANOSECONDS_PER_MS;
  if (!Number.isFinite(atMs) || atMs < 0)
    throw new ImportError(place, 'durationNanosecond', `must be a number >= 0, got ${String(durationNanosecond)}`);
  const { resource: plural, group = '', version = 'v1' } = resource;
  const { name } = target;
  const namespace = typeof target['namespace'] === 'string' ? target['namespace'] : undefined;
  const key = `${plural}/${namespace ?? ''}/${name}`;
  if (TRANSIENT.includes(plural)) return leave(tally, plural);
  const path = (own?: string): string => resourcePath(String(group), String(version), plural, namespace, own);
  if (method === 'delete') {
    if (owned.has(key)) return leave(tally, 'deletions of what controllers own');
    return [{ atMs: Math.round(atMs), method: 'DELETE', path: path(name) }];
  }
  if (!isFields(template)) throw new ImportError(place, 'template', 'must be an object');
  if (method === 'create') {
    if (isOwned(template)) {
      owned.add(key);
      return leave(tally, 'creations by controllers');
    }
    return [{ atMs: Math.round(atMs), method: 'POST', path: path(), body: withoutBookkeeping(template) }];
  }
  if (method !== 'patch')
    throw new ImportError(place, 'method', `must be create, patch or delete, got ${String(method)}`);
  const patch = withoutBookkeeping(template);
  if (owned.has(key) || isEmpty(patch)) return leave(tally, 'patches of statuses and of what controllers own');
  const headers = { 'content-type': 'application/strategic-merge-patch+json' };
  return [{ atMs: Math.round(atMs), method: 'PATCH', path: path(name), body: patch, headers }];
}

function leave(tally: LeftOutTally, what: string): readonly HistoricRequest[] {
  tally.add(what);
  return [];
}

function isOwned({ metadata }: Readonly<Record<string, unknown>>): boolean {
  const owners = isFields(metadata) ? metadata['ownerReferences'] : undefined;
  return Array.isArray(owners) && owners.some((owner: unknown) => isFields(owner) && owner['controller'] === true);
}

/** Kinds are in the singular here: only what is asked for is told apart. */
function keyOf({ kind, metadata }: Readonly<Record<string, unknown>>): string {
  const { name = '', namespace = '' } = isFields(metadata) ? metadata : {};
  return `${String(kind).toLowerCase()}s/${String(namespace)}/${String(name)}`;
}

/** Without the status, which is not a user's, nor the node, which is the scheduler's. */
function withoutBookkeeping(template: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { status: _status, metadata, spec, ...others } = template;
  const kept = Object.fromEntries(
    Object.entries(isFields(metadata) ? metadata : {}).filter(([field]) => !BOOKKEEPING.includes(field)),
  );
  const { annotations } = kept;
  if (isFields(annotations) && REVISION in annotations) {
    const { [REVISION]: _revision, ...rest } = annotations;
    kept['annotations'] = rest;
  }
  if (!isFields(spec)) return { ...others, metadata: kept };
  const { nodeName: _nodeName, ...wanted } = spec;
  return { ...others, metadata: kept, spec: wanted };
}

function isEmpty({
  apiVersion: _apiVersion,
  kind: _kind,
  metadata,
  ...others
}: Readonly<Record<string, unknown>>): boolean {
  const { name: _name, namespace: _namespace, ...rest } = isFields(metadata) ? metadata : {};
  const isBare = (value: unknown): boolean => isFields(value) && Object.values(value).every((each) => isBare(each));
  return [...Object.values(rest), ...Object.values(others)].every((value) => isBare(value));
}
