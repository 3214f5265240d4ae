/**
 * Families of addresses of services on a cluster that has IPv4 only: what can be had, and what a service has that
 * does not ask. Mirrors initIPFamilyFields of pkg/registry/core/service/storage and
 * ValidateServiceClusterIPsRelatedFields, v1.34.
 */
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { isSameJson } from '../../api/values/canonical-json.js';
import { duplicate, invalid, notSupported } from '../../api/errors/field-errors.js';
import type { core, Service } from '../../api/objects/objects.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import { isHeadless, needsClusterIp } from '../../api/objects/service-rules.js';

type Spec = core.ServiceSpec;

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const [OWN_FAMILY, OTHER_FAMILY] = FAMILIES as [string, string];
const POLICY = 'spec.ipFamilyPolicy';
const IPS = 'spec.clusterIPs';

/** What is wrong with the families that a service asks for; `previous` is what it replaces. */
export function validateFamilies({ spec }: Service, previous?: Service): readonly FieldError[] {
  if (!needsClusterIp(spec) || isPreferringAsBefore(spec, previous?.spec)) return [];
  const asked = validateFields(spec);
  if (asked.length > 0) return asked;
  const policy = spec.ipFamilyPolicy ?? previous?.spec.ipFamilyPolicy ?? defaultPolicy(spec);
  const unmatched = [...validateReleases(spec, policy, previous?.spec), ...validateAddressFamilies(spec)];
  if (unmatched.length > 0 || isOpen(spec)) return unmatched;
  const families = spec.ipFamilies ?? [];
  return [
    ...(policy === 'RequireDualStack'
      ? [invalid(POLICY, policy, 'this cluster is not configured for dual-stack services')]
      : []),
    ...families.flatMap((family, index) =>
      family === OWN_FAMILY ? [] : [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
    ),
  ];
}

/** The families and the policy of a service that has passed {@link validateFamilies}. */
export function filledFamilies(spec: Spec, previous?: Spec): Pick<Spec, 'ipFamilies' | 'ipFamilyPolicy'> {
  const policy = spec.ipFamilyPolicy ?? defaultPolicy(spec);
  let families = spec.ipFamilies ?? [];
  if (policy === 'SingleStack' && families.length > 1 && isSameJson(families, previous?.ipFamilies)) {
    families = families.slice(0, 1);
  }
  if (families.length === 0) families = [OWN_FAMILY];
  // The endpoints of such a service are its user's to write, in any family.
  if (isOpen(spec) && policy !== 'SingleStack' && families.length < 2) {
    families = [...families, families[0] === OWN_FAMILY ? OTHER_FAMILY : OWN_FAMILY];
  }
  return {
    ipFamilies: isSameJson(families, spec.ipFamilies) ? (spec.ipFamilies ?? families) : families,
    ipFamilyPolicy: policy,
  };
}

/** Whether a service has neither an address nor pods of its own. */
function isOpen(spec: Spec): boolean {
  return isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
}

function defaultPolicy(spec: Spec): string {
  return isOpen(spec) ? 'RequireDualStack' : 'SingleStack';
}

function isPreferringAsBefore(spec: Spec, before: Spec | undefined): boolean {
  return (
    before !== undefined &&
    spec.type === before.type &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    before.ipFamilyPolicy === 'PreferDualStack' &&
    isSameJson(spec.clusterIPs, before.clusterIPs) &&
    isSameJson(spec.ipFamilies, before.ipFamilies)
  );
}

/** Addresses as the fields name them, the older one standing for a list of one. */
function addressesOf({ clusterIP = '', clusterIPs = [] }: Spec): readonly string[] {
  return clusterIPs.length === 0 && clusterIP !== '' ? [clusterIP] : clusterIPs;
}

function validateFields(spec: Spec): FieldError[] {
  const { clusterIP = '', ipFamilies = [], ipFamilyPolicy } = spec;
  const addresses = addressesOf(spec);
  const errors: FieldError[] = [];
  if (clusterIP !== '' && addresses[0] !== clusterIP) {
    errors.push(invalid(IPS, addresses, 'first value must match `clusterIP`'));
  }
  if (clusterIP === '' && addresses.length > 0) {
    errors.push(invalid(IPS, addresses, 'must be empty when `clusterIP` is not specified'));
  }
  for (const [index, family] of ipFamilies.entries()) {
    const own = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) errors.push(notSupported(own, family, FAMILIES));
    if (ipFamilies.indexOf(family) < index) errors.push(duplicate(own, family));
  }
  if (ipFamilyPolicy !== undefined && !POLICIES.includes(ipFamilyPolicy)) {
    errors.push(notSupported(POLICY, ipFamilyPolicy, POLICIES));
  }
  const unreadable = validateTexts(addresses);
  errors.push(...unreadable);
  if (addresses.length > 2) errors.push(invalid(IPS, addresses, 'may only hold up to 2 values'));
  if (unreadable.length > 0) return errors;
  if (addresses.length > 1 && !(addresses.some(isIPv4) && addresses.some(isIPv6))) {
    errors.push(invalid(IPS, addresses, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(spec)) return errors;
  for (const [index, address] of addresses.entries()) {
    const family = ipFamilies[index];
    if (family === undefined || family === familyOf(address) || !FAMILIES.includes(family)) continue;
    const text = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalid(`${IPS}[${index}]`, address, text));
  }
  return errors;
}

function validateTexts(addresses: readonly string[]): FieldError[] {
  return addresses.flatMap((address, index) => {
    if (index === 0 && address === 'None') {
      return addresses.length > 1 ? [invalid(IPS, addresses, "'None' must be the first and only value")] : [];
    }
    const text = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
    return isIP(address) === 0 ? [invalid(`${IPS}[${index}]`, address, text)] : [];
  });
}

function validateReleases(spec: Spec, policy: string, before: Spec | undefined): FieldError[] {
  const errors: FieldError[] = [];
  let [ips, families] = [addressesOf(spec).length, (spec.ipFamilies ?? []).length];
  if (before !== undefined && policy === 'SingleStack') {
    if (isSameJson(spec.clusterIPs, before.clusterIPs)) ips = Math.min(ips, 1);
    if (isSameJson(spec.ipFamilies, before.ipFamilies)) families = Math.min(families, 1);
  } else if (before !== undefined) {
    const text = "must be 'SingleStack' to release the secondary";
    if (isReduced(ips, before.clusterIPs)) errors.push(invalid(POLICY, policy, `${text} cluster IP`));
    if (isReduced(families, before.ipFamilies)) errors.push(invalid(POLICY, policy, `${text} IP family`));
  }
  if (policy !== 'SingleStack') return errors;
  const text = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (ips === 2) errors.push(invalid(POLICY, policy, `${text} cluster IPs are specified`));
  if (families === 2) errors.push(invalid(POLICY, policy, `${text} IP families are specified`));
  return errors;
}

/** Nothing said is nothing taken away. */
function isReduced(count: number, former: readonly string[] = []): boolean {
  return count > 0 && count < former.length;
}

/** An address without a family beside it implies its own. */
function validateAddressFamilies(spec: Spec): FieldError[] {
  const addresses = addressesOf(spec);
  if (addresses[0] === 'None') return [];
  const named = (spec.ipFamilies ?? []).length;
  return addresses.flatMap((address, index) => {
    const family = familyOf(address);
    if (index < named || family === OWN_FAMILY) return [];
    return [invalid(`${IPS}[${index}]`, addresses, `${family} is not configured on this cluster`)];
  });
}

function familyOf(address: string): string {
  return isIPv4(address) ? OWN_FAMILY : OTHER_FAMILY;
}
