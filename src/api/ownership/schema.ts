/** How a value may be owned: whole, by its fields, or by the items of a list. */
import { goJson } from '../values/go-json.js';
import { schemaDefault, structFact, type FieldFact, type TypeRef } from '../types/type-facts.js';

type Fields = Readonly<Record<string, unknown>>;

/** Where a walk through an object is. */
export type Schema =
  | { readonly form: 'leaf' }
  /** Of no type: an object by its fields, anything else whole. */
  | { readonly form: 'deduced' }
  | { readonly form: 'struct'; readonly key: string }
  | { readonly form: 'map'; readonly of: Schema }
  | { readonly form: 'items'; readonly keys: readonly string[]; readonly of: Schema }
  | { readonly form: 'set' };

const LEAF: Schema = { form: 'leaf' };
const DEDUCED: Schema = { form: 'deduced' };

/** The schema of a type's objects. */
export function schemaOf(key: string): Schema {
  const fact = structFact(key);
  return fact === undefined || fact.isAtomic ? LEAF : { form: 'struct', key };
}

const fieldSchemas = new WeakMap<FieldFact, Schema>();

/** The schema of a field of a struct; a field that is not known is a leaf. */
export function fieldSchema(key: string, name: string): Schema {
  const fact = structFact(key);
  const field = fact?.fields.get(name);
  if (field === undefined) return fact?.isOpen === true ? DEDUCED : LEAF;
  let schema = fieldSchemas.get(field);
  if (schema === undefined) fieldSchemas.set(field, (schema = ofType(field.type, field)));
  return schema;
}

/** Whether a struct has the field. */
export function isDeclared(schema: Schema, name: string): boolean {
  return schema.form === 'struct' && structFact(schema.key)?.fields.has(name) === true;
}

function ofType(type: TypeRef, field: FieldFact | undefined): Schema {
  if (field?.isAtomic === true) return LEAF;
  if (type.form === 'scalar') return type.isDeduced === true ? DEDUCED : LEAF;
  if (type.form === 'struct')
    return field?.isGranular === true ? { form: 'struct', key: type.key } : schemaOf(type.key);
  if (type.form === 'pointer') return ofType(type.of, field);
  if (type.form === 'map') return { form: 'map', of: ofType(type.of, undefined) };
  if (field?.isSet === true) return { form: 'set' };
  // Items keep their keys even where their own type is owned as a whole.
  return field?.listKeys === undefined ? LEAF : { form: 'items', keys: field.listKeys, of: itemSchema(type.of) };
}

function itemSchema(type: TypeRef): Schema {
  return type.form === 'struct' ? schemaOf(type.key) : LEAF;
}

/** Thrown for an item that says none of its keys: nothing can own it. */
export class UnkeyedItem extends Error {}

/** The step to an item of a list: its keys by name, those that are defaulted where nothing is said. */
export function itemStep(schema: Schema, item: unknown, itemKey: string | undefined): string {
  if (schema.form !== 'items') return `v:${goJson(item)}`;
  const keys: Record<string, unknown> = {};
  for (const name of [...schema.keys].sort()) {
    const field = itemKey === undefined ? undefined : structFact(itemKey)?.fields.get(name);
    // One that is null says something.
    const stated = (item as Fields | null)?.[name];
    const value = stated === undefined && field !== undefined ? schemaDefault(field) : stated;
    if (value !== undefined) keys[name] = value;
  }
  if (Object.keys(keys).length === 0) throw new UnkeyedItem();
  return `k:${goJson(keys)}`;
}

/** The type of a list's items, where it is a struct. */
export function itemKeyOf({ key, name }: { readonly key: string; readonly name: string }): string | undefined {
  let type = structFact(key)?.fields.get(name)?.type;
  while (type !== undefined && type.form !== 'struct' && type.form !== 'scalar') type = type.of;
  return type?.form === 'struct' ? type.key : undefined;
}
