/** The owners of an object's fields after a write: `metadata.managedFields`, where they are kept. */
import { entriesAfterUpdate, noteInitialOwners, ownersOf, type OwnedType } from '../../api/ownership/managed-fields.js';
import { ownersOfScale } from '../../api/ownership/scale-owners.js';
import { customPaths } from './scale.js';
import { isTyped } from '../../api/ownership/typed-problems.js';
import { ownedVersions } from '../../api/custom/owner-versions.js';
import { isCustomKind } from '../../api/custom/custom-kind.js';
import { OwnedVersions, UnreadableVersion } from '../../api/ownership/owned-versions.js';
import { UnkeyedItem } from '../../api/ownership/schema.js';
import type { ManagedFieldsEntry } from '../../api/objects/kube-object.js';
import type { Kind, KindMap } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import { versionForm, type VersionForm } from '../../api/kinds/version-forms.js';
import { typeKeyOf } from '../../api/types/type-facts.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { RequestContext } from '../store/request-context.js';
import type { ApiServer, FieldManager } from '../store/server-types.js';

/** The writer of a request, its time, and what it stated. */
export interface OwnedWrite {
  readonly manager: FieldManager;
  readonly time: string;
  /** The object as the request has it, before admission. */
  readonly stated: object;
  /** The request; its group is absent in those of the cluster's own parts. */
  readonly asked: Pick<RequestContext, 'group' | 'version'> | undefined;
}

/** The object with its owners; itself where nothing changed hands. */
export function withOwners<K extends Kind>(
  resource: ResourceKind<K>,
  next: KindMap[K],
  previous: KindMap[K] | undefined,
  { manager: { name, operation = 'Update', subresource, applied, given }, time, stated, asked }: OwnedWrite,
): KindMap[K] {
  const stored = ownersOf(previous);
  const entries = given ?? stored;
  // An update of an object that is not tracked does not begin with it.
  if (previous !== undefined && entries.length === 0 && applied === undefined) {
    return stored.length === 0 ? next : withoutOwners(next);
  }
  if (subresource === 'scale' && applied === undefined) return withScaler(resource, next, previous, { name, time });
  const form = formOf(next, asked);
  const apiVersion = form === undefined ? next.apiVersion : `${form.group}/${form.version}`;
  const isCustom = isCustomKind(resource);
  const key = form === undefined ? ownTypeKey(resource, next) : typeKeyOf(form);
  // Owners cannot be told of what is not of its type, and none are left (UpdateNoErrors).
  if (isCustom && applied === undefined && !isOwnable(key, stated, previous)) return withoutOwners(next);
  const write = { manager: name, operation, apiVersion, subresource, time };
  const type = {
    key,
    hasStatus: resource.hasStatus,
    isCustom,
    inVersion: isCustom ? ownedVersions(resource, apiVersion) : versionsOf(resource, apiVersion),
  };
  const [old, now] = form === undefined ? [previous, stated] : [previous && form.shown(previous), form.shown(stated)];
  const after = applied ?? entriesOf(() => entriesAfterUpdate(type, old, now, entries, write));
  const isKept = previous?.metadata.managedFields !== undefined || stored.length === 0;
  if (isKept && (after === stored || isSameJson(after, stored))) return next;
  return after.length === 0 ? withoutOwners(next) : { ...next, metadata: { ...next.metadata, managedFields: after } };
}

/** Owners after an update; none where something cannot have any (UpdateNoErrors). */
function entriesOf(update: () => readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  try {
    return update();
  } catch (error) {
    if (error instanceof UnkeyedItem || error instanceof UnreadableVersion) return [];
    throw error;
  }
}

/**
 * A Scale of no replicas says nothing of them, so that nothing owns them any more; and a Scale whose replicas nothing
 * owns is one that is not tracked.
 */
function withScaler<K extends Kind>(
  resource: ResourceKind<K>,
  next: KindMap[K],
  previous: KindMap[K] | undefined,
  { name, time }: { readonly name: string; readonly time: string },
): KindMap[K] {
  const place = customPaths(resource)?.specReplicasPath ?? '.spec.replicas';
  const steps = place.split('.').filter((each) => each !== '');
  const stored = ownersOf(previous);
  if (
    ownersOfScale(
      stored,
      steps.map((each) => `f:${each}`),
    ).length === 0
  )
    return next;
  const { apiVersion } = next;
  const write = { manager: name, operation: 'Update', apiVersion, subresource: 'scale', time } as const;
  const type = { key: ownTypeKey(resource, next), hasStatus: resource.hasStatus, isCustom: isCustomKind(resource) };
  const before = previous === undefined ? undefined : withoutZero(previous, steps);
  const after = entriesAfterUpdate(type, before, withoutZero(next, steps), stored, write);
  if (after === stored) return next;
  return after.length === 0 ? withoutOwners(next) : { ...next, metadata: { ...next.metadata, managedFields: after } };
}

function withoutZero(object: object, [name = '', ...below]: readonly string[]): object {
  const value = (object as Readonly<Record<string, unknown>>)[name];
  if (below.length > 0) {
    return typeof value === 'object' && value !== null ? { ...object, [name]: withoutZero(value, below) } : object;
  }
  return value === 0 ? Object.fromEntries(Object.entries(object).filter(([each]) => each !== name)) : object;
}

/** Whether a write that changes nothing else takes all owners away, as what it says is not of its type. */
export function losesOwners<K extends Kind>(
  { tracksFields, fieldManager }: Pick<ApiServer, 'tracksFields' | 'fieldManager'>,
  resource: ResourceKind<K>,
  wanted: object,
  previous: KindMap[K],
): boolean {
  if (!tracksFields || fieldManager?.applied !== undefined) return false;
  if (!isCustomKind(resource) || previous.metadata.managedFields === undefined) return false;
  const { apiVersion } = previous;
  const key = ownTypeKey(resource, previous);
  if (!isTyped(wanted, key)) return true;
  const versions = new OwnedVersions({ key, inVersion: ownedVersions(resource, apiVersion) }, apiVersion);
  const others = ownersOf(previous).filter((entry) => entry.apiVersion !== apiVersion);
  return others.some((entry) => [previous, wanted].some((object) => !versions.canRead(object, entry.apiVersion)));
}

/** The type of an object in its version. */
function ownTypeKey<K extends Kind>(
  resource: ResourceKind<K>,
  { apiVersion }: { readonly apiVersion: string },
): string {
  if (!isCustomKind(resource)) return typeKeyOf(resource);
  const { versions, storage } = resource.custom;
  return (versions.find(({ name }) => apiVersion === `${resource.group}/${name}`) ?? storage).typeKey;
}

function isOwnable(key: string, stated: object, previous: object | undefined): boolean {
  return isTyped(stated, key) && (previous === undefined || isTyped(previous, key));
}

function withoutOwners<T extends KindMap[Kind]>(object: T): T {
  const { managedFields: _owners, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * What a cluster begins with belongs to what made it, which is not kept.
 *
 * @param stated - before admission
 * @param manager - undefined = the cluster has begun
 */
export function noteBeginning<K extends Kind>(
  resource: ResourceKind<K>,
  stored: KindMap[K],
  stated: object,
  manager: string | undefined,
): KindMap[K] {
  if (manager === undefined) return stored;
  const { creationTimestamp: time } = stored.metadata;
  const type = { key: typeKeyOf(resource), hasStatus: resource.hasStatus };
  const write = { operation: 'Update', apiVersion: stored.apiVersion, subresource: '', time } as const;
  const { rules, ...unaggregated } = stated as { readonly rules?: unknown };
  if (!('aggregationRule' in stated) || rules === undefined) {
    noteInitialOwners(stored, () => entriesAfterUpdate(type, undefined, stated, [], { ...write, manager }));
    return stored;
  }
  // The rules of a role that others make up are its controller's.
  noteInitialOwners(stored, () => {
    const own = entriesAfterUpdate(type, undefined, unaggregated, [], { ...write, manager });
    const aggregation = { ...write, operation: 'Apply', manager: 'clusterrole-aggregation-controller' } as const;
    return entriesAfterUpdate(type, unaggregated, stated, own, aggregation);
  });
  return stored;
}

/**
 * In which version an object is written, where that is not the one in which it is kept. Of the cluster's own parts,
 * those that write records with a time of their own write to events.k8s.io.
 */
function formOf(object: KindMap[Kind], asked: OwnedWrite['asked']): VersionForm | undefined {
  if (asked?.group !== undefined) return versionForm(object.kind, asked.group, asked.version ?? '');
  if (object.kind !== 'Event') return undefined;
  return (object as { readonly eventTime?: unknown }).eventTime === undefined
    ? undefined
    : versionForm('Event', 'events.k8s.io', 'v1');
}

/**
 * The versions of a kind of Kubernetes' own, seen from one of them: those of other groups are not converted, so that
 * their owners are forgotten (managedfields' versionConverter, v1.34).
 */
export function versionsOf(
  resource: Readonly<Record<'kind' | 'group' | 'version', string>>,
  from: string,
): NonNullable<OwnedType['inVersion']> {
  const { group: own, version: kept } = splitVersion(from);
  const shown = versionForm(resource.kind, own, kept);
  return (apiVersion) => {
    const { group, version } = splitVersion(apiVersion);
    if (group !== own) return undefined;
    const form = versionForm(resource.kind, group, version);
    const key = typeKeyOf(form ?? resource);
    if (form === shown) return { key, of: (object) => object, back: (object) => object };
    return {
      key,
      of: (object) => form?.shown(object) ?? (shown?.kept(object) as object),
      back: (object) => (form?.kept(object) ?? shown?.shown(object)) as object,
    };
  };
}

function splitVersion(apiVersion: string): Readonly<Record<'group' | 'version', string>> {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group, version };
}
