/**
 * What is refused of a definition of custom resources. Mirrors apiextensions-apiserver's
 * apis/apiextensions/validation (v1.34).
 */
import { forbidden, invalid, invalidEach, notSupported, required } from '../errors/field-errors.js';
import type { PlainObject } from '../objects/plain-kinds.js';
import type { FieldError } from '../objects/resource-kind.js';
import { dns1035Label, dns1123Subdomain } from '../values/names.js';
import { definitionOf, isCondition, type DefinedNames, type DefinedVersion, type Definition } from './definition.js';
import { shownVersions } from './go-versions.js';
import { structuralErrors } from './structural-rules.js';

const APPROVAL = 'api-approved.kubernetes.io';
const PROTECTED = /(?:^|\.)(?:k8s|kubernetes)\.io$/;
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MOST_SELECTABLE = 8;
const LONGEST_WARNING = 256;

/** What is wrong with a definition that is new. */
export function newDefinitionErrors(object: PlainObject): readonly FieldError[] {
  const definition = definitionOf(object);
  const { spec, metadata } = definition;
  const approval = metadata.annotations?.[APPROVAL] ?? '';
  const nameErrors =
    metadata.name === `${spec.names.plural}.${spec.group}`
      ? []
      : [invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')];
  const errors = [...nameErrors, ...specErrors(definition), ...storedErrors(definition)];
  const place = `metadata.annotations[${APPROVAL}]`;
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (!PROTECTED.test(spec.group) || approval.startsWith('unapproved') || /^https?:\/\/./.test(approval)) {
    return errors;
  }
  const error =
    approval === ''
      ? required(place, `protected groups must have approval annotation "${APPROVAL}", ${see}`)
      : invalid(
          place,
          approval,
          `protected groups must have approval annotation "${APPROVAL}" with either a URL or a reason starting with "unapproved", ${see}`,
        );
  return [...errors, error];
}

/** What is wrong with an update of a definition, and what it may not change. */
export function definitionChangeErrors(next: PlainObject, previous: PlainObject): readonly FieldError[] {
  const [after, before] = [definitionOf(next), definitionOf(previous)];
  const isFixed = isCondition(before.status, 'Established');
  return [
    ...specErrors(after),
    ...(isFixed ? same('spec.scope', after.spec.scope, before.spec.scope) : []),
    ...(isFixed ? same('spec.names.kind', after.spec.names.kind, before.spec.names.kind) : []),
    ...same('spec.group', after.spec.group, before.spec.group),
    ...same('spec.names.plural', after.spec.names.plural, before.spec.names.plural),
    ...storedErrors(after),
  ];
}

function same(field: string, value: string, old: string): readonly FieldError[] {
  return value === old ? [] : [invalid(field, value, 'field is immutable')];
}

function specErrors({ spec }: Definition): readonly FieldError[] {
  const { group, scope, versions, names, conversion, preserveUnknownFields } = spec;
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
  for (const [index, { schema }] of versions.entries()) {
    if (schema?.openAPIV3Schema === undefined) errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
  }
  for (const [index, version] of versions.entries()) errors.push(...versionErrors(version, `spec.versions[${index}]`));
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(invalid('spec.versions', shownVersions(versions), 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const why = 'must have exactly one version marked as storage version';
    errors.push(invalid('spec.versions', shownVersions(versions), why));
  }
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if ((names[name] ?? '') === '') errors.push(required(`spec.names.${name}`));
  }
  errors.push(...namesErrors(names, 'spec.names'));
  const strategies = ['None', 'Webhook'];
  const { strategy = 'None' } = conversion ?? {};
  if (!strategies.includes(strategy)) errors.push(notSupported('spec.conversion.strategy', strategy, strategies));
  if (strategy === 'Webhook' && conversion?.webhook === undefined) {
    errors.push(required('spec.conversion.webhookClientConfig', 'required when strategy is set to Webhook'));
  }
  if (strategy === 'None' && conversion?.webhook !== undefined) {
    const why = 'should not be set when strategy is not set to Webhook';
    errors.push(forbidden('spec.conversion.webhookClientConfig', why));
  }
  if (preserveUnknownFields === true) {
    const instead = 'set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalid('spec.preserveUnknownFields', true, `cannot set to true, ${instead}`));
  }
  return errors;
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

function versionErrors(version: DefinedVersion, path: string): readonly FieldError[] {
  const { name, schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = version;
  const errors: FieldError[] = [];
  const problems = dns1035Label(name);
  if (problems.length > 0) errors.push(invalid(`${path}.name`, name, problems.join(',')));
  errors.push(...warningErrors(version, `${path}.deprecationWarning`));
  const { openAPIV3Schema } = schema ?? {};
  if (openAPIV3Schema !== undefined) {
    errors.push(...structuralErrors(openAPIV3Schema, `${path}.schema.openAPIV3Schema`));
  }
  if (subresources?.scale !== undefined) errors.push(...scaleErrors(subresources.scale, `${path}.subresources.scale`));
  for (const [index, column] of additionalPrinterColumns.entries()) {
    const place = `${path}.additionalPrinterColumns[${index}]`;
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (column.name === '') errors.push(required(`${place}.name`));
    if (column.type === '') errors.push(required(`${place}.type`, types));
    else if (!COLUMN_TYPES.includes(column.type)) errors.push(invalid(`${place}.type`, column.type, types));
    const { format = '', jsonPath } = column;
    if (format !== '' && !COLUMN_FORMATS.includes(format)) {
      errors.push(invalid(`${place}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
    }
    if (jsonPath === '') errors.push(required(`${place}.JSONPath`));
    else errors.push(...pathErrors(jsonPath, `${place}.JSONPath`));
  }
  if (new Set(selectableFields.map(({ jsonPath }) => jsonPath)).size > MOST_SELECTABLE) {
    const detail = `Too many: ${selectableFields.length}: must have at most ${MOST_SELECTABLE} items`;
    errors.push({ type: 'FieldValueTooMany', field: `${path}.selectableFields`, detail });
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
  ];
  return invalidEach(path, deprecationWarning, problems);
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
  if (storedVersions.length === 0) return [invalid(path, storedVersions, 'must have at least one stored version')];
  const lacking = versions.filter(({ name, storage }) => storage && !storedVersions.includes(name));
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
