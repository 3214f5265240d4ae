/**
 * Values of JSON as the Common Expression Language sees them, by their schema: whole numbers, times, and fields whose
 * names are words of the language. Mirrors apiserver/pkg/cel/common/values.go (v1.34).
 */
import { celTime } from './cel-times.js';
import { isFields, valuesSchema, type Fields, type JsonSchema } from '../json-schema.js';

const WORDS: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

/** A field's name in expressions. */
function escapedName(name: string): string {
  if (WORDS.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

/** A value as rules see it. */
export function celValue(value: unknown, schema: JsonSchema): unknown {
  if (typeof value === 'number') return schema.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
  if (typeof value === 'string') return celText(value, schema.format);
  if (Array.isArray(value)) return value.map((item) => celValue(item, schema.items ?? UNKNOWN));
  return isFields(value) ? celFields(value, schema) : value;
}

const UNKNOWN: JsonSchema = {};

function celText(text: string, format: string | undefined): unknown {
  if (format === 'byte') return new Uint8Array(Buffer.from(text, 'base64'));
  if (format !== 'date-time' && format !== 'date') return text;
  return celTime(text) ?? text;
}

function celFields(value: Fields, schema: JsonSchema): object {
  const values = valuesSchema(schema);
  if (values !== undefined) {
    return new Map(Object.entries(value).map(([name, each]) => [name, celValue(each, values)]));
  }
  const { properties = {} } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const fields = Object.entries(value).flatMap(([name, each]): readonly (readonly [string, unknown])[] => {
    const below = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (below !== undefined) return [[escapedName(name), celValue(each, below)]];
    return isEmbedded && META.has(name) ? [[name, name === 'metadata' ? metaOf(each) : each]] : [];
  });
  return new Map(fields);
}

const META: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Of metadata, rules see the names alone. */
function metaOf(metadata: unknown): object {
  const { name, generateName } = isFields(metadata) ? metadata : {};
  return new Map(Object.entries({ name, generateName }).filter(([, value]) => value !== undefined));
}
