/**
 * Decoding: holds a parsed draft against the types of its kind, as the Go server does when it reads a
 * request. Wrong types are refused, unknown fields dropped with a warning; nulls are absent, and so are zero
 * values that Go leaves out. It neither fills in nor judges values. Mirrors apimachinery's runtime/serializer/json (v1.34).
 */
import { RecentMap } from '../../kernel/recent-map.js';
import { ApiError } from '../errors/api-error.js';
import { illegalBase64At } from '../values/base64.js';
import { inKeyOrder } from '../values/canonical-json.js';
import type { Draft } from '../objects/objects.js';
import { converterText } from './converter-text.js';
import { setOwnField } from '../values/own-fields.js';
import { GoTimeError, readGoTime } from '../go/go-time.js';
import { knownQuantity, QuantityError } from '../values/quantity.js';
import { structFact, typeKeyOf, zeroOf, type FieldFact, type StructFact, type TypeRef } from '../types/type-facts.js';

/** What decoding must know of a kind. */
type KindVersion = Readonly<Record<'kind' | 'group' | 'version', string>>;

/** Names and indexes from the top of an object to one of its fields. */
export type FieldPath = readonly (string | number)[];

type Fields = Readonly<Record<string, unknown>>;

interface FieldType {
  readonly code: string;
  /** Go's name of the type, for messages. */
  readonly goName: string;
  /** Of the items of a list. */
  readonly item: FieldType | undefined;
  /** Whether a field of this type is absent when its value is the zero of it. */
  readonly isOmittedWhenZero?: boolean;
}

interface StructType {
  readonly fields: ReadonlyMap<string, FieldType>;
  /** Of scalars that Go has always, what they are where nothing is said. */
  readonly zeros: readonly (readonly [name: string, zero: unknown])[];
}

const GO_NAMES: Readonly<Record<string, string>> = {
  s: 'string',
  t: 'string',
  u: 'string',
  b: 'bool',
  i: 'int32',
  l: 'int64',
  q: 'resource.Quantity',
  x: 'intstr.IntOrString',
  d: 'float64',
  y: '[]uint8',
  S: 'map[string]string',
  B: 'map[string][]uint8',
  Q: 'v1.ResourceList',
};
const STRING_TYPE: FieldType = { code: 's', goName: 'string', item: undefined };
const BYTES_TYPE: FieldType = { code: 's', goName: '[]uint8', item: undefined };
const INT32_TYPE: FieldType = { code: 'i', goName: 'int32', item: undefined };
const SPECS_REMEMBERED = 512;
const INT_LIMITS: Readonly<Record<string, number>> = { i: 2 ** 31, l: 2 ** 63 };

/** Objects that were found clean. */
interface CleanObjects {
  get(object: object): true | undefined;
  set(object: object, isClean: true): unknown;
}

/** Types of objects that many drafts share by reference: once found clean, they are not read again. */
const SHARED_TYPES: ReadonlyMap<string, CleanObjects> = new Map<string, CleanObjects>([
  ['core/v1.PodSpec', new RecentMap(SPECS_REMEMBERED)],
  ['core/v1.PodTemplateSpec', new WeakMap()],
  // Each change of a slice comes with all of its endpoints, of an Endpoints object with all of its addresses.
  ['discovery/v1.Endpoint', new WeakMap()],
  ['core/v1.EndpointAddress', new WeakMap()],
]);

const NO_ZEROS: StructType['zeros'] = [];
const structTypes = new Map<string, StructType>();

/**
 * The draft without nulls, unknown fields and zero values that are left out; itself if there are none.
 *
 * @param onWarning - told of each dropped field, such as `unknown field "spec.bar"`
 * @param known - a decoded object of the kind: what the draft has from it by reference is not read again
 * @throws ApiError 400 for a wrong type, a text that is no quantity, another kind or version
 */
export function decodeDraft(
  { kind, group, version }: KindVersion,
  draft: Draft,
  onWarning?: (warning: string) => void,
  known?: object,
): Draft {
  return decode({ kind, group, version }, draft, onWarning && ((path) => onWarning(unknownFieldText(path))), known);
}

/**
 * The fields of a draft that its kind does not know, as paths, in the draft's order.
 *
 * @param onRefused - told of the field for which an error is about to be thrown
 * @throws ApiError as {@link decodeDraft}
 */
export function unknownFields(
  kindVersion: KindVersion,
  draft: Draft,
  onRefused?: (path: FieldPath) => void,
): readonly FieldPath[] {
  const paths: FieldPath[] = [];
  decode(kindVersion, draft, (path) => paths.push(path), undefined, onRefused);
  return paths;
}

/**
 * {@link decodeDraft} as the converter of unstructured objects does it: fields in the order of their structs, up to the
 * first wrong one; whole numbers that are too large lose their upper bits; and wrong types of values that read
 * themselves, and bad base64, are told in words of its own.
 */
export function convertDraft(kindVersion: KindVersion, draft: Draft, onUnknown: (path: FieldPath) => void): Draft {
  return decode(kindVersion, draft, onUnknown, undefined, undefined, true);
}

/** `unknown field "spec.containers[0].foo"`. */
export function unknownFieldText(path: FieldPath): string {
  return unknownPathText(fieldPathText(path));
}

/** {@link unknownFieldText} of a path that is a text already. */
export function unknownPathText(path: string): string {
  return `unknown field "${path}"`;
}

/** `spec.containers[0].foo`. */
export function fieldPathText(path: FieldPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

/** An object of a type that is no kind, without what the type does not know. @throws what `refuse` makes of a wrong type */
export function decodeStruct(key: string, value: object, refuse: (problem: string) => Error): Fields {
  try {
    return new Decoder(() => undefined).read(value as Fields, key);
  } catch (error) {
    if (error instanceof TypeMismatch || error instanceof GoTimeError) throw refuse(error.message);
    throw error;
  }
}

/** Metadata as the server keeps it. @throws ApiError 400 for a wrong type */
export function decodeMetadata(
  { kind, version }: Readonly<Record<'kind' | 'version', string>>,
  metadata: object,
  onUnknown: (path: FieldPath) => void,
): object {
  if (typeof metadata !== 'object' || Array.isArray(metadata)) {
    const got = jsonType(metadata);
    throw undecodable(kind, kind, version, `json: cannot unmarshal ${got} into Go value of type v1.ObjectMeta`);
  }
  try {
    return new Decoder((path) => onUnknown(['metadata', ...path])).read(metadata as Fields, 'meta/v1.ObjectMeta');
  } catch (error) {
    if (error instanceof TypeMismatch || error instanceof GoTimeError)
      throw undecodable(kind, kind, version, error.message);
    throw error;
  }
}

/** The refusal of an object in a version that its kind does not have. */
export function badApiVersion(got: string, expected: string): ApiError {
  const text = `the API version in the data (${got}) does not match the expected API version (${expected})`;
  return new ApiError(400, 'BadRequest', text);
}

function decode(
  { kind, group, version }: KindVersion,
  draft: Draft,
  onUnknown?: (path: FieldPath) => void,
  known?: object,
  onRefused?: (path: FieldPath) => void,
  isConverted = false,
): Draft {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const draftVersion = draft.apiVersion ?? apiVersion;
  const draftKind = draft.kind ?? kind;
  if (draftKind !== kind || draftVersion !== apiVersion) {
    const stated = draftVersion.slice(draftVersion.indexOf('/') + 1);
    if (!isKind(draftKind, draftVersion)) {
      const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';
      const problem = `no kind "${draftKind}" is registered for version "${draftVersion}" ${scheme}`;
      throw undecodable(kind, draftKind, stated, problem);
    }
    if (draftKind === kind) throw badApiVersion(draftVersion, apiVersion);
    const types = `(${stated}.${draftKind}) to (${internalPackage(group, kind)}.${kind})`;
    throw undecodable(kind, draftKind, stated, `converting ${types}: unknown conversion`);
  }
  const decoder = new Decoder(onUnknown, isConverted);
  try {
    return decoder.read(draft, typeKeyOf({ group, version, kind }), known as Fields | undefined);
  } catch (error) {
    if (error instanceof TypeMismatch || error instanceof QuantityError || error instanceof GoTimeError) {
      onRefused?.(decoder.path);
      throw undecodable(kind, kind, version, error.message);
    }
    throw error;
  }
}

/** The refusal of what cannot be read. */
export function undecodable(kind: string, draftKind: string, draftVersion: string, problem: string): ApiError {
  const what = `${draftKind} in version "${draftVersion}"`;
  return new ApiError(400, 'BadRequest', `${what} cannot be handled as a ${kind}: ${problem}`);
}

/** Kinds that every version has, and those of the core group beside its own. */
const EVERYWHERE: ReadonlySet<string> = new Set(
  ['Create', 'Delete', 'Get', 'List', 'Patch', 'Update'].map((verb) => `${verb}Options`).concat('WatchEvent'),
);
const UNVERSIONED: ReadonlySet<string> = new Set(
  ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'].map((kind) => `v1 ${kind}`),
);

/** Whether a version has a kind: other types of its objects are none. */
function isKind(kind: string, apiVersion: string): boolean {
  if (UNVERSIONED.has(`${apiVersion} ${kind}`) || EVERYWHERE.has(kind)) return true;
  const at = apiVersion.indexOf('/');
  const names = { group: apiVersion.slice(0, Math.max(0, at)), version: apiVersion.slice(at + 1) };
  const isObject = (each: string): boolean =>
    structFact(typeKeyOf({ ...names, kind: each }))?.fields.has('metadata') === true;
  return isObject(kind) || (kind.endsWith('List') && isObject(kind.slice(0, -'List'.length)));
}

/** Where Go has the type that a kind's versions are turned into. */
function internalPackage(group: string, kind: string): string {
  if (group === '' || kind === 'Event') return 'core';
  return group.split('.')[0] ?? group;
}

const NO_ITEMS: readonly unknown[] = [];

class TypeMismatch extends Error {}

class Decoder {
  readonly #onUnknown: ((path: FieldPath) => void) | undefined;
  readonly #isConverted: boolean;
  readonly #path: (string | number)[] = [];
  /** At which depths of the path there are keys of maps. */
  readonly #keyDepths: number[] = [];
  /** The field whose type reads itself within which it is: what is told of the fields below it is told of it. */
  #reader: { readonly owner: string; readonly fields: string } | undefined;
  /**
   * The first wrong type, and where it stands. Reading goes on, as encoding/json's does: what a type with a reader of
   * its own refuses further on counts more, and is thrown at once.
   */
  #mismatch: { readonly error: TypeMismatch; readonly path: FieldPath } | undefined;

  constructor(onUnknown: ((path: FieldPath) => void) | undefined, isConverted = false) {
    this.#onUnknown = onUnknown;
    this.#isConverted = isConverted;
  }

  /** Where it is; where it was when it threw. */
  get path(): FieldPath {
    return this.#path;
  }

  /** An object of a table entry. @param known - a decoded one, of which it may have parts @throws TypeMismatch */
  read(value: Fields, typeName: string, known?: Fields): Fields {
    const result = this.#struct(value, typeName, known);
    if (this.#mismatch === undefined) return result;
    this.#path.splice(0, this.#path.length, ...this.#mismatch.path);
    throw this.#mismatch.error;
  }

  #struct(value: Fields, typeName: string, known?: Fields): Fields {
    const cleanObjects = SHARED_TYPES.get(typeName);
    if (cleanObjects?.get(value) === true) return value;
    const type = structType(typeName);
    let result: Record<string, unknown> | undefined;
    for (const name of this.#isConverted ? inOrderOf(value, type) : Object.keys(value)) {
      const field = value[name];
      if (field === undefined || (known !== undefined && field !== null && field === known[name])) continue;
      const fieldType = type?.fields.get(name);
      if (field === null || fieldType === undefined) {
        if (fieldType === undefined && this.#reader === undefined) this.#onUnknown?.([...this.#path, name]);
        result = without(result ?? value, name);
        continue;
      }
      this.#path.push(name);
      const decoded = this.#value(field, fieldType, typeName, known?.[name]);
      this.#path.pop();
      const isOmitted = fieldType.isOmittedWhenZero === true && isZero(decoded, fieldType);
      if (decoded === field && !isOmitted) continue;
      if (isOmitted) {
        result = without(result ?? value, name);
        continue;
      }
      result ??= { ...value };
      result[name] = decoded;
    }
    for (const [name, zero] of type?.zeros ?? NO_ZEROS) {
      if ((result ?? value)[name] !== undefined) continue;
      result ??= { ...value };
      result[name] = zero;
    }
    if (this.#mismatch === undefined) cleanObjects?.set(result ?? value, true);
    return result ?? value;
  }

  #value(value: unknown, type: FieldType, owner: string, known?: unknown): unknown {
    switch (type.code) {
      case '*':
        return value;
      case 's':
      case '@':
        if (typeof value !== 'string') return this.#wrong(value, type, owner);
        return value;
      case 't':
      case 'u':
        if (typeof value !== 'string') throw this.#unreadable(value, type, owner);
        return readGoTime(value, type.code === 't' ? 'second' : 'microsecond');
      case 'b':
        if (typeof value !== 'boolean') return this.#wrong(value, type, owner);
        return value;
      case 'i':
      case 'l':
        if (isInteger(value, type)) return value;
        if (this.#isConverted && Number.isInteger(value)) return wrapped(value as number, type);
        return this.#wrong(value, type, owner, typeof value === 'number' ? `number ${value}` : undefined);
      case 'x':
        if (typeof value !== 'string') this.#checkIntOrString(value, owner);
        return value;
      case 'q':
        checkQuantity(value);
        return value;
      case 'S':
      case 'B':
      case 'Q':
        return this.#map(value, type, owner);
      case 'd':
        if (typeof value !== 'number') return this.#wrong(value, type, owner);
        return value;
      case 'y':
        if (typeof value !== 'string') return this.#wrong(value, type, owner);
        this.#checkBase64(value);
        return value;
      case '{}':
        return this.#mapOf(value, type, owner);
      case '[]':
        return this.#list(value, type, owner, Array.isArray(known) ? known : NO_ITEMS);
      default:
        if (READERS.has(type.code)) return this.#readByItself(value, type, owner);
        if (!isFields(value)) return this.#wrong(value, type, owner);
        return this.#struct(value, type.code, isFields(known) ? known : undefined);
    }
  }

  /** Of a type with an `UnmarshalJSON` of its own, which is not strict. @throws TypeMismatch, the first one within it */
  #readByItself(value: unknown, { code }: FieldType, owner: string): unknown {
    if (this.#reader !== undefined) return this.#readOwn(value, code, owner);
    // The converter hands it JSON, whose keys are in order.
    if (this.#isConverted) new Decoder(undefined).#readAlone(inKeyOrder(value), code);
    const before = this.#mismatch;
    this.#mismatch = undefined;
    this.#reader = { owner, fields: this.#fields() };
    const decoded = this.#readOwn(value, code, owner);
    this.#reader = undefined;
    if (this.#mismatch !== undefined) throw (this.#mismatch as { readonly error: TypeMismatch }).error;
    this.#mismatch = before;
    return decoded;
  }

  /** A schema, a list of them or of texts, a truth; what is nothing of these is refused, or is nothing. @throws TypeMismatch */
  #readOwn(value: unknown, code: string, owner: string): unknown {
    if (isFields(value)) return this.#struct(value, code);
    if (code.endsWith('OrBool')) {
      if (typeof value === 'boolean') return value;
      throw new TypeMismatch('boolean or JSON schema expected');
    }
    if (!Array.isArray(value)) return undefined;
    return this.#list(value, code.endsWith('OrArray') ? SCHEMAS : TEXTS, owner, NO_ITEMS);
  }

  /** Of such a type by itself. @throws TypeMismatch */
  #readAlone(value: unknown, code: string): void {
    if (isFields(value)) this.#struct(value, SCHEMA);
    else this.#readOwn(value, code, SCHEMA);
    if (this.#mismatch !== undefined) throw this.#mismatch.error;
  }

  /** What is no text is read as an int32 by the type itself. */
  #checkIntOrString(value: unknown, owner: string): void {
    if (isInteger(value, INT32_TYPE)) return;
    throw this.#unreadable(value, INT32_TYPE, owner, typeof value === 'number' ? `number ${value}` : jsonType(value));
  }

  /** Notes a wrong type: the value is left out. @throws TypeMismatch where the first one ends it */
  #wrong(value: unknown, type: FieldType, owner: string, got?: string): undefined {
    if (this.#isConverted) {
      const { message } = this.#mismatchOf(value, type, owner, typeof value === 'number' ? `number ${value}` : got);
      throw new TypeMismatch(converterText(message));
    }
    this.#mismatch ??= { error: this.#mismatchOf(value, type, owner, got), path: [...this.#path] };
    return undefined;
  }

  /** What a value that reads itself was given. */
  #unreadable(value: unknown, type: FieldType, owner: string, got = jsonType(value)): TypeMismatch {
    if (!this.#isConverted) return this.#mismatchOf(value, type, owner, got);
    return new TypeMismatch(`json: cannot unmarshal ${got} into Go value of type ${type.goName}`);
  }

  #checkBase64(text: string): void {
    const at = illegalBase64At(text);
    if (at === undefined) return;
    const problem = `${this.#isConverted ? 'error decoding from json: ' : ''}illegal base64 data at input byte ${at}`;
    if (this.#isConverted) throw new TypeMismatch(problem);
    this.#mismatch ??= { error: new TypeMismatch(problem), path: [...this.#path] };
  }

  #map(value: unknown, type: FieldType, owner: string): unknown {
    if (!isFields(value)) return this.#wrong(value, type, owner);
    let result: Record<string, unknown> | undefined;
    for (const key in value) {
      const item = value[key];
      if (item === null) {
        result ??= { ...value };
        setOwnField(result, key, type.code === 'Q' ? '0' : '');
      } else if (type.code === 'Q') checkQuantity(item);
      else if (typeof item !== 'string') this.#wrong(item, type.code === 'B' ? BYTES_TYPE : STRING_TYPE, owner);
      else if (type.code === 'B') this.#checkBase64(item);
    }
    return result ?? value;
  }

  #mapOf(value: unknown, type: FieldType, owner: string): unknown {
    if (!isFields(value) || type.item === undefined) return this.#wrong(value, type, owner);
    let result: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      const item = value[key];
      this.#keyDepths.push(this.#path.length);
      this.#path.push(key);
      const decoded = item === null ? this.#zeroOf(type.item) : this.#value(item, type.item, owner);
      this.#path.pop();
      this.#keyDepths.pop();
      if (decoded === item) continue;
      result ??= { ...value };
      setOwnField(result, key, decoded);
    }
    return result ?? value;
  }

  #list(value: unknown, type: FieldType, owner: string, known: readonly unknown[]): unknown {
    if (!Array.isArray(value) || type.item === undefined) return this.#wrong(value, type, owner);
    const items = value as readonly unknown[];
    let result: unknown[] | undefined;
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index];
      if (item === known[index] && item !== undefined && item !== null) continue;
      this.#path.push(index);
      const decoded = item === null ? this.#zeroOf(type.item) : this.#value(item, type.item, owner, known[index]);
      this.#path.pop();
      if (decoded === item) continue;
      result ??= [...items];
      result[index] = decoded;
    }
    return result ?? items;
  }

  /** What null is in a list or a map. */
  #zeroOf({ code }: FieldType): unknown {
    // What is kept as it is written is null as well.
    if (code === '*') return null;
    if (code === 's' || code === '@') return '';
    return code === 'i' || code === 'l' ? 0 : this.#struct({}, code);
  }

  #mismatchOf(value: unknown, type: FieldType, owner: string, got = jsonType(value)): TypeMismatch {
    const { owner: struct, fields } = this.#reader ?? { owner, fields: this.#fields() };
    if (fields === '') return new TypeMismatch(`json: cannot unmarshal ${got} into Go value of type ${type.goName}`);
    return new TypeMismatch(
      `json: cannot unmarshal ${got} into Go struct field ${nameOf(struct)}.${fields} of type ${type.goName}`,
    );
  }

  /** The fields of structs on the path, as encoding/json names them. */
  #fields(): string {
    return this.#path.filter((part, depth) => typeof part === 'string' && !this.#keyDepths.includes(depth)).join('.');
  }
}

/** A quantity reads itself, whatever it is given. @throws QuantityError */
function checkQuantity(value: unknown): void {
  knownQuantity(typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value));
}

/** Types that read themselves from JSON (apiextensions/v1/marshal.go). */
const READERS: ReadonlySet<string> = new Set(
  ['OrArray', 'OrBool', 'OrStringArray'].map((kind) => `apiextensions/v1.JSONSchemaProps${kind}`),
);

const SCHEMA = 'apiextensions/v1.JSONSchemaProps';
const SCHEMAS: FieldType = {
  code: '[]',
  goName: '[]v1.JSONSchemaProps',
  item: { code: SCHEMA, goName: 'v1.JSONSchemaProps', item: undefined },
};
const TEXTS: FieldType = { code: '[]', goName: '[]string', item: STRING_TYPE };
/** Containers of schemas that Go has a name for. */
const NAMED_CONTAINERS: Readonly<Record<string, string>> = {
  dependencies: 'v1.JSONSchemaDependencies',
  definitions: 'v1.JSONSchemaDefinitions',
  'x-kubernetes-validations': 'v1.ValidationRules',
};

/** A copy: an object of which a field was deleted would be slow from then on. */
function without(value: Fields, omitted: string): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const name of Object.keys(value)) if (name !== omitted) setOwnField(rest, name, value[name]);
  return rest;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields that a struct has come first, as it has them. */
function inOrderOf(value: Fields, type: StructType | undefined): readonly string[] {
  const known = [...(type?.fields.keys() ?? [])].filter((name) => Object.hasOwn(value, name));
  return [...known, ...Object.keys(value).filter((name) => type?.fields.has(name) !== true)];
}

/** What is left of a number in a type of fewer bits. */
function wrapped(value: number, { code }: FieldType): number {
  return Number(BigInt.asIntN(code === 'i' ? 32 : 64, BigInt(value)));
}

function isInteger(value: unknown, { code }: FieldType): boolean {
  const limit = INT_LIMITS[code] ?? 0;
  return typeof value === 'number' && Number.isInteger(value) && value >= -limit && value < limit;
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Whether a decoded value is the zero of its type. */
function isZero(value: unknown, { code }: FieldType): boolean {
  if (code === 'q') return knownQuantity(value as string | number).nanos === 0n;
  if (typeof value !== 'object' || value === null) return value === false || value === 0 || value === '';
  if (Array.isArray(value)) return value.length === 0;
  return Object.keys(value).length === 0;
}

/** Of a key, without its package. */
function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

function structType(key: string): StructType | undefined {
  let type = structTypes.get(key);
  if (type !== undefined) return type;
  const fact = structFact(key);
  if (fact === undefined) return undefined;
  // Kind and version of an object are checked before; those of a reference are fields like others.
  const isObject = fact.fields.has('metadata');
  const compiled = [...fact.fields].map(([name, field]): [string, FieldType] => {
    return [name, isObject && (name === 'kind' || name === 'apiVersion') ? ANYTHING : compileField(field, fact)];
  });
  const always = [...fact.fields.values()].filter(isAlwaysThere);
  const zeros = STATUSES.test(fact.name) ? NO_ZEROS : always.map((field) => [field.name, zeroOf(field.type)] as const);
  type = { fields: new Map(compiled), zeros };
  structTypes.set(key, type);
  return type;
}

/** Types that controllers write: their zeros are shown as they are. */
const STATUSES = /Status$|Condition$|^ContainerState/;
/** Scalars that Go leaves out while they are zero. */
const OMITTED_CODES: ReadonlySet<string> = new Set(['s', '@', 'b', 'i', 'l', 'd', 'y', 'q', 'S', 'B', 'Q', '[]', '{}']);

/**
 * The field, which is left out while it is zero where it is `omitempty` and no pointer. The metadata of a template is
 * there for Go whether it says anything or not: metadata that is empty is as none.
 */
function compileField({ name, type, isOmitempty }: FieldFact, owner: StructFact): FieldType {
  const own = owner.key.startsWith(SCHEMA) ? NAMED_CONTAINERS[name] : undefined;
  const compiled = own === undefined ? compileType(type) : { ...compileType(type), goName: own };
  const isOmitted =
    type.form === 'struct'
      ? type.key === 'meta/v1.ObjectMeta' && !owner.fields.has('kind')
      : isOmitempty && type.form !== 'pointer' && OMITTED_CODES.has(compiled.code) && !isTime(type);
  return { ...compiled, isOmittedWhenZero: isOmitted && !STATUSES.test(owner.name) };
}

/** Whether a field is a scalar that is written also while it is zero. */
function isAlwaysThere({ type, isOmitempty }: FieldFact): boolean {
  return !isOmitempty && type.form === 'scalar' && zeroOf(type) !== undefined;
}

const ANYTHING: FieldType = { code: '*', goName: '', item: undefined };

function isTime(type: TypeRef): boolean {
  return type.form === 'scalar' && (type.code === 't' || type.code === 'u');
}

/** Codes of scalars that are told apart on the wire and in ownership, and are texts in JSON. */
const JSON_CODES: Readonly<Partial<Record<string, string>>> = { r: '*' };
const MAP_CODES: Readonly<Partial<Record<string, string>>> = { s: 'S', y: 'B', q: 'Q' };

function compileType(type: TypeRef): FieldType {
  if (type.form === 'struct') return { code: type.key, goName: goStructName(type.key), item: undefined };
  if (type.form !== 'scalar') return compileContainer(type.form, type.of);
  if (type.goName !== undefined) {
    const goName = type.goName.includes('.') ? type.goName : `v1.${type.goName}`;
    return { code: '@', goName, item: undefined };
  }
  const code = JSON_CODES[type.code] ?? type.code;
  return { code, goName: GO_NAMES[code] ?? (type.code === 'r' ? 'v1.JSON' : type.code), item: undefined };
}

function compileContainer(form: 'pointer' | 'list' | 'map', of: TypeRef): FieldType {
  const item = compileType(of);
  if (form === 'pointer') return item;
  if (form === 'list') return { code: '[]', goName: `[]${item.goName}`, item };
  const code = MAP_CODES[item.code];
  if (code !== undefined) return { code, goName: GO_NAMES[code] ?? '', item: undefined };
  return { code: '{}', goName: `map[string]${item.goName}`, item };
}

/** `v1.Container` of `core/v1.Container`. */
function goStructName(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
