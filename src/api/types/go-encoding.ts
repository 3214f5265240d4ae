/**
 * Objects as Go's encoder writes them: fields in the order of their structs, those left out that are `omitempty` and
 * zero, those shown that are not, even where nothing was said. Mirrors encoding/json over the types of v1.34.
 */
import { setOwnField } from '../values/own-fields.js';
import { structFact, type FieldFact, type StructFact, type TypeRef } from './type-facts.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether an object is as a client states it, or as it is read again: protobuf, in which it is stored, does not tell
 * an empty list from none.
 */
export type EncodedForm = 'stated' | 'stored';

/** An object of a type, with kind and version at its head where it has them; itself where the type is not known. */
export function goEncoded(object: object, key: string, form: EncodedForm = 'stated'): object {
  const fact = structFact(key);
  if (fact === undefined || fact.isUnstructured === true) return object;
  return encodeWhole(object as Fields, fact, form);
}

/** As {@link goEncoded} without kind and version, as items of lists are written. */
export function goEncodedItem(object: object, key: string, form: EncodedForm = 'stated'): object {
  const fact = structFact(key);
  return fact === undefined || fact.isUnstructured === true ? object : encodeStruct(object as Fields, fact, form);
}

/** Claims in a template, for one, have kind and version as well. */
function encodeWhole(value: Fields, fact: StructFact, form: EncodedForm): object {
  const { kind, apiVersion } = value;
  const head = kind === undefined || !fact.fields.has('metadata') ? {} : { kind, apiVersion };
  return { ...head, ...encodeStruct(value, fact, form) };
}

const HEAD: ReadonlySet<string> = new Set(['kind', 'apiVersion']);

function encodeStruct(value: Fields, fact: StructFact, form: EncodedForm): object {
  const result: Record<string, unknown> = {};
  for (const field of fact.fields.values()) {
    if (HEAD.has(field.name) && fact.fields.has('metadata')) continue;
    const encoded = encodeField(value[field.name], field, fact, form);
    if (encoded !== undefined) result[field.name] = encoded;
  }
  return result;
}

/** `undefined` where it is left out. */
function encodeField(value: unknown, field: FieldFact, { name: owner }: StructFact, form: EncodedForm): unknown {
  const { type, isOmitempty } = field;
  if (type.form === 'pointer') {
    const isNone = value === undefined || value === null;
    return isNone ? (isOmitempty ? undefined : null) : encodeValue(value, type.of, form);
  }
  if (value === undefined || value === null) {
    // The one field that is left out though it is a struct.
    if (owner === 'ObjectMeta' && field.name === 'creationTimestamp') return undefined;
    if (type.form === 'struct') return encodeValue({}, type, form);
    if (type.form !== 'scalar') return isOmitempty ? undefined : null;
    return isOmitempty && !STRUCT_SCALARS.has(type.code) ? undefined : ZEROS[type.code];
  }
  const encoded = encodeValue(value, type, form);
  if (isOmitempty) return isLeftOut(encoded, type) ? undefined : encoded;
  return form === 'stored' && type.form !== 'scalar' && isLeftOut(encoded, type) ? null : encoded;
}

/** Structs that are written as one value: they are never left out. */
const STRUCT_SCALARS: ReadonlySet<string> = new Set(['q', 't', 'u', 'x']);
const ZEROS: Readonly<Record<string, unknown>> = {
  s: '',
  b: false,
  i: 0,
  l: 0,
  d: 0,
  y: null,
  q: '0',
  t: null,
  u: null,
  x: 0,
};

function isLeftOut(value: unknown, type: TypeRef): boolean {
  if (type.form === 'scalar') {
    return !STRUCT_SCALARS.has(type.code) && (value === '' || value === 0 || value === false);
  }
  if (type.form === 'list') return Array.isArray(value) && value.length === 0;
  return type.form === 'map' && Object.keys(value as object).length === 0;
}

function encodeValue(value: unknown, type: TypeRef, form: EncodedForm): unknown {
  switch (type.form) {
    case 'pointer':
      return encodeValue(value, type.of, form);
    case 'list':
      return Array.isArray(value) ? value.map((each) => encodeElement(each, type.of, form)) : value;
    case 'map':
      return encodeMap(value, type.of, form);
    case 'struct': {
      const fact = structFact(type.key);
      if (fact === undefined || typeof value !== 'object' || value === null) return value;
      return encodeWhole(value as Fields, fact, form);
    }
    default:
      return value;
  }
}

function encodeElement(value: unknown, type: TypeRef, form: EncodedForm): unknown {
  return type.form === 'scalar' ? value : encodeValue(value, type, form);
}

/** By key in the order of bytes. */
function encodeMap(value: unknown, type: TypeRef, form: EncodedForm): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort())
    setOwnField(result, key, encodeElement((value as Fields)[key], type, form));
  return result;
}
