/**
 * A cluster as it is taken over: the objects of a source as this house keeps them, each with its identity, owners and
 * status, and what of the source was left out and why. Pure.
 */
import { ROOT_CA_CONFIG_MAP, ROOT_CA_DATA } from '../../api/objects/cluster-objects.js';
import { otherVersion } from '../../api/kinds/other-versions.js';
import type { Draft, DraftMeta, Kind, OwnerReference } from '../../api/objects/objects.js';
import { createTimestamps } from '../../kernel/timestamps.js';
import { SAVED_STATE, type SavedState } from '../saved-state.js';
import { savedFacts, toldFacts, type ClusterFacts } from './cluster-facts.js';
import { newestTime } from './newest-time.js';
import { kindsOf, type FindKind, type SourceKind } from './source-kinds.js';
import { ImportError } from './import-error.js';
import { isFields, type Fields, type SourceObject } from './source-object.js';
import { digestOf, type ClusterSource } from './source-objects.js';

/** An object that is taken over. */
export interface PictureObject {
  readonly kind: Kind;
  readonly draft: Draft & { readonly metadata: DraftMeta };
  readonly place: string;
}

/** What of a source is not taken over, with how many there were. */
export interface LeftOut {
  /** Kinds that are not simulated, such as `Prometheus (monitoring.coreos.com/v1)`. */
  readonly unknown: ReadonlyMap<string, number>;
  /** Heartbeats and records: they are made anew. */
  readonly transient: ReadonlyMap<Kind, number>;
  /** Pods on nodes that are not there. */
  readonly strandedPods: number;
  /** References to owners that are not there. */
  readonly lostOwners: number;
  /** Secrets whose contents were left out. */
  readonly secrets: number;
}

/** See the file header. */
export interface ClusterPicture extends ClusterFacts {
  readonly objects: readonly PictureObject[];
  readonly state: SavedState | undefined;
  /** The present of the cluster that it is of; `undefined` = nothing tells. */
  readonly time: string | undefined;
  readonly digest: string;
  readonly leftOut: LeftOut;
}

const UNIX = createTimestamps('1970-01-01T00:00:00Z');
/** Are computed or told anew. */
const TRANSIENT: readonly Kind[] = ['Event', 'Lease', 'APIService'];
const OWN_GROUP = 'kubeloom.dev/';
/** Of that group: what comes from outside goes on. */
const KEPT_OWN = 'Load';
const MIRROR = 'kubernetes.io/config.mirror';
/** Fields of metadata that are the server's bookkeeping of one cluster. */
const BOOKKEEPING: readonly string[] = ['managedFields', 'selfLink', 'resourceVersion'];

interface Tally {
  readonly unknown: Map<string, number>;
  readonly transient: Map<Kind, number>;
  strandedPods: number;
  lostOwners: number;
  secrets: number;
}

/** See the file header. @throws ImportError */
export function pictureOf({ objects: sources, digest }: ClusterSource): ClusterPicture {
  const tally: Tally = { unknown: new Map(), transient: new Map(), strandedPods: 0, lostOwners: 0, secrets: 0 };
  const saved = sources.findLast(({ value }) => value['kind'] === SAVED_STATE);
  const state = saved === undefined ? undefined : savedStateOf(saved);
  const kinds = kindsOf(sources);
  const byName = new Map<string, PictureObject>();
  for (const source of sources) {
    const object = taken(source, state !== undefined, kinds, tally);
    if (object !== undefined) byName.set(nameOf(object), object);
  }
  const present = withoutStranded([...byName.values()], tally);
  const objects = relinked(definitionsFirst(withNamespaces(present)), kinds, tally);
  const time = state?.time ?? newestTime(sources.map(({ value }) => value));
  const facts = state === undefined ? toldFacts(objects, sources, time) : savedFacts(state);
  return { objects, state, time, ...facts, digest, leftOut: tally };
}

function savedStateOf({ value, place }: SourceObject): SavedState {
  const { time, seed, nodes } = value;
  if (typeof time !== 'string' || Number.isNaN(UNIX.toMs(time))) {
    throw new ImportError(place, 'time', `must be a timestamp, got ${JSON.stringify(time) ?? 'nothing'}`);
  }
  if (typeof seed !== 'string')
    throw new ImportError(place, 'seed', `must be a text, got ${JSON.stringify(seed) ?? 'nothing'}`);
  if (!isFields(nodes))
    throw new ImportError(place, 'nodes', `must be a mapping, got ${JSON.stringify(nodes) ?? 'nothing'}`);
  return value as unknown as SavedState;
}

/** The object with what this house keeps of it; `undefined` = it is left out. */
function taken(
  { value: written, place }: SourceObject,
  isSaved: boolean,
  kinds: FindKind,
  tally: Tally,
): PictureObject | undefined {
  const { apiVersion, kind: kindName } = written as { readonly apiVersion: string; readonly kind: string };
  if (apiVersion.startsWith(OWN_GROUP) && kindName !== KEPT_OWN) return undefined;
  const found = kinds(apiVersion, kindName);
  if (found === undefined) {
    count(tally.unknown, `${kindName} (${apiVersion})`);
    return undefined;
  }
  const { kind } = found;
  const value: Fields = otherVersion(apiVersion, kindName)?.keep(written) ?? written;
  if (TRANSIENT.includes(kind)) {
    count(tally.transient, kind);
    return undefined;
  }
  const metadata = inNamespace(found, metadataOf(value, place));
  const draft = metadata === value['metadata'] ? (value as unknown as PictureObject['draft']) : { ...value, metadata };
  // What a saved cluster tells of its secrets is what it was asked to tell.
  return { kind, draft: isSaved && kind === 'Secret' ? draft : contentOf(kind, draft, tally), place };
}

function inNamespace({ isNamespaced }: SourceKind, metadata: DraftMeta): DraftMeta {
  const { namespace = '' } = metadata;
  if (isNamespaced) return namespace === '' ? { ...metadata, namespace: 'default' } : metadata;
  if (metadata.namespace === undefined) return metadata;
  const { namespace: _namespace, ...others } = metadata;
  return others;
}

function metadataOf(value: Fields, place: string): DraftMeta {
  const { metadata } = value;
  if (!isFields(metadata)) throw new ImportError(place, 'metadata', 'must be a mapping with a name');
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp'] as const) {
    const text = metadata[field] ?? undefined;
    if ((text === undefined && field !== 'name') || typeof text === 'string') continue;
    throw new ImportError(place, `metadata.${field}`, `must be a text, got ${JSON.stringify(text) ?? 'nothing'}`);
  }
  const fields = withoutBookkeeping(metadata);
  const { annotations } = fields;
  if (!isFields(annotations) || !(MIRROR in annotations)) return fields;
  // A pod that was its node's own runs as any other from now on.
  const { [MIRROR]: _mirror, ...others } = annotations;
  return { ...fields, annotations: others } as DraftMeta;
}

/** What a saved cluster has is kept as it is: it has none of it. */
function withoutBookkeeping(metadata: Fields): Fields {
  const isKept = (field: string): boolean => metadata[field] !== null && !BOOKKEEPING.includes(field);
  const fields = Object.keys(metadata);
  if (fields.every(isKept)) return metadata;
  return Object.fromEntries(fields.filter(isKept).map((field) => [field, metadata[field]]));
}

function contentOf(kind: Kind, draft: PictureObject['draft'], tally: Tally): PictureObject['draft'] {
  if (kind === 'ConfigMap' && draft.metadata.name === ROOT_CA_CONFIG_MAP) return { ...draft, data: ROOT_CA_DATA };
  if (kind !== 'Secret') return draft;
  const { data, stringData, ...rest } = draft;
  const keys = [...Object.keys(isFields(data) ? data : {}), ...Object.keys(isFields(stringData) ? stringData : {})];
  if (keys.length === 0) return rest;
  tally.secrets += 1;
  // Pods that name a key still find it.
  return { ...rest, data: Object.fromEntries(keys.map((key) => [key, ''])) };
}

/** Pods on nodes that are not there would be collected within a minute: what owns them makes others. */
function withoutStranded(objects: readonly PictureObject[], tally: Tally): readonly PictureObject[] {
  const nodes = new Set(objects.flatMap(({ kind, draft }) => (kind === 'Node' ? [draft.metadata.name] : [])));
  return objects.filter(({ kind, draft }) => {
    if (kind !== 'Pod' || !isFields(draft['spec'])) return true;
    const { nodeName } = draft['spec'] as { readonly nodeName?: string };
    if (nodeName === undefined || nodeName === '' || nodes.has(nodeName)) return true;
    tally.strandedPods += 1;
    return false;
  });
}

/** Some dumps leave the namespaces themselves out. */
function withNamespaces(objects: readonly PictureObject[]): readonly PictureObject[] {
  const known = new Set(objects.flatMap(({ kind, draft }) => (kind === 'Namespace' ? [draft.metadata.name] : [])));
  const missing: PictureObject[] = [];
  for (const { draft, place } of objects) {
    const { namespace } = draft.metadata;
    if (namespace === undefined || namespace === '' || known.has(namespace)) continue;
    known.add(namespace);
    missing.push({
      kind: 'Namespace',
      draft: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      place,
    });
  }
  return [...missing, ...objects];
}

/** An object of a definition's kind is kept once the definition is. */
function definitionsFirst(objects: readonly PictureObject[]): readonly PictureObject[] {
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  if (definitions.length === 0) return objects;
  return [...definitions, ...objects.filter(({ kind }) => kind !== 'CustomResourceDefinition')];
}

/** Every object has a uid, and every reference that of its owner; those to what is not there go. */
function relinked(objects: readonly PictureObject[], kinds: FindKind, tally: Tally): readonly PictureObject[] {
  const uidOf = (object: PictureObject): string => object.draft.metadata.uid ?? uidFor(object);
  const known = new Set(objects.map(uidOf));
  let byName: ReadonlyMap<string, string> | undefined;
  // Most sources need no names: every reference tells a uid that is there.
  const uidAt = (name: string): string | undefined => {
    byName ??= new Map(objects.map((object) => [nameOf(object), uidOf(object)]));
    return byName.get(name);
  };
  return objects.map((object) => {
    const { draft } = object;
    const { metadata } = draft;
    const uid = metadata.uid ?? uidAt(nameOf(object));
    if (metadata.uid !== undefined && areKnown(metadata.ownerReferences, known)) return object;
    const { ownerReferences, ...rest } = metadata;
    const owners =
      ownerReferences === undefined ? [] : ownersOf(ownerReferences, metadata.namespace, { uidAt, known, kinds });
    tally.lostOwners += (ownerReferences?.length ?? 0) - owners.length;
    const linked = owners.length === 0 ? rest : { ...rest, ownerReferences: owners };
    return { ...object, draft: { ...draft, metadata: uid === undefined ? linked : { ...linked, uid } } };
  });
}

/** Nothing is to be linked anew. */
function areKnown(references: readonly OwnerReference[] | undefined, known: ReadonlySet<string>): boolean {
  return references === undefined || (references.length > 0 && references.every(({ uid }) => known.has(uid)));
}

/** By which owners are found. */
interface Links {
  readonly uidAt: (name: string) => string | undefined;
  readonly known: ReadonlySet<string>;
  readonly kinds: FindKind;
}

function ownersOf(
  references: readonly OwnerReference[],
  namespace: string | undefined,
  { uidAt, known, kinds }: Links,
): OwnerReference[] {
  return references.flatMap((reference) => {
    if (known.has(reference.uid)) return [reference];
    const kind = kinds(reference.apiVersion, reference.kind)?.kind;
    if (kind === undefined) return [];
    const { name } = reference;
    const uid = uidAt(keyFor(kind, namespace, name)) ?? uidAt(keyFor(kind, undefined, name));
    return uid === undefined ? [] : [{ ...reference, uid }];
  });
}

/** A uid that an object of that name always gets. */
function uidFor(object: PictureObject): string {
  const hex = digestOf([nameOf(object)]);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

function nameOf({ kind, draft: { metadata } }: PictureObject): string {
  return keyFor(kind, metadata.namespace, metadata.name ?? '');
}

function keyFor(kind: Kind, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace === undefined || namespace === '' ? '' : namespace}/${name}`;
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
