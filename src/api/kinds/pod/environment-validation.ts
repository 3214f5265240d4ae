/** Validation of what containers get as variables and of what pods tell of themselves, in upstream's order (v1.34). */
import { invalid, invalidEach, joinedErrors, notSupported, required } from '../../errors/field-errors.js';
import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { configMapKey, dns1123Subdomain, maskTrailingDash, qualifiedName } from '../../values/names.js';

/** Paths of a pod that one may refer to at all. */
const FIELDS: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.phase',
  'status.podIP',
  'status.podIPs',
]);
const VARIABLE_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** Paths of a pod that a file of a volume may show, beside one label or annotation. */
export const FILE_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const HUGE_PAGES = /^(?:limits|requests)\.hugepages-/;
const SUBSCRIPTED = /^([^[]+)\['(.*)'\]$/;
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);
const NAME_RULE = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const NO_SOURCE = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';

/** The variables of a container. */
export function validateEnv(variables: readonly Partial<core.EnvVar>[], field: string): readonly FieldError[] {
  return variables.flatMap(({ name = '', value = '', valueFrom }, index) => {
    const own = `${field}[${index}]`;
    return joinedErrors(
      name === '' ? [required(`${own}.name`)] : validateName(name, `${own}.name`),
      valueFrom === undefined ? NO_ERRORS : validateValueFrom(valueFrom, value, `${own}.valueFrom`),
    );
  });
}

/** Config maps and secrets all of whose keys become variables. */
export function validateEnvFrom(sources: readonly core.EnvFromSource[], field: string): readonly FieldError[] {
  return sources.flatMap(({ prefix = '', configMapRef, secretRef }, index) => {
    const own = `${field}[${index}]`;
    const count = [configMapRef, secretRef].filter((source) => source !== undefined).length;
    return joinedErrors(
      prefix === '' ? NO_ERRORS : validateName(prefix, `${own}.prefix`),
      configMapRef === undefined ? NO_ERRORS : validateReference(configMapRef.name, `${own}.configMapRef.name`),
      secretRef === undefined ? NO_ERRORS : validateReference(secretRef.name, `${own}.secretRef.name`),
      count === 0 ? [invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`')] : NO_ERRORS,
      count > 1 ? [invalid(field, '', 'may not have more than one field specified at a time')] : NO_ERRORS,
    );
  });
}

/** A path of the pod. @param allowed - in order, without the labels and annotations of which one is named */
export function validateFieldRef(
  { apiVersion = '', fieldPath = '' }: Partial<core.ObjectFieldSelector>,
  allowed: readonly string[],
  field: string,
): readonly FieldError[] {
  if (apiVersion === '') return [required(`${field}.apiVersion`)];
  if (fieldPath === '') return [required(`${field}.fieldPath`)];
  const problem = pathProblem(apiVersion, fieldPath);
  if (problem !== undefined) {
    return [invalid(`${field}.fieldPath`, fieldPath, `error converting fieldPath: ${problem}`)];
  }
  const [, path, key = ''] = SUBSCRIPTED.exec(fieldPath) ?? [];
  if (path !== undefined) {
    const shown = path === 'metadata.annotations' ? key.toLowerCase() : key;
    return invalidEach(field, shown, qualifiedName(shown));
  }
  const plain = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  return allowed.includes(plain) ? NO_ERRORS : [notSupported(`${field}.fieldPath`, plain, allowed)];
}

/** An amount that a container requests or is limited to. @param isOfVolume - it has to name the container */
export function validateResourceRef(
  { containerName = '', resource = '' }: Partial<core.ResourceFieldSelector>,
  field: string,
  isOfVolume: boolean,
): readonly FieldError[] {
  if (isOfVolume && containerName === '') return [required(`${field}.containerName`)];
  if (resource === '') return [required(`${field}.resource`)];
  if (RESOURCES.includes(resource) || HUGE_PAGES.test(resource)) return NO_ERRORS;
  return [notSupported(`${field}.resource`, resource, RESOURCES)];
}

function validateValueFrom(source: core.EnvVarSource, value: string, field: string): readonly FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  const count = Object.values(source).filter((each) => each !== undefined).length;
  const whole =
    (count === 0 ? NO_SOURCE : undefined) ??
    (value === '' ? undefined : 'may not be specified when `value` is not empty') ??
    (count > 1 ? 'may not have more than one field specified at a time' : undefined);
  return joinedErrors(
    fieldRef === undefined ? NO_ERRORS : validateFieldRef(fieldRef, VARIABLE_FIELDS, `${field}.fieldRef`),
    resourceFieldRef === undefined
      ? NO_ERRORS
      : validateResourceRef(resourceFieldRef, `${field}.resourceFieldRef`, false),
    configMapKeyRef === undefined ? NO_ERRORS : validateKeyRef(configMapKeyRef, `${field}.configMapKeyRef`),
    secretKeyRef === undefined ? NO_ERRORS : validateKeyRef(secretKeyRef, `${field}.secretKeyRef`),
    whole === undefined ? NO_ERRORS : [invalid(field, '', whole)],
  );
}

function validateKeyRef({ name = '', key = '' }: Partial<core.ConfigMapKeySelector>, field: string): FieldError[] {
  const names = invalidEach(`${field}.name`, name, dns1123Subdomain(name));
  if (key === '') return [...names, required(`${field}.key`)];
  return [...names, ...invalidEach(`${field}.key`, key, configMapKey(key))];
}

function validateReference(name: string | undefined, field: string): readonly FieldError[] {
  if (name === undefined || name === '') return [required(field)];
  return invalidEach(field, name, dns1123Subdomain(maskTrailingDash(name)));
}

function validateName(name: string, field: string): readonly FieldError[] {
  return /^[ -<>-~]+$/.test(name) ? NO_ERRORS : [invalid(field, name, NAME_RULE)];
}

/** Why a path of a pod cannot be converted (ConvertDownwardAPIFieldLabel). */
function pathProblem(apiVersion: string, path: string): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  const [, subscripted] = SUBSCRIPTED.exec(path) ?? [];
  if (subscripted !== undefined) {
    const isMap = subscripted === 'metadata.annotations' || subscripted === 'metadata.labels';
    return isMap ? undefined : `field label does not support subscript: ${path}`;
  }
  return FIELDS.has(path) || path === 'spec.host' ? undefined : `field label not supported: ${path}`;
}
