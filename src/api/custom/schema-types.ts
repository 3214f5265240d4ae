/**
 * Schemas as the types by which fields have owners and applied bodies are judged. Types are told apart by what they
 * hold, so that clusters with the same definition share them, and no two others do. Mirrors the way from a schema of
 * OpenAPI to one of structured-merge-diff (kube-openapi's schemaconv, v1.34).
 */
import { createHash } from 'node:crypto';
import { addStruct, structFact, type FieldFact, type ScalarCode, type TypeRef } from '../types/type-facts.js';
import { canonicalJson } from '../values/canonical-json.js';
import { valuesSchema, type JsonSchema } from './json-schema.js';

const META: TypeRef = { form: 'struct', key: 'meta/v1.ObjectMeta' };
const TEXT: TypeRef = { form: 'scalar', code: 's' };
/** What has no schema: objects by their fields, all else whole. */
const ANYTHING: TypeRef = { form: 'scalar', code: 'r', isDeduced: true };
const SCALARS: Readonly<Partial<Record<string, ScalarCode>>> = { string: 's', integer: 'l', number: 'd', boolean: 'b' };

/** The key of the type of a kind's objects. */
export function customTypeKey(schema: JsonSchema, kind: string): string {
  return structOf(schema, kind, true);
}

function structOf(schema: JsonSchema, name: string, isWhole: boolean): string {
  const digest = createHash('sha256')
    .update(canonicalJson([name, isWhole, schema]))
    .digest('base64url');
  const key = `custom/${digest}`;
  if (structFact(key) !== undefined) return key;
  const isEmbedded = isWhole || schema['x-kubernetes-embedded-resource'] === true;
  const fields = new Map(
    Object.entries(schema.properties ?? {}).map(([field, below]) => [field, fieldFact(field, below, schema)]),
  );
  if (isEmbedded) {
    for (const field of ['apiVersion', 'kind']) fields.set(field, plainFact(field, TEXT));
    fields.set('metadata', plainFact('metadata', META));
  }
  addStruct({
    key,
    name,
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    isUnstructured: true,
    isOpen: schema['x-kubernetes-preserve-unknown-fields'] === true,
    fields,
  });
  return key;
}

function plainFact(name: string, type: TypeRef): FieldFact {
  return {
    name,
    number: 0,
    within: [],
    type,
    isOmitempty: true,
    isRequired: false,
    patch: { merges: false, key: undefined, retainsKeys: false },
    listKeys: undefined,
    isSet: false,
    isAtomic: false,
    default: undefined,
  };
}

function fieldFact(name: string, schema: JsonSchema, owner: JsonSchema): FieldFact {
  const listType = schema['x-kubernetes-list-type'] ?? 'atomic';
  const isList = schema.type === 'array';
  return {
    ...plainFact(name, typeOf(schema, name)),
    isRequired: owner.required?.includes(name) === true,
    listKeys: isList && listType === 'map' ? schema['x-kubernetes-list-map-keys'] : undefined,
    isSet: isList && listType === 'set',
    isAtomic: (isList && listType === 'atomic') || schema['x-kubernetes-map-type'] === 'atomic',
    default: schema.default,
  };
}

function typeOf(schema: JsonSchema, name: string): TypeRef {
  if (schema['x-kubernetes-int-or-string'] === true) return { form: 'scalar', code: 'x' };
  const { type = '', items, properties } = schema;
  const values = valuesSchema(schema);
  if (type === 'array') return { form: 'list', of: items === undefined ? ANYTHING : typeOf(items, name) };
  if (values !== undefined) return { form: 'map', of: typeOf(values, name) };
  if (type === 'object' || properties !== undefined) {
    const isBare = properties === undefined && schema['x-kubernetes-embedded-resource'] !== true;
    return isBare ? ANYTHING : { form: 'struct', key: structOf(schema, name, false) };
  }
  const code = SCALARS[type];
  return code === undefined ? ANYTHING : { form: 'scalar', code };
}
