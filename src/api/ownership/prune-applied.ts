/**
 * What an apply takes away: what its manager has applied before, states no longer, and nothing else owns. Mirrors
 * `prune` of structured-merge-diff's merge/update.go (v6.3.0), with what comes back there once more for each version
 * in which there are owners.
 */
import type { FieldsV1 } from '../objects/kube-object.js';
import { difference, intersection, isEmptySet, NO_FIELDS, union } from './field-set.js';
import type { OwnedVersions } from './owned-versions.js';
import { schemaOf, type Schema } from './schema.js';
import { statedFields, withNamedFields, withoutFields } from './walks.js';

/** Fields of a manager, as a version has them. */
export interface OwnedFields {
  readonly version: string;
  readonly set: FieldsV1;
}

/**
 * @param merged - in the version that is applied
 * @param last - what the manager had applied; undefined = nothing
 * @param owned - of all managers, with what is applied now
 * @throws UnreadableVersion
 */
export function pruned(
  merged: object,
  versions: OwnedVersions,
  last: OwnedFields | undefined,
  owned: readonly OwnedFields[],
): object {
  if (last === undefined || isEmptySet(last.set)) return merged;
  const lastVersion = versions.find(last.version);
  if (lastVersion === undefined) return merged;
  const managed = new Map<string, FieldsV1>();
  for (const { version, set } of owned) managed.set(version, union(set, managed.get(version) ?? NO_FIELDS));
  const own = managed.get(last.version);
  // The usual case: nothing is left out.
  if (managed.size === 1 && own !== undefined && isEmptySet(difference(last.set, own))) return merged;
  const seen = (object: object, version: string): Seen => {
    const { key = '' } = versions.find(version) ?? {};
    const what = version === last.version ? 'failed to convert merged object to last applied version' : OWNED;
    return { object: versions.convert(object, version, `failed to prune fields: ${what}`), schema: schemaOf(key) };
  };
  const whole = seen(merged, last.version);
  let left = without(whole, withNamedFields(last.set, whole.schema));
  const order = [last.version, ...managed.keys()].filter(
    (each, at, all) => managed.has(each) && all.indexOf(each) === at,
  );
  let from = last.version;
  for (const version of order) {
    const back = versions.find(from)?.back(left) ?? left;
    const [all, now] = [seen(merged, version), seen(back, version)];
    const kept = union(namedFields(now), withNamedFields(managed.get(version) ?? NO_FIELDS, all.schema));
    left = without(all, difference(namedFields(all), kept));
    from = version;
  }
  const now = seen(versions.find(from)?.back(left) ?? left, last.version);
  // What nothing owned stays, even where what was around it has gone.
  const dangling = intersection(
    difference(namedFields(whole), namedFields(now)),
    withNamedFields(last.set, whole.schema),
  );
  return lastVersion.back(without(whole, dangling));
}

const OWNED = 'failed add back owned items: failed to convert merged object';

interface Seen {
  readonly object: object;
  readonly schema: Schema;
}

function namedFields({ object, schema }: Seen): FieldsV1 {
  return withNamedFields(statedFields(object, schema), schema);
}

function without({ object, schema }: Seen, gone: FieldsV1): object {
  return withoutFields(object, schema, gone) as object;
}
