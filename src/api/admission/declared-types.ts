/**
 * The types of kinds as expressions are checked by them (apiserver/pkg/cel/common/schemas.go and
 * pkg/cel/openapi/resolver, v1.34): of those that are built in out of the facts about types, of others out of the
 * schemas of their definitions.
 */
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  objectType,
  STRING,
  TIMESTAMP,
  type CelType,
} from '../cel/types.js';
import type { JsonSchema } from '../custom/json-schema.js';
import { escapedName, schemaType } from '../custom/schema-values.js';
import { structFact, type ScalarCode, type TypeRef } from '../types/type-facts.js';

const META = 'meta/v1.ObjectMeta';
const NO_FIELDS: ReadonlyMap<string, CelType> = new Map();
/** Quantities and texts or numbers by themselves are of no type, so no expression sees them. */
const SCALARS: Readonly<Record<Exclude<ScalarCode, 'q' | 'r'>, CelType>> = {
  s: STRING,
  b: BOOL,
  i: INT,
  l: INT,
  d: DOUBLE,
  y: BYTES,
  t: TIMESTAMP,
  u: TIMESTAMP,
  x: DYN,
};
const DEFINITIONS = 'apiextensions/v1.JSONSchemaProps';

/** The type of a struct of which facts are known. @param name - that refusals tell it by */
export function builtInType(key: string, name: string): CelType | undefined {
  return structFact(key) === undefined ? undefined : structType(key, name, []);
}

/** @param around - keys of the structs around it: one that is within itself has no fields there */
function structType(key: string, name: string, around: readonly string[]): CelType {
  return objectType(name, around.includes(key) ? NO_FIELDS : new FactFields(key, name, [...around, key]));
}

/** The fields of a struct, each read when it is asked for: a pod has thousands, of which an expression names a few. */
class FactFields extends Map<string, CelType> {
  readonly #key: string;
  readonly #name: string;
  readonly #around: readonly string[];

  constructor(key: string, name: string, around: readonly string[]) {
    super();
    this.#key = key;
    this.#name = name;
    this.#around = around;
  }

  override get(name: string): CelType | undefined {
    for (const { name: field, type } of structFact(this.#key)?.fields.values() ?? []) {
      if (escapedName(field) !== name) continue;
      return this.#typeOf(type, `${this.#name}.${name}`, this.#around);
    }
    return undefined;
  }

  #typeOf(ref: TypeRef, name: string, around: readonly string[]): CelType | undefined {
    switch (ref.form) {
      case 'pointer':
        return this.#typeOf(ref.of, name, around);
      case 'list': {
        const item = this.#typeOf(ref.of, `${name}.@idx`, around);
        return item === undefined ? undefined : listOf(item);
      }
      case 'map': {
        const value = this.#typeOf(ref.of, `${name}.@elem`, around);
        return value === undefined ? undefined : mapOf(STRING, value);
      }
      case 'struct':
        // A schema, or a list or a boolean instead of one, is of no type.
        return ref.key.startsWith(`${DEFINITIONS}Or`) ? undefined : structType(ref.key, name, around);
      case 'scalar':
        if (ref.code === 'q') return undefined;
        if (ref.code !== 'r') return SCALARS[ref.code];
        return this.#key.startsWith(DEFINITIONS) ? undefined : objectType(name, NO_FIELDS);
    }
  }
}

/** The type of a custom kind. @param name - that refusals tell it by */
export function customType(schema: JsonSchema, name: string): CelType {
  const { properties = {}, ...others } = schema;
  const { metadata: _metadata, ...fields } = properties;
  const text: JsonSchema = { type: 'string' };
  const own = schemaType({ ...others, type: 'object', properties: { ...fields, apiVersion: text, kind: text } });
  const named = withName(own ?? objectType('object', NO_FIELDS), name);
  return objectType(name, new Map([...(named.fields ?? []), ['metadata', structType(META, `${name}.metadata`, [])]]));
}

/** A type whose objects have names that tell where they stand. */
function withName(type: CelType, name: string): CelType {
  const [first = DYN, second = DYN] = type.params;
  if (type.form === 'list') return listOf(withName(first, `${name}.@idx`));
  if (type.form === 'map') return mapOf(first, withName(second, `${name}.@elem`));
  if (type.form !== 'object') return type;
  const fields = [...(type.fields ?? [])].map(
    ([field, below]) => [field, withName(below, `${name}.${field}`)] as const,
  );
  return objectType(name, new Map(fields));
}
