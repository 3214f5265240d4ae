/**
 * How large values can be by their schema, where it sets limits, and by the size of a request where it sets none: what
 * the cost of rules is reckoned on. Mirrors apiserver/pkg/cel/common/schemas.go and types.go (v1.34).
 */
import type { SizeOf } from '../cel/cost/amounts.js';
import { valuesSchema, type JsonSchema } from './json-schema.js';
import { escapedName, seenSchema } from './schema-values.js';

/** The largest request, in bytes. */
const MOST_BYTES = 3 * 1024 * 1024;
const LARGEST_COUNT = 0xffff_ffff_ffff_ffffn;

/** How large values are. */
export interface ValueSize {
  /** Letters, items or entries at most; 0 for what has none. */
  readonly most: number;
  /** Bytes of JSON at least. */
  readonly bytes: number;
  readonly fields?: ReadonlyMap<string, ValueSize>;
  readonly keys?: ValueSize;
  readonly items?: ValueSize;
}

/** Bytes that a text takes at least, and letters that it has at most. */
const TEXTS: Readonly<Record<string, readonly [number, number]>> = {
  duration: [3, 32],
  date: [12, 12],
  'date-time': [21, 32],
};
const BYTES_OF: Readonly<Record<string, number>> = { boolean: 4, number: 1, integer: 1 };
const TEXT_BYTES = 2;
/** A letter has up to four bytes. */
const LETTER_BYTES = 4;

/** The sizes of a schema's values; undefined for what expressions do not see. */
export function valueSize(schema: JsonSchema): ValueSize | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return { most: lettersOf(schema), bytes: 1 };
  const { type = '' } = seenSchema(schema);
  if (type === 'string') return textSize(schema);
  if (type === 'array') return listSize(schema);
  if (type === 'object') return objectSize(schema);
  const bytes = BYTES_OF[type];
  return bytes === undefined ? undefined : { most: 0, bytes };
}

function lettersOf({ maxLength }: JsonSchema): number {
  return maxLength === undefined ? MOST_BYTES - 2 : Math.max(0, maxLength) * LETTER_BYTES;
}

function textSize(schema: JsonSchema): ValueSize {
  const { format = '', maxLength, enum: values = [] } = schema;
  const [bytes, most] = TEXTS[format] ?? [TEXT_BYTES, undefined];
  if (most !== undefined) return { most, bytes };
  if (format === 'byte' && maxLength !== undefined) return { most: Math.max(0, maxLength), bytes };
  if (format === 'byte' || maxLength !== undefined || values.length === 0) return { most: lettersOf(schema), bytes };
  const lengths = values.map((each) => (typeof each === 'string' ? Buffer.byteLength(each) : 0));
  return { most: Math.max(...lengths), bytes };
}

function listSize({ items: schema, maxItems }: JsonSchema): ValueSize | undefined {
  const items = schema === undefined ? undefined : valueSize(schema);
  if (items === undefined) return undefined;
  const most = maxItems === undefined ? Math.floor((MOST_BYTES - 2) / (items.bytes + 1)) : Math.max(0, maxItems);
  return { most, bytes: 2, items };
}

function objectSize(schema: JsonSchema): ValueSize | undefined {
  const values = valuesSchema(schema);
  if (values !== undefined) {
    const items = valueSize(values);
    if (items === undefined) return undefined;
    const { maxProperties } = schema;
    const most =
      maxProperties === undefined ? Math.floor((MOST_BYTES - 2) / (items.bytes + 6)) : Math.max(0, maxProperties);
    return { most, bytes: 2, keys: { most: 0, bytes: TEXT_BYTES }, items };
  }
  const { properties = {}, required = [] } = seenSchema(schema);
  const fields = new Map<string, ValueSize>();
  let bytes = 2;
  for (const [name, below] of Object.entries(properties)) {
    const own = valueSize(below);
    if (own === undefined) continue;
    const escaped = escapedName(name);
    if (escaped !== undefined) fields.set(escaped, own);
    if (required.includes(name) && below.default === undefined) bytes += Buffer.byteLength(name) + own.bytes + 4;
  }
  return { most: 0, bytes, fields };
}

/** The sizes of what paths lead to, which begin at a value of this size. */
export function sizesBelow(size: ValueSize): SizeOf {
  return (path) => {
    let found: ValueSize | undefined = size;
    for (const step of path.slice(1)) {
      if (found === undefined) return undefined;
      found = stepInto(found, step);
    }
    return found === undefined ? undefined : { min: 0n, max: BigInt(found.most) };
  };
}

function stepInto({ fields, keys, items }: ValueSize, step: string): ValueSize | undefined {
  if (step === '@items' || step === '@values') return items;
  return step === '@keys' ? keys : fields?.get(step);
}

/** How often a value can stand within an object that sets no limit to it. */
export function mostOften({ bytes }: ValueSize): bigint {
  return BigInt(Math.floor(MOST_BYTES / (bytes + 1)));
}

/** How many values the schema allows below itself; undefined where it sets no limit. */
export function mostBelow({ type, maxItems, maxProperties, additionalProperties }: JsonSchema): bigint | undefined {
  if (type === 'array') return maxItems === undefined ? undefined : BigInt(Math.max(0, maxItems));
  if (type !== 'object' || additionalProperties === undefined) return 1n;
  return maxProperties === undefined ? undefined : BigInt(Math.max(0, maxProperties));
}

/** So many times as much, at most the largest number. */
export function timesOften(cost: bigint, often: bigint): bigint {
  const all = cost * often;
  return all > LARGEST_COUNT ? LARGEST_COUNT : all;
}
