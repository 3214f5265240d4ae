/**
 * What `kwokctl snapshot export --record` writes: a snapshot, and patches with the times since then, of which the
 * objects are made again as a watch would have told them. What users did of it the recorder tells.
 */
import { ApiError } from '../../api/errors/api-error.js';
import type { Kind } from '../../api/objects/objects.js';
import { resolveKind } from '../../api/kinds/registry.js';
import { applyStrategicPatch } from '../../api/patches/strategic-patch.js';
import { ImportError } from '../import/import-error.js';
import { type SourceObject } from '../import/source-object.js';
import { isFields, type HistoricRequest, type History } from '../history/history.js';
import { livesOf, withLives } from './owner-lives.js';
import { RecordedKinds } from './recorded-kinds.js';
import { Recorder, type SeenChange } from './recorder.js';

type Mapping = Readonly<Record<string, unknown>>;

const GROUP = 'action.kwok.x-k8s.io/';
const NANOSECONDS_PER_MS = 1_000_000;

export function isKwokRecord(objects: readonly SourceObject[]): boolean {
  return objects.some(({ value }) => isPatch(value));
}

function isPatch({ apiVersion, kind }: Mapping): boolean {
  return typeof apiVersion === 'string' && apiVersion.startsWith(GROUP) && kind === 'ResourcePatch';
}

/** @throws ImportError for a patch that is not one */
export function kwokHistory(all: readonly SourceObject[]): History {
  const objects = all.filter(({ value }) => !isPatch(value));
  const seen = new SeenObjects();
  for (const { value } of objects) seen.begin(value);
  const patches = all.filter(({ value }) => isPatch(value)).map(readPatch);
  const sorted = patches.toSorted((a, b) => a.atMs - b.atMs);
  const requests = sorted.flatMap((patch) => seen.note(patch));
  const { recorder } = seen;
  return {
    form: 'kwok',
    ...withLives({ objects, requests }, livesOf(recorder.lives)),
    endMs: sorted.at(-1)?.atMs ?? 0,
    leftOut: new Map([...recorder.leftOut, ...seen.leftOut]),
  };
}

interface Patch {
  readonly atMs: number;
  readonly place: string;
  readonly group: string;
  readonly plural: string;
  readonly name: string;
  readonly namespace: string;
  readonly method: 'create' | 'patch' | 'delete';
  readonly template: Mapping;
}

function readPatch({ value, place }: SourceObject): Patch {
  const { resource, target, method, durationNanosecond, template } = value;
  if (!isFields(resource) || typeof resource['resource'] !== 'string')
    throw new ImportError(place, 'resource', 'must name a resource');
  if (!isFields(target) || typeof target['name'] !== 'string')
    throw new ImportError(place, 'target', 'must have a name');
  const atMs = Number(durationNanosecond) / NANOSECONDS_PER_MS;
  if (!Number.isFinite(atMs) || atMs < 0)
    throw new ImportError(place, 'durationNanosecond', `must be a number >= 0, got ${String(durationNanosecond)}`);
  if (method !== 'create' && method !== 'patch' && method !== 'delete')
    throw new ImportError(place, 'method', `must be create, patch or delete, got ${String(method)}`);
  if (method !== 'delete' && !isFields(template)) throw new ImportError(place, 'template', 'must be an object');
  const { resource: plural, group = '' } = resource as Readonly<Record<string, string>>;
  const { name, namespace = '' } = target as { readonly name: string; readonly namespace?: string };
  return {
    atMs: Math.round(atMs),
    place,
    group,
    plural: plural ?? '',
    name,
    namespace,
    method,
    template: isFields(template) ? template : {},
  };
}

/** The objects as they are by now, told to a recorder. */
class SeenObjects {
  readonly leftOut = new Map<string, number>();
  readonly #kinds = new RecordedKinds();
  readonly recorder = new Recorder(undefined, this.#kinds);
  readonly #objects = new Map<string, Mapping>();

  begin(object: Mapping): void {
    const { apiVersion, kind } = object;
    const known = resolveKind(String(apiVersion), String(kind));
    if (known !== undefined) this.#kinds.define(known, object);
    const own = known ?? this.#kinds.kinds.find((each) => isOf(this.#kinds.resource(each), object));
    if (own === undefined || !this.#kinds.kinds.includes(own)) return;
    const told = withoutBinding(own, object);
    this.#objects.set(keyOf(own, object['metadata'] as Mapping), told);
    this.recorder.begin(own, told);
  }

  note(patch: Patch): readonly HistoricRequest[] {
    const { group, plural, atMs, method } = patch;
    const kind = this.#kinds.kinds.find((each) => {
      const resource = this.#kinds.resource(each);
      return resource.plural === plural && resource.group === group;
    });
    if (kind === undefined) return this.#leave(`${plural}, not simulated`);
    const key = keyOf(kind, patch);
    const before = this.#objects.get(key);
    if (before === undefined && method !== 'create')
      return this.#leave(`${method === 'delete' ? 'deletions' : 'patches'} of what is not in it`);
    const object = method === 'delete' ? (before ?? {}) : this.#changed(kind, before, patch);
    if (method === 'delete') this.#objects.delete(key);
    else this.#objects.set(key, object);
    const type = { create: 'ADDED', patch: 'MODIFIED', delete: 'DELETED' }[method] as SeenChange['type'];
    const change = this.recorder.note({ kind, type, object, atMs });
    this.#kinds.define(kind, object);
    if (change === undefined) return [];
    const { kind: _kind, written: _written, object: _object, ...request } = change;
    return [request];
  }

  #changed(kind: Kind, before: Mapping | undefined, { method, template, name, namespace, place }: Patch): Mapping {
    const { name: kindName, group, version } = this.#kinds.resource(kind);
    const head = { apiVersion: group === '' ? version : `${group}/${version}`, kind: kindName };
    try {
      const after = method === 'create' ? template : applyStrategicPatch(before ?? {}, template);
      const metadata = { ...(after['metadata'] as Mapping), name, ...(namespace === '' ? {} : { namespace }) };
      return withoutBinding(kind, { ...head, ...after, metadata });
    } catch (error) {
      if (error instanceof ApiError) throw new ImportError(place, 'template', error.message);
      throw error;
    }
  }

  #leave(what: string): readonly HistoricRequest[] {
    this.leftOut.set(what, (this.leftOut.get(what) ?? 0) + 1);
    return [];
  }
}

function isOf({ name, group, version }: ReturnType<RecordedKinds['resource']>, { apiVersion, kind }: Mapping): boolean {
  return kind === name && apiVersion === (group === '' ? version : `${group}/${version}`);
}

function keyOf(
  kind: Kind,
  { name, namespace = '' }: { readonly name?: unknown; readonly namespace?: unknown },
): string {
  return `${kind}/${String(namespace)}/${String(name)}`;
}

/** Where no managed fields say so, a pod's node is taken for the scheduler's choice. */
function withoutBinding(kind: Kind, object: Mapping): Mapping {
  const { spec, metadata } = object;
  if (kind !== 'Pod' || !isFields(spec) || (isFields(metadata) && 'managedFields' in metadata)) return object;
  const { nodeName: _nodeName, ...wanted } = spec;
  return { ...object, spec: wanted };
}
