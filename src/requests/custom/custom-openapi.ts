/** Schemas of custom resources as OpenAPI documents have them (apiextensions-apiserver's controller/openapi/builder, v1.34). */
import { isFields, type Fields, type JsonSchema } from '../../api/custom/json-schema.js';
import type { ServedResource } from '../served-resources.js';

/** Under which a schema stands: `com.example.shop.v1.Widget`. */
export function customSchemaName({ group, version, kind }: ServedResource): string {
  return `${group.split('.').toReversed().join('.')}.${version}.${kind}`;
}

/** The schema of a version, with what all objects have. @param common - the schemas of apiVersion, kind and metadata */
export function customSchema(
  { group, version, kind, custom }: ServedResource,
  form: 'v2' | 'v3',
  common: Fields,
): Fields {
  const schema = custom?.version.schema ?? {};
  const marks = { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
  // kubectl would refuse any other field than those that are named.
  if (form === 'v2' && schema['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object', ...marks };
  const shown = form === 'v2' ? reduced(schema) : told(schema as Fields);
  const properties = isFields(shown['properties']) ? shown['properties'] : {};
  return {
    ...shown,
    type: 'object',
    properties: { ...properties, ...common },
    ...marks,
  };
}

/** Without what is for the server alone. */
function told({ 'x-kubernetes-validations': _rules, ...schema }: Fields): Fields {
  return mapped(schema, told);
}

/** What Swagger 2 cannot say is left out. */
function reduced(schema: JsonSchema): Fields {
  const { nullable, oneOf: _oneOf, anyOf: _anyOf, not: _not, 'x-kubernetes-validations': _rules, ...rest } = schema;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const isUntyped = nullable === true || keepsUnknown || schema['x-kubernetes-int-or-string'] === true;
  if (!isUntyped) return mapped(rest, (each) => reduced(each));
  // A client that checks by it must let pass what the server would.
  const { type: _type, items: _items, properties: _properties, additionalProperties: _values, ...untyped } = rest;
  return untyped;
}

function mapped(schema: Fields, change: (schema: Fields) => Fields): Fields {
  const { items, properties, additionalProperties } = schema;
  return {
    ...schema,
    ...(isFields(items) ? { items: change(items) } : {}),
    ...(isFields(additionalProperties) ? { additionalProperties: change(additionalProperties) } : {}),
    ...(isFields(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, change(each as Fields)]),
          ),
        }
      : {}),
  };
}
