/**
 * Holds parsed YAML against the types of its fields: wrong types and unknown fields are errors, as
 * kube-scheduler decodes its configuration strictly; nulls are absent. It neither fills in nor judges
 * values.
 */
import { invalid } from '../../api/errors/field-errors.js';
import type { FieldError } from '../../api/objects/resource-kind.js';

/** The type of a field: a scalar, anything, a list of something, or an object of such fields. */
export type FieldSchema =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'float32'
  | 'any'
  | readonly [FieldSchema]
  | ObjectSchema;

/** Types by field name. */
export interface ObjectSchema {
  readonly [field: string]: FieldSchema;
}

type ScalarType = Extract<FieldSchema, string>;

const INT32_LIMIT = 2 ** 31;

/**
 * The value without nulls.
 *
 * @param path - where it stands; empty = at the root
 * @param errors - gets what is wrong; the value of a wrong field is left out
 */
export function decodeFields(value: unknown, schema: FieldSchema, path: string, errors: FieldError[]): unknown {
  if (typeof schema === 'string') return decodeScalar(value, schema, path, errors);
  if (isList(schema)) return decodeList(value, schema[0], path, errors);
  return decodeObject(value, schema, path, errors);
}

/** Whether a parsed value is a mapping. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function decodeObject(value: unknown, schema: ObjectSchema, path: string, errors: FieldError[]): unknown {
  if (!isMapping(value)) return wrongType(value, 'a mapping', path, errors);
  const decoded: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    const own = path === '' ? name : `${path}.${name}`;
    const type = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (type === undefined) {
      const known = Object.keys(schema).join(', ');
      errors.push({ type: 'FieldValueForbidden', field: own, detail: `unknown field, known are ${known}` });
    } else if (each !== null && each !== undefined) {
      const field = decodeFields(each, type, own, errors);
      if (field !== undefined) decoded[name] = field;
    }
  }
  return decoded;
}

function decodeList(value: unknown, schema: FieldSchema, path: string, errors: FieldError[]): unknown {
  if (!Array.isArray(value)) return wrongType(value, 'a list', path, errors);
  return (value as readonly unknown[]).flatMap((item, index) => {
    const decoded = decodeFields(item, schema, `${path}[${index}]`, errors);
    if (decoded !== undefined) return [decoded];
    // A wrong object keeps its place, so that the paths of those behind it stay right.
    return typeof schema === 'string' || isList(schema) ? [] : [{}];
  });
}

function decodeScalar(value: unknown, type: ScalarType, path: string, errors: FieldError[]): unknown {
  switch (type) {
    case 'any':
      return value;
    case 'string':
      return typeof value === 'string' ? value : wrongType(value, 'a text', path, errors);
    case 'boolean':
      return typeof value === 'boolean' ? value : wrongType(value, 'true or false', path, errors);
    case 'float32':
      return typeof value === 'number' && Number.isFinite(value) ? value : wrongType(value, 'a number', path, errors);
    case 'int32':
    case 'int64': {
      const limit = type === 'int32' ? INT32_LIMIT : Number.MAX_SAFE_INTEGER;
      const isFine = typeof value === 'number' && Number.isInteger(value) && value >= -limit && value < limit;
      return isFine ? value : wrongType(value, `an integer of type ${type}`, path, errors);
    }
  }
}

function isList(schema: FieldSchema): schema is readonly [FieldSchema] {
  return Array.isArray(schema);
}

function wrongType(value: unknown, wanted: string, path: string, errors: FieldError[]): undefined {
  errors.push(invalid(path, value, `must be ${wanted}`));
}
