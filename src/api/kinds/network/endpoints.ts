/** Endpoints, the list of a service's pods that slices have come after (pkg/apis/core/validation, v1.34). */
import { isIP } from 'node:net';
import { invalid, invalidEach, required } from '../../errors/field-errors.js';
import { dns1123Label, qualifiedName } from '../../values/names.js';
import type { core, Draft } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateOutsideAddress } from '../rules/address-validation.js';
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
  for (const [name, list] of Object.entries({ addresses, notReadyAddresses })) {
    for (const [index, address] of list.entries()) {
      errors.push(...validateAddress(address, `${field}.${name}[${index}]`));
    }
  }
  for (const [index, port] of ports.entries()) {
    errors.push(...validatePort(port, ports.length > 1, `${field}.ports[${index}]`));
  }
  return errors;
}

function validateAddress({ ip, hostname = '' }: core.EndpointAddress, field: string): FieldError[] {
  const errors =
    isIP(ip) === 0
      ? [invalid(`${field}.ip`, ip, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
      : validateOutsideAddress(ip, `${field}.ip`);
  return hostname === '' ? errors : [...errors, ...invalidEach(`${field}.hostname`, hostname, dns1123Label(hostname))];
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
