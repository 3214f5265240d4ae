/** Endpoint slices (pkg/apis/discovery, v1.34). */
import { duplicate, forbidden, notSupported, required, tooMany } from '../../errors/field-errors.js';
import type { Draft, EndpointSlice, discovery } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { oneOf } from '../pod/container-validation.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled, mapShared } from '../rules/filling.js';
import { validPort } from '../rules/number-validation.js';
import { immutable } from '../storage/storage-validation.js';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MOST_ENDPOINTS = 1000;
const MOST_PORTS = 20_000;
const MOST_ADDRESSES = 100;

/** The description of endpoint slices. */
export const endpointSliceKind = describeKind({
  kind: 'EndpointSlice',
  group: 'discovery.k8s.io',
  plural: 'endpointslices',
  generation: 'all-but-metadata',
  applyDefaults: (draft: Draft): Draft =>
    changedField(filled(draft, { endpoints: [] }) as Draft & { ports?: discovery.EndpointPort[] }, 'ports', (ports) =>
      mapShared(ports, (port) => filled(port, { name: '', protocol: 'TCP' })),
    ),
  // Of an older version of the API.
  droppedFields: ['endpoints[].deprecatedTopology'],
  validate: validateSlice,
  validateChange: (next, previous) => immutable(next.addressType, previous.addressType, 'addressType'),
});

function validateSlice({ addressType = '', endpoints, ports }: Partial<EndpointSlice>): FieldError[] {
  const errors: FieldError[] = [];
  if (addressType === '') errors.push(required('addressType'));
  else if (!ADDRESS_TYPES.includes(addressType)) errors.push(notSupported('addressType', addressType, ADDRESS_TYPES));
  errors.push(...validateEndpoints(endpoints ?? []), ...validatePorts(ports ?? []));
  return errors;
}

function validateEndpoints(endpoints: readonly discovery.Endpoint[]): FieldError[] {
  if (endpoints.length > MOST_ENDPOINTS) return [tooMany('endpoints', endpoints.length, MOST_ENDPOINTS)];
  return endpoints.flatMap(({ addresses, nodeName }, index) => {
    const own = `endpoints[${index}]`;
    const errors: FieldError[] = [];
    if (addresses.length === 0) errors.push(required(`${own}.addresses`, 'must contain at least 1 address'));
    if (addresses.length > MOST_ADDRESSES) {
      errors.push(tooMany(`${own}.addresses`, addresses.length, MOST_ADDRESSES));
    }
    if (nodeName === '') errors.push(forbidden(`${own}.nodeName`, 'may not be empty'));
    return errors;
  });
}

function validatePorts(ports: readonly discovery.EndpointPort[]): FieldError[] {
  if (ports.length > MOST_PORTS) return [tooMany('ports', ports.length, MOST_PORTS)];
  const names = new Set<string>();
  return ports.flatMap(({ name = '', protocol, port }, index) => {
    const own = `ports[${index}]`;
    const errors: FieldError[] = [];
    if (names.has(name)) errors.push(duplicate(`${own}.name`, name));
    names.add(name);
    errors.push(...oneOf(protocol, PROTOCOLS, `${own}.protocol`));
    if (port !== undefined) errors.push(...validPort(port, `${own}.port`));
    return errors;
  });
}
