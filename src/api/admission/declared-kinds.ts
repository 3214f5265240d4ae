/** The kinds of a cluster by their resources, and their types: those that every cluster has, and those of definitions. */
import type { Definition } from '../custom/definition.js';
import type { JsonSchema } from '../custom/json-schema.js';
import { typeKeyOf } from '../types/type-facts.js';
import { builtInType, customType } from './declared-types.js';
import type { DeclaredKinds, KindNames } from './type-checking.js';

/** The names of a resource. */
export interface ResourceNames extends KindNames {
  readonly plural: string;
  readonly singular: string;
}

interface CustomNames extends ResourceNames {
  readonly schema: JsonSchema;
}

/**
 * See the file header.
 *
 * @param builtIn - the resources that every cluster serves
 * @param mark - what the names of types end with
 */
export function declaredKinds(
  builtIn: readonly ResourceNames[],
  definitions: readonly Definition[],
  mark: string,
): DeclaredKinds {
  const custom = definitions.flatMap(customNames);
  return {
    kindsFor(group, version, resource) {
      const name = resource.toLowerCase();
      const isMeant = (each: ResourceNames): boolean =>
        each.version === version &&
        (group === '' || each.group === group) &&
        (each.plural === name || each.singular === name);
      return [...builtIn, ...custom].filter(isMeant);
    },
    typeOf(names) {
      const typeName = `${names.kind}${mark}`;
      const found = custom.find((each) => isSame(each, names));
      return found === undefined ? builtInType(typeKeyOf(names), typeName) : customType(found.schema, typeName);
    },
  };
}

function customNames({ spec: { group, names, versions } }: Definition): readonly CustomNames[] {
  const { kind, plural, singular = kind.toLowerCase() } = names;
  return versions
    .filter(({ served }) => served)
    .map(({ name, schema }) => ({
      ...{ group, version: name, kind, plural, singular },
      schema: schema?.openAPIV3Schema ?? { type: 'object' },
    }));
}

function isSame(left: KindNames, right: KindNames): boolean {
  return left.group === right.group && left.version === right.version && left.kind === right.kind;
}
