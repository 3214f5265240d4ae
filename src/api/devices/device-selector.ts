/**
 * Selectors of devices in the Common Expression Language: which variables there are, and what they answer for a device
 * (k8s.io/dynamic-resource-allocation/cel, v1.34), without a budget of cost.
 */
import { answers, readExpression, readingProblem, type CelExpression } from '../cel/expression.js';
import { CelQuantity } from '../cel/library/quantities.js';
import { readSemver } from '../cel/library/semver.js';
import { ANY, mapOf, objectType, readType, STRING, type CelType } from '../cel/types.js';
import { CelDefaultMap, typeName, type CelValue } from '../cel/values.js';
import type { Device, DeviceAttribute } from '../objects/device-objects.js';
import { parseQuantity } from '../values/quantity.js';

const DEVICE = objectType(
  'kubernetes.DRADevice',
  new Map([
    ['driver', STRING],
    ['attributes', mapOf(STRING, mapOf(STRING, ANY))],
    ['capacity', mapOf(STRING, mapOf(STRING, readType('kubernetes.Quantity')))],
  ]),
);
const SCOPE = { variables: new Map([['device', DEVICE]]), hasBindings: true };
const SELECTORS_REMEMBERED = 512;
const NOTHING: CelValue = new Map<CelValue, CelValue>();

/** What came of an expression for a device. */
export type DeviceVerdict = { readonly matches: boolean } | { readonly failure: string };

/** A selector that can be asked, or what is wrong with its text. */
export type SelectorReading = { readonly selector: DeviceSelector } | { readonly problem: string };

/** A selector that can be asked. */
export interface DeviceSelector {
  judge(device: Device, driver: string): DeviceVerdict;
}

const readings = new Map<string, SelectorReading>();

/** Reads an expression, once for all that state it. */
export function readSelector(text: string): SelectorReading {
  let reading = readings.get(text);
  if (reading === undefined) {
    if (readings.size >= SELECTORS_REMEMBERED) readings.clear();
    readings.set(text, (reading = read(text)));
  }
  return reading;
}

function read(text: string): SelectorReading {
  const reading = readExpression(text, SCOPE);
  if ('problem' in reading) return { problem: readingProblem(reading) };
  const { expression } = reading;
  const { type } = expression;
  if (type.name !== 'any' && !(answers(expression, 'bool') && type.form !== 'dyn')) {
    return { problem: `must evaluate to bool or the unknown type, not ${declaredName(type)}` };
  }
  return { selector: { judge: (device, driver) => judged(expression, device, driver) } };
}

/** As cel-go tells a type that it has compiled. */
function declaredName({ name, params, form }: CelType): string {
  if (form === 'null') return 'null_type';
  if (name === 'timestamp' || name === 'duration')
    return `google.protobuf.${name === 'timestamp' ? 'Timestamp' : 'Duration'}`;
  return params.length === 0 ? name : `${name}(${params.map(declaredName).join(', ')})`;
}

function judged(expression: CelExpression, device: Device, driver: string): DeviceVerdict {
  const value = valueOf(device, driver);
  if (typeof value === 'string') return { failure: value };
  const outcome = expression.evaluate((name) => (name === 'device' ? value : undefined));
  if ('failure' in outcome) return outcome;
  if (typeof outcome.value === 'boolean') return { matches: outcome.value };
  const type = typeName(outcome.value);
  const why = NOT_A_TRUTH[type] ?? `type conversion error from '${type.replace('kubernetes.', '')}' to 'bool'`;
  return { failure: `CEL result of type ${type} could not be converted to bool: ${why}` };
}

/** What cel-go's types say when they are to be a truth. */
const NOT_A_TRUTH: Readonly<Record<string, string>> = {
  int: "unsupported type conversion from 'int' to bool",
  double: "type conversion error from Double to 'bool'",
  string: "unsupported native conversion from string to 'bool'",
  list: "type conversion error from list to 'bool'",
  map: "type conversion error from map to 'bool'",
};

/** By device and driver: devices are frozen, and asked for again and again. */
const known = new WeakMap<Device, { readonly driver: string; readonly value: CelValue | string }>();

/** A device as expressions see it; a text when it cannot be seen. */
function valueOf(device: Device, driver: string): CelValue | string {
  const before = known.get(device);
  if (before?.driver === driver) return before.value;
  const value = shownDevice(device, driver);
  known.set(device, { driver, value });
  return value;
}

function shownDevice({ attributes = {}, capacity = {} }: Device, driver: string): CelValue | string {
  const values: [string, CelValue][] = [];
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = attributeValue(attribute);
    if ('problem' in value) return `attribute ${name}: ${value.problem}`;
    values.push([name, value.value]);
  }
  const amounts = Object.entries(capacity).map(([name, { value }]): [string, CelValue] => [
    name,
    new CelQuantity(parseQuantity(value)),
  ]);
  return new Map<CelValue, CelValue>([
    ['driver', driver],
    ['attributes', byDomain(values, driver)],
    ['capacity', byDomain(amounts, driver)],
  ]);
}

/** A domain that there is nothing of has nothing in it: only what is in it can be missing. */
function byDomain(values: readonly (readonly [string, CelValue])[], driver: string): CelValue {
  const domains = new Map<string, Map<CelValue, CelValue>>();
  for (const [name, value] of values) {
    const slash = name.indexOf('/');
    const domain = slash < 0 ? driver : name.slice(0, slash);
    const own = domains.get(domain) ?? new Map<CelValue, CelValue>();
    domains.set(domain, own);
    own.set(name.slice(slash + 1), value);
  }
  return new CelDefaultMap(domains, NOTHING);
}

type ReadAttribute = { readonly value: CelValue } | { readonly problem: string };

function attributeValue({ int, bool, string, version }: DeviceAttribute): ReadAttribute {
  if (int !== undefined) return { value: BigInt(int) };
  if (bool !== undefined) return { value: bool };
  if (string !== undefined) return { value: string };
  if (version === undefined) return { problem: 'unsupported attribute value' };
  const semver = readSemver(version);
  return typeof semver === 'string' ? { problem: `parse semantic version: ${semver}` } : { value: semver };
}
