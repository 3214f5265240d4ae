/** Paths of fields and keys below a schema (apiextensions-apiserver's schema/cel/validation.go, v1.34). */
import { propertySchema, valuesSchema, type JsonSchema } from './json-schema.js';

/** Where a path leads, or why nowhere. */
export type FieldPath =
  | { readonly place: string; readonly names: readonly string[]; readonly schema: JsonSchema }
  | { readonly problem: string };

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};
const TOKEN = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gsu;
const NOWHERE = 'does not refer to a valid field';
const TOO_SHORT = 'unexpected end of JSON path';

/** Follows a path such as `.spec.a` or `['a']`. @param allowsKeys - whether it may use brackets */
export function fieldPathOf(path: string, schema: JsonSchema, allowsKeys = true): FieldPath {
  const tokens = path.match(TOKEN) ?? [];
  const names: string[] = [];
  let below = schema;
  let place = '';
  for (let at = 0; at < tokens.length; at += 2) {
    const first = tokens[at];
    let name = tokens[at + 1];
    if (first === '[') {
      if (!allowsKeys) return { problem: 'array notation is not allowed' };
      if (name === undefined) return { problem: TOO_SHORT };
      if (name.length < 2 || !name.startsWith("'") || !name.endsWith("'")) {
        return { problem: `expected single quoted string but got ${name}` };
      }
      const wrong = name
        .slice(1, -1)
        .match(/\\./gs)
        ?.find((each) => ESCAPES[each.charAt(1)] === undefined);
      if (wrong !== undefined) return { problem: `invalid string literal: invalid escape char ${wrong}` };
      name = name.slice(1, -1).replaceAll(/\\./gs, (each) => ESCAPES[each.charAt(1)] ?? each);
    } else if (first !== '.') return { problem: `expected [ or . but got: ${first}` };
    if (name === undefined) return { problem: TOO_SHORT };
    const isField = below.properties !== undefined;
    const next = isField ? propertySchema(below, name) : valuesSchema(below);
    if (next === undefined) return { problem: NOWHERE };
    if (first === '[') {
      const end = tokens[at + 2];
      if (end !== ']') return { problem: end === undefined ? TOO_SHORT : `expected ] but got ${end}` };
      at += 1;
    }
    place += isField ? `.${name}` : `[${name}]`;
    names.push(name);
    below = next;
  }
  return { place, names, schema: below };
}
