/** Endpoint slices (pkg/apis/discovery, v1.34). */
import { isIP } from 'node:net';
import { duplicate, invalid, invalidEach, notSupported, required, tooMany } from '../../errors/field-errors.js';
import { isSameJson } from '../../values/canonical-json.js';
import type { Draft, EndpointSlice, discovery } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { dns1123Label, dns1123Subdomain, labelValue, qualifiedName, type NameCheck } from '../../values/names.js';
import { oneOf } from '../pod/container-validation.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled, mapShared } from '../rules/filling.js';
import { validateOutsideAddress } from '../rules/address-validation.js';
import { immutable } from '../rules/storage-fields.js';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MOST_ENDPOINTS = 1000;
const MOST_PORTS = 20_000;
const MOST_HINTS = 8;
const MOST_ADDRESSES = 100;

/** The description of endpoint slices. */
export const endpointSliceKind = describeKind({
  kind: 'EndpointSlice',
  group: 'discovery.k8s.io',
  plural: 'endpointslices',
  generation: 'content-and-labels',
  applyDefaults: (draft: Draft): Draft =>
    changedField(filled(draft, { endpoints: [] }) as Draft & { ports?: discovery.EndpointPort[] }, 'ports', (ports) =>
      mapShared(ports, (port) => filled(port, { name: '', protocol: 'TCP' })),
    ),
  // Of an older version of the API.
  droppedFields: ['endpoints[].deprecatedTopology'],
  validate: validateSlice,
  validateChange: (next, previous) => immutable(next.addressType, previous.addressType, 'addressType'),
});

function validateSlice(
  { addressType = '', endpoints, ports }: Partial<EndpointSlice>,
  stored?: Partial<EndpointSlice>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (addressType === '') errors.push(required('addressType'));
  else if (!ADDRESS_TYPES.includes(addressType)) errors.push(notSupported('addressType', addressType, ADDRESS_TYPES));
  const known = stored?.addressType === addressType ? (stored.endpoints ?? []) : [];
  const faults = validateEndpoints(endpoints ?? [], addressType, known);
  // Endpoints that stay as they were are not judged anew.
  const isKept = faults.length > 0 && stored !== undefined && isSameJson(stored.endpoints, endpoints);
  return [...errors, ...validatePorts(ports ?? []), ...(isKept ? [] : faults)];
}

/** Endpoints by the type of addresses for which they were found good: each change of a slice comes with all of them. */
const goodEndpoints = new WeakMap<object, string>();

function validateEndpoints(
  endpoints: readonly Partial<discovery.Endpoint>[],
  addressType: string,
  known: readonly Partial<discovery.Endpoint>[],
): FieldError[] {
  if (endpoints.length > MOST_ENDPOINTS) return [tooMany('endpoints', endpoints.length, MOST_ENDPOINTS)];
  const errors: FieldError[] = [];
  for (let index = 0; index < endpoints.length; index += 1) {
    const endpoint = endpoints[index] as Partial<discovery.Endpoint>;
    if (endpoint === known[index] || goodEndpoints.get(endpoint) === addressType) continue;
    const found = validateEndpoint(endpoint, addressType, `endpoints[${index}]`);
    if (found.length === 0) goodEndpoints.set(endpoint, addressType);
    else errors.push(...found);
  }
  return errors;
}

function validateEndpoint(
  { addresses = [], nodeName, hostname, hints }: Partial<discovery.Endpoint>,
  addressType: string,
  own: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(`${own}.addresses`, 'must contain at least 1 address'));
  if (addresses.length > MOST_ADDRESSES) errors.push(tooMany(`${own}.addresses`, addresses.length, MOST_ADDRESSES));
  for (const [at, address] of addresses.entries()) {
    errors.push(...validateAddress(address, addressType, `${own}.addresses`, at));
  }
  if (nodeName !== undefined) errors.push(...invalidEach(`${own}.nodeName`, nodeName, dns1123Subdomain(nodeName)));
  if (hostname !== undefined) errors.push(...invalidEach(`${own}.hostname`, hostname, dns1123Label(hostname)));
  return hints === undefined ? errors : [...errors, ...validateHints(hints, `${own}.hints`)];
}

/** Which zones and nodes an endpoint is for; the types of kubernetes-types know no nodes yet. */
interface Hints {
  readonly forZones?: readonly { readonly name?: string }[];
  readonly forNodes?: readonly { readonly name?: string }[];
}

/** Too many zones are all that is told. */
function validateHints({ forZones = [], forNodes = [] }: Hints, own: string): FieldError[] {
  if (forZones.length > MOST_HINTS) return validateNames(forZones, `${own}.forZones`, labelValue);
  return [
    ...validateNames(forZones, `${own}.forZones`, labelValue),
    ...validateNames(forNodes, `${own}.forNodes`, dns1123Subdomain),
  ];
}

function validateNames(hints: readonly { readonly name?: string }[], field: string, check: NameCheck): FieldError[] {
  if (hints.length > MOST_HINTS) return [tooMany(field, hints.length, MOST_HINTS)];
  const names = new Set<string>();
  return hints.flatMap(({ name = '' }, index) => {
    const own = `${field}[${index}].name`;
    const errors = names.has(name) ? [duplicate(own, name)] : [];
    names.add(name);
    return [...errors, ...invalidEach(own, name, check(name))];
  });
}

function validateAddress(address: string, type: string, field: string, index: number): FieldError[] {
  const own = `${field}[${index}]`;
  if (type === 'FQDN') return validateDomain(address, own);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const errors = validateOutsideAddress(address, own);
  const family = isIP(address);
  if (family === 0 || `IPv${family}` === type) return errors;
  return [invalid(field, address, `must be an ${type} address`), ...errors];
}

function validateDomain(address: string, field: string): FieldError[] {
  const name = address.replace(/\.$/, '');
  if (name === '') return [required(field)];
  const errors = invalidEach(field, address, dns1123Subdomain(name));
  if (errors.length > 0 || name.includes('.')) return errors;
  return [invalid(field, address, 'should be a domain with at least two segments separated by dots')];
}

function validatePorts(ports: readonly discovery.EndpointPort[]): FieldError[] {
  if (ports.length > MOST_PORTS) return [tooMany('ports', ports.length, MOST_PORTS)];
  const names = new Set<string>();
  return ports.flatMap(({ name = '', protocol, appProtocol }, index) => {
    const own = `ports[${index}]`;
    const errors: FieldError[] = [];
    if (name !== '') errors.push(...invalidEach(`${own}.name`, name, dns1123Label(name)));
    if (names.has(name)) errors.push(duplicate(`${own}.name`, name));
    names.add(name);
    errors.push(...oneOf(protocol, PROTOCOLS, `${own}.protocol`));
    if (appProtocol !== undefined) {
      errors.push(...invalidEach(`${own}.appProtocol`, appProtocol, qualifiedName(appProtocol)));
    }
    return errors;
  });
}
