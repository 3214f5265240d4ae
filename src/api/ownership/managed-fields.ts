/**
 * Which manager wrote which field of an object: the entries of `metadata.managedFields` after a write, and
 * server-side apply.
 * Mirrors apimachinery's util/managedfields and structured-merge-diff's updater (v1.34).
 */
import { ApiError } from '../errors/api-error.js';
import type { FieldsV1, ManagedFieldsEntry, ObjectMeta } from '../objects/kube-object.js';
import { goEncoded } from '../types/go-encoding.js';
import { isSameJson } from '../values/canonical-json.js';
import { ownField, setOwnField } from '../values/own-fields.js';
import {
  difference,
  intersection,
  isEmptySet,
  NO_FIELDS,
  pathsOf,
  pathText,
  statedAlone,
  union,
  withoutBelow,
  withoutPath,
} from './field-set.js';
import { compareEntries, identityOf } from './scale-owners.js';
import { OwnedVersions, type VersionFinder } from './owned-versions.js';
import { pruned } from './prune-applied.js';
import { resetFields } from './reset-fields.js';
import { schemaOf } from './schema.js';
import { compareFields, mergeApplied, statedFields, type Comparison } from './walks.js';

type Fields = Readonly<Record<string, unknown>>;

/** A write, as far as its owner is concerned. */
export interface FieldWrite {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Seconds, as Kubernetes writes times. */
  readonly time: string;
}

/** Fields that no manager owns. */
const STRIPPED: readonly (readonly string[])[] = [['f:apiVersion'], ['f:kind']];
const STRIPPED_METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];
/** Upstream's DefaultMaxUpdateManagers: entries of older updates are merged beyond that. */
const MOST_UPDATERS = 10;

interface Managed {
  readonly write: Omit<FieldWrite, 'time'>;
  readonly time: string | undefined;
  readonly set: FieldsV1;
}

/** Without the fields that an endpoint does not write. */
function writtenPart(set: FieldsV1, subresource: string, type: OwnedType): FieldsV1 {
  let own = set;
  for (const path of resetFields(subresource, type)) own = withoutBelow(own, path);
  return own;
}

function ownedPart(set: FieldsV1, subresource: string, type: OwnedType): FieldsV1 {
  let own = writtenPart(set, subresource, type);
  for (const path of STRIPPED) own = withoutBelow(own, path);
  for (const name of STRIPPED_METADATA) own = withoutBelow(own, ['f:metadata', `f:${name}`]);
  return withoutPath(own, ['f:metadata']);
}

/** The type of the object, and whether its status has an endpoint of its own. */
export interface OwnedType {
  readonly key: string;
  readonly hasStatus: boolean;
  /** Whether a definition has brought it. */
  readonly isCustom?: boolean;
  /**
   * The object in another version, by which some of its owners have their fields: undefined where there is no such
   * version, so that it leaves no owners. @defaultValue all versions have the same fields
   */
  readonly inVersion?: VersionFinder | undefined;
}

type Entries = readonly ManagedFieldsEntry[];

/** The entries of a stored object, which only this file makes. */
export function ownersOf(object: { readonly metadata: ObjectMeta } | undefined): Entries {
  if (object === undefined) return NO_ENTRIES;
  return (object.metadata.managedFields ?? initialOwners.get(object)?.() ?? NO_ENTRIES) as Entries;
}

/** Of objects that were there before owners were kept: worked out when something asks for them, and kept nowhere. */
const initialOwners = new WeakMap<object, () => Entries>();

/** Says by what an object was made that a cluster begins with. */
export function noteInitialOwners(object: object, entries: () => Entries): void {
  initialOwners.set(object, entries);
}

/** An object as it is read: with the owners of its fields, where it is one that a cluster begins with. */
export function withInitialOwners(object: object): object {
  const entries = initialOwners.get(object);
  if (entries === undefined) return object;
  const { metadata } = object as { readonly metadata: ObjectMeta };
  return { ...object, metadata: { ...metadata, managedFields: entries() } };
}
const NO_ENTRIES: Entries = Object.freeze([]);

/** Of two entries of one manager the last one counts. */
function readEntries(entries: Entries): Managed[] {
  return [...new Map(entries.map((each) => [identityOf(each), each])).values()].map(
    ({ manager, operation, apiVersion, time, fieldsV1, subresource = '' }) => ({
      write: { manager, operation, apiVersion, subresource },
      time,
      set: fieldsV1,
    }),
  );
}

function writeEntries(all: readonly Managed[]): Entries {
  const entries = all
    .filter(({ set }) => !isEmptySet(set))
    .map(({ write: { manager, operation, apiVersion, subresource }, time, set }): ManagedFieldsEntry => ({
      manager,
      operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: set,
      ...(subresource === '' ? {} : { subresource }),
    }));
  return cappedUpdaters(entries).toSorted(compareEntries);
}

/** Beyond so many, the oldest that update become one. */
function cappedUpdaters(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  const updaters = entries.filter(({ operation }) => operation === 'Update').toSorted(compareEntries);
  if (updaters.length <= MOST_UPDATERS) return entries;
  const old = updaters.slice(0, updaters.length - MOST_UPDATERS + 1);
  const [first] = old;
  if (first === undefined) return entries;
  const set = old.reduce((sum, { fieldsV1 }) => union(sum, fieldsV1), NO_FIELDS);
  const merged: ManagedFieldsEntry = { ...first, manager: 'ancient-changes', fieldsV1: set };
  return [...entries.filter((each) => !old.includes(each)), merged];
}

function isSameWriter(a: Managed['write'], b: Managed['write']): boolean {
  const isSame = a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;
  return isSame && (a.operation === 'Apply' || a.apiVersion === b.apiVersion);
}

/**
 * The entries after an update, a patch or a create (without `before`).
 *
 * @returns `entries` itself where no field changed hands
 * @throws UnreadableVersion
 */
export function entriesAfterUpdate(
  type: OwnedType,
  before: object | undefined,
  after: object,
  entries: Entries,
  write: FieldWrite,
): Entries {
  const comparison = compared(type, before, after);
  const touched = ownedPart(union(comparison.added, comparison.modified), write.subresource, type);
  const changed = write.operation === 'Apply' ? statedAlone(touched) : touched;
  const removed = writtenPart(comparison.removed, write.subresource, type);
  const { time, ...writer } = write;
  const all = ownable(type, readEntries(entries), writer, before);
  // What an endpoint does not write is told of by other versions of custom resources all the same.
  const isAlone = type.isCustom !== true || all.every((each) => each.write.apiVersion === writer.apiVersion);
  if (isAlone && isEmptySet(changed) && isEmptySet(removed)) return entries;
  const own = all.find((each) => isSameWriter(each.write, writer));
  const states = otherStates(type, before, after, { write: writer, changed, removed });
  const others = all
    .filter((each) => each !== own)
    .map((each) => {
      const { changed: theirs, removed: gone } = states(each.write);
      return { ...each, set: difference(difference(each.set, theirs), gone) };
    });
  const set = difference(union(own?.set ?? NO_FIELDS, changed), removed);
  const isSame = own !== undefined && isSameJson(own.set, set);
  // What comes from a Scale has no time of its own, as upstream's handler leaves it.
  const isKept = isSame || write.subresource === 'scale';
  return writeEntries([...others, { write: writer, time: isKept ? own?.time : time, set }]);
}

interface Change {
  readonly changed: FieldsV1;
  readonly removed: FieldsV1;
}

/** Without those of versions that there are not. @throws UnreadableVersion where what is live cannot be seen as of one */
function ownable(
  type: OwnedType,
  all: readonly Managed[],
  { apiVersion }: Omit<FieldWrite, 'time'>,
  live: object | undefined,
): Managed[] {
  const versions = new OwnedVersions(type, apiVersion);
  const known = all.filter(({ write }) => versions.find(write.apiVersion) !== undefined);
  if (live !== undefined) for (const { write } of known) versions.convert(live, write.apiVersion, '');
  return known;
}

/** What a write changed, as the owners of other versions see it. */
function otherStates(
  type: OwnedType,
  before: object | undefined,
  after: object,
  { write, ...own }: Change & { readonly write: Omit<FieldWrite, 'time'> },
): (write: Managed['write']) => Change {
  const known = new Map<string, Change>([[write.apiVersion, own]]);
  const versions = new OwnedVersions(type, write.apiVersion);
  return ({ apiVersion }) => {
    if (type.inVersion === undefined) return own;
    let change = known.get(apiVersion);
    if (change === undefined) {
      const { key = type.key } = versions.find(apiVersion) ?? {};
      const inVersion = (object: object): object =>
        versions.convert(object, apiVersion, 'failed to convert new object');
      const comparison = compared({ ...type, key }, before && inVersion(before), inVersion(after));
      // A definition's endpoints leave out fields of the version that is written alone (GetResetFields).
      const part = type.isCustom === true ? { ...type, hasStatus: false } : type;
      const endpoint = type.isCustom === true ? '' : write.subresource;
      change = {
        changed: ownedPart(union(comparison.added, comparison.modified), endpoint, part),
        removed: writtenPart(comparison.removed, endpoint, part),
      };
      known.set(apiVersion, change);
    }
    return change;
  };
}

/** Of the parts that are not shared: what is the same object on both sides is not looked into. */
function compared({ key }: OwnedType, before: object | undefined, after: object): Comparison {
  const [old, next] = before === undefined ? [{}, after] : unshared(before as Fields, after as Fields, SHARED_DEPTH);
  return compareFields(goEncoded(old, key), goEncoded(next, key), schemaOf(key));
}

/** The object's parts, and the fields of those. */
const SHARED_DEPTH = 2;

function unshared(before: Fields, after: Fields, depth: number): readonly [Fields, Fields] {
  const old: Record<string, unknown> = {};
  const next: Record<string, unknown> = {};
  for (const name of Object.keys(before)) {
    const [was, is] = [before[name], ownField(after, name)];
    if (was === is) continue;
    if (depth > 1 && isFields(was) && isFields(is)) {
      const [left, right] = unshared(was, is, depth - 1);
      setOwnField(old, name, left);
      setOwnField(next, name, right);
      continue;
    }
    if (was !== undefined) setOwnField(old, name, was);
    if (is !== undefined) setOwnField(next, name, is);
  }
  for (const name of Object.keys(after)) {
    if (after[name] !== undefined && !Object.hasOwn(before, name)) setOwnField(next, name, after[name]);
  }
  return [old, next];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an apply comes to. */
export interface Applied {
  readonly object: object;
  readonly entries: Entries;
  /** Whether the object is another one than before; one that is not is not defaulted anew. */
  readonly isChanged: boolean;
}

/**
 * Applies a body onto the live object, or onto nothing.
 *
 * @throws ApiError 409 for fields of others, unless `force`
 * @throws UnreadableVersion
 */
export function applyFields(
  type: OwnedType,
  live: object | undefined,
  body: object,
  entries: Entries,
  { force, lastApplied, ...write }: ApplyWrite,
): Applied {
  const { time, ...writer } = write;
  const schema = schemaOf(type.key);
  const all = live === undefined ? [] : ownable(type, withFirstOwner(type, live, entries, write), writer, live);
  const own = all.find((each) => isSameWriter(each.write, writer));
  const whole = statedFields(body, schema);
  const stated = ownedPart(whole, write.subresource, type);
  const others = all.filter((each) => each !== own);
  const before = goEncoded(live ?? {}, type.key);
  const owned = [...others, { write: writer, set: whole }].map(({ write: { apiVersion: version }, set }) => ({
    version,
    set,
  }));
  const merged = pruned(
    mergeApplied(before, body, schema) as object,
    new OwnedVersions(type, write.apiVersion),
    own && { version: own.write.apiVersion, set: own.set },
    owned,
  );
  // Not in Go's form: what is applied is held against what is live as it was sent, an empty list as one.
  const comparison = compareFields(live === undefined ? {} : before, merged, schema);
  const changed = writtenPart(union(comparison.added, comparison.modified), write.subresource, type);
  const removed = writtenPart(comparison.removed, write.subresource, type);
  const states = otherStates(type, live, merged, { write: writer, changed, removed });
  const conflicts = others.map((each) => ({ each, set: intersection(each.set, states(each.write).changed) }));
  const forgiven =
    lastApplied === undefined || live === undefined ? undefined : unchangedFields(type, lastApplied, live);
  const hostile = conflicts
    .map(({ each, set }) => ({ each, set: forgiven === undefined ? set : difference(set, forgiven) }))
    .filter(({ set }) => !isEmptySet(set));
  if (hostile.length > 0 && !force) throw conflictError(hostile);
  // What is live counts in the version that is applied.
  const { apiVersion } = write;
  const isChanged = live === undefined || !isSameJson({ ...before, apiVersion }, merged);
  const kept = conflicts.map(({ each, set }) => ({
    ...each,
    set: difference(difference(each.set, set), states(each.write).removed),
  }));
  const ownTime = isChanged ? time : own?.time;
  return { object: merged, entries: writeEntries([...kept, { write: writer, time: ownTime, set: stated }]), isChanged };
}

/** An apply. */
export interface ApplyWrite extends FieldWrite {
  readonly force: boolean;
  /** What kubectl applied before it left that to the server: the fields that are still as it wanted them are its own. */
  readonly lastApplied?: object | undefined;
}

/** The fields that an object states and that are live as it states them. */
function unchangedFields({ key }: OwnedType, stated: object, live: object): FieldsV1 {
  const schema = schemaOf(key);
  const { added, modified, removed } = compareFields(goEncoded(stated, key), goEncoded(live, key), schema);
  return difference(difference(difference(statedFields(stated, schema), modified), added), removed);
}

/** What is there without an owner belongs to what was before the first apply. */
function withFirstOwner(
  type: OwnedType,
  live: object,
  entries: Entries,
  { apiVersion, subresource, time }: Pick<FieldWrite, 'apiVersion' | 'subresource' | 'time'>,
): Managed[] {
  if (entries.length > 0) return readEntries(entries);
  const { key } = type;
  const all = compareFields(goEncoded({}, key), goEncoded(live, key), schemaOf(key));
  const set = ownedPart(union(all.added, all.modified), subresource, type);
  const write = { manager: 'before-first-apply', operation: 'Update', apiVersion, subresource } as const;
  return isEmptySet(set) ? [] : [{ write, time, set }];
}

interface Hostile {
  readonly each: Managed;
  readonly set: FieldsV1;
}

/** 409 that names each field with its manager. */
function conflictError(hostile: readonly Hostile[]): ApiError {
  const named = hostile
    .map(({ each: { write }, set }) => {
      return { name: managerText(write), identity: identityOf(write), paths: [...pathsOf(set)].map(pathText) };
    })
    .toSorted((a, b) => (a.identity < b.identity ? -1 : 1));
  const causes = named.flatMap(({ name, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${name}`, field })),
  );
  const [only] = causes;
  const text =
    causes.length === 1
      ? `Apply failed with 1 conflict: ${only?.message ?? ''}: ${only?.field ?? ''}`
      : `Apply failed with ${causes.length} conflicts: ${named
          .map(({ name, paths }) => `conflicts with ${name}:\n${paths.map((path) => `- ${path}`).join('\n')}`)
          .join('\n')}`;
  return new ApiError(409, 'Conflict', text, { causes });
}

function managerText({ manager, operation, apiVersion, subresource }: Managed['write']): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${part}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
