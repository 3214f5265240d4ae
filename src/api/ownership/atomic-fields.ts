/** Which parts of an object are owned as a whole, so that whoever states a part of one states all of it. */
import { structFact, type FieldFact, type TypeRef } from '../types/type-facts.js';

type Fields = Readonly<Record<string, unknown>>;

/** The paths of such parts, such as `.spec.nodeSelector`; what is within one is looked at, too. */
export function atomicPaths(object: object, key: string): readonly string[] {
  const paths: string[] = [];
  inStruct(object as Fields, key, '', paths);
  return paths;
}

function inStruct(value: Fields, key: string, path: string, paths: string[]): void {
  const { fields } = structFact(key) ?? {};
  // Upstream goes through a map of Go.
  for (const [name, each] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const fact = fields?.get(name);
    if (fact !== undefined) inValue(each, fact.type, `${path}.${name}`, paths, fact);
  }
}

function inValue(value: unknown, type: TypeRef, path: string, paths: string[], field?: FieldFact): void {
  if (typeof value !== 'object' || value === null) return;
  switch (type.form) {
    case 'pointer':
      return inValue(value, type.of, path, paths, field);
    case 'struct': {
      const isAtomic = field?.isGranular !== true && structFact(type.key)?.isAtomic === true;
      if (isAtomic || field?.isAtomic === true) paths.push(path);
      return inStruct(value as Fields, type.key, path, paths);
    }
    case 'map':
      if (field?.isAtomic === true) paths.push(path);
      return;
    case 'list': {
      const isWhole = field?.isAtomic === true || (field?.listKeys === undefined && field?.isSet !== true);
      if (isWhole) paths.push(path);
      for (const [index, item] of (value as readonly unknown[]).entries()) {
        inValue(item, type.of, `${path}[${index}]`, paths);
      }
      return;
    }
    default:
  }
}
