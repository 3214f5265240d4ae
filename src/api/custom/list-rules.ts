/** Lists that are sets or maps hold nothing twice. Mirrors apiextensions-apiserver's schema/listtype (v1.34). */
import { duplicate, invalid } from '../errors/field-errors.js';
import type { FieldError } from '../objects/resource-kind.js';
import { canonicalJson } from '../values/canonical-json.js';
import { isFields, propertySchema, valuesSchema, type Fields, type JsonSchema } from './json-schema.js';

/** What stands twice in an object. */
export function listErrors(object: Fields, schema: JsonSchema): readonly FieldError[] {
  const errors: FieldError[] = [];
  inValue(object, schema, '', errors);
  return errors;
}

function inValue(value: unknown, schema: JsonSchema, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) inList(value, schema, path, errors);
  if (!isFields(value)) return;
  const values = valuesSchema(schema);
  for (const name of Object.keys(value).toSorted()) {
    const below = propertySchema(schema, name);
    const place = values === undefined ? joined(path, name) : `${path}[${name}]`;
    const of = values ?? below;
    if (of !== undefined) inValue(value[name], of, place, errors);
  }
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function inList(items: readonly unknown[], schema: JsonSchema, path: string, errors: FieldError[]): void {
  const { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  if (type === 'set') for (const index of repeated(items)) errors.push(duplicate(`${path}[${index}]`, items[index]));
  if (type === 'map') errors.push(...mapErrors(items, keys, path));
  if (schema.items === undefined) return;
  for (const [index, item] of items.entries()) inValue(item, schema.items, `${path}[${index}]`, errors);
}

function mapErrors(items: readonly unknown[], keys: readonly string[], path: string): readonly FieldError[] {
  const stray = items.findIndex((item) => item !== null && !isFields(item));
  if (stray !== -1) {
    return [invalid(`${path}[${stray}]`, items[stray], 'must be an object for an array of list-type map')];
  }
  const keyed = items.map((item) =>
    Object.fromEntries(keys.flatMap((key) => (isFields(item) && key in item ? [[key, item[key]] as const] : []))),
  );
  return repeated(keyed).map((index) => duplicate(`${path}[${index}]`, keyed[index]));
}

/** Where a value stands for the second time; a third time is not told. */
function repeated(items: readonly unknown[]): readonly number[] {
  const times = new Map<string, number>();
  return items.flatMap((item, index) => {
    const text = canonicalJson(item);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [index] : [];
  });
}
