/** Endpoints, the list of a service's pods that slices have come after (pkg/apis/core/validation, v1.34). */
import { isIP } from 'node:net';
import { invalid, invalidEach, required } from '../../errors/field-errors.js';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '../../values/names.js';
import type { core, Draft } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateAddressForm, validateOutsideAddress } from '../rules/address-validation.js';
import { oneOf } from '../pod/container-validation.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled, mapShared } from '../rules/filling.js';
import { validPort } from '../rules/number-validation.js';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

type Subset = core.EndpointSubset;

/** The description of endpoints. */
export const endpointsKind = describeKind({
  kind: 'Endpoints',
  plural: 'endpoints',
  shortNames: ['ep'],
  createsOnUpdate: true,
  applyDefaults: (draft: Draft): Draft =>
    changedField(draft as Draft & { subsets?: Subset[] }, 'subsets', (subsets) =>
      mapShared(subsets, (subset) =>
        changedField(subset, 'ports', (ports) => mapShared(ports, (port) => filled(port, { protocol: 'TCP' }))),
      ),
    ),
  validate: ({ subsets = [] }) => subsets.flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`)),
});

function validateSubset({ addresses = [], notReadyAddresses = [], ports = [] }: Subset, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    errors.push(required(field, 'must specify `addresses` or `notReadyAddresses`'));
  }
  validateAddresses(addresses, `${field}.addresses`, errors);
  validateAddresses(notReadyAddresses, `${field}.notReadyAddresses`, errors);
  for (const [index, port] of ports.entries()) {
    errors.push(...validatePort(port, ports.length > 1, `${field}.ports[${index}]`));
  }
  return errors;
}

/** Addresses that were found good: each change of the object comes with all of them. */
const goodAddresses = new WeakSet<core.EndpointAddress>();

function validateAddresses(addresses: readonly core.EndpointAddress[], field: string, errors: FieldError[]): void {
  for (let index = 0; index < addresses.length; index += 1) {
    const address = addresses[index] as core.EndpointAddress;
    if (goodAddresses.has(address)) continue;
    const found = validateAddress(address, `${field}[${index}]`);
    if (found.length === 0) goodAddresses.add(address);
    else errors.push(...found);
  }
}

function validateAddress({ ip, hostname = '', nodeName }: core.EndpointAddress, field: string): FieldError[] {
  return [
    ...validateAddressForm(ip, `${field}.ip`),
    ...(hostname === '' ? [] : invalidEach(`${field}.hostname`, hostname, dns1123Label(hostname))),
    ...(nodeName === undefined ? [] : invalidEach(`${field}.nodeName`, nodeName, dns1123Subdomain(nodeName))),
    ...(isIP(ip) === 0
      ? [invalid(`${field}.ip`, ip, 'must be a valid IP address')]
      : validateOutsideAddress(ip, `${field}.ip`)),
  ];
}

function validatePort(
  { name = '', port, protocol, appProtocol }: core.EndpointPort,
  mustBeNamed: boolean,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (mustBeNamed && name === '') errors.push(required(`${field}.name`));
  else if (name !== '') errors.push(...invalidEach(`${field}.name`, name, dns1123Label(name)));
  errors.push(...validPort(port, `${field}.port`), ...oneOf(protocol, PROTOCOLS, `${field}.protocol`));
  if (appProtocol !== undefined)
    errors.push(...invalidEach(`${field}.appProtocol`, appProtocol, qualifiedName(appProtocol)));
  return errors;
}
