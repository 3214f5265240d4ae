/** The kinds of a source's objects: those that every cluster has, and those that definitions among its objects bring. Pure. */
import { otherVersion } from '../../api/kinds/other-versions.js';
import { kindRegistry, resolveKind } from '../../api/kinds/registry.js';
import type { Kind } from '../../api/objects/objects.js';
import { isFields, type SourceObject } from './source-object.js';

/** A kind that is taken over. */
export interface SourceKind {
  /** `Pod`, and of a definition's kind `Widget.shop.example.com`. */
  readonly kind: Kind;
  readonly isNamespaced: boolean;
}

/** Finds the kind of an object; `undefined` = it is not simulated. */
export type FindKind = (apiVersion: string, kind: string) => SourceKind | undefined;

const DEFINITION = 'CustomResourceDefinition';

/** See the file header. */
export function kindsOf(sources: readonly SourceObject[]): FindKind {
  const custom = new Map(sources.flatMap(definedKinds));
  return (apiVersion, kind) => {
    const known = resolveKind(apiVersion, kind) ?? otherVersion(apiVersion, kind)?.kind;
    return known === undefined
      ? custom.get(`${apiVersion}, ${kind}`)
      : { kind: known, isNamespaced: kindRegistry[known].isNamespaced };
  };
}

/** By version and kind, as objects name them. */
function definedKinds({ value }: SourceObject): readonly (readonly [string, SourceKind])[] {
  if (value['kind'] !== DEFINITION || !isFields(value['spec'])) return [];
  const { group, names, scope, versions } = value['spec'];
  if (!isFields(names) || !Array.isArray(versions)) return [];
  const kind = `${String(names['kind'])}.${String(group)}` as Kind;
  return (versions as readonly unknown[]).flatMap((version) => {
    const { name } = isFields(version) ? version : {};
    if (typeof name !== 'string') return [];
    return [[`${String(group)}/${name}, ${String(names['kind'])}`, { kind, isNamespaced: scope === 'Namespaced' }]];
  });
}
