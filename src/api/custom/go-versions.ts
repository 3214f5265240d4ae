/** Versions of a definition as refusals show them: as the API server's own structures (apis/apiextensions, v1.34). */
import { goJson, GoValue } from '../go/go-json.js';
import type { DefinedVersion } from './definition.js';
import { isFields, type Fields, type JsonSchema, type ValidationRule } from './json-schema.js';

type Form = 'text' | 'flag' | 'value' | 'list' | 'schema' | 'schemas' | 'properties' | 'either' | 'items' | 'rules';

/** Fields in Go's order, with what they hold. */
const SCHEMA_FIELDS: readonly (readonly [go: string, json: string, form: Form])[] = [
  ['ID', 'id', 'text'],
  ['Schema', '$schema', 'text'],
  ['Ref', '$ref', 'value'],
  ['Description', 'description', 'text'],
  ['Type', 'type', 'text'],
  ['Nullable', 'nullable', 'flag'],
  ['Format', 'format', 'text'],
  ['Title', 'title', 'text'],
  ['Default', 'default', 'value'],
  ['Maximum', 'maximum', 'value'],
  ['ExclusiveMaximum', 'exclusiveMaximum', 'flag'],
  ['Minimum', 'minimum', 'value'],
  ['ExclusiveMinimum', 'exclusiveMinimum', 'flag'],
  ['MaxLength', 'maxLength', 'value'],
  ['MinLength', 'minLength', 'value'],
  ['Pattern', 'pattern', 'text'],
  ['MaxItems', 'maxItems', 'value'],
  ['MinItems', 'minItems', 'value'],
  ['UniqueItems', 'uniqueItems', 'flag'],
  ['MultipleOf', 'multipleOf', 'value'],
  ['Enum', 'enum', 'list'],
  ['MaxProperties', 'maxProperties', 'value'],
  ['MinProperties', 'minProperties', 'value'],
  ['Required', 'required', 'list'],
  ['Items', 'items', 'items'],
  ['AllOf', 'allOf', 'schemas'],
  ['OneOf', 'oneOf', 'schemas'],
  ['AnyOf', 'anyOf', 'schemas'],
  ['Not', 'not', 'schema'],
  ['Properties', 'properties', 'properties'],
  ['AdditionalProperties', 'additionalProperties', 'either'],
  ['PatternProperties', 'patternProperties', 'properties'],
  ['Dependencies', 'dependencies', 'value'],
  ['AdditionalItems', 'additionalItems', 'either'],
  ['Definitions', 'definitions', 'properties'],
  ['ExternalDocs', 'externalDocs', 'value'],
  ['Example', 'example', 'value'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', 'value'],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', 'flag'],
  ['XIntOrString', 'x-kubernetes-int-or-string', 'flag'],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', 'list'],
  ['XListType', 'x-kubernetes-list-type', 'value'],
  ['XMapType', 'x-kubernetes-map-type', 'value'],
  ['XValidations', 'x-kubernetes-validations', 'rules'],
];

/** The versions as a refusal shows them. */
export function shownVersions(versions: readonly DefinedVersion[]): GoValue {
  return new GoValue(`[${versions.map(versionText).join(',')}]`);
}

function versionText(version: DefinedVersion): string {
  const { name, deprecated = false, deprecationWarning = null } = version;
  const { served = false, storage = false } = version as Partial<DefinedVersion>;
  const { schema, subresources, additionalPrinterColumns, selectableFields } = version;
  const { status, scale } = subresources ?? {};
  const shownScale = scale && {
    SpecReplicasPath: scale.specReplicasPath,
    StatusReplicasPath: scale.statusReplicasPath,
    LabelSelectorPath: scale.labelSelectorPath ?? null,
  };
  const columns = additionalPrinterColumns?.map((column) => ({
    Name: column.name,
    Type: column.type,
    Format: column.format ?? '',
    Description: column.description ?? '',
    Priority: column.priority ?? 0,
    JSONPath: column.jsonPath,
  }));
  const fields = selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath }));
  const parts: readonly (readonly [string, string])[] = [
    ['Name', JSON.stringify(name)],
    ['Served', String(served)],
    ['Storage', String(storage)],
    ['Deprecated', String(deprecated)],
    ['DeprecationWarning', JSON.stringify(deprecationWarning)],
    ['Schema', schema === undefined ? 'null' : `{"OpenAPIV3Schema":${schemaText(schema.openAPIV3Schema)}}`],
    [
      'Subresources',
      subresources === undefined ? 'null' : JSON.stringify({ Status: status ?? null, Scale: shownScale ?? null }),
    ],
    ['AdditionalPrinterColumns', JSON.stringify(columns ?? null)],
    ['SelectableFields', JSON.stringify(fields ?? null)],
  ];
  return `{${parts.map(([field, text]) => `"${field}":${text}`).join(',')}}`;
}

function schemaText(schema: unknown): string {
  if (!isFields(schema)) return 'null';
  return `{${SCHEMA_FIELDS.map(([go, json, form]) => `"${go}":${fieldText(schema[json], form)}`).join(',')}}`;
}

function fieldText(value: unknown, form: Form): string {
  switch (form) {
    case 'text':
      return goJson(value ?? '');
    case 'flag':
      return String(value === true);
    case 'value':
      return value === undefined ? 'null' : goJson(value);
    case 'list':
      return value === undefined ? 'null' : goJson(value);
    case 'schema':
      return schemaText(value);
    case 'schemas':
      return Array.isArray(value) ? `[${value.map(schemaText).join(',')}]` : 'null';
    case 'properties':
      return isFields(value) ? propertiesText(value) : 'null';
    case 'items':
      return value === undefined ? 'null' : `{"Schema":${schemaText(value)},"JSONSchemas":null}`;
    case 'rules':
      return Array.isArray(value) ? `[${value.map(ruleText).join(',')}]` : 'null';
    case 'either':
      return value === undefined ? 'null' : `{"Allows":${value !== false},"Schema":${schemaText(value)}}`;
  }
}

function propertiesText(properties: Fields): string {
  const names = Object.keys(properties).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${schemaText(properties[name])}`).join(',')}}`;
}

/** Fields of a rule in Go's order; what is no text is a pointer. */
const RULE_FIELDS: readonly (readonly [go: string, json: string, empty: string | null])[] = [
  ['Rule', 'rule', ''],
  ['Message', 'message', ''],
  ['MessageExpression', 'messageExpression', ''],
  ['Reason', 'reason', null],
  ['FieldPath', 'fieldPath', ''],
  ['OptionalOldSelf', 'optionalOldSelf', null],
];

/** A schema as a refusal shows it. */
export function shownSchema(schema: object): GoValue {
  return new GoValue(schemaText(schema));
}

/** The fields of a schema that say something, by their names in Go and in Go's order. */
export function namedFields(schema: JsonSchema): readonly string[] {
  const words = schema as Readonly<Record<string, unknown>>;
  return SCHEMA_FIELDS.filter(
    ([, json]) => words[json] !== undefined && words[json] !== '' && words[json] !== false,
  ).map(([go]) => go);
}

/** A rule as a refusal shows it. */
export function shownRule(rule: ValidationRule): GoValue {
  return new GoValue(ruleText(rule));
}

function ruleText(rule: unknown): string {
  const fields = isFields(rule) ? rule : {};
  return `{${RULE_FIELDS.map(([go, json, empty]) => `"${go}":${goJson(fields[json] ?? empty)}`).join(',')}}`;
}
