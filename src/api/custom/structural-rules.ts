/**
 * Schemas are structural: what an object may hold is said outside of all alternatives. Mirrors apiextensions-apiserver's
 * schema/validation.go and the schema part of apis/apiextensions/validation (v1.34).
 */
import { forbidden, invalid, required } from '../errors/field-errors.js';
import type { FieldError } from '../objects/resource-kind.js';
import { isSameJson } from '../values/canonical-json.js';
import { schemaErrors } from './schema-validation.js';
import { rootSchema } from './schema-values.js';
import { expressionErrors, ruleTextErrors } from './rule-declarations.js';
import { goPattern, patternProblem } from '../values/go-pattern.js';
import { isFields, valuesSchema, type JsonSchema } from './json-schema.js';
import { pruned } from './pruning.js';

type Level = 'root' | 'item' | 'field';

const NEEDS_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};
const TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);
const INT_OR_STRING: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];

/**
 * What is wrong with the schema of a version.
 * @param path - of the schema
 * @param isUnchanged - an update leaves it as it was, so that what its rules cost is not held against it
 */
export function structuralErrors(schema: JsonSchema, path: string, isUnchanged = false): readonly FieldError[] {
  const invariants: FieldError[] = [];
  const unread = unreadWord(schema);
  if (unread === undefined) {
    checkNode(schema, 'root', path, invariants);
    checkCompleteness(schema, path, invariants);
  }
  const sorted = invariants.toSorted((a, b) => (`${a.field}: ${a.detail}` < `${b.field}: ${b.detail}` ? -1 : 1));
  // Defaults are held against a schema that is structural.
  if (sorted.length === 0 && unread === undefined) checkDefaults(schema, path, sorted);
  const others: FieldError[] = [];
  if (schema.nullable === true) others.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  checkWords(schema, path, others, { isRoot: true });
  const all = [...sorted, ...others];
  if (unread !== undefined && all.length === 0) {
    all.push(invalid(path, '', `OpenAPIV3Schema '${unread}' is not supported`));
  }
  // Expressions are checked by the types of a schema that is well.
  if (all.length === 0) all.push(...expressionErrors(rootSchema(schema), path, isUnchanged));
  return all;
}

/** Words with which a schema cannot be read as a structural one, as Go names them (schema/convert.go). */
const UNREAD_WORDS: Readonly<Record<string, string>> = {
  id: 'id',
  $schema: 'schema',
  $ref: '$ref',
  definitions: 'definitions',
  dependencies: 'dependencies',
  patternProperties: 'patternProperties',
  additionalItems: 'additionalItems',
};

/** The first such word in a schema, if there is any. */
function unreadWord(schema: JsonSchema): string | undefined {
  const words = schema as Readonly<Record<string, unknown>>;
  for (const [word, name] of Object.entries(UNREAD_WORDS)) {
    const value = words[word];
    const isSaid = isFields(value) ? Object.keys(value).length > 0 : (value ?? '') !== '';
    if (isSaid) return name;
  }
  const { items, not, properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema;
  const below = [items, valuesSchema(schema), not, ...allOf, ...anyOf, ...oneOf, ...Object.values(properties)];
  for (const each of below) {
    const found = each === undefined ? undefined : unreadWord(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkNode(schema: JsonSchema, level: Level, path: string, errors: FieldError[]): void {
  const { type = '', items, properties = {}, additionalProperties } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === 'array' && items === undefined) errors.push(required(`${path}.items`, 'must be specified'));
  if (items !== undefined) checkNode(items, 'item', `${path}.items`, errors);
  for (const [name, below] of Object.entries(properties)) {
    checkNode(below, 'field', `${path}.properties[${name}]`, errors);
  }
  const values = valuesSchema(schema);
  if (additionalProperties !== undefined && level === 'root') {
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (values !== undefined) checkNode(values, 'field', `${path}.additionalProperties`, errors);
  for (const word of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (isIntOrString && schema[word] === true) {
      errors.push(invalid(`${path}.${word}`, true, 'must be false if x-kubernetes-int-or-string is true'));
    }
  }
  checkAlternatives(schema, path, errors);
  if (isEmbedded && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(`${path}.type`, why) : invalid(`${path}.type`, type, why));
  } else if (type === '' && !isIntOrString && !keepsUnknown) {
    errors.push(required(`${path}.type`, NEEDS_TYPE[level]));
  }
  if (isEmbedded && additionalProperties !== undefined) {
    const why = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbidden(`${path}.additionalProperties`, why));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(`${path}.type`, type, 'must be object at the root'));
  }
  if (level === 'root' || isEmbedded) checkMeta(schema, level, path, errors);
  if (isEmbedded && !keepsUnknown && Object.keys(properties).length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${path}.properties`, why));
  }
}

function checkMeta({ properties = {} }: JsonSchema, level: Level, path: string, errors: FieldError[]): void {
  for (const name of ['kind', 'apiVersion']) {
    const { [name]: own } = properties;
    if (own !== undefined && own.type !== 'string') {
      errors.push(invalid(`${path}.properties[${name}].type`, own.type ?? '', 'must be string'));
    }
  }
  const { metadata } = properties;
  if (metadata === undefined) return;
  const place = `${path}.properties[metadata]`;
  if (metadata.type !== 'object') errors.push(invalid(`${place}.type`, metadata.type ?? '', 'must be object'));
  const { type: _type, properties: own = {}, description: _description, default: _default, ...others } = metadata;
  const isPlain = Object.keys(own).every((name) => name === 'name' || name === 'generateName');
  if (level !== 'root' || (isPlain && Object.keys(others).length === 0)) return;
  const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  errors.push(forbidden(place, why));
}

/** Whether alternatives are those that make a number or a text; they may say so in any schema. */
function areIntOrString(alternatives: readonly JsonSchema[] = []): boolean {
  return isSameJson(alternatives, INT_OR_STRING);
}

function checkAlternatives(schema: JsonSchema, path: string, errors: FieldError[]): void {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = '' } = schema;
  if (!areIntOrString(anyOf))
    for (const [index, each] of anyOf.entries()) checkNested(each, `${path}.anyOf[${index}]`, errors);
  for (const [index, each] of allOf.entries()) {
    const isFirstKnown = index === 0 && areIntOrString(each.anyOf);
    const { anyOf: _anyOf, ...others } = each;
    checkNested(isFirstKnown ? others : each, `${path}.allOf[${index}]`, errors);
  }
  for (const [index, each] of oneOf.entries()) checkNested(each, `${path}.oneOf[${index}]`, errors);
  if (not !== undefined) checkNested(not, `${path}.not`, errors);
  if (pattern !== '' && goPattern(pattern) === undefined) {
    errors.push(invalid(`${path}.pattern`, pattern, `${NO_PATTERN}: error parsing regexp: ${patternProblem(pattern)}`));
  }
}

const NO_PATTERN = "must be a valid regular expression, but isn't";
const EMPTY = 'must be empty to be structural';
const UNDEFINED = 'must be undefined to be structural';
const FALSE = 'must be false to be structural';
const NESTED: readonly (readonly [keyof JsonSchema, string])[] = [
  ['type', EMPTY],
  ['additionalProperties', UNDEFINED],
  ['default', UNDEFINED],
  ['title', EMPTY],
  ['description', EMPTY],
  ['nullable', FALSE],
  ['x-kubernetes-preserve-unknown-fields', FALSE],
  ['x-kubernetes-embedded-resource', FALSE],
  ['x-kubernetes-int-or-string', FALSE],
  ['x-kubernetes-list-map-keys', EMPTY],
  ['x-kubernetes-list-type', UNDEFINED],
  ['x-kubernetes-map-type', UNDEFINED],
  ['x-kubernetes-validations', EMPTY],
];

function checkNested(schema: JsonSchema, path: string, errors: FieldError[]): void {
  checkAlternatives(schema, path, errors);
  const { items, properties = {} } = schema;
  if (items !== undefined) checkNested(items, `${path}.items`, errors);
  for (const [name, below] of Object.entries(properties)) checkNested(below, `${path}.properties[${name}]`, errors);
  for (const [word, why] of NESTED) {
    const value = schema[word];
    const isVoid =
      value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0);
    if (!isVoid) errors.push(forbidden(`${path}.${word}`, why));
  }
  if (Object.hasOwn(properties, 'metadata')) {
    errors.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  }
}

/** Whatever is said of a field within alternatives of the root must be said of it outside of them, too. */
function checkCompleteness(schema: JsonSchema, path: string, errors: FieldError[]): void {
  const { anyOf = [], allOf = [], oneOf = [], not } = schema;
  const nested: readonly (readonly [JsonSchema, string])[] = [
    ...anyOf.map((each, index) => [each, `${path}.anyOf[${index}]`] as const),
    ...allOf.map((each, index) => [each, `${path}.allOf[${index}]`] as const),
    ...oneOf.map((each, index) => [each, `${path}.oneOf[${index}]`] as const),
    ...(not === undefined ? [] : [[not, `${path}.not`] as const]),
  ];
  for (const [each, place] of nested) checkComplete(schema, each, { outside: path, inside: place }, errors);
}

interface Places {
  readonly outside: string;
  readonly inside: string;
}

function checkComplete(
  whole: JsonSchema | undefined,
  nested: JsonSchema,
  { outside, inside }: Places,
  errors: FieldError[],
): void {
  if (nested.items !== undefined) {
    const places = { outside: `${outside}.items`, inside: `${inside}.items` };
    if (whole?.items === undefined) errors.push(required(places.outside, `because it is defined in ${places.inside}`));
    else checkComplete(whole.items, nested.items, places, errors);
  }
  for (const [name, below] of Object.entries(nested.properties ?? {})) {
    const places = { outside: `${outside}.properties[${name}]`, inside: `${inside}.properties[${name}]` };
    const own = whole?.properties?.[name];
    if (own === undefined) errors.push(required(places.outside, `because it is defined in ${places.inside}`));
    else checkComplete(own, below, places, errors);
  }
  for (const word of ['anyOf', 'allOf', 'oneOf'] as const) {
    for (const [index, each] of (nested[word] ?? []).entries()) {
      checkComplete(whole, each, { outside, inside: `${inside}.${word}[${index}]` }, errors);
    }
  }
  if (nested.not !== undefined) checkComplete(whole, nested.not, { outside, inside: `${inside}.not` }, errors);
}

/** Words that no schema of a definition may have. */
const FORBIDDEN_WORDS: readonly string[] = [
  'definitions',
  'dependencies',
  'id',
  'additionalItems',
  'patternProperties',
  '$ref',
];

/** Fields of every object, of which no defaults are told. */
const OWN_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata'];

interface Within {
  readonly isRoot?: boolean;
  /** The field of every object within which it is. */
  readonly ownField?: string | undefined;
}

/** What the words of each node say by themselves. */
function checkWords(schema: JsonSchema, path: string, errors: FieldError[], within: Within = {}): void {
  const { type = '', uniqueItems = false, properties = {}, items } = schema;
  const words = schema as Readonly<Record<string, unknown>>;
  for (const word of FORBIDDEN_WORDS) {
    if (words[word] !== undefined) errors.push(forbidden(`${path}.${word}`, `${word} is not supported`));
  }
  if (type === 'null') {
    errors.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  } else if (type !== '' && !TYPES.has(type)) {
    const known = [...TYPES].map((each) => JSON.stringify(each)).join(', ');
    const detail = `Unsupported value: ${JSON.stringify(type)}: supported values: ${known}`;
    errors.push({ type: 'FieldValueNotSupported', field: `${path}.type`, detail });
  }
  if (uniqueItems) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(`${path}.uniqueItems`, why));
  }
  const values = valuesSchema(schema);
  const isBoth = schema.additionalProperties !== undefined && Object.keys(properties).length > 0;
  if (isBoth && schema.additionalProperties !== true) {
    const why = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbidden(`${path}.additionalProperties`, why));
  }
  errors.push(...ruleTextErrors(schema, path));
  checkListType(schema, path, errors);
  const { isRoot = false, ownField } = within;
  if (schema.default !== undefined && ownField !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set in top-level ${ownField}`));
  }
  if (values !== undefined) checkWords(values, `${path}.additionalProperties`, errors, { ownField });
  for (const [name, below] of Object.entries(properties)) {
    const own = isRoot && OWN_FIELDS.includes(name) ? name : ownField;
    checkWords(below, `${path}.properties[${name}]`, errors, { ownField: own });
  }
  if (items !== undefined) checkWords(items, `${path}.items`, errors, { ownField });
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, each] of (schema[word] ?? []).entries()) checkWords(each, `${path}.${word}[${index}]`, errors);
  }
  if (schema.not !== undefined) checkWords(schema.not, `${path}.not`, errors);
}

const LIST_TYPES: readonly string[] = ['atomic', 'set', 'map'];
const MAP_TYPES: readonly string[] = ['atomic', 'granular'];

function checkListType(schema: JsonSchema, path: string, errors: FieldError[]): void {
  const { type = '', items } = schema;
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const mapType = schema['x-kubernetes-map-type'];
  const typePath = `${path}.x-kubernetes-list-type`;
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  if (listType !== undefined) {
    if (type !== 'array') {
      const why = 'must be array if x-kubernetes-list-type is specified';
      errors.push(type === '' ? required(`${path}.type`, why) : invalid(`${path}.type`, type, why));
    }
    if (!LIST_TYPES.includes(listType)) {
      errors.push(notKnown(typePath, listType, LIST_TYPES));
    }
  }
  if (keys.length > 0 && listType !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === undefined ? required(typePath, why) : invalid(typePath, listType, why));
  }
  if (listType === 'map') {
    if (keys.length === 0) {
      errors.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
    }
    if (items === undefined)
      errors.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'));
    else checkKeys(items, keys, { path, keysPath }, errors);
  }
  if (mapType !== undefined && type !== 'object') {
    const why = 'must be object if x-kubernetes-map-type is specified';
    errors.push(type === '' ? required(`${path}.type`, why) : invalid(`${path}.type`, type, why));
  }
  if (mapType !== undefined && !MAP_TYPES.includes(mapType)) {
    errors.push(notKnown(`${path}.x-kubernetes-map-type`, mapType, MAP_TYPES));
  }
}

function notKnown(field: string, value: string, known: readonly string[]): FieldError {
  const texts = known.map((each) => JSON.stringify(each)).join(', ');
  const detail = `Unsupported value: ${JSON.stringify(value)}: supported values: ${texts}`;
  return { type: 'FieldValueNotSupported', field, detail };
}

function checkKeys(
  items: JsonSchema,
  keys: readonly string[],
  { path, keysPath }: { readonly path: string; readonly keysPath: string },
  errors: FieldError[],
): void {
  if (items.type !== 'object') {
    errors.push(
      invalid(`${path}.items.type`, items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"),
    );
  }
  const why = 'entries must all be names of item properties';
  if (items.properties === undefined) {
    errors.push(invalid(keysPath, keys, why));
    return;
  }
  for (const [index, key] of keys.entries()) {
    const own = items.properties[key];
    const place = `${path}.items.properties[${key}]`;
    if (own === undefined) errors.push(invalid(keysPath, keys, why));
    if (keys.indexOf(key) < index) errors.push(invalid(keysPath, keys, 'must not contain duplicate entries'));
    if (own === undefined) continue;
    if (own.type === 'array' || own.type === 'object') {
      // The type that is shown is that of the items.
      const must = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${place}.type`, items.type, must));
    }
    if (own.default === undefined && items.required?.includes(key) !== true) {
      const must =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(required(`${place}.default`, must));
    }
  }
}

/** Defaults are what their schema allows. */
function checkDefaults(schema: JsonSchema, path: string, errors: FieldError[]): void {
  const { default: own, items, properties = {} } = schema;
  if (own !== undefined) {
    const place = `${path}.default`;
    if (isFields(own) && pruned(own, schema).unknown.length > 0) {
      errors.push(invalid(place, own, 'must not have unknown fields'));
    }
    errors.push(...schemaErrors(own, schema, { place }));
  }
  if (items !== undefined) checkDefaults(items, `${path}.items`, errors);
  for (const [name, below] of Object.entries(properties)) checkDefaults(below, `${path}.properties[${name}]`, errors);
  const values = valuesSchema(schema);
  if (values !== undefined) checkDefaults(values, `${path}.additionalProperties`, errors);
}
