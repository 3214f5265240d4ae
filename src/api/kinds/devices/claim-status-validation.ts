/** Validation of what has become of claims (pkg/apis/resource/validation, v1.34). */
import {
  duplicate,
  forbidden,
  invalid,
  invalidEach,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../errors/field-errors.js';
import { asGo, GoValue } from '../../go/go-json.js';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  ConsumerReference,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimStatus,
} from '../../objects/device-objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { canonicalJson, isSameJson } from '../../values/canonical-json.js';
import { dns1123Label } from '../../values/names.js';
import { validateNodeSelector } from '../pod/affinity-validation.js';
import { validateConditions } from '../rules/condition-validation.js';
import { requestNamesOf, validateReference, validateReferences, type RequestNames } from './claim-spec-validation.js';
import {
  validateConfiguration,
  validateDriver,
  validateJson,
  validateList,
  validateOnce,
  validatePool,
  type Stated,
} from './device-values.js';
import { validateInterfaceAddress } from '../rules/address-validation.js';

const MOST_CONSUMERS = 256;
const MOST_RESULTS = 32;
const MOST_CONFIGURATIONS = 64;
const MOST_CONDITIONS = 8;
const MOST_ADDRESSES = 16;
const LONGEST_DATA = 10 * 1024;
const LONGEST_INTERFACE = 256;
const LONGEST_HARDWARE = 128;
const SOURCES = ['FromClaim', 'FromClass'];

/** Everything wrong with a change of a status. */
export function validateClaimStatus({ spec, status, metadata }: ResourceClaim, before: ResourceClaim): FieldError[] {
  const { allocation } = status;
  const { reservedFor = [], devices = [] }: Stated<ResourceClaimStatus> = status;
  const names = requestNamesOf(spec.devices ?? {});
  return [
    ...validateList(reservedFor, MOST_CONSUMERS, validateConsumer, 'status.reservedFor'),
    ...validateOnce(reservedFor, ({ uid = '' }) => uid, 'status.reservedFor', 'uid'),
    ...validateDevices(devices, allocation),
    ...validateReservation(status, before.status, metadata.deletionTimestamp !== undefined),
    ...validateAllocation(allocation, before.status.allocation, names),
  ];
}

function validateConsumer(
  { resource = '', name = '', uid = '' }: Stated<ConsumerReference>,
  field: string,
): FieldError[] {
  return [
    ...(resource === '' ? [required(`${field}.resource`)] : []),
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...(uid === '' ? [required(`${field}.uid`)] : []),
  ];
}

function validateReservation(
  { reservedFor = [], allocation }: ResourceClaimStatus,
  before: ResourceClaimStatus,
  isDeleted: boolean,
): FieldError[] {
  if (reservedFor.length === 0) return [];
  const field = 'status.reservedFor';
  if (allocation === undefined) return [forbidden(field, 'may not be specified when `allocated` is not set')];
  if (!isDeleted) return [];
  const known = new Set((before.reservedFor ?? []).map((each) => canonicalJson(each)));
  if (reservedFor.every((each) => known.has(canonicalJson(each)))) return [];
  const text = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  return [forbidden(field, text)];
}

function validateAllocation(
  allocation: AllocationResult | undefined,
  before: AllocationResult | undefined,
  names: RequestNames,
): FieldError[] {
  if (allocation === undefined) return [];
  const field = 'status.allocation';
  if (before !== undefined) {
    if (isSameJson(allocation, before)) return [];
    return [invalid(field, asGo('AllocationResult', allocation), 'field is immutable')];
  }
  const { results = [], config = [] } = allocation.devices ?? {};
  const { nodeSelector } = allocation;
  const judgeConfig = (each: Stated<DeviceAllocationConfiguration>, own: string): FieldError[] => [
    ...validateSource(each.source ?? '', `${own}.source`),
    ...validateReferences(each.requests, names, `${own}.requests`),
    ...validateConfiguration(each, own, false),
  ];
  return [
    ...validateList(results, MOST_RESULTS, (each, own) => validateResult(each, own, names), `${field}.devices.results`),
    ...validateList(config, MOST_CONFIGURATIONS, judgeConfig, `${field}.devices.config`),
    ...(nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, `${field}.nodeSelector`)),
  ];
}

function validateSource(source: string, field: string): FieldError[] {
  if (source === '') return [required(field)];
  return SOURCES.includes(source) ? [] : [notSupported(field, source, SOURCES)];
}

function validateResult(
  result: Stated<DeviceRequestAllocationResult>,
  field: string,
  names: RequestNames,
): FieldError[] {
  const { request = '', driver = '', pool = '', device = '' } = result;
  return [
    ...validateReference(request, names, `${field}.request`),
    ...validateDriver(driver, `${field}.driver`),
    ...validatePool(pool, `${field}.pool`),
    ...invalidEach(`${field}.device`, device, dns1123Label(device)),
  ];
}

function validateDevices(
  devices: readonly Stated<AllocatedDeviceStatus>[],
  allocation: AllocationResult | undefined,
): FieldError[] {
  const field = 'status.devices';
  const allocated = new Set((allocation?.devices?.results ?? []).map(idOf));
  const seen = new Set<string>();
  const errors = validateList(
    devices,
    undefined,
    (each, own) => {
      const misplaced = allocated.has(idOf(each))
        ? []
        : [invalid(own, new GoValue(shownId(each)), 'must be an allocated device in the claim')];
      return validateDevice(each, own, misplaced);
    },
    field,
  );
  for (const [index, each] of devices.entries()) {
    if (seen.has(idOf(each))) errors.push(duplicate(`${field}[${index}].deviceID`, new GoValue(shownId(each))));
    seen.add(idOf(each));
  }
  return errors;
}

type DeviceId = Stated<Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device'>>;

function idOf({ driver = '', pool = '', device = '' }: DeviceId): string {
  return `${driver}/${pool}/${device}`;
}

/** As Go's JSON has the structure, whose parts have no form there. */
function shownId(_id: DeviceId): string {
  return '{"Driver":{},"Pool":{},"Device":{},"ShareID":{}}';
}

function validateDevice(
  { driver = '', pool = '', device = '', conditions = [], data, networkData }: Stated<AllocatedDeviceStatus>,
  field: string,
  misplaced: readonly FieldError[],
): FieldError[] {
  return [
    ...validateDriver(driver, `${field}.driver`),
    ...validatePool(pool, `${field}.pool`),
    ...invalidEach(`${field}.device`, device, dns1123Label(device)),
    ...misplaced,
    ...(conditions.length > MOST_CONDITIONS
      ? [tooMany(`${field}.conditions`, conditions.length, MOST_CONDITIONS)]
      : []),
    ...validateConditions(conditions, `${field}.conditions`),
    ...(data === undefined || data === null ? [] : validateJson(data, `${field}.data`, LONGEST_DATA)),
    ...(networkData === undefined ? [] : validateNetwork(networkData, `${field}.networkData`)),
  ];
}

function validateNetwork(
  { interfaceName = '', ips = [], hardwareAddress = '' }: Stated<NonNullable<AllocatedDeviceStatus['networkData']>>,
  field: string,
): FieldError[] {
  return [
    ...(interfaceName.length > LONGEST_INTERFACE ? [tooLong(`${field}.interfaceName`, LONGEST_INTERFACE)] : []),
    ...(hardwareAddress.length > LONGEST_HARDWARE ? [tooLong(`${field}.hardwareAddress`, LONGEST_HARDWARE)] : []),
    ...validateList(ips, MOST_ADDRESSES, validateInterfaceAddress, `${field}.ips`),
    ...validateOnce(ips, (address) => address, `${field}.ips`),
  ];
}
