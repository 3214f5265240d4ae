/** Validation of network policies, addresses and ranges of services (pkg/apis/networking/validation, v1.34). */
import { BlockList, isIP, isIPv6 } from 'node:net';
import type * as networking from 'kubernetes-types/networking/v1.js';
import { forbidden, invalid, invalidEach, notSupported, required } from '../../../errors/field-errors.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { dns1123Subdomain, pathSegmentName, portName } from '../../../values/names.js';
import { validateRange } from '../../rules/address-validation.js';
import { validateLabelSelector } from '../../rules/label-selector-validation.js';
import { validPort } from '../../rules/number-validation.js';
import { immutable } from '../../rules/storage-fields.js';
import { requiredSegment, specOf, type PlainRules } from './plain-rules.js';

type Policy = networking.NetworkPolicySpec;

/** The types of the package do not have these kinds yet. */
interface AddressSpec {
  readonly parentRef?: Readonly<Partial<Record<'group' | 'resource' | 'name' | 'namespace', string>>>;
}
interface RangesSpec {
  readonly cidrs?: readonly string[];
}

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const POLICY_TYPES = ['Ingress', 'Egress'];
const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const IMMUTABLE = 'field is immutable';

/** Of NetworkPolicies. */
export const networkPolicyRules: PlainRules = {
  validate: (object) => validatePolicy(specOf<Policy>(object)),
};

/** Of IPAddresses. */
export const addressRules: PlainRules = {
  nameCheck: (name) => (isIP(name) === 0 ? [NO_ADDRESS] : []),
  validate: (object) => validateParent(specOf<AddressSpec>(object).parentRef),
  validateChange: (next, previous) => {
    const [{ parentRef }, { parentRef: before }] = [specOf<AddressSpec>(next), specOf<AddressSpec>(previous)];
    return immutable(parentRef, before, 'spec.parentRef', '*ParentReference');
  },
};

/** Of ServiceCIDRs. */
export const rangesRules: PlainRules = {
  validateNew: (object) => validateRanges(specOf<RangesSpec>(object).cidrs ?? []),
  validateChange: (next, previous) => {
    const [{ cidrs: stated }, { cidrs: before = [] }] = [specOf<RangesSpec>(next), specOf<RangesSpec>(previous)];
    const cidrs = stated ?? [];
    const isWider = before.length === 1 && cidrs.length === 2;
    if (cidrs.length !== before.length && !isWider) return [invalid('spec.cidrs', stated ?? null, IMMUTABLE)];
    const changed = before.flatMap((range, index) =>
      range === cidrs[index] ? [] : [invalid(`spec.cidrs[${index}]`, cidrs[index], IMMUTABLE)],
    );
    return isWider ? [...changed, ...validateRanges(cidrs)] : changed;
  },
};

function validatePolicy({ podSelector, ingress = [], egress = [], policyTypes = [] }: Partial<Policy>): FieldError[] {
  const errors = [...validateLabelSelector(podSelector, 'spec.podSelector')];
  for (const [index, { ports = [], from = [] }] of ingress.entries()) {
    errors.push(...validateTraffic(ports, from, `spec.ingress[${index}]`, 'from'));
  }
  for (const [index, { ports = [], to = [] }] of egress.entries()) {
    errors.push(...validateTraffic(ports, to, `spec.egress[${index}]`, 'to'));
  }
  if (policyTypes.length > POLICY_TYPES.length) {
    return [...errors, invalid('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')];
  }
  for (const [index, type] of policyTypes.entries()) {
    if (!POLICY_TYPES.includes(type)) errors.push(notSupported(`spec.policyTypes[${index}]`, type, POLICY_TYPES));
  }
  return errors;
}

function validateTraffic(
  ports: readonly networking.NetworkPolicyPort[],
  peers: readonly networking.NetworkPolicyPeer[],
  field: string,
  peersName: 'from' | 'to',
): FieldError[] {
  return [
    ...ports.flatMap((port, index) => validatePolicyPort(port, `${field}.ports[${index}]`)),
    ...peers.flatMap((peer, index) => validatePeer(peer, `${field}.${peersName}[${index}]`)),
  ];
}

function validatePolicyPort({ protocol, port, endPort }: networking.NetworkPolicyPort, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  }
  const own = `${field}.endPort`;
  if (port === undefined) {
    if (endPort === undefined) return errors;
    return [...errors, invalid(own, endPort, 'may not be specified when `port` is not specified')];
  }
  if (typeof port === 'string') {
    if (endPort !== undefined) errors.push(invalid(own, endPort, 'may not be specified when `port` is non-numeric'));
    return [...errors, ...invalidEach(`${field}.port`, port, portName(port))];
  }
  errors.push(...validPort(port, `${field}.port`));
  if (endPort === undefined) return errors;
  if (endPort < port) errors.push(invalid(own, port, 'must be greater than or equal to `port`'));
  return [...errors, ...validPort(endPort, own)];
}

function validatePeer(peer: networking.NetworkPolicyPeer, field: string): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors = [
    ...validateLabelSelector(podSelector, `${field}.podSelector`),
    ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : validateBlock(ipBlock, `${field}.ipBlock`)),
  ];
  const count = [podSelector, namespaceSelector, ipBlock].filter((each) => each !== undefined).length;
  if (count === 0) errors.push(required(field, 'must specify a peer'));
  else if (count > 1 && ipBlock !== undefined) {
    errors.push(forbidden(field, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

function validateBlock({ cidr = '', except = [] }: Partial<networking.IPBlock>, field: string): FieldError[] {
  if (cidr === '') return [required(`${field}.cidr`)];
  const errors = validateRange(cidr, `${field}.cidr`);
  if (errors.length > 0) return errors;
  return except.flatMap((range, index) => {
    const own = `${field}.except[${index}]`;
    const wrong = validateRange(range, own);
    if (wrong.length > 0) return wrong;
    return isWithin(range, cidr) ? [] : [invalid(own, range, 'must be a strict subset of `cidr`')];
  });
}

function isWithin(inner: string, outer: string): boolean {
  const [[address, length], [network, outerLength]] = [partsOf(inner), partsOf(outer)];
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  if ((isIPv6(address) ? 'ipv6' : 'ipv4') !== family || outerLength >= length) return false;
  const list = new BlockList();
  list.addSubnet(network, outerLength, family);
  return list.check(address, family);
}

function partsOf(range: string): readonly [address: string, length: number] {
  const [address = '', length = ''] = range.split('/');
  return [address, Number(length)];
}

/** A range whose address is its first. */
function validateExactRange(range: string, field: string): FieldError[] {
  const errors = validateRange(range, field);
  if (errors.length > 0) return errors;
  const [address, length] = partsOf(range);
  if (isFirst(address, length)) return [];
  return [invalid(field, range, 'must not have bits set beyond the prefix length')];
}

/** Whether the address before is in another range, or there is none. */
function isFirst(address: string, length: number): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const bits = family === 'ipv6' ? 128 : 32;
  const number = BigInt(`0x${hexOf(address)}`);
  return (number & ((1n << BigInt(bits - length)) - 1n)) === 0n;
}

function hexOf(address: string): string {
  if (!isIPv6(address))
    return address
      .split('.')
      .map((each) => Number(each).toString(16).padStart(2, '0'))
      .join('');
  const [head = '', tail] = address.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].map((each) => each.padStart(4, '0')).join('');
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

function validateParent(parent: AddressSpec['parentRef']): FieldError[] {
  if (parent === undefined) return [required('spec.parentRef')];
  const { group = '', resource = '', name = '', namespace = '' } = parent;
  return [
    ...(group === '' ? [] : invalidEach('spec.parentRef.group', group, dns1123Subdomain(group))),
    ...requiredSegment(resource, 'spec.parentRef.resource'),
    ...requiredSegment(name, 'spec.parentRef.name'),
    ...(namespace === '' ? [] : invalidEach('spec.parentRef.namespace', namespace, pathSegmentName(namespace))),
  ];
}

function validateRanges(ranges: readonly string[]): FieldError[] {
  const field = 'spec.cidrs';
  if (ranges.length === 0) return [required(field, 'at least one CIDR required')];
  if (ranges.length > 2) return [invalid(field, { CIDRs: ranges }, 'may only hold up to 2 values')];
  const errors = ranges.flatMap((range, index) => validateExactRange(range, `${field}[${index}]`));
  const [first, second] = ranges.map((range) => isIPv6(partsOf(range)[0]));
  if (ranges.length === 2 && errors.length === 0 && first === second) {
    const text = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    errors.push(invalid(field, ranges, text));
  }
  return errors;
}
