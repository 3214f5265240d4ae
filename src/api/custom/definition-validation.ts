/**
 * What is refused of a definition of custom resources. Mirrors apiextensions-apiserver's
 * apis/apiextensions/validation (v1.34).
 */
import { duplicate, forbidden, invalid, invalidEach, notSupported, required } from '../errors/field-errors.js';
import { goJson, GoValue } from '../go/go-json.js';
import { validateClient } from '../kinds/rules/webhook-client.js';
import type { PlainObject } from '../objects/plain-kinds.js';
import type { FieldError } from '../objects/resource-kind.js';
import { isSameJson } from '../values/canonical-json.js';
import { dns1035Label, dns1123Subdomain } from '../values/names.js';
import { APPROVAL, approvalOf } from './approval.js';
import {
  definitionOf,
  isCondition,
  NO_VERSIONS,
  type DefinedNames,
  type DefinedVersion,
  type Definition,
} from './definition.js';
import { fieldPathOf } from './field-paths.js';
import { namedFields, shownSchema, shownVersions } from './go-versions.js';
import type { JsonSchema } from './json-schema.js';
import { structuralErrors } from './structural-rules.js';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MOST_SELECTABLE = 8;
const LONGEST_WARNING = 256;

/** What is wrong with a definition that is new. */
export function newDefinitionErrors(object: PlainObject): readonly FieldError[] {
  const definition = definitionOf(object);
  const { spec, metadata } = definition;
  const nameErrors =
    metadata.name === '' || metadata.name === `${spec.names.plural}.${spec.group}`
      ? []
      : [invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')];
  const errors = [...nameErrors, ...specErrors(definition), ...statusErrors(definition), ...storedErrors(definition)];
  const { reason, message = '' } = approvalOf(definition) ?? {};
  const place = `metadata.annotations[${APPROVAL}]`;
  if (reason === 'MissingAnnotation') return [...errors, required(place, message)];
  if (reason !== 'InvalidAnnotation') return errors;
  return [...errors, invalid(place, metadata.annotations?.[APPROVAL], message)];
}

/** What is wrong with an update of a definition, and what it may not change. */
export function definitionChangeErrors(next: PlainObject, previous: PlainObject): readonly FieldError[] {
  const [after, before] = [definitionOf(next), definitionOf(previous)];
  const isFixed = isCondition(before.status, 'Established');
  return [
    ...specErrors(after, before),
    ...(isFixed ? same('spec.scope', after.spec.scope, before.spec.scope) : []),
    ...(isFixed ? same('spec.names.kind', after.spec.names.kind, before.spec.names.kind) : []),
    ...same('spec.group', after.spec.group, before.spec.group),
    ...same('spec.names.plural', after.spec.names.plural, before.spec.names.plural),
    ...statusErrors(after),
    ...storedErrors(after),
  ];
}

/** What is wrong with the names that a status says are accepted. */
function statusErrors({ status: { acceptedNames } }: Definition): readonly FieldError[] {
  return acceptedNames === undefined ? [] : namesErrors(acceptedNames, 'status.acceptedNames');
}

/** What is wrong with a status that is written by itself. */
export function definitionStatusErrors(object: PlainObject): readonly FieldError[] {
  return statusErrors(definitionOf(object));
}

function same(field: string, value: string, old: string): readonly FieldError[] {
  return value === old ? [] : [invalid(field, value, 'field is immutable')];
}

function specErrors(definition: Definition, previous?: Definition): readonly FieldError[] {
  const { spec } = definition;
  const { group, scope, names, conversion, preserveUnknownFields } = spec;
  const { versions, ...shared } = sharedParts(spec.versions);
  const errors: FieldError[] = [];
  if (group === '') errors.push(required('spec.group'));
  else {
    const problems = dns1123Subdomain(group);
    if (problems.length > 0) errors.push(invalid('spec.group', group, problems.join(',')));
    else if (!group.includes('.')) {
      errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
    }
  }
  const scopes = ['Cluster', 'Namespaced'];
  if (scope === '') errors.push(required('spec.scope'));
  else if (!scopes.includes(scope)) errors.push(notSupported('spec.scope', scope, scopes));
  if (shared.schema?.openAPIV3Schema === undefined) {
    for (const [index, { schema }] of versions.entries()) {
      if (schema?.openAPIV3Schema === undefined)
        errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
    }
  }
  const before = new Map((previous?.spec.versions ?? []).map((version) => [version.name, version]));
  const isUnchanged = (version: DefinedVersion | undefined): boolean => {
    const old = version === undefined ? undefined : before.get(version.name);
    return old !== undefined && isSameJson(version?.schema ?? null, old.schema ?? null);
  };
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    const hasStatus = (version.subresources ?? shared.subresources)?.status !== undefined;
    const { [index]: whole } = spec.versions;
    errors.push(...invalidEach(`${path}.name`, version.name, dns1035Label(version.name)));
    errors.push(...warningErrors(version, `${path}.deprecationWarning`));
    errors.push(...schemaErrors(version.schema, `${path}.schema`, hasStatus, isUnchanged(whole)));
    errors.push(...partErrors(version, path));
    errors.push(...selectableErrors(version, `${path}.selectableFields`, NO_OWN_SCHEMA));
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(invalid('spec.versions', shownVersions(versions), 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const why = 'must have exactly one version marked as storage version';
    errors.push(invalid('spec.versions', spec.versions === NO_VERSIONS ? null : shownVersions(versions), why));
  }
  const [first] = spec.versions;
  if (first !== undefined && first.name !== '') {
    errors.push(...invalidEach('spec.version', first.name, dns1035Label(first.name)));
  }
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if ((names[name] ?? '') === '') errors.push(required(`spec.names.${name}`));
  }
  errors.push(...namesErrors(names, 'spec.names'));
  const hasStatus = spec.versions.some(({ subresources }) => subresources?.status !== undefined);
  errors.push(...schemaErrors(shared.schema, 'spec.validation', hasStatus, isUnchanged(first)));
  errors.push(...partErrors(shared, 'spec'));
  errors.push(...selectableErrors(shared, 'spec.selectableFields', NO_SHARED_SCHEMA));
  const { strategy = '' } = conversion ?? {};
  if (conversion !== undefined && strategy !== 'None' && preserveUnknownFields === true) {
    errors.push(invalid('spec.conversion.strategy', strategy, 'must be None if spec.preserveUnknownFields is true'));
  }
  errors.push(...conversionErrors(definition));
  if (preserveUnknownFields === true) {
    const instead = 'set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalid('spec.preserveUnknownFields', true, `cannot set to true, ${instead}`));
  }
  return errors;
}

type Parts = Pick<DefinedVersion, 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>;

/** What all versions have alike, which the API server keeps once and not with each of them. */
function sharedParts(versions: readonly DefinedVersion[]): Parts & { readonly versions: readonly DefinedVersion[] } {
  const [first] = versions;
  const shared: Record<string, unknown> = {};
  for (const part of ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const) {
    const own = first?.[part];
    const isShared = versions.every((version) => isSameJson(version[part] ?? null, own ?? null));
    if (isShared && own !== undefined) shared[part] = own;
  }
  const others = versions.map(
    (version) => Object.fromEntries(Object.entries(version).filter(([part]) => shared[part] === undefined)) as object,
  );
  return { ...(shared as Parts), versions: others as readonly DefinedVersion[] };
}

const ROOT_FIELDS: readonly string[] = (
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern ' +
  'MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields ' +
  'XValidations'
).split(' ');

function schemaErrors(
  schema: DefinedVersion['schema'],
  path: string,
  hasStatus: boolean,
  isUnchanged: boolean,
): readonly FieldError[] {
  const { openAPIV3Schema: own } = schema ?? {};
  if (own === undefined) return [];
  const place = `${path}.openAPIV3Schema`;
  return [...(hasStatus ? rootErrors(own, place) : []), ...structuralErrors(own, place, isUnchanged)];
}

/** A status is judged by the schema of its field, so that the root may say nothing about the object as a whole. */
function rootErrors(schema: JsonSchema, path: string): readonly FieldError[] {
  for (const field of namedFields(schema)) {
    if (field === 'Type' && schema.type !== 'object') {
      const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(`${path}.type`, schema.type, why)];
    }
    if (!ROOT_FIELDS.includes(field)) {
      const why = `only [${ROOT_FIELDS.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [invalid(path, shownSchema(schema), why)];
    }
  }
  return [];
}

function conversionErrors({ spec: { conversion } }: Definition): readonly FieldError[] {
  const errors: FieldError[] = [];
  const strategies = ['None', 'Webhook'];
  if (conversion === undefined) return errors;
  const { strategy = '', webhook } = conversion;
  const { clientConfig, conversionReviewVersions = [] } = (webhook ?? {}) as {
    readonly clientConfig?: Parameters<typeof validateClient>[0];
    readonly conversionReviewVersions?: readonly string[];
  };
  const path = 'spec.conversion';
  if (strategy === '') errors.push(required(`${path}.strategy`));
  else if (!strategies.includes(strategy)) errors.push(notSupported(`${path}.strategy`, strategy, strategies));
  if (strategy !== 'Webhook') {
    const why = 'should not be set when strategy is not set to Webhook';
    if (clientConfig !== undefined) errors.push(forbidden(`${path}.webhookClientConfig`, why));
    if (conversionReviewVersions.length > 0) errors.push(forbidden(`${path}.conversionReviewVersions`, why));
    return errors;
  }
  if (clientConfig === undefined) {
    errors.push(required(`${path}.webhookClientConfig`, 'required when strategy is set to Webhook'));
  } else errors.push(...validateClient(clientConfig, `${path}.webhookClientConfig`));
  return [...errors, ...reviewErrors(conversionReviewVersions, `${path}.conversionReviewVersions`)];
}

const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

function reviewErrors(versions: readonly string[], path: string): readonly FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors = versions.flatMap((version, index): readonly FieldError[] => {
    const own = `${path}[${index}]`;
    if (versions.indexOf(version) < index) return [invalid(own, version, 'duplicate version')];
    return invalidEach(own, version, dns1035Label(version));
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  return [...errors, invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}

function namesErrors(names: DefinedNames, path: string): readonly FieldError[] {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names;
  const label = (field: string, value: string, text = value, prefix = ''): readonly FieldError[] => {
    const problems = value === '' ? [] : dns1035Label(text);
    return problems.length === 0 ? [] : [invalid(`${path}.${field}`, value, prefix + problems.join(','))];
  };
  const mixed = 'may have mixed case, but should otherwise match: ';
  const isSame = kind !== '' && kind === listKind;
  return [
    ...label('plural', plural),
    ...label('singular', singular),
    ...label('kind', kind, kind.toLowerCase(), mixed),
    ...label('listKind', listKind, listKind.toLowerCase(), mixed),
    ...shortNames.flatMap((each, index) => label(`shortNames[${index}]`, each)),
    ...(isSame ? [invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')] : []),
    ...categories.flatMap((each, index) => label(`categories[${index}]`, each)),
  ];
}

function partErrors({ subresources, additionalPrinterColumns = [] }: Parts, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (subresources?.scale !== undefined) errors.push(...scaleErrors(subresources.scale, `${path}.subresources.scale`));
  for (const [index, column] of additionalPrinterColumns.entries()) {
    const place = `${path}.additionalPrinterColumns[${index}]`;
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    const { name, type, format, jsonPath } = textsOf(column);
    if (name === '') errors.push(required(`${place}.name`));
    if (type === '') errors.push(required(`${place}.type`, types));
    else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(`${place}.type`, type, types));
    if (format !== '' && !COLUMN_FORMATS.includes(format)) {
      errors.push(invalid(`${place}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
    }
    if (jsonPath === '') errors.push(required(`${place}.JSONPath`));
    else errors.push(...pathErrors(jsonPath, `${place}.JSONPath`));
  }
  return errors;
}

/** The texts of a column; those that are not there are empty. */
function textsOf(column: object): Readonly<Record<'name' | 'type' | 'format' | 'jsonPath', string>> {
  const given = Object.entries(column).filter(([, text]) => typeof text === 'string');
  return { name: '', type: '', format: '', jsonPath: '', ...(Object.fromEntries(given) as Record<string, string>) };
}

const NO_OWN_SCHEMA = 'may only be set when `version.schema.openAPIV3Schema` is not included';
const NO_SHARED_SCHEMA = 'may only be set when validations.schema is included';
const SELECTABLE_TYPES: readonly string[] = ['string', 'boolean', 'integer'];

/** @param without - what is said where there is no schema beside the fields */
function selectableErrors(
  { selectableFields = [], schema }: Parts,
  path: string,
  without: string,
): readonly FieldError[] {
  if (selectableFields.length === 0) return [];
  if (schema?.openAPIV3Schema === undefined) return [invalid(path, '', without)];
  const errors: FieldError[] = [];
  const known = new Set<string>();
  for (const [index, { jsonPath }] of selectableFields.entries()) {
    const place = `${path}[${index}].jsonPath`;
    if (jsonPath === '') {
      errors.push(required(place));
      continue;
    }
    const found = fieldPathOf(jsonPath, schema.openAPIV3Schema, false);
    if ('problem' in found) {
      errors.push(invalid(place, jsonPath, `is an invalid path: ${found.problem}`));
      continue;
    }
    if (found.names[0] === 'metadata') errors.push(invalid(place, jsonPath, 'must not point to fields in metadata'));
    if (!SELECTABLE_TYPES.includes(found.schema.type ?? '')) {
      const why =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalid(place, jsonPath, why));
    }
    if (known.has(found.place)) errors.push(duplicate(place, jsonPath));
    else known.add(found.place);
  }
  if (known.size > MOST_SELECTABLE) {
    const detail = `Too many: ${known.size}: must have at most ${MOST_SELECTABLE} items`;
    errors.push({ type: 'FieldValueTooMany', field: path, detail });
  }
  return errors;
}

function warningErrors(
  { deprecated = false, deprecationWarning }: DefinedVersion,
  path: string,
): readonly FieldError[] {
  if (deprecationWarning === undefined) return [];
  if (!deprecated) return [invalid(path, deprecationWarning, 'can only be set for deprecated versions')];
  const problems = [
    ...(Buffer.byteLength(deprecationWarning) > LONGEST_WARNING ? ['must be <= 256 characters long'] : []),
    ...(deprecationWarning === '' ? ['must not be an empty string'] : []),
    ...unprintable(deprecationWarning),
  ];
  return invalidEach(path, new GoValue(goJson(deprecationWarning)), problems);
}

/** Spaces but the plain one, marks of format and controls are not printed (Go's unicode.IsPrint). */
function unprintable(text: string): readonly string[] {
  const at = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text)?.index;
  if (at === undefined) return [];
  const bytes = Buffer.byteLength(text.slice(0, at));
  return [`must only contain printable UTF-8 characters; non-printable character found at index ${bytes}`];
}

function scaleErrors(
  scale: NonNullable<NonNullable<DefinedVersion['subresources']>['scale']>,
  path: string,
): readonly FieldError[] {
  const below = (field: 'specReplicasPath' | 'statusReplicasPath' | 'labelSelectorPath', roots: readonly string[]) => {
    const { [field]: value } = scale;
    const place = `${path}.${field}`;
    if (value === undefined) return [];
    if (value === '') return [required(place)];
    const errors = pathErrors(value, place);
    if (errors.length > 0) return errors;
    if (roots.some((root) => value.startsWith(root))) return [];
    const names =
      roots.length === 1 ? `a json path under ${roots[0]?.slice(0, -1)}` : 'a json path under either .status or .spec';
    return [invalid(place, value, `should be ${names}`)];
  };
  return [
    ...below('specReplicasPath', ['.spec.']),
    ...below('statusReplicasPath', ['.status.']),
    ...(scale.labelSelectorPath === '' ? [] : below('labelSelectorPath', ['.status.', '.spec.'])),
  ];
}

function pathErrors(path: string, field: string): readonly FieldError[] {
  return path.startsWith('.') ? [] : [invalid(field, path, 'must be a simple json path starting with .')];
}

/** Versions in which objects may still be stored do not go. */
function storedErrors({ spec: { versions }, status: { storedVersions = [] } }: Definition): readonly FieldError[] {
  const path = 'status.storedVersions';
  if (storedVersions.length === 0) return [invalid(path, null, 'must have at least one stored version')];
  // A name that is there twice is found once.
  const lacking = versions.filter(
    ({ name, storage }, index) =>
      storage && (!storedVersions.includes(name) || versions.findIndex((other) => other.name === name) < index),
  );
  const gone = storedVersions.flatMap((name, index): readonly FieldError[] => {
    if (versions.some((version) => version.name === name)) return [];
    const why =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a ` +
      `storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    return [invalid(`${path}[${index}]`, name, why)];
  });
  return [
    ...lacking.map(({ name }) => invalid(path, storedVersions, `must have the storage version ${name}`)),
    ...gone,
  ];
}
