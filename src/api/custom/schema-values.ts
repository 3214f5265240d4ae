/**
 * Schemas as types of the Common Expression Language, and values of JSON as it sees them by their schema. Mirrors
 * apiserver/pkg/cel/common/schemas.go and valuesunstructured.go (v1.34).
 */
import { durationOf, timeOf } from '../cel/library/number-texts.js';
import { RESERVED_WORDS } from '../cel/syntax.js';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  objectType,
  STRING,
  TIMESTAMP,
  type CelType,
} from '../cel/types.js';
import { CelDuration, CelError, CelLazyMap, declaredList, markList, type CelValue } from '../cel/values.js';
import { wordedDuration } from '../go/text-formats.js';
import { goType } from '../patches/patch-lists.js';
import { valuesSchema, type Fields, type JsonSchema } from './json-schema.js';

const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in', ...RESERVED_WORDS]);
const CHANGED: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** A field's name in expressions; undefined for one that they cannot ask for. */
export function escapedName(name: string): string | undefined {
  if (WORDS.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(name)) return undefined;
  const escaped = name.replaceAll(/__|[-./]/g, (each) => CHANGED[each] ?? each);
  return /^\d/.test(escaped) ? undefined : escaped;
}

const META_NAMES: JsonSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
};

function isText(schema: JsonSchema | undefined): boolean {
  return schema?.type === 'string';
}

/** Whether a schema tells all that expressions see of every resource by itself. */
function tellsMeta({ kind, apiVersion, metadata }: Readonly<Record<string, JsonSchema | undefined>>): boolean {
  const { name, generateName } = metadata?.properties ?? {};
  return [kind, apiVersion, name, generateName].every(isText) && metadata?.type === 'object';
}

/** The schema of a whole resource, of which expressions see kind, version and names, whether it tells them all or not. */
function withMeta(schema: JsonSchema): JsonSchema {
  if (tellsMeta(schema.properties ?? {})) return schema;
  const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...others } = schema.properties ?? {};
  const text: JsonSchema = { type: 'string' };
  return { ...schema, type: 'object', properties: { ...others, kind: text, apiVersion: text, metadata: META_NAMES } };
}

function isRoot(schema: JsonSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

const roots = new WeakMap<JsonSchema, JsonSchema>();

/** The schema of a kind's objects as that of a whole resource. */
export function rootSchema(schema: JsonSchema): JsonSchema {
  let root = roots.get(schema);
  if (root === undefined) roots.set(schema, (root = { ...schema, 'x-kubernetes-embedded-resource': true }));
  return root;
}

const wholes = new WeakMap<JsonSchema, JsonSchema>();

/** The schema with the fields that every resource has, where it is one. */
export function seenSchema(schema: JsonSchema): JsonSchema {
  if (!isRoot(schema)) return schema;
  let whole = wholes.get(schema);
  if (whole === undefined) wholes.set(schema, (whole = withMeta(schema)));
  return whole;
}

const TEXT_TYPES: Readonly<Record<string, CelType>> = {
  byte: BYTES,
  duration: DURATION,
  date: TIMESTAMP,
  'date-time': TIMESTAMP,
};
const SCALARS: Readonly<Record<string, CelType>> = { boolean: BOOL, number: DOUBLE, integer: INT };

/** The type of a schema; undefined for what expressions do not see. */
export function schemaType(schema: JsonSchema): CelType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return DYN;
  const { type = '', items, format = '', properties = {} } = seenSchema(schema);
  if (type === 'array') {
    const item = items === undefined ? undefined : schemaType(items);
    return item === undefined ? undefined : listOf(item);
  }
  if (type === 'string') return TEXT_TYPES[format] ?? STRING;
  if (type !== 'object') return SCALARS[type];
  const values = valuesSchema(schema);
  if (values !== undefined) {
    const value = schemaType(values);
    return value === undefined ? undefined : mapOf(STRING, value);
  }
  const fields = Object.entries(properties).flatMap(([name, below]): readonly (readonly [string, CelType])[] => {
    const own = schemaType(below);
    const escaped = escapedName(name);
    return own === undefined || escaped === undefined ? [] : [[escaped, own]];
  });
  return objectType('object', new Map(fields));
}

/** A value as expressions see it. @throws CelError for what its schema does not allow */
export function schemaValue(value: unknown, schema: JsonSchema): CelValue {
  if (value === null || value === undefined) {
    if (schema.nullable === true) return null;
    throw new CelError('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
    if (typeof value === 'string') return value;
    throw new CelError('invalid data, expected XIntOrString value to be either a string or integer');
  }
  const expected = otherType(value, schema);
  if (expected !== undefined) throw new CelError(`invalid data, expected ${expected}`);
  switch (typeof value) {
    case 'number':
      return schema.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
    case 'string':
      return textValue(value, schema.format);
    case 'boolean':
      return value;
    default:
      return Array.isArray(value) ? listValue(value, schema) : fieldsValue(value as Fields, seenSchema(schema));
  }
}

/** What a value that is of another type should have been: what an update leaves as it was need not be of its type. */
function otherType(value: unknown, { type }: JsonSchema): string | undefined {
  if (type === 'object') {
    const isMap = typeof value === 'object' && !Array.isArray(value);
    return isMap ? undefined : 'a map for the provided schema with type=object';
  }
  if (type === 'array') return Array.isArray(value) ? undefined : 'an array for the provided schema with type=array';
  const isOf = {
    string: typeof value === 'string',
    boolean: typeof value === 'boolean',
    number: typeof value === 'number',
    integer: Number.isInteger(value),
  }[type ?? ''];
  return isOf === false ? `${GO_SCALARS[type ?? ''] ?? ''}, got ${goType(value)}` : undefined;
}

const GO_SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'bool',
  number: 'float',
  integer: 'int',
};

function textValue(text: string, format = ''): CelValue {
  if (format === 'byte') return new Uint8Array(Buffer.from(text, 'base64'));
  if (format === 'duration') return durationOf(text) ?? wordedSpan(text) ?? unread('duration', text);
  const problem = format === 'date-time' ? dateTimeProblem(text) : undefined;
  if (problem !== undefined) throw new CelError(`Invalid date-time formatted string ${text}: ${problem}`);
  if (format === 'date' || format === 'date-time') return timeOf(text, true) ?? unread(format, text);
  return text;
}

const SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?/;

/** Why Go's parser of times does not read what the format lets through; the last layout that it tries has no zone. */
function dateTimeProblem(text: string): string | undefined {
  if (text.charAt(10) !== 'T') {
    return `parsing time "${text}" as "2006-01-02T15:04:05": cannot parse "${text.slice(10)}" as "T"`;
  }
  const rest = text.slice(SECOND.exec(text)?.[0].length ?? text.length);
  return /^(?:Z|[+-]\d\d:\d\d)?$/.test(rest) ? undefined : `parsing time "${text}": extra text: "${rest}"`;
}

function wordedSpan(text: string): CelDuration | undefined {
  const ns = wordedDuration(text);
  return ns === undefined ? undefined : new CelDuration(ns);
}

function unread(format: string, text: string): never {
  throw new CelError(`Invalid ${format} formatted string ${text}`);
}

function listValue(value: readonly unknown[], schema: JsonSchema): CelValue {
  const { items = {} } = schema;
  const list = declaredList(value.map((item) => schemaValue(item, items)));
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return markList(list, []);
  if (type !== 'map') return list;
  return markList(
    list,
    (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapedName(key) ?? key),
  );
}

/** Fields are looked into when a rule asks for them: what cannot be read harms no other. */
function fieldsValue(value: Fields, schema: JsonSchema): CelValue {
  const { properties } = schema;
  const values = valuesSchema(schema);
  if (values !== undefined && properties === undefined) {
    return new CelLazyMap(Object.keys(value), (key) => schemaValue(value[key], values));
  }
  const names = new Map(
    // A field that may be null, and is, counts as absent.
    Object.keys(value).flatMap((name): readonly (readonly [string, string])[] => {
      const escaped = escapedName(name);
      const isKnown = properties !== undefined && Object.hasOwn(properties, name) && value[name] !== null;
      return isKnown && escaped !== undefined ? [[escaped, name]] : [];
    }),
  );
  return new CelLazyMap([...names.keys()], (key) => {
    const name = names.get(key) ?? key;
    return schemaValue(value[name], properties?.[name] ?? {});
  });
}
