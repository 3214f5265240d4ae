/**
 * Defaults of a schema, filled in from the top down, and nulls that count as nothing. Mirrors apiextensions-apiserver's
 * schema/defaulting (v1.34).
 */
import { setOwnField } from '../values/own-fields.js';
import { isFields, propertySchema, valuesSchema, type Fields, type JsonSchema } from './json-schema.js';

/** The object with what its schema defaults; itself where nothing is missing. */
export function defaulted(object: Fields, schema: JsonSchema): Fields {
  return filledIn(withoutNulls(object, schema), schema);
}

/** As {@link defaulted}, but that nulls stay where nothing is defaulted, as they do in what is applied by the server. */
export function filledIn(object: Fields, schema: JsonSchema): Fields {
  return fill(object, schema) as Fields;
}

function isRefusedNull(value: unknown, schema: JsonSchema): boolean {
  return value === null && schema.nullable !== true;
}

function fill(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) return schema.items === undefined ? value : filledList(value, schema.items);
  if (!isFields(value)) return value;
  let result: Record<string, unknown> | undefined;
  const put = (name: string, next: unknown): void => {
    result ??= { ...value };
    setOwnField(result, name, next);
  };
  for (const [name, below] of Object.entries(schema.properties ?? {})) {
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    if (below.default !== undefined && (own === undefined || isRefusedNull(own, below))) put(name, below.default);
  }
  for (const name of Object.keys(result ?? value)) {
    const before = (result ?? value)[name];
    const property = propertySchema(schema, name);
    const below = property ?? valuesSchema(schema);
    if (below === undefined) continue;
    const replacement = below.default ?? null;
    const own = property === undefined && isRefusedNull(before, below) ? replacement : before;
    const after = fill(own, below);
    if (after !== before) put(name, after);
  }
  return result ?? value;
}

function filledList(value: readonly unknown[], items: JsonSchema): readonly unknown[] {
  let result: unknown[] | undefined;
  for (const [index, item] of value.entries()) {
    const after = fill(isRefusedNull(item, items) ? (items.default ?? null) : item, items);
    if (after === item) continue;
    result ??= [...value];
    result[index] = after;
  }
  return result ?? value;
}

/** Nulls of fields that may not be null and have no default are as good as absent; the others are defaulted. */
function withoutNulls(value: Fields, schema: JsonSchema): Fields;
function withoutNulls(value: unknown, schema: JsonSchema): unknown;
function withoutNulls(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    const next = value.map((item) => withoutNulls(item, items));
    return next.some((item, index) => item !== value[index]) ? next : value;
  }
  if (!isFields(value)) return value;
  let result: Record<string, unknown> | undefined;
  for (const [name, own] of Object.entries(value)) {
    const below = propertySchema(schema, name) ?? valuesSchema(schema);
    if (below === undefined) continue;
    const isDropped = isRefusedNull(own, below) && below.default === undefined;
    const next = isDropped ? undefined : withoutNulls(own, below);
    if (next === own) continue;
    result ??= { ...value };
    if (isDropped) delete result[name];
    else setOwnField(result, name, next);
  }
  return result ?? value;
}
