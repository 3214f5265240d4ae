/** What the types of an object say of how patches merge its fields. */
import { ApiError } from '../errors/api-error.js';
import { structFact, typeKeyOf, typeKeys, type FieldFact, type TypeRef } from '../types/type-facts.js';

/** The type of a value that is patched. */
export interface PatchedType {
  /** Absent for what no table knows: its fields merge, and its lists are replaced. */
  readonly type: TypeRef | undefined;
  /** Go's kind of it. */
  readonly kindName: string;
}

/** How a field is patched. */
export interface PatchedField {
  /** The field, or the elements of a list. */
  readonly of: PatchedType;
  readonly merges: boolean;
  readonly mergeKey: string | undefined;
}

const UNKNOWN: PatchedType = { type: undefined, kindName: 'map' };
const UNKNOWN_FIELD: PatchedField = { of: UNKNOWN, merges: false, mergeKey: undefined };

/** By what an object says of itself; one without a version is of the version that its kind has. */
export function typeOfObject({ apiVersion, kind }: Readonly<Record<string, unknown>>): PatchedType {
  if (typeof kind !== 'string') return UNKNOWN;
  const key = typeof apiVersion === 'string' ? keyOf(apiVersion, kind) : onlyKeyOf(kind);
  return key === undefined || structFact(key) === undefined ? UNKNOWN : patchedType({ form: 'struct', key });
}

function keyOf(apiVersion: string, kind: string): string {
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  return typeKeyOf({ group, version: apiVersion.slice(slash + 1), kind });
}

function onlyKeyOf(kind: string): string | undefined {
  return typeKeys().find((key) => key.endsWith(`.${kind}`) && structFact(key)?.fields.has('metadata') === true);
}

/** @throws ApiError 500 for a field that the type does not have */
export function patchField({ type }: PatchedType, name: string, of: 'struct' | 'list'): PatchedField {
  if (type === undefined) return UNKNOWN_FIELD;
  if (type.form !== 'struct') {
    const kind = patchedType(type).kindName;
    throw new ApiError(500, undefined, `merging an object in json but data type is not struct, instead is: ${kind}`);
  }
  const fact = structFact(type.key);
  if (fact === undefined || fact.isUnstructured === true || fact.isOpen === true) return UNKNOWN_FIELD;
  const field = fact.fields.get(name) ?? sameButForCase(fact.fields, name);
  if (field === undefined) {
    const text = `unable to find api field in struct ${fact.name} for the json field ${JSON.stringify(name)}`;
    throw new ApiError(500, undefined, text);
  }
  const { merges, key } = field.patch;
  const reached = behindPointer(field.type);
  const elements = of === 'list' && reached.form === 'list' ? reached.of : reached;
  return { of: patchedType(elements), merges, mergeKey: key };
}

function sameButForCase(fields: ReadonlyMap<string, FieldFact>, name: string): FieldFact | undefined {
  const wanted = name.toLowerCase();
  for (const [each, field] of fields) if (each.toLowerCase() === wanted) return field;
  return undefined;
}

function patchedType(type: TypeRef): PatchedType {
  const reached = behindPointer(type);
  return { type: reached.form === 'scalar' ? undefined : reached, kindName: KIND_NAMES[reached.form] };
}

const KIND_NAMES: Readonly<Record<TypeRef['form'], string>> = {
  scalar: 'string',
  pointer: 'ptr',
  list: 'slice',
  map: 'map',
  struct: 'struct',
};

function behindPointer(type: TypeRef): TypeRef {
  return type.form === 'pointer' ? behindPointer(type.of) : type;
}
