/**
 * Whole resources within custom ones: their kind, version and metadata. Mirrors apiextensions-apiserver's
 * schema/objectmeta (v1.34).
 */
import { inKeyOrder } from '../values/canonical-json.js';
import { badGroupVersion, readGroupVersion } from '../values/group-version.js';
import { decodingProblem } from '../decoding/converter-text.js';
import { decodeMetadata, fieldPathText, undecodable, type FieldPath } from '../decoding/decode.js';
import { ApiError } from '../errors/api-error.js';
import { invalid, required } from '../errors/field-errors.js';
import { validateObjectMeta } from '../kinds/rules/object-meta.js';
import type { ObjectMeta } from '../objects/kube-object.js';
import type { FieldError } from '../objects/resource-kind.js';
import { dns1035Label, pathSegmentName } from '../values/names.js';
import { setOwnField } from '../values/own-fields.js';
import { isFields, propertySchema, valuesSchema, type Fields, type JsonSchema } from './json-schema.js';

const known = new WeakMap<JsonSchema, boolean>();

/** Whether a schema has whole resources below. */
function hasEmbedded(schema: JsonSchema): boolean {
  let found = known.get(schema);
  if (found === undefined) {
    const below = [schema.items, valuesSchema(schema), ...Object.values(schema.properties ?? {})];
    found = below.some(
      (each) => each !== undefined && (each['x-kubernetes-embedded-resource'] === true || hasEmbedded(each)),
    );
    known.set(schema, found);
  }
  return found;
}

/** Calls a function for the whole resources below a value, and gives the value with what it made of them. */
function mapped(
  value: unknown,
  schema: JsonSchema | undefined,
  path: string,
  change: (resource: Fields, path: string) => Fields,
): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    if (schema.items === undefined) return value;
    const items = value.map((item, index) => mapped(item, schema.items, `${path}[${index}]`, change));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isFields(value)) return value;
  let result = schema['x-kubernetes-embedded-resource'] === true ? change(value, path) : value;
  for (const name of Object.keys(result)) {
    const own = propertySchema(schema, name);
    const place = own === undefined ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const next = mapped(result[name], own ?? valuesSchema(schema), place, change);
    if (next === result[name]) continue;
    const copy: Record<string, unknown> = { ...result };
    setOwnField(copy, name, next);
    result = copy;
  }
  return result;
}

/**
 * An object whose embedded resources have nothing in their metadata that no resource has.
 *
 * @param names - of the whole object, as refusals show them
 * @param onUnknown - told of each field that is dropped
 * @throws ApiError 400 for metadata that cannot be read
 */
export function withEmbeddedMeta(
  object: Fields,
  schema: JsonSchema,
  names: { readonly kind: string; readonly version: string },
  onUnknown: (path: string) => void,
): Fields {
  if (!hasEmbedded(schema)) return object;
  return mapped(object, schema, '', (resource, path) => {
    const { metadata } = resource;
    if (!isFields(metadata)) return resource;
    const place = `${path}.metadata`;
    const told = (field: FieldPath): void => onUnknown(`${path}.${fieldPathText(field)}`);
    const { creationTimestamp, ...rest } = readMetadata(names, metadata, place, told);
    const isTimed = creationTimestamp !== undefined && creationTimestamp !== null;
    return { ...resource, metadata: isTimed ? { creationTimestamp, ...rest } : rest };
  }) as Fields;
}

/** @throws ApiError 400 that names the place */
function readMetadata(
  names: { readonly kind: string; readonly version: string },
  metadata: Fields,
  place: string,
  onUnknown: (field: FieldPath) => void,
): Fields {
  try {
    return decodeMetadata(names, metadata, onUnknown) as Fields;
  } catch (error) {
    const problem = error instanceof ApiError ? decodingProblem(error.message) : undefined;
    if (problem === undefined) throw error;
    const { kind, version } = names;
    const { detail } = invalid(place, inKeyOrder(metadata), problem);
    throw undecodable(kind, kind, version, `${place}: ${detail}`);
  }
}

/** What is wrong with the embedded resources of an object. */
export function embeddedErrors(object: Fields, schema: JsonSchema): readonly FieldError[] {
  if (!hasEmbedded(schema)) return [];
  const errors: FieldError[] = [];
  mapped(object, schema, '', (resource, path) => {
    errors.push(...resourceErrors(resource, path));
    return resource;
  });
  return errors;
}

function resourceErrors(resource: Fields, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion, kind, metadata } = resource;
  for (const name of ['apiVersion', 'kind']) if (resource[name] === undefined) errors.push(required(`${path}.${name}`));
  if (apiVersion !== undefined) errors.push(...textErrors(apiVersion, `${path}.apiVersion`, versionProblem));
  if (kind !== undefined) errors.push(...textErrors(kind, `${path}.kind`, kindProblem));
  if (!isFields(metadata)) return errors;
  const meta = { name: 'fakename', ...metadata } as unknown as ObjectMeta;
  const isNamespaced = (meta.namespace ?? '') !== '';
  const own = validateObjectMeta(meta, { isNamespaced, nameCheck: pathSegmentName, hasQualifiedFinalizers: false });
  return [...errors, ...own.map((error) => ({ ...error, field: `${path}.${error.field}` }))];
}

function textErrors(value: unknown, field: string, problem: (text: string) => string | undefined): FieldError[] {
  if (typeof value !== 'string') return [invalid(field, value, 'must be a string')];
  if (value === '') return [invalid(field, value, 'must not be empty')];
  const found = problem(value);
  return found === undefined ? [] : [invalid(field, value, found)];
}

function versionProblem(text: string): string | undefined {
  return readGroupVersion(text) === undefined ? badGroupVersion(text) : undefined;
}

function kindProblem(text: string): string | undefined {
  const problems = dns1035Label(text.toLowerCase());
  return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(',')}`;
}
