/** Validation of what drivers publish (pkg/apis/resource/validation, v1.34), as far as features read it. */
import { invalid, invalidEach, required, tooLong } from '../../errors/field-errors.js';
import { asGo, GoValue } from '../../go/go-json.js';
import type { Device, DeviceAttribute, ResourceSlice } from '../../objects/device-objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { dns1123Label, dns1123Subdomain } from '../../values/names.js';
import { validateNodeSelector } from '../pod/affinity-validation.js';
import { immutable } from '../rules/storage-fields.js';
import {
  validateDriver,
  validateList,
  validateOnce,
  validatePool,
  validateQualifiedName,
  type Stated,
} from './device-values.js';

type Spec = ResourceSlice['spec'];

const MOST_DEVICES = 128;
const MOST_VALUES = 32;
const LONGEST_VALUE = 64;
/** Of a key of attributes as refusals show it. */
const LONGEST_KEY = 63 + 1 + 32;
const NUMBER = '(0|[1-9]\\d*)';
const STAGE = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const BUILD = '[0-9a-zA-Z-]+';
const SEMVER = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(-${STAGE}(\\.${STAGE})*)?(\\+${BUILD}(\\.${BUILD})*)?$`);
const SCOPES = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

/** Everything wrong with a slice. @param before - what it replaces */
export function validateSlice(spec: Spec, before?: Spec): FieldError[] {
  const { driver = '', pool, devices = [] } = spec as Stated<Spec>;
  return [
    ...validateDriver(driver, 'spec.driver'),
    ...validateResourcePool(pool, 'spec.pool'),
    ...(before === undefined
      ? []
      : [
          ...immutable(pool?.name, before.pool.name, 'spec.pool.name'),
          ...immutable(driver, before.driver, 'spec.driver'),
          ...immutable(spec.nodeName, before.nodeName, 'spec.nodeName'),
        ]),
    ...validateScope(spec),
    ...validateList(devices, MOST_DEVICES, validateDevice, 'spec.devices'),
    ...validateOnce(devices, ({ name = '' }) => name, 'spec.devices', 'name'),
  ];
}

function validateResourcePool(pool: Stated<Spec['pool']> = {}, field: string): FieldError[] {
  const { name = '', generation = 0, resourceSliceCount: count = 0 } = pool;
  return [
    ...validatePool(name, `${field}.name`),
    ...(count > 0 ? [] : [invalid(`${field}.resourceSliceCount`, count, 'must be greater than zero')]),
    ...(generation >= 0 ? [] : [invalid(`${field}.generation`, generation, 'must be greater than or equal to zero')]),
  ];
}

/** For which nodes the devices are. */
function validateScope({ nodeName, nodeSelector, allNodes }: Spec): FieldError[] {
  const set: string[] = [];
  const errors: FieldError[] = [];
  if (nodeName === '') {
    errors.push(invalid('spec.nodeName', nodeName, 'must be either unset or set to a non-empty string'));
  } else if (nodeName !== undefined) {
    set.push('`nodeName`');
    errors.push(...invalidEach('spec.nodeName', nodeName, dns1123Subdomain(nodeName)));
  }
  if (nodeSelector !== undefined) {
    set.push('`nodeSelector`');
    errors.push(...validateNodeSelector(nodeSelector, 'spec.nodeSelector'));
    const { nodeSelectorTerms: terms = [] } = nodeSelector as Partial<typeof nodeSelector>;
    if (terms.length !== 1) {
      const shown = asGo('[]NodeSelectorTerm', nodeSelector.nodeSelectorTerms);
      const text = 'must have exactly one node selector term';
      errors.push(invalid('spec.nodeSelector.nodeSelectorTerms', shown, text));
    }
  }
  if (allNodes === true) set.push('`allNodes`');
  else if (allNodes === false) {
    errors.push(invalid('spec.allNodes', allNodes, 'must be either unset or set to true'));
  }
  if (set.length === 0) return [...errors, required('spec', SCOPES)];
  if (set.length === 1) return errors;
  return [...errors, invalid('spec', `{${set.join(', ')}}`, `${SCOPES}, but multiple fields are set`)];
}

function validateDevice({ name = '', attributes = {}, capacity = {} }: Stated<Device>, field: string): FieldError[] {
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  const judgeName = (key: string, part: string): FieldError[] =>
    validateQualifiedName(key, `${field}.${part}[${shownKey(key)}]`);
  return [
    ...invalidEach(`${field}.name`, name, dns1123Label(name)),
    ...(count > MOST_VALUES
      ? [invalid(field, count, `the total number of attributes and capacities must not exceed ${MOST_VALUES}`)]
      : []),
    ...Object.entries(attributes).flatMap(([key, attribute = {}]) => [
      ...judgeName(key, 'attributes'),
      ...validateAttribute(attribute, `${field}.attributes[${shownKey(key)}]`),
    ]),
    ...Object.keys(capacity).flatMap((key) => judgeName(key, 'capacity')),
  ];
}

/** Long keys lose their middle. */
function shownKey(key: string): string {
  if (key.length <= LONGEST_KEY) return key;
  const left = LONGEST_KEY - 3;
  return `${key.slice(0, Math.floor((left + 1) / 2))}...${key.slice(key.length - Math.floor(left / 2))}`;
}

function validateAttribute(attribute: Stated<DeviceAttribute>, field: string): FieldError[] {
  const { int, bool, string, version } = attribute;
  const errors: FieldError[] = [];
  if (string !== undefined && Buffer.byteLength(string) > LONGEST_VALUE) {
    errors.push(tooLong(`${field}.string`, LONGEST_VALUE));
  }
  if (version !== undefined) {
    if (!SEMVER.test(version)) {
      errors.push(invalid(`${field}.version`, version, 'must be a string compatible with semver.org spec 2.0.0'));
    }
    if (Buffer.byteLength(version) > LONGEST_VALUE) errors.push(tooLong(`${field}.version`, LONGEST_VALUE));
  }
  const count = [int, bool, string, version].filter((value) => value !== undefined).length;
  const text = 'exactly one value must be specified';
  if (count === 0) return [...errors, required(field, text)];
  return count === 1 ? errors : [...errors, invalid(field, shownAttribute(attribute), text)];
}

/** As Go's JSON has the structure. */
function shownAttribute({
  int = null,
  bool = null,
  string = null,
  version = null,
}: Partial<Record<keyof DeviceAttribute, unknown>>): GoValue {
  return new GoValue(JSON.stringify({ IntValue: int, BoolValue: bool, StringValue: string, VersionValue: version }));
}
