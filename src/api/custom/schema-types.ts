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
  return structOf(schema, { name: kind, isWhole: true, isWithinOpen: false });
}

interface Place {
  readonly name: string;
  /** Whether it is the object itself. */
  readonly isWhole: boolean;
  /** Whether something around it may have fields that are not declared: then it may have them as well. */
  readonly isWithinOpen: boolean;
}

function structOf(schema: JsonSchema, { name, isWhole, isWithinOpen }: Place): string {
  const isOpen = isWithinOpen || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const digest = createHash('sha256')
    .update(canonicalJson([name, isWhole, isOpen, schema]))
    .digest('base64url');
  const key = `custom/${digest}`;
  if (structFact(key) !== undefined) return key;
  const isEmbedded = isWhole || schema['x-kubernetes-embedded-resource'] === true;
  const fields = new Map(
    Object.entries(schema.properties ?? {}).map(([field, below]) => [field, fieldFact(field, below, schema, isOpen)]),
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
    isOpen,
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
    isGranular: false,
    default: undefined,
  };
}

function fieldFact(name: string, schema: JsonSchema, owner: JsonSchema, isWithinOpen: boolean): FieldFact {
  const listType = schema['x-kubernetes-list-type'] ?? 'atomic';
  const isList = schema.type === 'array';
  return {
    ...plainFact(name, typeOf(schema, name, isWithinOpen)),
    isRequired: owner.required?.includes(name) === true,
    listKeys: isList && listType === 'map' ? schema['x-kubernetes-list-map-keys'] : undefined,
    isSet: isList && listType === 'set',
    isAtomic: (isList && listType === 'atomic') || schema['x-kubernetes-map-type'] === 'atomic',
    default: schema.default,
  };
}

/** What is of no type takes anything, and so does a number or text, whose type the published schema does not name. */
function typeOf(schema: JsonSchema, name: string, isAroundOpen: boolean): TypeRef {
  const { type = '', items, properties, format = '' } = schema;
  const isWithinOpen = isAroundOpen || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const values = valuesSchema(schema);
  if (type === 'array') return { form: 'list', of: items === undefined ? ANYTHING : typeOf(items, name, isWithinOpen) };
  if (values !== undefined) return { form: 'map', of: typeOf(values, name, isWithinOpen) };
  if (type === 'object' || properties !== undefined) {
    const isBare = properties === undefined && schema['x-kubernetes-embedded-resource'] !== true;
    if (isBare) return { form: 'map', of: ANYTHING };
    return { form: 'struct', key: structOf(schema, { name, isWhole: false, isWithinOpen }) };
  }
  // Texts of a format may be any scalar, but for bytes.
  if (type === 'string' && format !== '' && format !== 'byte') return { form: 'scalar', code: 'x' };
  const code = SCALARS[type];
  return code === undefined ? ANYTHING : { form: 'scalar', code };
}
