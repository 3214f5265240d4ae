/**
 * Owners of the replicas of an object, as its Scale shows them and back. Mirrors the scale handler of apimachinery's
 * util/managedfields (v1.34), with which an entry that comes from a Scale has no time unless the object knows its manager.
 */
import type { ManagedFieldsEntry } from '../objects/kube-object.js';
import { difference, hasPath, isEmptySet, setOf } from './field-set.js';

type Entries = readonly ManagedFieldsEntry[];

const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS = ['f:spec', 'f:replicas'];

/** Those of an object's owners that have its replicas. @param path - of the replicas in the object */
export function ownersOfScale(owners: Entries, path: readonly string[]): Entries {
  return owners
    .filter(({ fieldsV1 }) => hasPath(fieldsV1, path))
    .map((entry) => ({ ...entry, apiVersion: SCALE_VERSION, fieldsV1: setOf(REPLICAS) }));
}

/** An object's owners after its Scale got new ones. */
export function ownersOfObject(
  owners: Entries,
  ofScale: Entries,
  { path, apiVersion }: { readonly path: readonly string[]; readonly apiVersion: string },
): Entries {
  const left = new Map(
    ofScale.filter(({ fieldsV1 }) => hasPath(fieldsV1, REPLICAS)).map((each) => [identityOf(each), each]),
  );
  const times = new Map(owners.map((each) => [identityOf(each), each.time]));
  const kept = owners.flatMap((entry): Entries => {
    const set = entry.fieldsV1;
    if (!hasPath(set, path) || left.delete(identityOf(entry))) return [entry];
    const rest = difference(set, setOf(path));
    return isEmptySet(rest) ? [] : [{ ...entry, fieldsV1: rest }];
  });
  const added = [...left.values()].map(({ time: _time, ...entry }): ManagedFieldsEntry => {
    const time = times.get(identityOf(entry));
    const timed = time === undefined ? {} : { time };
    return { ...entry, apiVersion, ...timed, fieldsV1: setOf(path) };
  });
  return [...kept, ...added].toSorted(compareEntries);
}

type Identity = Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

/** The order in which entries are kept: those that apply, then by time, and those without one first. */
export function compareEntries(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  return orderOf(left) < orderOf(right) ? -1 : 1;
}

function orderOf({ operation, time = '', manager, apiVersion, subresource = '' }: ManagedFieldsEntry): string {
  return [operation, time, manager, apiVersion, subresource].join('\u0000');
}

/** By which managers are told apart, and sorted (BuildManagerIdentifier). */
export function identityOf({ manager, operation, apiVersion, subresource = '' }: Identity): string {
  const version = operation === 'Apply' ? {} : { apiVersion };
  return JSON.stringify({ manager, operation, ...version, ...(subresource === '' ? {} : { subresource }) });
}
