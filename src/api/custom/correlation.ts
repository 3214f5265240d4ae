/**
 * Which values of an object are the ones that it had before, and whether they have stayed as they were: what an update
 * leaves is not held against it. Mirrors apiserver/pkg/cel/common/equality.go (v1.34).
 */
import { isSameJson } from '../values/canonical-json.js';
import { isFields, propertySchema, valuesSchema, type JsonSchema } from './json-schema.js';

/** Items of a list are the same ones if the list has keys, and theirs are equal. */
export function previousItem(item: unknown, schema: JsonSchema, previous: unknown): unknown {
  if (!Array.isArray(previous) || schema['x-kubernetes-list-type'] !== 'map' || !isFields(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return (previous as readonly unknown[]).find(
    (each) => isFields(each) && keys.every((key) => isSameJson(each[key], item[key])),
  );
}

/**
 * Whether a value has stayed as it was, items of lists with keys in whatever order. An object with a field that the
 * schema does not declare never counts as such: not the whole object, whose metadata has names.
 */
export function isUnchanged(value: unknown, previous: unknown, schema: JsonSchema): boolean {
  if (Array.isArray(value)) {
    if (!Array.isArray(previous) || value.length !== previous.length) return false;
    const { items } = schema;
    if (schema['x-kubernetes-list-type'] !== 'map' || items === undefined) return isSameJson(value, previous);
    return value.every((item) => {
      const before = previousItem(item, schema, previous);
      return before !== undefined && isUnchanged(item, before, items);
    });
  }
  if (!isFields(value)) return isSameJson(value, previous);
  const names = Object.keys(value);
  if (!isFields(previous) || names.length !== Object.keys(previous).length) return false;
  return names.every((name) => {
    const below = propertySchema(schema, name) ?? valuesSchema(schema);
    return below !== undefined && Object.hasOwn(previous, name) && isUnchanged(value[name], previous[name], below);
  });
}
