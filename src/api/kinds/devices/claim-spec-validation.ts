/** Validation of what claims ask for (pkg/apis/resource/validation, v1.34). */
import { invalid, invalidEach, notSupported, required } from '../../errors/field-errors.js';
import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
} from '../../objects/device-objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { dns1123Label, dns1123Subdomain, labelValue, qualifiedName } from '../../values/names.js';
import {
  validateConfiguration,
  validateFullName,
  validateList,
  validateOnce,
  validateSelectors,
  type Stated,
} from './device-values.js';

/** Most requests of a claim, and most names of requests that anything refers to. */
const MOST_REQUESTS = 32;
const MOST_CONSTRAINTS = 32;
const MOST_CONFIGURATIONS = 32;
const MOST_ALTERNATIVES = 8;
const OPERATORS = ['Equal', 'Exists'];
const EFFECTS = ['NoExecute', 'NoSchedule'];
const REFERENCE_TEXT =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** The names of a claim's requests, with those of their alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/** {@link RequestNames} of a claim. */
export function requestNamesOf({ requests = [] }: Stated<DeviceClaim>): RequestNames {
  return new Map(
    requests.map(({ name = '', firstAvailable = [] }) => [
      name,
      new Set(firstAvailable.map((each) => each.name ?? '')),
    ]),
  );
}

/** Everything wrong with what is asked for. @param isStored - it has been there before */
export function validateDeviceClaim(claim: Stated<DeviceClaim>, field: string, isStored: boolean): FieldError[] {
  const { requests = [], constraints = [], config = [] } = claim;
  const names = requestNamesOf(claim);
  const judgeConfig = (each: Stated<DeviceClaimConfiguration>, own: string): FieldError[] => [
    ...validateReferences(each.requests, names, `${own}.requests`),
    ...validateConfiguration(each, own, isStored),
  ];
  return [
    ...validateList(requests, MOST_REQUESTS, validateRequest, `${field}.requests`),
    ...validateOnce(requests, ({ name = '' }) => name, `${field}.requests`, 'name'),
    ...validateList(
      constraints,
      MOST_CONSTRAINTS,
      (each, own) => validateConstraint(each, own, names),
      `${field}.constraints`,
    ),
    ...validateList(config, MOST_CONFIGURATIONS, judgeConfig, `${field}.config`),
  ];
}

function validateRequest(
  { name = '', exactly, firstAvailable = [] }: Stated<DeviceRequest>,
  field: string,
): FieldError[] {
  const errors = invalidEach(`${field}.name`, name, dns1123Label(name));
  if (firstAvailable.length > 0) {
    const own = `${field}.firstAvailable`;
    errors.push(...validateList(firstAvailable, MOST_ALTERNATIVES, validateAlternative, own));
    errors.push(...validateOnce(firstAvailable, (each) => each.name ?? '', own, 'name'));
  }
  if (exactly !== undefined) errors.push(...validateAmounts(exactly, `${field}.exactly`));
  const text = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly === undefined && firstAvailable.length === 0) return [...errors, required(field, text)];
  if (exactly === undefined || firstAvailable.length === 0) return errors;
  return [...errors, invalid(field, null, `${text}, but multiple fields are set`)];
}

function validateAlternative(request: Stated<DeviceSubRequest>, field: string): FieldError[] {
  const { name = '' } = request;
  return [...invalidEach(`${field}.name`, name, dns1123Label(name)), ...validateAmounts(request, field)];
}

/** What is asked for: of which class, which of its devices, how many. */
function validateAmounts(request: Stated<ExactDeviceRequest>, field: string): FieldError[] {
  const { deviceClassName = '', selectors = [], allocationMode = '', count = 0, tolerations = [] } = request;
  const className = `${field}.deviceClassName`;
  return [
    ...(deviceClassName === ''
      ? [required(className)]
      : invalidEach(className, deviceClassName, dns1123Subdomain(deviceClassName))),
    ...validateSelectors(selectors, `${field}.selectors`),
    ...validateMode(allocationMode, count, field),
    ...tolerations.flatMap((each, index) => validateToleration(each, `${field}.tolerations[${index}]`)),
  ];
}

function validateMode(mode: string, count: number, field: string): FieldError[] {
  if (mode === 'All') {
    return count === 0 ? [] : [invalid(`${field}.count`, count, "must not be specified when allocationMode is 'All'")];
  }
  if (mode === 'ExactCount') return count > 0 ? [] : [invalid(`${field}.count`, count, 'must be greater than zero')];
  return [notSupported(`${field}.allocationMode`, mode, ['All', 'ExactCount'])];
}

function validateToleration(toleration: Stated<DeviceToleration>, field: string): FieldError[] {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  const errors = key === '' ? [] : invalidEach(`${field}.key`, key, qualifiedName(key));
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalid(`${field}.value`, value, 'must be empty for operator `Exists`'));
  } else if (operator === 'Equal') errors.push(...invalidEach(`${field}.value`, value, labelValue(value)));
  else errors.push(notSupported(`${field}.operator`, operator, OPERATORS));
  if (effect === '' || EFFECTS.includes(effect)) return errors;
  return [...errors, notSupported(`${field}.effect`, effect, EFFECTS)];
}

function validateConstraint(
  { requests, matchAttribute, distinctAttribute }: Stated<DeviceConstraint>,
  field: string,
  names: RequestNames,
): FieldError[] {
  const errors = validateReferences(requests, names, `${field}.requests`);
  if (matchAttribute !== undefined) {
    return [...errors, ...validateFullName(matchAttribute, `${field}.matchAttribute`)];
  }
  if (distinctAttribute !== undefined) {
    return [...errors, ...validateFullName(distinctAttribute, `${field}.distinctAttribute`)];
  }
  return [...errors, required(`${field}.matchAttribute`)];
}

/** Names of requests of the claim, each once. */
export function validateReferences(
  references: readonly string[] = [],
  names: RequestNames,
  field: string,
): FieldError[] {
  return [
    ...validateList(references, MOST_REQUESTS, (name, own) => validateReference(name, names, own), field),
    ...validateOnce(references, (name) => name, field),
  ];
}

/** The name of a request of the claim, or of one of its alternatives. */
export function validateReference(reference: string, names: RequestNames, field: string): FieldError[] {
  const segments = reference.split('/');
  if (segments.length > 2) return [invalid(field, reference, REFERENCE_TEXT)];
  const errors = segments.flatMap((segment) => invalidEach(field, segment, dns1123Label(segment)));
  const [first = '', second] = segments;
  const alternatives = names.get(first);
  const isKnown = alternatives !== undefined && (second === undefined || alternatives.has(second));
  return isKnown ? errors : [...errors, invalid(field, reference, REFERENCE_TEXT)];
}
