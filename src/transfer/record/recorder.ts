/**
 * Tells what users do to a cluster that is watched: each object that they made, changed or deleted becomes a request at
 * its time. What controllers made of it is left out, for controllers make it here themselves; how long pods of jobs
 * ran is noted, for nothing here would tell. It knows no network and writes no file.
 */
import { kindRegistry } from '../../api/kinds/registry.js';
import type { Kind } from '../../api/objects/objects.js';
import { isFields, LeftOutTally, resourcePath, SEEN_DELETION, type HistoricRequest } from '../history/history.js';
import { RecordedKinds, type RecordedResource } from './recorded-kinds.js';
import { PodLives, type PodLife } from './pod-lives.js';
import { fieldsOfUsers } from './user-fields.js';
import { mergePatch } from './merge-patch.js';

type Mapping = Readonly<Record<string, unknown>>;

/** A change as a watch tells it. */
export interface SeenChange {
  readonly kind: Kind;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Mapping;
  /** Since the recording began. */
  readonly atMs: number;
}

/** A change that users made. */
export interface UserChange extends HistoricRequest {
  readonly kind: Kind;
  /** What users have written of it; absent = it was deleted. */
  readonly written?: Mapping;
  readonly object: Mapping;
}

/** Kinds that are told anew, or follow from others. */
const DERIVED: ReadonlySet<Kind> = new Set<Kind>([
  'Event',
  'Lease',
  'Endpoints',
  'EndpointSlice',
  'ControllerRevision',
  'CSINode',
  'VolumeAttachment',
  'IPAddress',
]);
/** What a pod says of an eviction that was asked for. */
const EVICTION = 'EvictionByEvictionAPI';
const PROPAGATION: readonly (readonly [finalizer: string, policy: string])[] = [
  ['foregroundDeletion', 'Foreground'],
  ['orphan', 'Orphan'],
];

/** See the file header. */
export class Recorder {
  readonly #written = new Map<string, Mapping>();
  readonly #ending = new Set<string>();
  readonly #endingNamespaces = new Set<string>();
  readonly #tally = new LeftOutTally();
  readonly #lives = new PodLives();

  /** @param isPassedOver - namespaces of which nothing is told */
  constructor(
    private readonly isPassedOver: (namespace: string) => boolean = () => false,
    private readonly kinds: RecordedKinds = new RecordedKinds(),
  ) {}

  /** What was not told, in words, with how often. */
  get leftOut(): ReadonlyMap<string, number> {
    return this.#tally.counts;
  }

  /** How long pods of owners ran, as far as they have ended, and since when the others run. */
  get lives(): readonly PodLife[] {
    return this.#lives.all();
  }

  /** An object that is there from the beginning. */
  begin(kind: Kind, object: Mapping): void {
    this.#lives.note('ADDED', kind, object);
    if (DERIVED.has(kind) || isControlled(object)) return;
    const key = keyOf(kind, object);
    const written = writtenOf(kind, object);
    if (written !== undefined) this.#written.set(key, written);
    if (endsAt(object) !== undefined) this.#ending.add(key);
  }

  /** What a change comes to; none = users did not make it. */
  note({ kind, type, object, atMs }: SeenChange): UserChange | undefined {
    this.#lives.note(type, kind, object);
    const { name, namespace = '' } = object['metadata'] as { readonly name: string; readonly namespace?: string };
    if (DERIVED.has(kind) || this.isPassedOver(kind === 'Namespace' ? name : namespace)) return undefined;
    if (isControlled(object)) {
      return this.#evicted({ kind, type, object, atMs }) ?? this.#leave(type, 'of what controllers own');
    }
    if (kind === 'ServiceAccount' && name === 'default') return this.#leave(type, 'by components');
    const key = keyOf(kind, object);
    const place = placeOf(this.kinds.resource(kind), object);
    if (type === 'DELETED' || endsAt(object) !== undefined)
      return this.#deleted({ kind, type, object, atMs }, key, place);
    const written = writtenOf(kind, object);
    if (written === undefined) return this.#leave(type, 'by components');
    const before = this.#written.get(key);
    this.#written.set(key, written);
    if (before === undefined) {
      return { kind, atMs, method: 'POST', path: place.collection, body: written, written, object };
    }
    const patch = mergePatch(before, written, object);
    if (patch === undefined) return this.#leave(type, 'by components');
    const headers = { 'content-type': 'application/merge-patch+json' };
    return { kind, atMs, method: 'PATCH', path: place.own, body: patch, headers, written, object };
  }

  /** A pod that was made by a controller, and that a user had evicted, as a drain does: it says so itself. */
  #evicted({ kind, type, object, atMs }: SeenChange): UserChange | undefined {
    const isGone = type === 'DELETED';
    if (kind !== 'Pod' || !(isGone || endsAt(object) !== undefined)) return undefined;
    if (disruptionOf(object) !== EVICTION) return undefined;
    const key = keyOf(kind, object);
    const wasEnding = this.#ending.has(key);
    if (isGone) this.#ending.delete(key);
    else this.#ending.add(key);
    const { name, namespace, generateName } = object['metadata'] as Readonly<Record<string, string | undefined>>;
    if (wasEnding || this.#endingNamespaces.has(namespace ?? '')) return undefined;
    const { nodeName } = object['spec'] as { readonly nodeName?: string };
    const own = placeOf(this.kinds.resource(kind), object).own;
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    const drawn = { prefix: generateName ?? '', ...(nodeName === undefined ? {} : { node: nodeName }) };
    return {
      kind,
      atMs,
      method: 'POST',
      path: `${own}/eviction`,
      body,
      object,
      ...(generateName === undefined ? {} : { drawn }),
    };
  }

  /** When it is marked for deletion, or is gone without having been marked. */
  #deleted(seen: SeenChange, key: string, { own }: Place): UserChange | undefined {
    const { kind, type, object, atMs } = seen;
    const wasEnding = this.#ending.has(key);
    const released = wasEnding ? this.#changedAtEnd(seen, key, own) : undefined;
    if (type === 'DELETED') {
      this.#ending.delete(key);
      this.#written.delete(key);
    } else this.#ending.add(key);
    const { name, namespace, finalizers } = object['metadata'] as {
      readonly name: string;
      readonly namespace?: string;
      readonly finalizers?: readonly string[];
    };
    if (kind === 'Namespace') this.#noteNamespace(name, type);
    if (wasEnding) return released;
    if (kind === 'Pod' && isDisrupted(object)) return this.#leave('DELETED', 'by components');
    if (namespace !== undefined && this.#endingNamespaces.has(namespace))
      return this.#leave('DELETED', 'with a namespace');
    const [, policy] = PROPAGATION.find(([finalizer]) => finalizers?.includes(finalizer)) ?? [];
    const body = policy === undefined ? SEEN_DELETION : { propagationPolicy: policy };
    return { kind, atMs, method: 'DELETE', path: own, body, object };
  }

  /** What users write of an object that is being deleted: most of all, its finalizers, of which the last lets it go. */
  #changedAtEnd({ kind, type, object, atMs }: SeenChange, key: string, path: string): UserChange | undefined {
    const before = this.#written.get(key);
    if (before === undefined) return undefined;
    const { finalizers: _held, ...freed } = before['metadata'] as Mapping;
    const isGone = type === 'DELETED';
    const written = isGone ? { ...before, metadata: freed } : (writtenOf(kind, object) ?? before);
    const patch = mergePatch(before, written, isGone ? written : object);
    if (patch === undefined) return undefined;
    this.#written.set(key, written);
    const headers = { 'content-type': 'application/merge-patch+json' };
    return { kind, atMs, method: 'PATCH', path, body: patch, headers, written, object };
  }

  #noteNamespace(name: string, type: SeenChange['type']): void {
    if (type === 'DELETED') this.#endingNamespaces.delete(name);
    else this.#endingNamespaces.add(name);
  }

  #leave(type: SeenChange['type'], why: string): undefined {
    const what = { ADDED: 'creations', MODIFIED: 'changes', DELETED: 'deletions' }[type];
    this.#tally.add(`${what} ${why}`);
  }
}

interface Place {
  readonly own: string;
  readonly collection: string;
}

function placeOf({ group, version, plural }: RecordedResource, object: Mapping): Place {
  const { name, namespace } = object['metadata'] as { readonly name: string; readonly namespace?: string };
  return {
    own: resourcePath(group, version, plural, namespace, name),
    collection: resourcePath(group, version, plural, namespace),
  };
}

function keyOf(kind: Kind, object: Mapping): string {
  const { name, namespace = '' } = object['metadata'] as { readonly name: string; readonly namespace?: string };
  return `${kind}/${namespace}/${name}`;
}

/** By the scheduler, the taint manager, pod garbage collection or a kubelet; an eviction is asked for by a user. */
function isDisrupted(pod: Mapping): boolean {
  const reason = disruptionOf(pod);
  return reason !== undefined && reason !== EVICTION;
}

/** Why a pod was ended from outside; `undefined` = nothing tells. */
function disruptionOf({ status }: Mapping): unknown {
  const { conditions } = isFields(status) ? status : {};
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as readonly Mapping[]).find(
    ({ type, status: isSo }) => type === 'DisruptionTarget' && isSo === 'True',
  )?.['reason'];
}

function endsAt(object: Mapping): unknown {
  return (object['metadata'] as Mapping)['deletionTimestamp'];
}

/** By a controller of a kind that is simulated: what custom controllers make is as a user's. */
function isControlled(object: Mapping): boolean {
  const { ownerReferences } = object['metadata'] as Mapping;
  if (!Array.isArray(ownerReferences)) return false;
  return (ownerReferences as readonly Mapping[]).some(
    ({ controller, kind }) => controller === true && String(kind) in kindRegistry,
  );
}

/** Without contents of secrets; a node's place of a pod is the scheduler's. */
function writtenOf(kind: Kind, object: Mapping): Mapping | undefined {
  const written = fieldsOfUsers(object);
  if (written === undefined) return undefined;
  if (kind === 'Secret') return withoutContents(written);
  return kind === 'Job' ? withoutDefaultedLabels(written) : written;
}

/** A job without labels gets those of its template, and with them the server's own (pkg/apis/batch/v1/defaults.go). */
function withoutDefaultedLabels(job: Mapping): Mapping {
  const { labels, ...metadata } = job['metadata'] as Mapping;
  const { template } = isFields(job['spec']) ? job['spec'] : {};
  const { metadata: below } = isFields(template) ? template : {};
  const defaults = isFields(below) ? below['labels'] : undefined;
  return JSON.stringify(labels) === JSON.stringify(defaults) ? { ...job, metadata } : job;
}

/** Keys stay, so that pods find them. */
export function withoutContents({ data, stringData: _text, ...others }: Mapping): Mapping {
  return isFields(data) ? { ...others, data: Object.fromEntries(Object.keys(data).map((key) => [key, ''])) } : others;
}
